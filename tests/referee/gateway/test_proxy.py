"""The gateway behind the Caddy of docker-compose.yml: TLS for bots and workers."""

import asyncio
from pathlib import Path

import pytest

from referee.gateway import server
from referee.joining import Guest
from referee.replay import verify
from referee.seats.description import describe
from referee.ways import Ways
from referee.wire import bot_pb2
from tests.caddy import caddy
from tests.conftest import free_port
from tests.referee.games import match_of, play
from tests.referee.gateway.wires import KEY, TOKENS, until
from tests.referee.test_faults import faults_of


async def test_bots_and_workers_come_through_it(
    good_bot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: set[str] = set()

    def note(context: object, proxies: int) -> str:
        seen.add(found := peer(context, proxies))  # type: ignore[arg-type]
        return found

    peer = server._peer
    monkeypatch.setattr(server, "_peer", note)
    port = free_port()
    gateway = await server.start_gateway(
        f"127.0.0.1:{port}", server.Calls(TOKENS.get, KEY, proxies=1)
    )
    with caddy(tmp_path, gateway=port) as proxy:
        address = f"dns:localhost:{proxy.gateway}"  # so spelled it does not count as this machine
        ways = Ways(ca_file=proxy.ca_file, gateway=address, gateway_key=KEY)
        told = await asyncio.to_thread(describe, good_bot)
        guest = Guest(good_bot, address, "token-of-ana", 4, told, ways)
        staying = asyncio.create_task(guest.stay())
        await until(lambda: guest.joined or staying.done())
        assert guest.joined
        replay = await play(match_of(["gateway:ana", "gateway:ana"]), ways=ways)
        staying.cancel()
        await asyncio.wait({staying})
    await gateway.stop(None)
    verify(replay)
    assert not faults_of(replay)
    assert seen <= {"127.0.0.1:0", "::1:0"}
    assert seen


async def test_a_bot_that_does_not_come_through_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with caddy(tmp_path) as proxy:
        for ways, why in (
            (Ways(), "its certificate is not trusted: SANTIAGO_CA_FILE adds an authority"),
            (Ways(ca_file=proxy.ca_file), "no gateway answers there"),
        ):
            told = bot_pb2.DescribeResponse(name="one")
            address = f"dns:localhost:{proxy.gateway}"
            guest = Guest("unix:bot", address, "token-of-ana", 1, told, ways)
            staying = asyncio.create_task(guest.stay())
            said = ""
            while why not in said:
                await asyncio.sleep(0.01)
                said += capsys.readouterr().err
            staying.cancel()
            await asyncio.wait({staying})
