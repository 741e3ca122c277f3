"""The viewer for one file, without a ladder: the site's page, document and headers."""

import gc
import json
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from referee import replay
from referee.errors import ReplayError
from tests.referee.games import DrawingBot, local_game
from tests.web.arena import play_next, register, tournament
from web.viewer import local
from web.viewer.local import create_local_app
from web.viewer.replays import document
from web.words import words_of

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def data() -> bytes:
    """A replay file in which a bot's name tries to be a script."""
    record = local_game([DrawingBot] * 3)
    record.seats[1].name = SCRIPT
    return replay.write(record)


@pytest.fixture
def viewer(data: bytes) -> Iterator[FlaskClient]:
    with create_local_app("game.santiago", data).test_client() as client:
        yield client


def test_the_page_shows_the_file_and_leads_nowhere_else(viewer: FlaskClient) -> None:
    page = viewer.get("/").text
    assert "<h1>game.santiago</h1>" in page
    assert 'data-replay="/frames"' in page
    assert SCRIPT not in page
    assert not re.search(r"<script(?![^>]*\ssrc=)", page)
    for path in set(re.findall(r'(?:href|src)="(/[^"#]*)', page)):
        with viewer.get(path) as answer:
            assert answer.status_code == 200, path


def test_the_frames_are_those_of_the_site(viewer: FlaskClient, data: bytes) -> None:
    frames: Any = replay.frames(replay.read(data))
    of_site = json.dumps(document(frames, words_of("en")))
    assert viewer.get("/frames").json == json.loads(of_site)
    packed = viewer.get("/frames", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"


def test_the_file_itself(viewer: FlaskClient, data: bytes) -> None:
    assert viewer.get("/replay.santiago").data == data


@pytest.mark.parametrize(
    ("path", "on_the_site"),
    [
        ("/", "/matches/1"),
        ("/frames", "/api/v1/matches/1/frames"),
        ("/static/replays/viewer.js", "/static/replays/viewer.js"),
        ("/nowhere", "/nowhere"),
    ],
)
def test_headers_are_the_sites(
    viewer: FlaskClient, client: FlaskClient, session: Session, path: str, on_the_site: str
) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz"])))

    def protection(asked: FlaskClient, path: str) -> dict[str, str]:
        with asked.get(path) as answer:
            return {
                name: value
                for name, value in answer.headers
                if re.match(r"Content-Security|Cross-|Permissions|Referrer|X-", name)
            }

    local = protection(viewer, path)
    assert local == protection(client, on_the_site)
    assert len(local) == 7


def test_a_stranger_name_for_this_machine_is_refused(viewer: FlaskClient) -> None:
    assert viewer.get("/frames", headers={"Host": "evil.example:8000"}).status_code == 400
    assert viewer.get("/frames", headers={"Host": "127.0.0.1:8000"}).status_code == 200


def test_wrong_files(data: bytes) -> None:
    with pytest.raises(ReplayError, match="not a replay"):
        create_local_app("x", b"rum")
    record = replay.read(data)
    record.result.ranks[:] = [1, 1, 1]
    with pytest.raises(ReplayError, match="result"):
        create_local_app("x", replay.write(record))


def test_its_end_need_not_look_through_all_that_was_imported(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    class Server:
        port = 1

        def serve_forever(self) -> None:
            done.append("serve")
            raise KeyboardInterrupt

        def server_close(self) -> None:
            done.append("close")

    monkeypatch.setattr(local, "make_server", lambda *_, **__: Server())
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(gc, "freeze", lambda: done.append("freeze"))
    file = tmp_path / "game.santiago"
    file.write_bytes(data)
    local.main(file, 0, show=False)
    assert done == ["freeze", "serve", "close"]


def test_a_port_that_is_taken(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "game.santiago"
    file.write_bytes(data)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        told = f"^Error: Nothing can listen on 127.0.0.1:{port}: Address already in use"
        with pytest.raises(SystemExit, match=told):
            local.main(file, port, show=False)
