"""The limits that the documents name are those of the code."""

from datetime import timedelta
from typing import Any

import pytest

from ladder import model
from ladder.analyses import queue as analyses
from ladder.bots import clearing
from ladder.casual import hints, opening, opponents
from ladder.casual.playing import ABANDONED
from ladder.config import Environment
from ladder.contests.tournaments import creating
from ladder.embedded import supervisor
from ladder.matches import misses
from ladder.model.ahead import LONGEST_LEASE
from ladder.people import passwords, signing
from referee import notes, proof, service
from referee.clock import Clock
from referee.hosting import archives
from tests.docs.pages import DOCS
from web import guesses, limits, packages, server
from web.api import exports

CLOCK = Clock()
POOL: Any = model.engine("postgresql://nobody@nowhere/none").pool
WORDS = {3: "three", 4: "four", 5: "five", 10: "ten"}
SPANS = {60: "a minute", 600: "10 minutes", 1200: "20 minutes", 3600: "an hour"}


def rate(rule: limits.Rule) -> str:
    """A limit as the tables write it."""
    return f"{rule.rate.amount} in {SPANS[rule.rate.get_expiry()]}"


def kb(size: int) -> str:
    return f"{size / 1024:g}"


def minutes(time: timedelta) -> str:
    return f"{WORDS[time // timedelta(minutes=1)]} minutes"


PROMISES = {
    "protocol.md": [
        f"at most {notes.MOST_MOVES}; *",
        f"`text`: at most {notes.MOST_CHARACTERS} characters.",
        f"A seat's notes have {kb(notes.MOST_BYTES)} KB in a game;",
        f"The message as a whole has at most {kb(service.MAX_FROM_BOT)} KB,",
        f"share a secret of {proof.SHORTEST_SECRET} characters or more",
        f"draws {proof.FEWEST_BYTES} to {proof.CHALLENGE_BYTES} bytes of its own",
        f"same match {WORDS[misses.MOST]} times, at least {minutes(misses.APART)} apart",
    ],
    "write-a-bot.md": [
        f"a bank for the whole game ({CLOCK.bank:g} s), gets a little more with each decision "
        f"({CLOCK.increment:g} s), and may take at most {CLOCK.move_limit:g} s for one move;",
        f"for which it has another {CLOCK.start_up:g} s.",
    ],
    "write-a-bot-anywhere.md": [f"Messages of up to {service.MAX_TO_BOT / 2**20:g} MB"],
    "upload-a-bot.md": [
        f"at most {archives.LONGEST_PART} bytes a part, {archives.LONGEST_NAME:,} in all, "
        f"and {archives.DEEPEST} folders in one another.",
        f"kept for each of its newest {clearing.OUTPUTS} matches",
        f"it has to arrive at {kb(packages.LEAST_PACE)} KiB a second,",
        f"the site cuts it once it is {server.REQUEST_TIMEOUT:g} seconds behind.",
    ],
    "tournaments.md": [
        f"{creating.MOST_BOTS} bots, {creating.MOST_DEALS:,} deals, {creating.MOST_ROUNDS} rounds,",
        f"{creating.MOST_MATCHES:,} matches; names of up to {creating.LONGEST_NAME} characters;",
    ],
    "play.md": [
        f"There are {hints.HINTS} hints for a game, and {limits.HINT.rate.amount} in a minute.",
        f"waits {WORDS[ABANDONED.days]} days for a choice",
        f"plays with people in at most {opponents.GAMES} games at once",
        f"waited for a choice for {minutes(opponents.LATELY)} does not count",
        f"begin {WORDS[limits.CASUAL_BOT.rate.amount]} games with it in ten minutes",
        f"can have opened {WORDS[opening.OWN_OPEN]} games that are not over",
        f"At most {opening.MOST_OPEN:,} casual games can be open at once,",
        f"one address can open {rate(limits.CASUAL_GAME)}.",
    ],
    "operate.md": [
        f"A log of more than {supervisor._LARGEST_LOG / 1e6:g} MB becomes `NAME.log.1`, "
        f"and so on to `.{supervisor._OLD_LOGS}`",
        f"what a worker held that died is taken back after {minutes(LONGEST_LEASE)}.",
        f"open up to {POOL.size() + POOL._max_overflow} connections to PostgreSQL each",
        f"a process makes {WORDS[passwords.AT_ONCE]} at a time",
        f"Tickets of signed-in browsers ({signing.SIGN_IN_LIFETIME.days} days)",
        f"whole request has not arrived within {server.REQUEST_TIMEOUT:g} seconds",
        f"(of an upload: {kb(packages.LEAST_PACE)} KiB a second;",
        f"does not read the answer: {kb(server.LEAST_PACE)} KiB for each second",
        f"| sign-up | an address | {Environment().sign_ups} in an hour (`SANTIAGO_SIGN_UPS`) |",
        f"| use of reset links | an address | {rate(limits.RESET)} |",
        f"its manifest is right | a user | {rate(limits.SUBMISSION)} |",
        f"| uploads, whatever is in them | a user | {rate(limits.UPLOAD)} |",
        f"{packages.OF_ONE} of each process of the site, which takes {packages.AT_ONCE} |",
        f"| challenges | a user | {rate(limits.CHALLENGE)} |",
        f"| new API tokens | a user | {rate(limits.TOKEN)} |",
        f"so longest | a user | {signing.MOST_BROWSERS} at the same time |",
        f"| changes by the API, of whatever kind | a user | {rate(limits.CHANGE)} |",
        f"of which {analyses.MOST_WAITING} can wait at once",
        f"| an address | {rate(limits.ANALYSIS)}, of these {limits.ANALYSIS_IN_CROWD.rate.amount} ",
        f"of the API (exports, fairness) | an address | {rate(limits.LARGE_ANSWER)} |",
        f"{exports.PLACES} of each process of the site, which makes {exports.ALL_PLACES} |",
        f"keeps waiting, {guesses.AT_ONCE} attempts at once, {guesses.OF_ONE} of them from one",
    ],
}


@pytest.mark.parametrize("page", PROMISES)
def test_a_document_names_the_limits_of_the_code(page: str) -> None:
    text = " ".join((DOCS / page).read_text(encoding="utf-8").split())
    assert [promise for promise in PROMISES[page] if promise not in text] == []
