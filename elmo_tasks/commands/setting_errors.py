"""What a setting is refused for, in one sentence, out of what the parser of the command line says."""

from __future__ import annotations

import re

from elmo_tasks.errors import ConfigError, DataError, InputError, WeightsError


def own_error(error: BaseException | None) -> Exception | None:
    """The error of ours that another one was raised for, if there is one."""
    while error is not None:
        if isinstance(error, ConfigError | DataError | InputError | WeightsError):
            return error
        error = error.__cause__ or error.__context__
    return None


def in_a_sentence(text: str) -> str:
    """What the parser says of a setting, in lines and lines: which one it is, what was expected, and what was found."""
    lines = [line.strip(" -") for line in text.splitlines() if line.strip(" -")]
    keys = re.findall(r'Parser key "([^"]+)"', text)
    # The innermost says what is wrong; around it stands what else the whole part could have been.
    expected = [line.removeprefix("Expected a ") for line in lines if line.startswith("Expected a ")]
    other = [
        found[0] for line in lines if (found := re.search("(Option '|No module named|No action for|Import of).*", line))
    ]
    given = [found for line in lines for found in re.findall(r"(?:Given value|Got value): (.*)", line)]
    if not keys or not (other or expected):
        return " ".join(" ".join(lines[:3]).split())[:400]
    if other:
        return f"{'.'.join(keys)}: {other[0][0].lower()}{other[0][1:]}"
    inner = expected[:1] if "value: " in expected[0] else expected[: 1 + (len(expected) > 1)]
    wanted = " or ".join(_type_in_words(part.partition(". Got value")[0]) for part in inner)
    return f"{'.'.join(keys)}: expected {wanted}, found {given[0][:100] if given else 'something else'}"


def _type_in_words(text: str) -> str:
    """``<class 'int'>`` -> ``int``, ``typing.Literal['balanced']`` -> ``'balanced'``."""
    text = re.sub(r"<class '(?:\w+\.)*(\w+)'>", r"\1", text)
    return re.sub(r"(?:typing\.)?Literal\[(.*)\]", r"\1", text).replace("NoneType", "null")
