"""What a trained head costs where it is used: time and memory, in a process of its own, so that nothing else counts."""

from __future__ import annotations

import contextlib
import multiprocessing
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from itertools import cycle, islice
from pathlib import Path

from elmo_tasks.data.split_data import Split, SplitData
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.head_files import find_head
from elmo_tasks.training.predictor import Predictor

_WARM_UP = 32


@dataclass(frozen=True)
class Cost:
    """What reading texts costs."""

    seconds: float  # for 1,000 sentences, encoder and head together
    #: the most that the process had in memory, in bytes, Python and its packages included; None where the system does not tell
    memory: int | None
    sentences: int  # how many were read for it


def cost_of(head: Path, sentences: Sequence[Sequence[str]], n: int = 1000) -> Cost:
    """Measure the head in a folder on the CPU, on ``n`` sentences as it will read them; they are read again if there are fewer.

    Raises:
        ConfigError: the head or its encoder is not there.
    """
    tokens = [tuple(sentence) for sentence in islice(cycle(sentences), n)]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
        return alone.submit(_measure, head, tokens).result()


def _measure(head: Path, sentences: Sequence[tuple[str, ...]]) -> Cost:
    predictor = Predictor.load(find_head(head))
    list(predictor.predict(sentences[:_WARM_UP]))
    start = time.perf_counter()
    list(predictor.predict(sentences))
    seconds = time.perf_counter() - start
    return Cost(1000 * seconds / len(sentences), peak_memory(), len(sentences))


def peak_memory() -> int | None:
    """The most memory that this process has had at one time, in bytes; None where the system does not tell."""
    # On Linux the number that getrusage gives begins with the parent's.
    with contextlib.suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmHWM:")).split()[1])
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


def run_sentences(run: Path) -> tuple[tuple[str, ...], ...]:
    """The tokens of the rows that a run was tested on, or validated on where there are no others.

    Raises:
        ConfigError: the folder has no settings of a run on labelled rows.
        DataError: the data are not there any more.
    """
    import yaml  # comes with Lightning; the core does without both

    try:
        settings = yaml.safe_load((run / "config.yaml").read_text(encoding="utf-8"))["data"]
        module, _, name = settings["class_path"].rpartition(".")
        data = getattr(import_module(module), name)(**settings["init_args"])
    except (OSError, KeyError, TypeError, AttributeError, ImportError, yaml.YAMLError) as error:
        raise ConfigError(
            f"{run}: expected the folder of a run, with its settings in config.yaml ({error!r})"
        ) from None
    if not isinstance(data, SplitData):
        raise ConfigError(f"{run}: expected a run on labelled rows, found {settings['class_path']}")
    split: Split = "test" if data.has("test") else "validation"
    data.setup("test" if split == "test" else "validate")
    return data.tokens(split)
