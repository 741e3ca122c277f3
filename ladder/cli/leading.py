"""Two ways to run tournaments: as the operator in the database, or on the site with a token."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import click
from click.core import ParameterSource
from pydantic import TypeAdapter, ValidationError
from sqlalchemy.orm import Session

from ladder.cli.client import SITE, Site, SiteError
from ladder.cli.database import data_option, transaction
from ladder.config import Environment
from ladder.contests.cross_table import CrossTable, cross_table
from ladder.contests.tournaments import creating, lifecycle, lookup
from ladder.contests.tournaments.lookup import MatchCounts, Tournament
from referee.clock import Clock

_T = TypeVar("_T")


class Leader(Protocol):
    """Runs tournaments; raises LadderError."""

    def create(
        self, *, bot_ids: Sequence[int], clock: Clock, seed: int | None, **wish: Any
    ) -> Tournament:
        """Create a tournament; see `creating.create`."""

    def take(self, tournament_id: int, step: str) -> None:
        """Take a step: `start`, `pause`, `resume` or `cancel`."""

    def page(self) -> list[Tournament]:
        """Return the newest tournaments."""

    def show(self, tournament_id: int) -> tuple[Tournament, MatchCounts, CrossTable]:
        """Return a tournament, its progress and its standings."""


def leader_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options --data and --site; the command gets a Leader as `leader`."""

    @click.option(
        "--site",
        "url",
        metavar="URL",
        envvar=SITE,
        show_envvar=True,
        help="The ladder's site, with an organiser's token in SANTIAGO_API_TOKEN, in place of a "
        "database here.",
    )
    @data_option
    @click.pass_context
    @wraps(command)
    def with_leader(
        context: click.Context, /, *, url: str | None, data: Path, **others: Any
    ) -> Any:
        leader: Leader = _Operator(data)
        if url and (_is_typed(context, "url") or not _is_here(context)):
            leader = _Organiser(Site.from_environment(url))
        return command(leader=leader, **others)

    return with_leader


def _is_typed(context: click.Context, option: str) -> bool:
    return context.get_parameter_source(option) is ParameterSource.COMMANDLINE


def _is_here(context: click.Context) -> bool:
    """Return True if a database is named: it wins over a site that only the environment names."""
    named = context.get_parameter_source("data") is not ParameterSource.DEFAULT
    return named or bool(Environment.from_environment().database_url)


class _Operator:
    """The operator, who has the database."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def create(
        self, *, bot_ids: Sequence[int], clock: Clock, seed: int | None, **wish: Any
    ) -> Tournament:
        with transaction(self._data) as session:
            return creating.create(session, None, bot_ids=bot_ids, clock=clock, seed=seed, **wish)

    def take(self, tournament_id: int, step: str) -> None:
        with transaction(self._data) as session:
            _STEPS[step](session, tournament_id)

    def page(self) -> list[Tournament]:
        with transaction(self._data) as session:
            return lookup.page(session)

    def show(self, tournament_id: int) -> tuple[Tournament, MatchCounts, CrossTable]:
        with transaction(self._data) as session:
            return (
                lookup.tournament(session, tournament_id),
                lookup.progress(session, tournament_id),
                cross_table(session, tournament_id),
            )


class _Organiser:
    """An organiser's credentials for the site."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def create(
        self, *, bot_ids: Sequence[int], clock: Clock, seed: int | None, **wish: Any
    ) -> Tournament:
        if seed is not None:
            raise click.UsageError("The site draws the luck itself: leave --seed out.")
        body = {**wish, "bots": list(bot_ids), "clock": asdict(clock)}
        return _read(Tournament, self._site.post("/tournaments", body))

    def take(self, tournament_id: int, step: str) -> None:
        self._site.post(f"/tournaments/{tournament_id}/{step}")

    def page(self) -> list[Tournament]:
        return _read(list[Tournament], self._site.get("/tournaments").get("tournaments"))

    def show(self, tournament_id: int) -> tuple[Tournament, MatchCounts, CrossTable]:
        path = f"/tournaments/{tournament_id}"
        return (
            _read(Tournament, self._site.get(path)),
            _read(MatchCounts, self._site.get(f"{path}/progress")),
            _read(CrossTable, self._site.get(f"{path}/cross-table")),
        )


def _read(kind: type[_T], answer: object) -> _T:
    """Read the ladder's own object from a site's answer; ignore fields that a newer site adds."""
    try:
        return TypeAdapter(kind).validate_python(answer)
    except ValidationError:
        raise SiteError(f"the site's answer holds no {kind.__name__}: is it newer?") from None


_STEPS: Final[Mapping[str, Callable[[Session, int], None]]] = {
    "start": lifecycle.start,
    "pause": lifecycle.pause,
    "resume": lifecycle.resume,
    "cancel": lifecycle.cancel,
}
