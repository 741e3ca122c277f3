"""Show the mistakes in a bot's analysed games, beside those of others, and its lessons.

A lesson is told in words, for which the game is played again: once in a process and language.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ladder.analyses import profiles
from ladder.analyses.profiles import Lesson, Profile
from ladder.matches import reading
from referee.analysis.results import Losses
from web.caching import Cache
from web.database import session
from web.frames import scenes
from web.languages import language
from web.viewer.analysed import KINDS, PHASES
from web.viewer.choices import choice
from web.viewer.stills import game
from web.words import words_of

_NONE: Final = Losses(0, 0.0)


@dataclass(frozen=True, slots=True)
class Row:
    """The cost of decisions of a kind, or in a part of the game, for this bot and all bots."""

    name: str
    own: Losses
    all: Losses


@dataclass(frozen=True, slots=True)
class ToldLesson:
    """A lesson with its turn (0 in the setup), and both moves in words."""

    lesson: Lesson
    turn: int
    played: str
    better: str


@dataclass(frozen=True, slots=True)
class Mistakes:
    """A bot's profile as its page shows it; rows have the codes of kinds and parts of the game."""

    profile: Profile
    all: Profile
    kinds: list[Row]
    phases: list[Row]
    lessons: list[ToldLesson]


_told: Final = Cache[ToldLesson](4096)


def of_bot(bot_id: int) -> Mistakes | None:
    """Return the mistakes of a bot; None if no game of it is analysed."""
    own, everybody = profiles.profile(session(), bot_id), profiles.typical(session())
    if own is None or everybody is None:
        return None
    return Mistakes(
        profile=own,
        all=everybody,
        kinds=_rows(KINDS, own.by_kind, everybody.by_kind),
        phases=_rows(PHASES, own.by_phase, everybody.by_phase),
        lessons=[_lesson(one, language()) for one in own.lessons],
    )


def _rows(
    names: Mapping[str, str], own: Mapping[str, Losses], everybody: Mapping[str, Losses]
) -> list[Row]:
    return [Row(name, own[name], everybody.get(name, _NONE)) for name in names if name in own]


def _lesson(lesson: Lesson, code: str) -> ToldLesson:
    key = (lesson.match_id, lesson.moment, code)
    told = _told.get(key, lesson)
    if told is None:
        told = _in_words(lesson, code)
        _told.put(key, lesson, told)
    return told


def _in_words(lesson: Lesson, code: str) -> ToldLesson:
    played = game(reading.replay(session(), lesson.match_id))
    scene = next(scenes(played, words_of(code), lesson.moment))
    return ToldLesson(
        lesson,
        scene.before["turn"],
        choice(scene, lesson.played),
        choice(scene, lesson.better),
    )
