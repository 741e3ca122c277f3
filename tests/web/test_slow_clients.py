"""The production server and clients that are slow, to send, to read, to hang up; or that lie."""

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from http.client import HTTPConnection
from pathlib import Path
from select import poll
from threading import Thread
from time import monotonic

import pytest
from gunicorn.http.body import LengthReader
from sqlalchemy import func, select

from ladder.model import Blob
from ladder.people.tickets import make_token
from tests.e2e.processes import until
from tests.e2e.sites import site
from tests.ladder.databases import new_ladder, session_on
from tests.web.accounts.visitors import make
from tests.web.api.programs import KEY
from tests.web.hasty import THREADS
from web import packages, server

MARGIN = 30.0  # seconds
TIMEOUT = 300.0  # seconds, on a busy machine
LARGE = "/api/v1/openapi.json"


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a password that is being verified waits for."""
    gate = tmp_path_factory.mktemp("gate") / "gate"
    os.mkfifo(gate)
    return gate


@pytest.fixture(scope="module")
def port(gate: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Of a server with few threads that waits for two seconds."""
    url = new_ladder(tmp_path_factory.mktemp("slow") / "ladder.db")
    with site(url, module="tests.web.hasty", GATE=str(gate)) as address:
        yield int(address.rpartition(":")[2])


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a server with few threads and connections that waits for an hour."""
    url = new_ladder(tmp_path_factory.mktemp("patient") / "ladder.db")
    with site(url, module="tests.web.hasty", PATIENT="1") as address:
        yield int(address.rpartition(":")[2])


def client(port: int, request: str) -> socket.socket:
    """A client that has sent this, and takes little at a time of what comes back."""
    made = socket.socket()
    made.settimeout(TIMEOUT)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    made.connect(("127.0.0.1", port))
    made.sendall(request.replace("\n", "\r\n").encode())
    return made


def served(port: int, path: str = "/healthz", **headers: str) -> int:
    """The length of an answer to somebody who reads it."""
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        assert answer.status == 200
        return len(answer.read())
    finally:
        connection.close()


def wait_until_cut(clients: Sequence[socket.socket]) -> None:
    """Return when the server has cut all of them, though they read nothing."""
    waiting = poll()
    for one in clients:
        waiting.register(one, 0)  # nothing but the end
    for _ in clients:
        cut = waiting.poll(TIMEOUT * 1000)
        assert cut, "some are still there"
        waiting.unregister(cut[0][0])


def test_who_does_not_read_keeps_nobody_from_a_page(port: int) -> None:
    ask = f"GET {LARGE} HTTP/1.1\nHost: here\n\n"
    with ExitStack() as stack:
        idle = [stack.enter_context(client(port, 8 * ask)) for _ in range(2 * THREADS)]
        assert served(port)
        wait_until_cut(idle)
    assert served(port, LARGE) > 50_000


FORM = "Content-Type: application/x-www-form-urlencoded\nContent-Length: 5\n\nna"


@pytest.mark.parametrize("begun", ["", "Host: he", f"Host: here\n{FORM}"])
def test_who_begins_requests_and_does_not_end_them_keeps_nobody_from_a_page(
    patient: int, begun: str
) -> None:
    with ExitStack() as stack:
        for _ in range(2 * THREADS):
            stack.enter_context(client(patient, f"POST /sign-in HTTP/1.1\n{begun}"))
        assert served(patient)


def test_a_request_arrives_until_it_is_there_and_an_upload_has_its_time() -> None:
    ours, theirs = socket.socketpair()
    client, began = server.ClientSocket(ours.detach()), monotonic()
    assert client.arrives(began + 60.0) >= 60.0 - MARGIN
    client.await_body(LengthReader(None, 10**6))
    assert client.arrives(began + 60.0) >= 60.0 - MARGIN
    client.await_large_body(100.0)
    assert client.arrives(began + 60.0) == 0.0
    client.await_body(LengthReader(None, 0))
    assert client.arrives(began + 600.0) == 0.0
    client.close()
    theirs.close()


def test_a_reader_has_a_grace_and_a_least_pace_and_ten_minutes() -> None:
    ours, theirs = socket.socketpair()
    client, whole = server.ClientSocket(ours.detach()), 32 * server.LEAST_PACE
    client.await_body(LengthReader(None, 0))  # the request had no body
    sending = Thread(target=send, args=(client, bytes(whole)))
    sending.start()
    until(lambda: client.waits(monotonic()) > 0)
    allowed = server.READING_GRACE + 32
    assert not client.is_late(monotonic() + allowed - MARGIN)
    assert client.is_late(monotonic() + allowed)
    client._sent = 10**9  # a very long answer
    assert not client.is_late(monotonic() + server.READING_TIMEOUT - MARGIN)
    assert client.is_late(monotonic() + server.READING_TIMEOUT)
    client.cut()
    sending.join(TIMEOUT)
    assert not sending.is_alive()
    assert not client.is_late(monotonic() + server.READING_TIMEOUT), "it waits no longer"
    client.close()
    theirs.close()


def send(client: server.ClientSocket, data: bytes) -> None:
    """Send until the connection is cut."""
    with suppress(OSError):
        client.sendall(data)


def test_an_upload_has_time_while_it_arrives() -> None:
    """Else who announces a large one and sends nothing holds a place for minutes."""
    ours, theirs = socket.socketpair()
    client = server.ClientSocket(ours.detach())
    client.await_body(LengthReader(None, 10**6))
    client.await_large_body(10.0)
    assert client.is_late(monotonic() + server.REQUEST_TIMEOUT)
    client._due -= 15.0  # seconds in which nothing came
    for sent, more in ((b"x" * 100, 10.0), (b"x" * 1000, 15.0)):
        theirs.send(sent)
        assert client.recv(1000) == sent
        left = server.REQUEST_TIMEOUT - 15.0 + more
        assert not client.is_late(monotonic() + left - MARGIN)
        assert client.is_late(monotonic() + left), "no more is kept for later"
    client.await_request()  # the next one on the same connection is no upload
    theirs.send(b"x" * 1000)
    client._due -= 15.0
    assert client.recv(1000)
    assert client.is_late(monotonic() + server.REQUEST_TIMEOUT - 15.0)
    client.close()
    theirs.close()


def test_a_package_arrives_over_a_slow_line() -> None:
    ours, theirs = socket.socketpair()
    client, second = server.ClientSocket(ours.detach()), bytes(24 * 1024)
    client.await_body(LengthReader(None, 10**7))
    client.await_large_body(packages.LEAST_PACE)
    for _ in range(60):
        client._due -= 1.0
        theirs.send(second)
        client.recv(len(second))
    assert not client.is_late(monotonic())
    client.close()
    theirs.close()


def test_who_does_not_hang_up_keeps_nobody_from_a_page(port: int) -> None:
    with ExitStack() as stack:
        ask = "GET /healthz HTTP/1.0\n\n"
        idle = [stack.enter_context(client(port, ask)) for _ in range(2 * THREADS)]
        assert served(port)
        assert all(one.recv(1) for one in idle)


def test_a_request_that_has_arrived_may_take_its_time(port: int, gate: Path) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    connection.request("GET", "/sign-in")
    form = connection.getresponse()
    cookie = form.headers["Set-Cookie"].partition(";")[0]
    token = form.read().decode().split('name="csrf_token" value="')[1].partition('"')[0]
    body = f"name=ana&password=wrong&csrf_token={token}"
    headers = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/sign-in", body, headers)
    with client(port, "GET / HTTP/1.1\nHost: he") as later:
        wait_until_cut([later])  # the other one's time is over, too
    with gate.open("w"):
        assert connection.getresponse().status == 422
    connection.close()


@pytest.mark.parametrize("chunk", ["no number\n", 9000 * "0", "1\nabcd"])
def test_a_body_that_is_none_is_no_failure_of_ours(port: int, chunk: str) -> None:
    form = "Content-Type: application/x-www-form-urlencoded\nTransfer-Encoding: chunked"
    with client(port, f"POST /sign-in HTTP/1.1\nHost: here\n{form}\n\n{chunk}") as lost:
        answer = b"".join(iter(lambda: lost.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("value", ["/elsewhere", "/", "x"])
def test_a_header_does_not_move_the_site(port: int, value: str) -> None:
    """Not even of a client on this machine, which gunicorn takes for a proxy."""
    assert served(port, "/matches", SCRIPT_NAME=value, PATH_INFO=value)


def test_half_an_upload_leaves_nothing_and_is_soon_forgotten(tmp_path: Path) -> None:
    url = new_ladder(tmp_path / "ladder.db")
    (tmp_path / "tmp").mkdir()
    with session_on(url) as session:
        made = make_token(session, make(session), name="ci", scopes=("bots",))
        session.commit()
        with site(url, TMPDIR=str(tmp_path / "tmp"), SANTIAGO_SECRET_KEY=KEY) as address:
            port = int(address.rpartition(":")[2])
            head = (
                "POST /api/v1/bots/upload HTTP/1.1\nHost: here\nContent-Length: 3000000\n"
                f"Authorization: Bearer {made.token}\nContent-Type: multipart/form-data; boundary=x"
                '\n\n--x\nContent-Disposition: form-data; name="package"; filename="bot.zip"\n\n'
            )
            with ExitStack() as halves:

                def is_held() -> bool:
                    """The first of two that come at the same time is taken in."""
                    if upload(port, made.token) == 409:
                        return True
                    halves.enter_context(client(port, head)).sendall(bytes(1_000_000))
                    return False

                until(is_held, TIMEOUT)
                assert list((tmp_path / "tmp").iterdir()) == [], "its file has no name"
            until(lambda: upload(port, made.token) == 422, TIMEOUT)
        assert session.scalar(select(func.count()).select_from(Blob)) == 0


def upload(port: int, token: str) -> int:
    """How the site answers to a package that is none."""
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    form = (
        '--x\r\nContent-Disposition: form-data; name="package"; filename="b"\r\n\r\nb\r\n--x--\r\n'
    )
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "multipart/form-data; boundary=x",
    }
    connection.request("POST", "/api/v1/bots/upload", form, headers)
    with connection.getresponse() as answer:
        answer.read()
        connection.close()
        return answer.status
