"""What `santiago bot submit PACKAGE --wait` prints while an upload is on its way."""

import json
from collections.abc import Iterator
from typing import Any, cast

import click
import pytest

from ladder.cli import bot_upload
from ladder.cli.bot_answers import PublicBot
from ladder.cli.client import SiteClient, SiteError, read
from tests.ladder.bots.authors import BAD, GOOD

LOG = ("Nothing to build: the package is the bundle.", "The check used 21 MB of memory.")
FAILED = "The build failed."
WAITS = "Waiting until the rated matches of the version before it are over."
RATED = {"rating_milli": 1_490_400, "deviation_milli": 60_000, "provisional": False}


class OnItsWay:
    """A site whose version takes its next state at each look; `STATE: REASON` gives a reason."""

    def __init__(self, *states: str, report: str | None = None) -> None:
        self._states: Iterator[str] = iter(states)
        self._report = report and json.loads(report)

    def get(self, path: str, after: int | None = None) -> dict[str, Any]:
        if path.endswith("/build"):
            first = 0 if after is None else after + 1
            lines = [{"number": n, "text": LOG[n]} for n in range(first, len(LOG))]
            return {"lines": lines, "over": False}
        if path.startswith("/account"):
            state, _, reason = next(self._states).partition(": ")
            version = {"id": 7, "name": "2", "state": state, "report": self._report}
            versions = [version | {"reason": reason or None}]
            return {"id": 5, "name": "ron", "state": "active", "versions": versions}
        return {"version": "2", "ratings": [{"seats": 3, "games": 1, "rank": 4, **RATED}]}


def follow(*states: str, report: str | None = None) -> None:
    site = cast(SiteClient, OnItsWay(*states, report=report))
    bot_upload._Following(site, bot=5, version=7, built=True).until_ranked(float("inf"))


def test_each_state_and_each_line_of_the_log_is_printed_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bot_upload, "_PAUSE", 0.0)
    follow("submitted", "building", "building", "submitted", "checking", "trial", "active")
    assert capsys.readouterr().out.splitlines() == [
        *(f"    {line}" for line in LOG),
        "Version 2 is submitted.",
        "Version 2 is building.",
        "Version 2 is built, and waits for its check.",
        "Version 2 is checking.",
        "Version 2 is checked, and plays its trial match.",
        "Version 2 is active.",
        "3 seats: rank 4, 1490 ± 60 Elo",
    ]


def test_what_a_version_waits_for_is_printed_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bot_upload, "_PAUSE", 0.0)
    follow("trial", f"trial: {WAITS}", f"trial: {WAITS}", "active")
    assert capsys.readouterr().out.splitlines()[len(LOG) :] == [
        "Version 2 is checked, and plays its trial match.",
        WAITS,
        "Version 2 is active.",
        "3 seats: rank 4, 1490 ± 60 Elo",
    ]


def test_a_state_is_told_though_the_site_is_away_when_its_lines_are_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Faltering(OnItsWay):
        looks = 0

        def get(self, path: str, after: int | None = None) -> dict[str, Any]:
            self.looks += path == "/account/bots/5"
            if path.endswith("/build") and self.looks % 2:
                raise SiteError("Bad gateway.", 502)
            return super().get(path, after)

    monkeypatch.setattr(bot_upload, "_PAUSE", 0.0)
    building, trial = "building: It has begun anew.", f"trial: {WAITS}"
    site = cast(SiteClient, Faltering(building, building, trial, trial, "active", "active"))
    bot_upload._Following(site, bot=5, version=7, built=True).until_ranked(float("inf"))
    assert capsys.readouterr().out.splitlines() == [
        "Version 2 is building.",
        *(f"    {line}" for line in LOG),
        "It has begun anew.",
        "Version 2 is checked, and plays its trial match.",
        WAITS,
        "Version 2 is active.",
        "3 seats: rank 4, 1490 ± 60 Elo",
    ]


def test_a_place_says_why_it_has_no_rank() -> None:
    place = {"seats": 3, "games": 30, "rank": 9, **RATED}
    of = [place | {"inactive": True}, place | {"provisional": True}]
    assert read(PublicBot, {"version": "2", "ratings": of}).places == [
        "3 seats: inactive, 1490 ± 60 Elo",
        "3 seats: being placed, 1490 ± 60 Elo",
    ]


def test_a_version_that_was_rejected_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_upload, "_PAUSE", 0.0)
    with pytest.raises(click.ClickException) as refused:
        follow("building", f"rejected: {FAILED}")
    assert refused.value.message == f"Version 2 is rejected: {FAILED}"
    with pytest.raises(click.ClickException) as refused:
        follow("checking", "rejected", report=BAD.as_json())
    assert refused.value.message == "Version 2 is rejected.\nfailed: accept - It hung up."
    with pytest.raises(click.ClickException) as refused:
        follow("trial", f"rejected: {FAILED}", report=GOOD.as_json())
    assert refused.value.message == (
        f"Version 2 is rejected: {FAILED}\n`santiago bot log 5` tells all about the match."
    )


def test_a_site_that_refuses_is_not_asked_again() -> None:
    class Refusing:
        def get(self, *_: object, **__: object) -> dict[str, Any]:
            raise SiteError("This token is not good.", 401)

    site = cast(SiteClient, Refusing())
    with pytest.raises(SiteError, match="token is not good"):
        bot_upload._Following(site, bot=5, version=7, built=True).until_ranked(float("inf"))


class Behind:
    """A site with so many newer versions that it lists the one that is followed with the old."""

    def get(self, path: str, before: int | None = None, **_: object) -> dict[str, Any]:
        newer, followed = (
            {"id": id_, "name": str(id_), "state": "rejected", "reason": "It fell behind."}
            for id_ in (9, 7)
        )
        if path == "/account/bots/5/versions":
            page = [newer] if before is None else [followed]
            return {"versions": page, "next": 9 if before is None else None}
        if path == "/account/bots/5":
            return {"id": 5, "name": "ron", "state": "active", "versions": [newer]}
        return {"lines": [], "over": True}


def test_a_version_that_is_not_among_the_newest_is_found() -> None:
    site = cast(SiteClient, Behind())
    with pytest.raises(click.ClickException, match=r"Version 7 is rejected: It fell behind\."):
        bot_upload._Following(site, bot=5, version=7, built=True).until_ranked(float("inf"))


def test_a_version_that_is_gone_is_told() -> None:
    site = cast(SiteClient, Behind())
    with pytest.raises(click.ClickException, match=r"Bot 5 has no version 4 any more\."):
        bot_upload._Following(site, bot=5, version=4, built=True).until_ranked(float("inf"))
