"""The pages to measure, with the bots, matches and tournaments that are requested."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from sqlalchemy import text

from benchmarks._site_data import OWNER
from ladder import model

_MANY: Final = 60  # different addresses of a page for which there are many


@dataclass(frozen=True, slots=True)
class Page:
    """A kind of page, and the addresses that are requested in turn."""

    name: str
    addresses: tuple[str, ...]
    signed_in: bool = False

    def turned(self, part: int) -> Page:
        """Return the same pages with another start, for the second of two clients."""
        middle = part * (len(self.addresses) // 2)
        return replace(self, addresses=self.addresses[middle:] + self.addresses[:middle])


@dataclass(frozen=True, slots=True)
class _Found:
    """The ids to request: the bot with the most matches, its most frequent opponent, and so on."""

    busy: int
    rival: int
    bots: tuple[int, ...]
    own: int
    newest: int
    replays: tuple[int, ...]
    queued: int
    running: int
    owners: tuple[int, ...]
    large: int
    swiss: int
    open: int


def pages(url: str) -> list[Page]:
    """Return all pages, for the data in this database."""
    engine = model.engine(url)
    with engine.connect() as connection:
        found = _look(connection)
    engine.dispose()
    return [*_standings(found), *_bots(found), *_matches(found), *_others(found), *_api(found)]


def _look(connection: Any) -> _Found:
    def one(query: str) -> int:
        return int(connection.execute(text(query)).scalar_one())

    def many(query: str) -> tuple[int, ...]:
        return tuple(row[0] for row in connection.execute(text(query)))

    tallied = "SELECT bot_id FROM seat_tallies GROUP BY bot_id ORDER BY sum(games) DESC LIMIT 1"
    busy = one(tallied)
    met = f"SELECT opponent_id FROM meetings WHERE bot_id = {busy} ORDER BY games DESC LIMIT 1"
    cup = "SELECT min(id) FROM tournaments WHERE name = '{}'"
    newest = one("SELECT max(match_id) FROM replays")
    return _Found(
        busy=busy,
        rival=one(met),
        bots=tuple(Random(1).sample(range(1, 2_001), _MANY)),
        own=one(f"SELECT min(id) FROM bots WHERE user_id = {OWNER}"),
        newest=newest,
        replays=many(f"SELECT match_id FROM replays ORDER BY match_id DESC LIMIT {_MANY}"),
        queued=one("SELECT min(id) FROM matches WHERE state = 'queued'"),
        running=one("SELECT min(id) FROM matches WHERE state = 'running'"),
        owners=many("SELECT user_id FROM bots GROUP BY user_id ORDER BY count(*) DESC LIMIT 8"),
        large=one(cup.format("Gran Copa")),
        swiss=one(cup.format("Suizo de La Habana")),
        open=one(cup.format("Copa abierta")),
    )


def _standings(found: _Found) -> list[Page]:
    ladders = ("/?seats=2", "/?seats=3", "/?seats=4")
    return [
        Page("overview", ("/",)),
        Page("overview, by a ladder, page 40", ("/?by=2&page=40", "/?by=4&page=39")),
        Page("overview, search", ("/?search=Trader+1", "/?search=author+12", "/?search=nobody")),
        Page("ladder", ladders),
        *(
            Page(f"ladder by {sort}", tuple(f"{one}&sort={sort}" for one in ladders))
            for sort in ("bot", "strength", "games", "wins", "faults")
        ),
        Page("ladder, last page", tuple(f"{one}&page=38" for one in ladders)),
        Page("ladder, search", tuple(f"{one}&search=trader+1" for one in ladders)),
        Page("history", ("/standings/history?seats=2", "/standings/history?seats=4")),
        Page(
            "history of six, a month",
            (
                "/standings/history?seats=3&span=month"
                + "".join(f"&bot={bot}" for bot in (found.busy, *found.bots[:5])),
            ),
        ),
        Page("fairness", ("/fairness?seats=2", "/fairness?seats=3", "/fairness?seats=4")),
        Page("habits", ("/habits?seats=2", "/habits?seats=3", "/habits?seats=4")),
    ]


def _bots(found: _Found) -> list[Page]:
    busy = f"/bots/{found.busy}"
    every = tuple(f"/bots/{bot}" for bot in found.bots)
    old = found.newest // 2
    return [
        Page("bot, the busiest", (busy,)),
        Page("bot, the busiest, all opponents", (f"{busy}?all=1",)),
        Page("bot, others", every),
        Page("bot, style, the busiest", (f"{busy}/style",)),
        Page("bot, style, others", tuple(f"{one}/style" for one in every)),
        Page("bot's matches", (f"{busy}/matches", f"{busy}/matches?before={old}", *every[:4])),
        Page("bot's matches by opponent", (f"{busy}/matches?opponent={found.rival}",)),
        Page(
            "bot's matches by seats",
            (f"{busy}/matches?seats=3", f"{busy}/matches?seats=4&before={old}"),
        ),
        Page("bot's matches by kind", (f"{busy}/matches?kind=challenge",)),
        Page("bot's matches with faults", (f"{busy}/matches?faults=1&before={old}",)),
        Page(
            "bot's matches, all filters at once",
            (f"{busy}/matches?faults=1&kind=challenge&seats=4&opponent={found.rival}",),
        ),
        Page("head to head", (f"{busy}/against/{found.rival}", f"{busy}/against/{found.bots[0]}")),
        Page("author", tuple(f"/authors/{owner}" for owner in found.owners)),
        Page("search", ("/search?q=Trader+1", "/search?q=author+12", "/search?q=nobody")),
        Page("search for two", ("/search?q=Trader+1+vs+Trader+2", f"/search?q={found.newest}")),
        Page("own bot", (f"/bots/{found.own}/own",), signed_in=True),
        Page("own bots", ("/bots/mine",), signed_in=True),
        Page("own bot's log", (f"/bots/{found.own}/log",), signed_in=True),
        Page("notices", ("/notices",), signed_in=True),
        Page("account", ("/account",), signed_in=True),
        Page("submit a bot", ("/bots/submit",), signed_in=True),
        Page("challenge", (f"/challenge?opponent={found.busy}",), signed_in=True),
    ]


def _matches(found: _Found) -> list[Page]:
    old = found.newest // 2
    seen = found.replays
    return [
        Page("matches", ("/matches",)),
        Page("matches, deep", (f"/matches?before={old}", "/matches?before=1000")),
        Page("matches of a bot", (f"/matches?bot={found.busy}",)),
        Page("matches of other bots", tuple(f"/matches?bot={bot}" for bot in found.bots)),
        Page("matches of two bots", (f"/matches?bot={found.busy}&opponent={found.rival}",)),
        Page(
            "matches of two who never met",
            tuple(f"/matches?bot={found.busy}&opponent={bot}" for bot in found.bots),
        ),
        Page("matches by state", tuple(f"/matches?state={state}" for state in _STATES)),
        Page(
            "matches of a bot by state",
            (f"/matches?bot={found.busy}&state=failed", f"/matches?bot={found.busy}&state=queued"),
        ),
        Page("matches by size or kind", ("/matches?seats=2", "/matches?kind=challenge")),
        Page("matches, close or with faults", ("/matches?close=1", "/matches?faults=1")),
        Page(
            "matches by day", ("/matches?from=2020-01-01&to=2020-01-02", "/matches?to=2026-01-01")
        ),
        Page(
            "matches of a bot, all filters",
            (f"/matches?bot={found.busy}&seats=3&kind=ladder&close=1&faults=1&to=2030-01-01",),
        ),
        Page("matches of a tournament", (f"/matches?tournament={found.large}",)),
        Page(
            "matches of two in a tournament",
            (f"/matches?bot={found.busy}&opponent={found.rival}&tournament={found.large}",),
        ),
        Page("match, its replay's page", tuple(f"/matches/{one}" for one in seen)),
        Page("match, its replay's data", tuple(f"/api/v1/matches/{one}/frames" for one in seen)),
        Page("match, its thumbnail", tuple(f"/matches/{one}/board.svg?form=small" for one in seen)),
        Page("match in words", tuple(f"/matches/{one}/words" for one in seen)),
        Page("match that waits", (f"/matches/{found.queued}",)),
        Page("match that is played", (f"/matches/{found.running}",)),
    ]


_STATES: Final = ("finished", "running", "queued", "failed", "cancelled")


def _others(found: _Found) -> list[Page]:
    return [
        Page("tournaments", ("/tournaments",)),
        Page("tournament, 40 bots, over", (f"/tournaments/{found.large}",)),
        Page("tournament, 40 bots, under way", (f"/tournaments/{found.open}",)),
        Page("tournament, Swiss, 128 bots", (f"/tournaments/{found.swiss}",)),
        Page("tournaments, small", tuple(f"/tournaments/{one}" for one in range(4, 40))),
        Page("lobby", ("/live",)),
        Page("news of the lobby", ("/live/news",)),
        Page("docs", ("/docs", "/docs/write-a-bot", "/docs/api", "/docs/rulings")),
    ]


def _api(found: _Found) -> list[Page]:
    api, busy = "/api/v1", found.busy
    return [
        Page("API: standings", tuple(f"{api}/standings/{n}" for n in (2, 3, 4))),
        Page("API: all standings", (f"{api}/standings",)),
        Page("API: bots", (f"{api}/bots", f"{api}/bots?before=1000")),
        Page("API: bot", (f"{api}/bots/{busy}", *(f"{api}/bots/{bot}" for bot in found.bots))),
        Page("API: ratings of a bot", (f"{api}/bots/{busy}/ratings?seats=3",)),
        Page("API: matches", (f"{api}/matches", f"{api}/matches?bot={busy}")),
        Page("API: match", tuple(f"{api}/matches/{one}" for one in found.replays)),
        Page("API: tournaments", (f"{api}/tournaments",)),
        Page("API: tournament's standing", (f"{api}/tournaments/{found.large}/standing",)),
        Page("API: progress", (f"{api}/tournaments/{found.open}/progress",)),
    ]
