"""`python -m web` as a process of its own, where it cannot start; how it serves is in tests/e2e."""

import os
from pathlib import Path
from socket import create_server, socket
from types import SimpleNamespace

import pytest
from flask import Flask, render_template
from gunicorn.config import Config
from gunicorn.workers.gthread import ThreadWorker
from jinja2 import TemplateNotFound

from tests.conftest import free_port
from tests.forking import Forked
from tests.ladder.cli.terminal import TIMEOUT
from tests.ladder.databases import new_ladder
from web import server
from web.server import ClientSocket, PatientWorker, keep_templates

GOOD_KEY = "A" * 43 + "="


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"SANTIAGO_SECRET_KEY": "short"}, "Error: SANTIAGO_SECRET_KEY holds something that is no"),
        ({"DATABASE_URL": "sqlite://"}, "Error: The database has no tables"),
        ({"REDIS_URL": "foo"}, "Error: REDIS_URL is wrong: give redis://HOST:PORT/NUMBER"),
        ({"SANTIAGO_PROXIES": "many"}, "Error: SANTIAGO_PROXIES is 'many'"),
        (
            {"SANTIAGO_METRICS_PORT": "65535", "WEB_CONCURRENCY": "2"},
            "Error: SANTIAGO_METRICS_PORT is 65535: give 65534 or less",
        ),
    ],
)
def test_a_wrong_setting_is_told_in_a_sentence(
    tmp_path: Path, wrong: dict[str, str], sentence: str
) -> None:
    url = new_ladder(tmp_path / "ladder.db")
    settings = {
        "DATABASE_URL": url,
        "REDIS_URL": "unix:///nowhere",
        "SANTIAGO_SECRET_KEY": GOOD_KEY,
        "SANTIAGO_PORT": str(free_port()),
    }
    with Forked("web", env=os.environ | settings | wrong, piped=True) as server:
        _, said = server.communicate(TIMEOUT)
    assert server.returncode != 0
    assert sentence in said
    assert "Traceback" not in said


def test_a_running_site_keeps_the_templates_that_it_began_with(tmp_path: Path) -> None:
    template, other = tmp_path / "page.html", tmp_path / "part.html"
    template.write_text("{% include 'part.html' %}, all old")
    other.write_text("part")
    app = Flask("site", template_folder=tmp_path)
    keep_templates(app)
    template.write_text("{{ of.a_newer_release }}")
    other.unlink()
    with app.app_context():
        assert render_template("page.html") == "part, all old"
        with pytest.raises(TemplateNotFound):
            render_template("none.html")


@pytest.mark.parametrize(
    ("processes", "clients", "busy", "waits"),
    [
        (2, 1, True, [server._WAY]),
        (2, 1, False, [server._WAY / 2]),
        (2, 0, False, []),
        (1, 1, True, []),
    ],
)
def test_a_client_goes_to_the_process_that_has_least_to_do(
    processes: int, clients: int, busy: bool, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(server, "sleep", waited.append)
    config = Config()
    config.set("workers", processes)
    with create_server(("127.0.0.1", 0)) as listener, ClientSocket(socket().detach()) as client:
        listener.setblocking(False)
        worker = PatientWorker(1, os.getppid(), [listener], None, 30, config, None)
        worker.nr_conns = clients

        def handle(*_: object) -> None:
            if busy:
                worker.accept(listener)  # the other one has taken it by now

        monkeypatch.setattr(ThreadWorker, "handle", handle)
        worker.handle(SimpleNamespace(sock=client))
        if not busy:
            worker.accept(listener)
    worker.tmp.close()
    assert waited == waits


def test_gunicorn_opens_no_control_socket_in_the_users_home_folder() -> None:
    assert server._Site().cfg.control_socket_disable


def test_a_process_signs_off_at_its_end_if_it_has_begun() -> None:
    closed: list[str] = []
    signs = SimpleNamespace(close=lambda: closed.append("signs"))
    worker_exit = server._Site().cfg.worker_exit
    worker_exit(None, SimpleNamespace())
    worker_exit(None, SimpleNamespace(signs=signs))
    assert closed == ["signs"]
