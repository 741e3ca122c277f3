"""The maps at the top of the packages name all that stands there."""

import re
from pkgutil import iter_modules
from types import ModuleType

import pytest

import ladder
import ladder.bots
import ladder.casual
import ladder.jobs
import referee
import referee.hosting
import web
import web.drawing
import web.lesson
import web.viewer

LADDER = (ladder, ladder.bots, ladder.casual, ladder.jobs)
SITE = (web, web.drawing, web.lesson, web.viewer)


@pytest.mark.parametrize("package", [*LADDER, referee, referee.hosting, *SITE])
def test_the_map_of_a_package_is_whole(package: ModuleType) -> None:
    named = set(re.findall(r"\w+", package.__doc__ or ""))
    assert {module.name for module in iter_modules(package.__path__)} <= named
