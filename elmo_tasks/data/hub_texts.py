"""A column of a data set on the Hugging Face hub -> texts, to look words up in."""

from __future__ import annotations

from collections.abc import Iterator

from elmo_tasks.data.column_guess import TEXT_NAMES
from elmo_tasks.errors import DataError

_NO_NETWORK = (
    "This needs a network. Without one, load it on a machine that has one and copy its cache (HF_HOME), without --rows; "
    "or give text files"
)


def hub_texts(
    name: str, column: str | None = None, split: str = "train", config: str | None = None, most: int | None = None
) -> Iterator[str]:
    """The texts of one split.

    Args:
        name: hub id such as ``user/name``, or a folder with the files of a data set.
        column: that holds the texts, or lists of words; the one called text, sentence, review, ... if ``None``.
        split: such as ``train``, or ``train[:10%]``.
        config: of the data set, where it has several.
        most: read so many rows; the rest is not downloaded then.

    Yields:
        one text a row.

    Raises:
        DataError: it cannot be loaded, or has no such column of text.
    """
    # Imported here: `datasets` takes a second, and most texts are files.
    import datasets
    from datasets.exceptions import DatasetsError

    where = f"the data set '{name}' (split '{split}')"
    try:
        table = datasets.load_dataset(name, config, split=split, streaming=most is not None)
        for number, row in enumerate(table if most is None else table.take(most), start=1):
            column = column if column in row else _column(list(row), column, where)
            text = row[column]
            text = " ".join(map(str, text)) if isinstance(text, list) else text
            if text is not None and not isinstance(text, str):
                raise DataError(f"{where}, row {number}: column '{column}': expected text, found {type(text).__name__}")
            yield text or ""
    except DataError:
        raise
    # A stream may break at any row.
    except (DatasetsError, OSError, ValueError, RuntimeError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        hint = f". {_NO_NETWORK}" if isinstance(error, OSError) else ""
        raise DataError(f"{where} cannot be read from the Hugging Face hub: {reason}{hint}") from error


def _column(names: list[str], wanted: str | None, where: str) -> str:
    found = wanted or next((name for known in TEXT_NAMES for name in names if name.lower() == known), None)
    if found is None and len(names) == 1:
        found = names[0]
    if found not in names:
        which = (
            f"no column '{wanted}'" if wanted else "no column that is called like one of texts; name it with --column"
        )
        raise DataError(f"{where}: {which}; it has {', '.join(names)}")
    return found
