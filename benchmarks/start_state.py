"""Where the biLM should start: at its constant state, or warmed up: ``python -m benchmarks.start_state --data ../shared/data``.

ELMo as published carries its state from batch to batch, so users were told to warm it up with a few sentences. Ours starts each
call at zero, so that the same sentence gives the same numbers. Here both are measured with the tests of ``evaluate``: warmed up is
the state behind the first everyday sentences of the project (before them, for the backward direction), the same for every call.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch import Tensor

from elmo_tasks.bilm.bilm import BiLM, BiLMOutput, DirectionState
from elmo_tasks.bilm.model_files import ModelFiles, find_model, load_bilm, load_softmax
from elmo_tasks.bilm.perplexity import Perplexity, sentence_losses
from elmo_tasks.data.language_batches import held_out_sentences, sentence_batches
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.evaluation.reader import Reader
from elmo_tasks.evaluation.rows import Row
from elmo_tasks.evaluation.suite import TASKS, evaluate
from elmo_tasks.senses.gallery import everyday_sentences
from elmo_tasks.text.characters import BEGIN_SENTENCE_IDS, END_SENTENCE_IDS, character_ids
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.vocabulary import UNKNOWN_ID

_SENTENCES = 2000


class WarmBiLM(BiLM):
    """The same weights, and another state to start from: it has read some sentences before, and will read them after, every
    sentence.
    """

    def __init__(self, bilm: BiLM, sentences: list[str]) -> None:
        super().__init__(bilm.options)
        self.load_state_dict(bilm.state_dict())
        characters: list[list[int]] = []
        for sentence in sentences:
            words = [character_ids(token.text) for token in tokenize(sentence)]
            characters += [list(ids) for ids in (BEGIN_SENTENCE_IDS, *words, END_SENTENCE_IDS)]
        with torch.no_grad():
            output = bilm(
                torch.tensor(characters),
                torch.arange(len(characters)).unsqueeze(0),
                torch.tensor([len(characters)]),
                carry=True,
            )
        assert output.states is not None
        self.start: tuple[DirectionState, DirectionState] = output.states

    def forward(self, characters: Tensor, words: Tensor, lengths: Tensor, *_: object, **__: object) -> BiLMOutput:
        """See :meth:`BiLM.forward`."""
        ahead, back = (
            tuple(
                (h.expand(-1, len(words), -1).contiguous(), c.expand(-1, len(words), -1).contiguous()) for h, c in way
            )
            for way in self.start
        )
        return super().forward(characters, words, lengths, (ahead, back))


def main() -> None:
    """Measure both, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="name or folder of a biLM (default: the bundled one)")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the data sets")
    parser.add_argument("--only", nargs="+", default=["wic", "coarsewsd", "senseval", "pos"], choices=TASKS)
    parser.add_argument("--sentences", type=int, default=5, help="how many it is warmed up with")
    parser.add_argument(
        "--text", type=Path, help="tokenized text: measure the perplexity on 2,000 of its sentences, too"
    )
    parser.add_argument("--starts", nargs="+", default=["zero", "warm"], choices=("zero", "warm"))
    args = parser.parse_args()
    files, static = find_model(args.model), StaticVectors.load()
    bilm = load_bilm(files)
    warm = WarmBiLM(bilm.eval(), list(everyday_sentences())[: args.sentences])
    for name in args.starts:
        model = warm if name == "warm" else bilm
        first = [_perplexity(model, files, args.text)] if args.text else []
        found = evaluate(Reader(Elmo(model, f"{files.name}, {name} start"), static), args.data, args.only, first)
        print(found.to_markdown(), end="\n\n", flush=True)


def _perplexity(bilm: BiLM, files: ModelFiles, text: Path) -> Row:
    sentences = held_out_sentences(text, None, [])
    softmax, vocabulary = load_softmax(files)
    n = min(_SENTENCES, len(sentences))
    chosen = [sentences[k * len(sentences) // n] for k in range(n)]
    found = Perplexity()
    for b in sentence_batches(chosen, vocabulary):
        found += sentence_losses(bilm, softmax, b.characters, b.words, b.lengths, b.targets, UNKNOWN_ID)
    top = str(bilm.options.n_layers - 1)
    return Row("perplexity", "Perplexity", {top: (found.forward + found.backward) / 2}, "plain", high_is_good=False)


if __name__ == "__main__":
    main()
