"""Packages import only lower ones, and heavy libraries stay in the few files that need them."""

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
# Each package may import those of earlier rows, and itself.
ROWS = (
    {"errors", "bundled", "files", "wording", "charts"},
    {"text"},
    {"api"},
    {"messages"},
    {"layers", "devices"},
    {"weights"},
    {"bilm"},
    {"encoders", "heads"},
    {"vectorizer"},
    {"data"},
    {"tasks"},
    {"prediction"},
    {"corpus"},
    {"training"},
    {"senses"},
    {"recipes"},
    {"evaluation"},
    {"service"},
    {"cli"},
    {"app"},
    {"__main__"},
)
#: Commands that write pages of the app.
WRITE_PAGES = {"cli/compare.py", "cli/map.py"}
UI_MAY = {"api", "charts", "errors", "messages", "text", "ui", "wording"}
#: Packages that may import few libraries beside the standard one.
PACKAGES: dict[str, set[str]] = {
    **{own: set() for own in ("errors", "bundled", "wording", "charts", "api", "messages")},
    "files": {"filelock"},
    "ui": {"gradio", "jinja2", "markupsafe", "numpy", "pydantic"},  # all come with gradio
}
#: How many files may import a package, at most.
HEAVY = {"h5py": 2, "transformers": 1, "gensim": 1, "nltk": 0, "snowballstemmer": 1}

FILES = sorted((REPOSITORY / "elmo_tasks").rglob("*.py"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imported(path: Path) -> set[str]:
    """Full names of the modules that a file imports, wherever in it."""
    names = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where an import goes"
            names.add(node.module or "")
            if node.module == "elmo_tasks":
                names |= {f"elmo_tasks.{alias.name}" for alias in node.names}
    return names


def package(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def package_of(path: Path) -> str:
    return path.relative_to(REPOSITORY / "elmo_tasks").with_suffix("").parts[0]


def packages_below(own: str) -> set[str]:
    rank = next(k for k, row in enumerate(ROWS) if own in row)
    return set().union(*ROWS[:rank], {own}, ROWS[0] if rank == 0 else set())


@pytest.mark.parametrize("own", sorted({package_of(path) for path in FILES} - {"__init__"}))
def test_packages_import_only_lower_ones(own):
    for path in (path for path in FILES if package_of(path) == own):
        ours = {package(name) for name in imported(path) if name.startswith("elmo_tasks.")}
        writes = path.relative_to(REPOSITORY / "elmo_tasks").as_posix() in WRITE_PAGES
        allowed = (
            UI_MAY
            if own == "ui"
            else packages_below(own) | ({"ui"} if own == "app" or writes else set())
        )
        assert ours <= allowed, f"{path} may not import {ours - allowed}"
        others = (
            {name.split(".")[0] for name in imported(path)}
            - set(sys.stdlib_module_names)
            - {"elmo_tasks"}
        )
        if own in PACKAGES:
            assert others <= PACKAGES[own], path
        if own == "text":
            assert not others & {"torch", "numpy"}, path


#: Modules of one backend each, which only `encoders.load` chooses. Static vectors are not among
#: them: heads, views and cards also read them as a table of words.
BACKENDS = {"elmo_tasks.encoders.elmo", "elmo_tasks.encoders.transformer"}
#: The public names; a command that writes the files of `allennlp elmo`; a recipe that trains a biLM.
OF_ONE_BACKEND = {"__init__.py", "cli/embed.py", "recipes/meaning_layers.py"}


def test_only_encoders_import_backends():
    for path in FILES:
        place = path.relative_to(REPOSITORY / "elmo_tasks").as_posix()
        if place.startswith("encoders/") or place in OF_ONE_BACKEND:
            continue
        assert not imported(path) & BACKENDS, path
        assert not [
            node for node in nodes(path) if isinstance(node, ast.Name) and node.id == "Elmo"
        ], path


@pytest.mark.parametrize("package", sorted(HEAVY))
def test_heavy_libraries_stay_in_few_files(package):
    users = [path for path in FILES if package in {name.split(".")[0] for name in imported(path)}]
    assert len(users) <= HEAVY[package], users


def test_every_folder_is_in_the_list():
    folders = {
        path.name
        for path in (REPOSITORY / "elmo_tasks").iterdir()
        if (path / "__init__.py").exists()
    }
    assert folders <= set().union(*ROWS, {"ui"})


@pytest.mark.parametrize(
    "path", sorted((REPOSITORY / "benchmarks").glob("*.py")), ids=lambda path: path.stem
)
def test_a_program_starts_on_its_last_line(path):
    """Definitions after the call of ``main`` do not exist when it runs."""
    *_, last = ast.parse(path.read_text(encoding="utf-8")).body
    starts = [
        node
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.If)
    ]
    assert all(
        ast.dump(start) == ast.dump(last)
        for start in starts
        if "__main__" in ast.unparse(start.test)
    )


def test_docstrings_begin_with_a_short_line():
    with_docstrings = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for path in FILES:
        for node in nodes(path):
            first = (
                (isinstance(node, with_docstrings) and ast.get_docstring(node)) or ""
            ).partition("\n")[0]
            assert len(first) <= 88, f"{path.name}: {first}"
            assert not first.startswith(("What ", "Whether ", "How ", "Where ")), (
                f"{path.name}: {first}"
            )
