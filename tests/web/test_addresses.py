"""Addresses in pages are those that Flask makes."""

from typing import Any

import flask
import pytest
from flask import Flask

from web.caching import url_for


@pytest.mark.parametrize(
    ("endpoint", "values"),
    [
        ("standings.ladder", {}),
        ("bots.bot", {"bot_id": 7}),
        ("bots.bot", {"bot_id": 7, "all": 1}),
        ("bots.of_bot", {"before": 9, "bot_id": 7, "opponent": 8, "kind": None}),
        ("matches.listing", {"bot": 3, "state": "failed", "opponent": None}),
        ("matches.listing", {"bot": "año & más %d"}),
        ("standings.history", {"seats": 2, "bot": [1, 2]}),
        ("tournaments.tournament", {"tournament_id": 4, "round": 2, "_anchor": "rounds"}),
        ("static", {"filename": "site/sun.svg"}),
        ("bots.bot", {"bot_id": 7, "all": True}),
    ],
)
@pytest.mark.parametrize("root", ["", "/a%20b"])
def test_they_are_flasks(app: Flask, endpoint: str, values: dict[str, Any], root: str) -> None:
    with app.test_request_context("/", environ_overrides={"SCRIPT_NAME": root}):
        expected = flask.url_for(endpoint, **values)
        assert [url_for(endpoint, **values) for _ in range(2)] == [expected] * 2


@pytest.mark.parametrize("path", ["/matches/%s", "/bots/7/against/%s", "/api/v1/matches/%s"])
def test_numbers_are_written_in_one_way(app: Flask, path: str) -> None:
    routes = app.url_map.bind("")
    assert routes.test(path % "12")
    assert not any(routes.test(path % number) for number in ("١٢", "１２", "012", "+12"))
