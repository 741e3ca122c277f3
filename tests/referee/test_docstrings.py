"""What bot authors import has docstrings with examples, and the examples run."""

import doctest
import inspect
from collections.abc import Iterator
from importlib import import_module
from random import Random
from typing import Any

import pytest

from referee import bot, rl, rules, serving
from referee.rules.trace_reading import read_trace

MODULES = (
    *("referee.bot", "referee.serving", "referee.rl"),
    *(f"referee.rl.{name}" for name in ("actions", "batch", "environment", "observation")),
    *(f"referee.rules.{name}" for name in ("cells", "errors", "moves", "playouts", "position")),
    *("referee.rules", "referee.rules.scoring"),
)
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCKS = {"serve"}
"""It returns only when the process is asked to end."""


def given() -> dict[str, Any]:
    """What the examples may use without a word: the rules, and the position of their docstring."""
    position = rules.Position.start(rules.Layout.shuffled(Random(7)), players=3)
    position.roll((1, 4, 0, 2, 3))
    position.play("exclude tobacco")
    names = {name: getattr(rules, name) for name in rules.__all__}
    return names | {"position": position, "Random": Random, "read_trace": read_trace}


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    module = import_module(name)
    runner = doctest.DocTestRunner(optionflags=LENIENT)
    for found in doctest.DocTestFinder().find(module):
        found.globs.update(given())
        runner.run(found)
    tried, failed = runner.tries, runner.failures
    assert tried > 0
    assert failed == 0


def public() -> Iterator[tuple[str, Any]]:
    """Classes and functions that bot authors import, and the methods of these classes."""
    exports = [getattr(module, name) for module in (rules, rl) for name in module.__all__]
    kit: list[Any] = [bot.Bot, bot.Decision]
    kit += [serving.serve, serving.start_server, serving.server_credentials, serving.load]
    ours = [thing for thing in [*exports, *kit] if "referee" in getattr(thing, "__module__", "")]
    for thing in ours:
        if inspect.isclass(thing):
            methods = [m for m in vars(thing).values() if inspect.isroutine(m)]
            named = ((getattr(m, "__func__", m).__name__, m) for m in methods)
            yield from ((f"{thing.__name__}.{n}", m) for n, m in named if n[0] != "_")
        yield thing.__name__, thing


def test_whatever_bot_authors_call_has_an_example() -> None:
    """Short ones, such as `pesos(seat)`, need no more than their sentence."""
    texts = {name: inspect.getdoc(thing) or "" for name, thing in public() if name not in BLOCKS}
    assert len(texts) > 40
    assert not [name for name, text in texts.items() if ">>>" not in text and "\n" in text.strip()]
    assert all(texts.values())
