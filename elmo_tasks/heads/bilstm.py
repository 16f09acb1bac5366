"""The LSTM that reads a sentence in both directions under a head. It is trained with the task, unlike the biLM's."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from elmo_tasks.errors import ConfigError


class BiLSTM(nn.Module):
    """Vectors of tokens -> vectors of tokens that know the whole sentence. Both directions start from zero, always.

    Args:
        input_dim: size of the vectors that come in.
        hidden: cells of a layer in each direction.
        n_layers: number of layers.
        dropout: share of what each layer but the last gives that is dropped in training.

    Raises:
        ConfigError: an argument is out of range.
    """

    def __init__(self, input_dim: int, hidden: int, n_layers: int = 1, dropout: float = 0.0) -> None:
        super().__init__()
        check_at_least("lstm_hidden", hidden, 1)
        check_at_least("lstm_layers", n_layers, 1)
        check_share("dropout", dropout)
        self.output_dim = 2 * hidden
        # One layer has none to drop between, about which PyTorch warns.
        between = dropout if n_layers > 1 else 0.0
        self.lstm = nn.LSTM(input_dim, hidden, n_layers, batch_first=True, bidirectional=True, dropout=between)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Read sentences.

        Args:
            x: ``[B, T, D]``; anything where the mask is False.
            mask: ``[B, T]`` bool, True for a token; padding on the right. No sentence needs to have a token.

        Returns:
            ``[B, T, 2 * hidden]``, zero where the mask is False.
        """
        if not mask.numel():
            return x.new_zeros(*mask.shape, self.output_dim)
        # Packed, so that the backward direction starts at the last token and not in the padding. A packed sequence has
        # at least one step: an empty sentence lends its first padding, whose result is wiped out below.
        lengths = mask.sum(dim=1).clamp(min=1).cpu()  # [B]
        x = x.masked_fill(~mask.unsqueeze(2), 0.0)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=mask.shape[1])  # [B, T, 2H]
        return y.masked_fill(~mask.unsqueeze(2), 0.0)


def check_at_least(name: str, value: int, least: int) -> None:
    """Refuse a setting that is too small.

    Raises:
        ConfigError: it is.
    """
    if value < least:
        raise ConfigError(f"{name}: expected a whole number of at least {least}, got {value}")


def check_share(name: str, value: float) -> None:
    """Refuse a setting that is no share of one.

    Raises:
        ConfigError: it is below 0, or it is 1 or more.
    """
    if not 0 <= value < 1:
        raise ConfigError(f"{name}: expected a share from 0 to below 1, got {value}")
