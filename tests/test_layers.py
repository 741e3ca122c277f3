"""What import-linter can't say: the rules import the standard library and themselves, no more."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

RULES = Path(__file__).parents[1] / "referee" / "rules"


def imported(tree: ast.AST) -> Iterator[str]:
    """The absolute names of the modules that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level < 2, "a relative import leads out of the rules' folder"
            yield node.module or "referee.rules"


def allowed(name: str) -> bool:
    return name.partition(".")[0] in sys.stdlib_module_names or name.startswith("referee.rules")


def test_rules_import_only_the_standard_library() -> None:
    files = sorted(RULES.rglob("*.py"))
    assert files
    names = {name for path in files for name in imported(ast.parse(path.read_text()))}
    assert {name for name in names if not allowed(name)} == set()
