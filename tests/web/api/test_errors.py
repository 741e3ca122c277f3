"""What goes wrong is told as problem+json, whatever it is."""

import json

import pytest
from flask import Flask

from tests.web.accounts.visitors import sign_in, token
from tests.web.api.programs import API, Arena, Program, problem
from web import limits


@pytest.mark.parametrize("path", ["/nothing", "/matches/999", "/matches/x", "/standings/7"])
def test_what_is_not_there(stranger: Program, path: str) -> None:
    code, told, _ = problem(stranger.get(path))
    assert code == 404
    assert "page" not in told


@pytest.mark.parametrize("number", [0, 2**63 - 1, 10**30])
def test_a_number_that_no_id_has_is_nothing_that_is_there(stranger: Program, number: int) -> None:
    for kind in ("match", "bot", "tournament"):
        path = f"/{kind}es/{number}" if kind == "match" else f"/{kind}s/{number}"
        assert problem(stranger.get(path))[:2] == (404, f"There is no {kind} {number}.")
    assert problem(stranger.get("/standings/7"))[1] == "Seats: give a number from 2 to 4."
    for mistyped in ("/matches/x", "/matches/1//analysis"):
        assert problem(stranger.get(mistyped))[1].startswith("There is no such call")


def test_a_field_of_any_name_is_refused_by_that_name(ana: Program) -> None:
    name = "%(x)s 100%"
    told = f"{name}: there is no such field."
    query = ana.client.get(f"{API}/bots", query_string={name: "1"})
    assert problem(query)[:2] == (422, told)
    sent = {"bot": 1, "opponents": [2], name: 1}
    body = ana.client.post(f"{API}/challenges", json=sent, headers=ana.headers)
    assert (body.status_code, body.get_json()["field"]) == (422, name)


def test_a_parameter_that_is_given_twice(stranger: Program) -> None:
    answer = stranger.get("/bots", before=["9", "8"], limit=["1", "2"])
    assert problem(answer)[:2] == (422, "Before: give it once.")
    assert answer.get_json()["field"] == "before"


def test_an_address_without_the_version(stranger: Program) -> None:
    assert problem(stranger.client.get("/api/"))[0] == 404


def test_a_method_that_is_not_there(stranger: Program) -> None:
    answer = stranger.client.delete(f"{API}/matches/1")
    assert problem(answer)[:2] == (
        *(405,),
        "There is no such call: /api/v1/openapi.json describes all that there are.",
    )
    assert "GET" in answer.headers["Allow"]


@pytest.mark.parametrize(
    ("body", "mimetype", "code"),
    [
        (b"", None, 415),
        (b"{}", "text/plain", 415),
        (b"name=zorro", "application/x-www-form-urlencoded", 415),
        (b"", "application/json", 400),
        (b"{", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"null", "application/json", 400),
        (b'{"slots": NaN}', "application/json", 400),
        (b'{"slots": ' + b"9" * 5000 + b"}", "application/json", 400),
        (b"[" * 60_000, "application/json", 400),
        (b'{"name": "twice", "name": "twice"}', "application/json", 422),
        (b'{"name": "' + b"x" * 70_000 + b'"}', "application/json", 413),
    ],
)
def test_bodies_that_cannot_be_read(
    ana: Program, body: bytes, mimetype: str | None, code: int
) -> None:
    answer = ana.client.post(f"{API}/bots", data=body, content_type=mimetype, headers=ana.headers)
    assert problem(answer)[0] == code
    titles = {
        400: "Invalid request",
        413: "The request is too large",
        415: "Unsupported Media Type",
        422: "Some input is invalid",
    }
    assert answer.get_json()["title"] == titles[code]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("before=0", "before"),
        ("before=-1", "before"),
        ("before=1.5", "before"),
        ("before=", "before"),
        ("before=%D9%A3", "before"),
        (f"before={2**31}", "before"),
        (f"before={2**63}", "before"),
        ("before=" + "9" * 5000, "before"),
        ("before=1&before=2", "before"),
        ("limit=201", "limit"),
        ("state=lost", "state"),
        ("offset=3", "offset"),
        ("%00=1", "\0"),
    ],
)
def test_parameters_that_make_no_sense(stranger: Program, query: str, field: str) -> None:
    code, _, at_fault = problem(stranger.client.get(f"{API}/matches?{query}"))
    assert (code, at_fault) == (422, field)


def test_a_number_below_zero_is_no_number_in_digits(stranger: Program) -> None:
    sentence = "Before: it should be a whole number in digits, such as 12."
    assert problem(stranger.get("/matches", before=-1))[1] == sentence


def test_a_call_without_parameters_takes_none(ana: Program, arena: Arena) -> None:
    for path in (f"/bots/{arena.own}", f"/matches/{arena.match}/replay"):
        assert problem(ana.get(path, limit=2))[::2] == (422, "limit")
    for deed in ("pause", "resume"):
        path = f"{API}/bots/{arena.own}/{deed}"
        for refused in (
            ana.client.post(f"{path}?slots=3", headers=ana.headers),
            ana.client.post(path, json={"slots": 3}, headers=ana.headers),
        ):
            assert problem(refused)[::2] == (422, "slots")
        assert ana.client.post(path, json={}, headers=ana.headers).status_code == 200
        assert ana.client.post(path, headers=ana.headers).status_code == 200


def test_too_often(app: Flask, ana: Program, arena: Arena) -> None:
    with app.test_request_context():
        for _ in range(118):
            limits.CHANGE.count(arena.ana)
    codes = [ana.post(f"/bots/{arena.own}/pause").status_code for _ in range(3)]
    assert codes == [200, 200, 429]
    answer = ana.post(f"/bots/{arena.own}/resume")
    assert problem(answer)[0] == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 60
    limits.init_app(app, "unix:///nowhere")  # a minute has passed
    assert ana.post(f"/bots/{arena.own}/resume").status_code == 200


def test_challenges_are_counted(ana: Program) -> None:
    codes = [ana.post("/challenges", bot=999, opponents=[1]).status_code for _ in range(31)]
    assert (429 in codes[:-1], codes[-1]) == (False, 429)


def test_submissions_that_are_not_refused_are_counted(
    app: Flask, ana: Program, arena: Arena
) -> None:
    with app.test_request_context():
        for _ in range(29):
            limits.SUBMISSION.count(arena.ana)
    given = {"version": "1", "address": "bots.example:50051", "secret": "only two know this"}
    codes = [ana.post("/bots", name=name, **given).status_code for name in ("-", "fox", "far")]
    assert codes == [422, 201, 429]


def test_a_browser_sends_its_header(stranger: Program, arena: Arena) -> None:
    client = stranger.client
    sign_in(client)
    path = f"{API}/bots/{arena.own}/pause"
    assert problem(client.post(path))[0] == 400
    answer = client.post(path, headers={"X-CSRFToken": token(client, "/account")})
    assert answer.get_json()["state"] == "paused"


def test_what_breaks_tells_nothing(app: Flask, stranger: Program) -> None:
    def broken() -> str:
        raise ZeroDivisionError("a secret")

    app.testing = False
    app.view_functions["api_bots.every_bot"] = broken
    answer = stranger.get("/bots")
    assert problem(answer)[0] == 500
    assert "secret" not in json.dumps(answer.get_json())
