"""The page of rulings and the tests: every tag is tested, no test names one that is not there."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "rulings.md"
HEADING = re.compile(r"^### ([A-Z]\d+) · .+ — (\w+)$", re.MULTILINE)
TAG = re.compile(r"(?<![a-z])([sdcbhev]\d{1,2})(?![a-z0-9])")
MARKS = {"text", "reading", "addition", "departure", "assumption"}
COUNTS = {"S": 5, "D": 3, "C": 6, "B": 12, "H": 7, "E": 2, "V": 1}
TAGS = [f"{letter}{n}" for letter, count in COUNTS.items() for n in range(1, count + 1)]


def sections() -> dict[str, str]:
    """The page's text by tag."""
    parts = re.split(r"^#+ ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {part.split(" ", 1)[0]: part for part in parts if re.match(r"[A-Z]\d+ ·", part)}


def every_test() -> Iterator[tuple[str, str]]:
    """Each test of the rules, and what its name and docstring say."""
    for file in sorted(HERE.glob("test_*.py")):
        if file.name == "test_checker.py":  # it tests the checker, not the rules
            continue
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                said = f"{node.name} {ast.get_docstring(node) or ''}"
                yield f"{file.name}: {node.name}", said.replace("_", " ").lower()


def test_the_page_has_every_ruling_once_and_in_order() -> None:
    headings = HEADING.findall(PAGE.read_text(encoding="utf-8"))
    assert [tag for tag, _ in headings] == TAGS
    assert {mark for _, mark in headings} <= MARKS


def test_every_ruling_stands_on_a_sentence_of_the_rulebook() -> None:
    quoting = {tag for tag, text in sections().items() if re.search("^> (DE|ES), ", text, re.M)}
    assert set(TAGS) - quoting == {"H7"}  # an addition of our own


def test_every_ruling_has_a_test_that_names_it() -> None:
    named = {tag.upper() for _, said in every_test() for tag in TAG.findall(said)}
    assert sorted(set(TAGS) - named) == []


def test_no_test_names_a_ruling_that_is_not_there() -> None:
    known = set(map(str.lower, TAGS))
    strange = [name for name, said in every_test() if set(TAG.findall(said)) - known]
    assert strange == []
