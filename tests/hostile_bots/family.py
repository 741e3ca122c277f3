"""All hostile bots, what the referee has to record of each, and the check that each has to fail."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from referee.clock import Clock
from referee.conformance.check import Why
from referee.faults import FaultCode
from referee.rules.cells import PHASES
from tests.hostile_bots import (
    broken_lines,
    choices,
    door,
    endings,
    farewells,
    messages,
    silences,
    slow_lines,
    wrong_frames,
)
from tests.hostile_bots.http2 import RawBot, Talk
from tests.hostile_bots.raw import RawSpoil, spoiling
from tests.hostile_bots.server import HostileBot
from tests.hostile_bots.speech import Spoil, honest, in_mid_game

Open: TypeAlias = Callable[[str], AbstractContextManager[Any]]
"""Lets a bot listen at an address, for as long as the block."""
Sin: TypeAlias = tuple[str, Why]
"""A check of the conformance suite, and why it fails."""

NO_FAULT: Final = "no fault"
NOT_PLAYED: Final = "not played"
_TIMEOUT: Final = FaultCode.TIMEOUT.word
_ILLEGAL_INDEX: Final = FaultCode.ILLEGAL_INDEX.word
_WRONG_DECISION: Final = FaultCode.WRONG_DECISION.word
_CLOSED: Final = FaultCode.CLOSED.word
_PROTOCOL: Final = FaultCode.PROTOCOL.word
# A busy machine needs long for a bot whose line breaks at each decision.
_PATIENT: Final = Clock(move_limit=120.0, bank=600.0, increment=0.0, start_up=60.0)
_HASTY: Final = Clock(move_limit=0.7, bank=60.0, increment=0.0, start_up=10.0)
_BRIEF: Final = Clock(start_up=0.7)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of hostile bot."""

    name: str
    open: Open
    outcomes: tuple[str, ...]
    """What the referee may record: the code of a fault, as in traces; or NO_FAULT, or NOT_PLAYED.

    Two where it depends on who reads HTTP/2 for the referee: itself, or gRPC, which bears more.
    """
    sin: Sin | None
    """The first check that it fails; None where it keeps to the protocol and is only rude."""
    clock: Clock = _PATIENT
    """That of its matches: short where it lets time run out."""
    busy: bool = False
    """Whether it keeps the machine busy, so that others had better not be judged meanwhile."""


_IN_TIME: Final = ("in-time", Why.TIMEOUT)
_STAYS: Final = ("stays", Why.CLOSED)
_LOST: Final = ("stays", Why.LINE_LOST)
_MESSAGE: Final = ("message", Why.PROTOCOL)
_TOO_LONG: Final = ("message-size", Why.TOO_LONG)
_DESCRIBE: Final = ("describe", Why.NO_DESCRIPTION)


def _accept(why: Why) -> Sin:
    return ("accept", why)


def _always(_: int) -> bool:
    return True


def _grpc(spoil: Spoil) -> Open:
    return partial(HostileBot, spoil=spoil, when=_always)


def _raw(talk: Talk) -> Open:
    return partial(RawBot, talk=talk)


def _clock(*outcomes: str) -> Clock:
    return _HASTY if _TIMEOUT in outcomes else _PATIENT


def _spoils(outcome: str, sin: Sin, *spoils: Spoil) -> Iterable[Kind]:
    """Bots that spoil their answers in the middle of the game."""
    for spoil in spoils:
        open_ = _grpc(in_mid_game(spoil))
        yield Kind(spoil.__name__, open_, (outcome,), sin, _clock(outcome))


def _lines(outcomes: str | tuple[str, ...], sin: Sin, *spoils: RawSpoil) -> Iterable[Kind]:
    """The same, below gRPC."""
    words = (outcomes,) if isinstance(outcomes, str) else outcomes
    for spoil in spoils:
        yield Kind(spoil.__name__, _raw(spoiling(spoil)), words, sin, _clock(*words))


def _family() -> Iterable[Kind]:
    yield from _spoils(
        _ILLEGAL_INDEX,
        ("legal-index", Why.ILLEGAL_INDEX),
        choices.index_too_large,
        choices.index_far_off,
    )
    yield from _spoils(
        _WRONG_DECISION,
        ("decision-id", Why.WRONG_DECISION),
        choices.next_decision,
        choices.another_seats_decision,
        choices.another_matchs_decision,
    )
    yield from _spoils(
        _WRONG_DECISION,
        ("one-answer", Why.SECOND_ANSWER),
        choices.older_choice,
        choices.two_answers,
        choices.flood,
    )
    yield from _spoils(
        _PROTOCOL,
        _MESSAGE,
        choices.accepts_for_ever,
        messages.garbage,
        messages.accepts_again,
        messages.unknown_message,
        messages.nothing,
        messages.nested,
        messages.cut_short,
    )
    yield from _spoils(
        _PROTOCOL,
        _TOO_LONG,
        messages.oversize,
        messages.gigantic,
        messages.swells,
        endings.complains_without_end,
    )
    yield from _spoils(
        _TIMEOUT, _IN_TIME, silences.silent, silences.deaf, silences.late, silences.freezes
    )
    yield from _spoils(
        _CLOSED,
        _STAYS,
        endings.closes,
        endings.crashes,
        endings.complains_at_length,
        endings.pleads_exhaustion,
    )
    yield from _spoils(_TIMEOUT, _LOST, endings.drops_the_line, endings.is_killed)
    for name in PHASES[: PHASES.index("roll")]:
        open_ = _grpc(endings.dies_at(name))
        sin = (name, Why.LINE_LOST)
        yield Kind(f"dies_at_{name}", open_, (_TIMEOUT,), sin, _HASTY)
    yield from _below_grpc()
    yield from _at_the_door()
    yield Kind("lingers", _raw(farewells.lingers), (NO_FAULT,), ("game-end", Why.NOT_CLOSED))
    yield Kind("talks_on", _raw(farewells.talks_on), (NO_FAULT,), ("game-end", Why.SECOND_ANSWER))
    rude = messages.as_long_as_allowed
    yield Kind(rude.__name__, _grpc(in_mid_game(rude)), (NO_FAULT,), None)


def _below_grpc() -> Iterable[Kind]:
    yield from _lines(
        _TIMEOUT,
        _IN_TIME,
        slow_lines.drips,
        slow_lines.drips_frames,
        slow_lines.shuts_the_window,
        slow_lines.reads_byte_by_byte,
        slow_lines.stops_reading,
    )
    yield from _lines((_CLOSED, _TIMEOUT), _IN_TIME, broken_lines.half_closes)
    stray = wrong_frames.answers_on_another_stream
    yield from _lines((_PROTOCOL, _TIMEOUT), _IN_TIME, stray)
    yield from _lines(
        _TIMEOUT,
        _LOST,
        broken_lines.half_closes_the_connection,
        broken_lines.hangs_up,
        broken_lines.resets,
    )
    yield from _lines(
        _CLOSED,
        _STAYS,
        broken_lines.half_closes_with_the_answer,
        broken_lines.resets_for_calm,
        broken_lines.promises_too_little,
    )
    yield from _lines(_PROTOCOL, _TOO_LONG, broken_lines.promises_too_much)
    yield from _lines(_PROTOCOL, _TOO_LONG, wrong_frames.decorates)
    yield from _lines(_PROTOCOL, _TOO_LONG, wrong_frames.decorates_for_ever)
    yield from _lines(
        _PROTOCOL,
        _MESSAGE,
        wrong_frames.speaks_in_tongues,
        wrong_frames.frames_a_giant,
        wrong_frames.sends_empty_frames,
    )
    yield from _lines(NO_FAULT, _LOST, broken_lines.goes_away)
    for frames in wrong_frames.FLOODS:
        name = frames.__name__
        pours, amid = wrong_frames.pouring(frames), wrong_frames.amid(frames)
        words = (_PROTOCOL, _TIMEOUT)
        yield Kind(f"pours_{name}", _raw(spoiling(pours)), words, _IN_TIME, _HASTY, busy=True)
        yield Kind(f"plays_amid_{name}", _raw(spoiling(amid)), (_PROTOCOL, NO_FAULT), None)


def _at_the_door() -> Iterable[Kind]:
    for talk in (door.mute, door.speaks_http_1, door.greets_with_noise):
        yield Kind(talk.__name__, _raw(talk), (NOT_PLAYED,), _DESCRIBE, _BRIEF)
    noise = door.greets_for_ever
    yield Kind(noise.__name__, _raw(noise), (NOT_PLAYED,), _DESCRIBE, _BRIEF, busy=True)
    for spoil, why in (
        (silences.silent, Why.TIMEOUT),
        (silences.deaf, Why.TIMEOUT),
        (choices.chooses, Why.PROTOCOL),
        (messages.garbage, Why.PROTOCOL),
        (messages.oversize, Why.TOO_LONG),
        (messages.long_nonce, Why.PROTOCOL),
        (endings.closes, Why.CLOSED),
        (endings.crashes, Why.CLOSED),
        (endings.is_killed, Why.LINE_LOST),
    ):
        open_ = _grpc(door.at_the_start(spoil))
        yield Kind(f"{spoil.__name__}_at_the_start", open_, (NOT_PLAYED,), _accept(why), _BRIEF)
    unasked = _grpc(choices.answers_unasked)
    sin = _accept(Why.SECOND_ANSWER)
    yield Kind("answers_unasked", unasked, (_WRONG_DECISION,), sin)
    for name, describes in door.DESCRIPTIONS.items():
        open_ = partial(HostileBot, spoil=honest, when=_always, describes=describes)
        yield Kind(name, open_, (NO_FAULT,), _DESCRIBE)


FAMILY: Final = {kind.name: kind for kind in _family()}


def batches(at_once: int) -> list[tuple[Kind, ...]]:
    """All kinds: those that only let time pass in groups of that many, and each other one alone."""
    waiting = [kind for kind in FAMILY.values() if kind.clock is not _PATIENT and not kind.busy]
    starts = range(0, len(waiting), at_once)
    groups = [tuple(waiting[start : start + at_once]) for start in starts]
    return groups + [(kind,) for kind in FAMILY.values() if kind not in waiting]


def names(kinds: tuple[Kind, ...]) -> str:
    """What a batch is called."""
    return ",".join(kind.name for kind in kinds)
