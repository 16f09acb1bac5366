"""Numbers of layers without a model."""

from elmo_tasks.api import LayerScore, ModelProbes, PaperScores, ProbeResult


def scores(*values: float, mean: float | None = None) -> tuple[LayerScore, ...]:
    layers = tuple(LayerScore(str(k), value) for k, value in enumerate(values))
    return layers if mean is None else (*layers, LayerScore("mean", mean))


PAPER = PaperScores("Other Bank", "Paper, table 6", (LayerScore("1", 0.973), LayerScore("2", 0.968)), False)
POS = ProbeResult(
    "pos", "Tags, dev, accuracy", "percent", scores(0.879, 0.936, 0.934, mean=0.93), 0.861, "by rote", "How.", PAPER
)
LIKENESS = ProbeResult("cosimlex", "Likeness", "index", scores(-0.1, 0.42, 0.3, mean=0.4), 0.0, "chance", "How.")
STATIC = ProbeResult("pos", "Tags, dev, accuracy", "percent", scores(0.85), 0.861, "by rote", "How.")
LAYERS = ("the letters of the word", "LSTM layer 1", "LSTM layer 2")


class FakeProbes:
    """Two models that were measured, and one that was not."""

    def probes(self) -> tuple[ModelProbes, ...]:
        return (
            ModelProbes("fake-small", LAYERS, "probe --model fake-small", (POS, LIKENESS)),
            ModelProbes("fake-large", LAYERS, "probe --model fake-large", (), "It was not measured yet."),
            ModelProbes("fake-static", ("one vector for each word",), "probe --model fake-static", (STATIC,)),
        )
