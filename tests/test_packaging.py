"""pyproject.toml, requirements.txt and the imports of the code agree."""

import ast
import importlib
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from elmo_tasks import __main__ as program
from elmo_tasks.cli import compare

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPOSITORY = Path(__file__).resolve().parents[1]
SETTINGS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
EXTRAS = {
    extra: {canonicalize_name(Requirement(line).name): Requirement(line) for line in lines}
    for extra, lines in {**PROJECT["optional-dependencies"], "": PROJECT["dependencies"]}.items()
}
#: Optional: error messages explain how to install them.
ASKED_FOR = {"mcp"}


def test_requirements_are_those_of_the_app_with_torch_pinned():
    lines = (REPOSITORY / "requirements.txt").read_text(encoding="utf-8").splitlines()
    stated = [Requirement(re.sub(r"\s*#.*", "", line)) for line in lines if re.match(r"\w", line)]
    wanted = EXTRAS[""] | EXTRAS["hdf5"] | EXTRAS["train"] | EXTRAS["app"]
    del wanted["elmo-tasks"]
    assert {canonicalize_name(r.name) for r in stated} == set(wanted)
    for requirement in stated:
        ours = wanted[canonicalize_name(requirement.name)]
        if requirement.name == "torch":
            assert ours.specifier.contains(str(requirement.specifier).removeprefix("=="))
        else:
            assert requirement.specifier == ours.specifier, requirement.name


def test_constraints_hold_a_version_of_everything_within_its_range():
    lines = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {
        canonicalize_name(r.name): r
        for r in (Requirement(line) for line in lines if line[0] != "#")
    }
    assert (
        "-c constraints.txt"
        in (REPOSITORY / "requirements.txt").read_text(encoding="utf-8").splitlines()
    )
    for file in ("requirements.txt", "requirements-dev.txt"):
        for line in (REPOSITORY / file).read_text(encoding="utf-8").splitlines():
            if re.match(r"\w", line):
                wanted = Requirement(re.sub(r"\s*#.*", "", line))
                if wanted.marker and not wanted.marker.evaluate({"python_version": "3.11"}):
                    continue
                (only,) = pinned[canonicalize_name(wanted.name)].specifier
                assert only.operator == "=="
                assert wanted.specifier.contains(only.version), line
    # Some of these versions need 3.11: with 3.10 the ranges hold alone.
    assert {str(r.marker) for r in pinned.values()} == {'python_version >= "3.11"'}


#: Distributions of optional packages whose names differ.
NOT_INSTALLED = {"faiss": ["faiss-cpu"]}


@pytest.mark.skipif(
    sys.version_info < (3, 11), reason="packages_distributions() of Python 3.10 misses some"
)
def test_every_imported_package_is_a_dependency():
    known = {canonicalize_name(name) for names in EXTRAS.values() for name in names} | ASKED_FOR
    distributions = packages_distributions()
    for path in (REPOSITORY / "elmo_tasks").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for module in (
                {name.split(".")[0] for name in modules}
                - set(sys.stdlib_module_names)
                - {"elmo_tasks"}
            ):
                owners = {
                    canonicalize_name(name)
                    for name in distributions.get(module, NOT_INSTALLED.get(module, [module]))
                }
                assert owners & known, (
                    f"{path.name} imports {module}, which pyproject.toml does not name"
                )


def test_the_entry_point_is_there():
    module, name = PROJECT["scripts"]["elmo-tasks"].split(":")
    assert getattr(importlib.import_module(module), name) is program.main


@pytest.mark.parametrize("package", sorted(program.EXTRAS))
def test_the_extra_named_for_a_package_installs_it(package):
    (owner,) = {
        canonicalize_name(name)
        for name in packages_distributions().get(package, NOT_INSTALLED.get(package, [package]))
    }
    brought = EXTRAS[program.EXTRAS[package]]
    inner = (
        [EXTRAS[extra] for extra in brought["elmo-tasks"].extras] if "elmo-tasks" in brought else []
    )
    brought = {name for packages in (brought, *inner) for name in packages}
    assert owner in brought


def test_a_missing_package_is_named_with_its_extra(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "h5py", None)
    (tmp_path / "in.txt").write_text("A bank .\n")
    assert (
        program.main(["embed", str(tmp_path / "in.txt"), str(tmp_path / "out.hdf5"), "--top"]) == 2
    )
    message = capsys.readouterr().err
    assert (
        'embed: it needs the package h5py, which is not installed: pip install "elmo-tasks[hdf5]"'
        in message
    )


def test_an_internal_import_error_is_not_a_missing_package(monkeypatch):
    monkeypatch.setattr(compare, "run", lambda args: importlib.import_module("elmo_tasks.no_such"))
    with pytest.raises(ModuleNotFoundError, match="no_such"):
        program.main(["compare", "--word", "bank", "--sentence", "A bank."])


def test_the_oldest_python_is_the_one_that_types_and_syntax_are_checked_for():
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert SETTINGS["tool"]["mypy"]["python_version"] == oldest
    version = tuple(map(int, oldest.split(".")))
    for path in [*(REPOSITORY / "elmo_tasks").rglob("*.py"), REPOSITORY / "app.py"]:
        ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=version)
