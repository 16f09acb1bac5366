"""Undocumented parts of gradio are used in one file each, which alone changes with its version."""

import ast
import re
from pathlib import Path

UI = Path(__file__).resolve().parents[2] / "elmo_tasks" / "ui"


def test_no_private_name_of_others_is_read():
    found = set()
    for path in UI.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and re.match("_[a-z]", node.attr):
                owner = ast.unparse(node.value)
                if owner not in ("self", "cls"):
                    found.add((path.name, f"{owner}.{node.attr}"))
    assert not found


def test_nothing_that_belongs_to_the_browser_is_replaced():
    found = set()
    for path in UI.rglob("*.js"):
        script = path.read_text(encoding="utf-8")
        found |= {
            (path.name, f"window.{name}")
            for name in re.findall(r"window\.(\w+) = ", script)
            if name != "elmo"
        }
        assert not re.search(r"\._[a-z]|__gradio|svelte", script), path.name
    assert not found


def test_no_regular_expression_reads_our_own_markup():
    with_expressions = {
        path.name
        for path in UI.rglob("*.py")
        if re.search(r"^import re$", path.read_text(), re.MULTILINE)
    }
    assert not with_expressions
    assert not [
        path.name
        for path in UI.rglob("*.js")
        if re.search(r"DOMParser|\.innerHTML\.", path.read_text())
    ]


def test_scripts_that_run_as_one_function_take_no_name_from_each_other():
    top = re.compile(r"^(?:async )?(?:function|const|let) (\w+)", re.MULTILINE)
    together = set()
    for path in UI.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                words = [word.value for word in node.args if isinstance(word, ast.Constant)]
                scripts = tuple(
                    word for word in words if isinstance(word, str) and word.endswith(".js")
                )
                together |= {scripts} if len(scripts) > 1 else set()
    assert ("scripts/word_tips.js", "scripts/details.js") in together
    for scripts in together:
        names = [
            name
            for script in scripts
            for name in top.findall((UI / script).read_text(encoding="utf-8"))
        ]
        assert sorted({name for name in names if names.count(name) > 1}) == [], scripts
