"""The client against a site, against what is none, and against what would lead it astray."""

import json
import re
import socket
import sys

import pytest

from ladder.cli import client
from ladder.cli.client import SiteClient, SiteError
from tests.conftest import free_port
from tests.ladder.cli.client.answers import answering, http
from tests.ladder.cli.client.sites import Running

JSON = "Content-Type: application/json"


def told(answer: bytes, token: str | None = None) -> str:
    """The error that this answer becomes."""
    with answering(answer) as (url, _), pytest.raises(SiteError) as caught:
        SiteClient(url, token, {}).get("/bots")
    return str(caught.value)


def test_reading_page_by_page(site: Running) -> None:
    first = site.site().get("/bots", limit=2, before=None)
    second = site.site().get("/bots", limit=2, before=first["next"])
    assert [bot["name"] for bot in (*first["bots"], *second["bots"])][:3] != []
    wrong = r"Limit: it should be less than or equal to 200\."
    with pytest.raises(SiteError, match=wrong) as caught:
        site.site().get("/bots", limit=999)
    assert caught.value.status == 422


def test_nobody_there() -> None:
    with pytest.raises(
        SiteError, match=r"http://127.0.0.1:\d+ can't be reached: .*refused. .* --site"
    ):
        SiteClient(f"http://127.0.0.1:{free_port()}", environ={}).get("/bots")


def test_what_is_no_ladder() -> None:
    page = http("200 OK", "Content-Type: text/html", body=b"<p>Hello")
    assert "does not answer as a ladder's site does" in told(page)
    broken = http("200 OK", "Content-Type: application/json", body=b"{")
    assert "does not answer as a ladder's site does" in told(broken)
    listed = http("200 OK", "Content-Type: application/json", body=b"[]")
    assert "does not answer as a ladder's site does" in told(listed)
    missing = told(http("404 Not Found", body=b"oh"))
    assert re.match(r"http://127.0.0.1:\d+ answered 404 Not Found, as no ladder's site", missing)
    problem = http("500 Oops", "Content-Type: application/problem+json", body=b'{"detail"')
    assert " answered 500 Internal Server Error, as no ladder's site does" in told(problem)
    assert "broke off" in told(b"")
    assert "broke off" in told(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")


def test_no_text_of_a_site_moves_the_cursor() -> None:
    said = {"name": "\x1b[2Jzorro\u00a0\u00e9\n", "lines": [{"text": "\x9b1A\ta", "at": 1}]}
    with answering(http("200 OK", JSON, body=json.dumps(said).encode())) as (url, _):
        found = SiteClient(url, environ={}).get("/bots/1")
    assert found["name"] == "\ufffd[2Jzorro\u00a0\u00e9\n"
    assert found["lines"] == [{"text": "\ufffd1A\ta", "at": 1}]
    problem = "Content-Type: application/problem+json"
    no = told(http("409 Conflict", problem, body=rb'{"detail": "No\u001b]0;\ud800"}'))
    assert no == "No\ufffd]0;\ufffd"


def test_of_an_answer_no_more_is_read_than_one_can_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_LARGEST", 1 << 20)
    for more, sentence in ((0, "does not answer as a ladder's"), (1, " sends more than 1 MiB at")):
        assert sentence in told(http("200 OK", body=b" " * ((1 << 20) + more)))


@pytest.mark.parametrize(
    "status", ["502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"]
)
def test_a_site_that_starts_again_behind_its_proxy(status: str) -> None:
    away = told(http(status, "Content-Type: text/html", body=b"<p>Oh"))
    assert away.endswith(f" does not answer now ({status}): try again in a minute.")


@pytest.mark.parametrize(
    ("variable", "proxy"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:1080"),
        ("HTTPS_PROXY", "foo://x:1"),
        ("HTTPS_PROXY", "http://x:abc"),
    ],
)
def test_a_proxy_that_cannot_be_used(
    variable: str, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, proxy)
    monkeypatch.setitem(sys.modules, "socksio", None)
    with pytest.raises(SiteError, match=r"The proxy .* can't be used: .* HTTPS_PROXY, .*\.$"):
        SiteClient("https://ladder.example", environ={}).get("/bots")


def test_a_token_follows_no_redirect() -> None:
    with answering(b"") as (elsewhere, received):
        moved = told(http("302 Found", f"Location: {elsewhere}/api/v1/bots"), token="santiago_x")
        assert moved.endswith(f"sends on to {elsewhere}: use that")
        assert received == []
        socket.create_connection(("127.0.0.1", int(elsewhere.rpartition(":")[2]))).close()


@pytest.mark.parametrize("token", ["santiago_\n", "san\ntiago", "santiagö"])
def test_a_token_that_no_header_can_hold_is_not_shown(token: str) -> None:
    with pytest.raises(SiteError, match="SANTIAGO_API_TOKEN holds no token") as refused:
        SiteClient("https://ladder.example", token, {})
    assert token not in str(refused.value)


def test_a_token_is_not_sent_in_the_open() -> None:
    with pytest.raises(SiteError, match="in the open: use https"):
        SiteClient("http://ladder.example", "santiago_x", {})
    SiteClient("http://ladder.example", None, {})
    SiteClient("http://ladder.example", "santiago_x", {"SANTIAGO_ALLOW_PLAIN": "1"})
    for near in ("http://127.0.0.1:8000", "http://localhost", "http://[::1]:8000", "http://[::1]"):
        SiteClient(near, "santiago_x", {})
    SiteClient("https://ladder.example", "santiago_x", {})


@pytest.mark.parametrize(
    "url",
    [
        *("", "ladder.example", "ftp://x", "http://", "http://a b", "http://x:y", "http://ladér"),
        *("http://a..b", "http://xn--", f"http://{'a' * 64}"),
    ],
)
def test_what_is_no_url(url: str) -> None:
    with pytest.raises(SiteError, match="give its URL"):
        SiteClient(url, None, {})


def test_a_url_of_the_api_names_its_site() -> None:
    assert SiteClient("https://ladder.example/api/v1/", None, {}).url == "https://ladder.example"


def test_certificates_that_are_not_there() -> None:
    with pytest.raises(SiteError, match="SANTIAGO_CA_FILE"):
        SiteClient("https://ladder.example", None, {"SANTIAGO_CA_FILE": "/nowhere"})
