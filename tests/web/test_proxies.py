import pytest
from flask import Flask, jsonify, request
from flask.typing import ResponseReturnValue

from ladder.errors import SettingsError
from web import security

SENT = {
    "X-Forwarded-For": "198.51.100.1, 192.0.2.1, 192.0.2.2",
    "X-Forwarded-Proto": "https, https",
    "X-Forwarded-Host": "ladder.example, ladder.example",
}


def seen(count: str | None) -> list[object]:
    """The visitor's address, the scheme and the host, as the site sees them."""
    app = Flask(__name__)
    security.trust_proxies(app, {} if count is None else {"SANTIAGO_PROXIES": count})

    @app.get("/")
    def page() -> ResponseReturnValue:
        return jsonify([request.remote_addr, request.scheme, request.host])

    answer: list[object] = app.test_client().get("/", headers=SENT).get_json()
    return answer


@pytest.mark.parametrize("count", [None, "", "0"])
def test_nobody_is_believed_where_there_is_no_proxy(count: str | None) -> None:
    assert seen(count) == ["127.0.0.1", "http", "localhost"]


def test_of_what_proxies_say_the_last_entries_are_theirs() -> None:
    assert seen("1") == ["192.0.2.2", "https", "ladder.example"]
    assert seen("2") == ["192.0.2.1", "https", "ladder.example"]


@pytest.mark.parametrize("count", ["yes", "-1", "1.5", "²"])
def test_nonsense(count: str) -> None:
    with pytest.raises(SettingsError, match="SANTIAGO_PROXIES"):
        seen(count)
