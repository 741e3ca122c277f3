"""The ladder's own words have a word of the page each."""

from collections.abc import Iterable

import pytest
from flask import Flask

from ladder import model
from ladder.bots.styles import Source
from ladder.contests.formats import Format
from ladder.contests.tournament_points import TieBreak
from ladder.model import BotState, MatchState, TournamentState, TournamentStep, VersionState
from ladder.people import accounts
from referee.conformance import check
from referee.faults import FaultCode
from web import formats


@pytest.mark.parametrize(
    "codes",
    [
        MatchState,
        model.MatchKind,
        TournamentState,
        TournamentStep,
        Format,
        TieBreak,
        Source,
        check.CheckState,
        accounts.ROLES,
        BotState,
        VersionState,
        [code.word for code in FaultCode],
    ],
)
def test_each_code_has_a_word(codes: Iterable[str]) -> None:
    assert [code for code in codes if code not in formats.WORDS] == []


def test_words_deeds_and_things(app: Flask) -> None:
    with app.test_request_context(headers={"Accept-Language": "en"}):
        assert formats.word("validation") == "trial"
        assert formats.word("of another day") == "of another day"
        assert formats.deed("requeue") == "play again"
        assert formats.deed("changed the ladder: closed") == "changed the ladder: closed"
        assert formats.thing("ladder of 3") == formats.thing("ladder 3") == "ladder of 3"
        assert formats.thing("match 12") == "match 12"
        assert formats.thing("the moon") == "the moon"


def test_a_match_and_a_tournament_are_over_each_in_its_gender(app: Flask) -> None:
    with app.test_request_context(headers={"Accept-Language": "es"}):
        assert (formats.match_state("finished"), formats.word("finished")) == (
            "terminada",
            "terminado",
        )
        assert (formats.match_state("cancelled"), formats.word("cancelled")) == (
            "cancelada",
            "cancelado",
        )
        assert formats.match_state("queued") == formats.word("queued")


def test_every_state_of_a_match_has_its_word(app: Flask) -> None:
    with app.test_request_context(headers={"Accept-Language": "en"}):
        assert [formats.match_state(state) for state in MatchState] == [*MatchState]
