"""The maps at the top of the packages name all that stands there."""

import re
import tomllib
from pkgutil import iter_modules
from types import ModuleType

import pytest

import ladder
import ladder.bots
import ladder.casual
import ladder.contests.tournaments
import ladder.embedded
import ladder.jobs
import ladder.local
import ladder.matches
import ladder.operating
import ladder.people
import ladder.ratings
import referee
import referee.hosting
import web
import web.drawing
import web.lesson
import web.viewer
from tests.conftest import PROJECT

LADDER = (ladder, ladder.bots, ladder.casual, ladder.embedded, ladder.jobs, ladder.local)
CONTESTS = (ladder.contests, ladder.contests.tournaments, ladder.matches, ladder.ratings)
PEOPLE = (ladder.operating, ladder.people)
SITE = (web, web.drawing, web.lesson, web.viewer)


@pytest.mark.parametrize("package", [*LADDER, *CONTESTS, *PEOPLE, referee, referee.hosting, *SITE])
def test_the_map_of_a_package_is_whole(package: ModuleType) -> None:
    named = set(re.findall(r"\w+", package.__doc__ or ""))
    assert {module.name for module in iter_modules(package.__path__)} <= named


def test_the_map_of_the_ladder_has_the_order_of_its_layers() -> None:
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one.get("containers") == ["ladder"])
    order = [name for layer in reversed(layers) for name in layer.split(" | ")]
    listed = re.findall(r"^(\w+)/? {2,}", ladder.__doc__ or "", re.MULTILINE)
    assert listed == [name for name in order if name in listed]
