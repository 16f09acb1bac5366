"""Print the exact versions of all that the requirements bring, as they are installed here: `make
constraints`.

For Python 3.11 and later: a few of these versions no longer support 3.10, where the ranges of the
requirements hold alone.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

HEAD = "# The versions that CI uses, with all they need in turn; written by `make constraints`."


def main(files: list[str]) -> None:
    """Follow the requirements of some files to the end, and print a line for each package."""
    lines = [
        line.split(" #")[0].strip()
        for file in files
        for line in Path(file).read_text("utf-8").splitlines()
    ]
    waiting = [Requirement(line) for line in lines if line and line[0] not in "#-"]
    found: dict[str, str] = {}
    seen: set[str] = set()
    while waiting:
        wanted = waiting.pop()
        if str(wanted) in seen:
            continue
        seen.add(str(wanted))
        try:
            here = distribution(wanted.name)
        except PackageNotFoundError:  # for another system
            continue
        # Without "+cpu": the user chooses the build.
        found[re.sub(r"[-_.]+", "-", wanted.name).lower()] = here.version.split("+")[0]
        for text in here.requires or ():
            inner = Requirement(text)
            if inner.marker is None or any(
                inner.marker.evaluate({"extra": extra}) for extra in (*wanted.extras, "")
            ):
                waiting.append(inner)
    print(HEAD)
    for name in sorted(found):
        print(f'{name}=={found[name]}; python_version >= "3.11"')


if __name__ == "__main__":
    main(sys.argv[1:])
