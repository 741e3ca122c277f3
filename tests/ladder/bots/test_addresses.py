"""What users may give as an address, and what is dialled for it."""

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from threading import Event
from typing import Any

import pytest

from ladder import config
from ladder.bots import addresses
from ladder.bots.addresses import Address, OutOfBounds, Resolver, parse, refuse, route, ways_to
from ladder.errors import Invalid
from referee.ways import Route, Ways

OPEN = "93.184.215.14"
OPEN_V6 = "2606:2800:21f:cb07:6820:80da:af6b:8b2c"

NOT_OPEN = (
    *("0.0.0.0", "10.0.0.7", "100.64.0.1", "127.0.0.1", "127.8.8.8", "169.254.169.254"),
    *("172.16.3.4", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1"),
    *("198.51.100.1", "203.0.113.9", "224.0.0.1", "239.1.2.3", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::ffff:127.0.0.1", "::ffff:93.184.215.14", "::7f00:1", "100::1"),
    *("64:ff9b::7f00:1", "64:ff9b::5db8:d70e", "64:ff9b:1::1", "2001::1", "2001:db8::1"),
    *("2002:7f00:1::1", "3fff::1", "4000::1", "5f00::1", "fc00::1", "fd12:3456::1"),
    *("fe80::1", "fec0::1", "ff02::1"),
)
SCHEMES = (
    "unix:/tmp/bot",
    "unix:///tmp/bot",
    "unix-abstract:bot",
    "vsock:1:443",
    "dns:bot.example:443",
    "dns:///bot.example:443",
    "dns://8.8.8.8/bot.example:443",
    "ipv4:10.0.0.1:443",
    "ipv6:[::1]:443",
    "xds:///bot:443",
    "xds:bot:443",
    "google-c2p:///bot:443",
    "http://bot.example:443",
    "https://bot.example:443",
    *("gateway:7", "GATEWAY:7", "unix:5", "dns:53", "ipv4:80", "xds:443", "http:80"),
    "gateway:bot:443",
    "gateway:bot",
)
NONSENSE = (
    *("", ":", ":443", "bot.example", "bot.example:", "bot.example:0", "bot.example:65536"),
    *("bot.example:-1", "bot.example:443x", "bot.example:4 43", "bot.example:٤٤٣", "a b:443"),
    *("bot..example:443", "-bot.example:443", "bot-.example:443", "bot_1.example:443", ".:443"),
    *("127.1:443", "2130706433:443", "0x7f000001:443", "0x7f.0.0.1:443", "0177.0.0.1:443"),
    *("1.2.3:443", "1.2.3.4.5:443", "1.2.3.256:443", "::1:443", "[::1]", "[::1]443", "[]:443"),
    *("[fe80::1%eth0]:443", "[1.2.3.4]:443", "bot.example:443/x", "user@bot.example:443"),
    *(
        "bot.example:443,10.0.0.1:443",
        "bot.example\n:443",
        "bot\x00.example:443",
        "böt.example:443",
    ),
    *("1.2.3.4%25:443", "bot.example:443?x=1", "%31.example:443", f"{'a' * 64}.example:443"),
    "a." * 127 + "example:443",
)


def answering(*answers: str) -> Resolver:
    async def look_up(_host: str, _port: int) -> Sequence[str]:
        return answers

    return look_up


def routed(text: str, *answers: str, allow_private: bool = False) -> Route:
    resolver = answering(*answers)
    return asyncio.run(route(parse(text), allow_private=allow_private, resolver=resolver))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("bot.example:443", Address("bot.example", 443)),
        (" Bot.Example:50051 ", Address("bot.example", 50051)),
        ("bot.example.:443", Address("bot.example.", 443)),
        ("xn--bt-fka.example:1", Address("xn--bt-fka.example", 1)),
        ("localhost:65535", Address("localhost", 65535)),
        ("93.184.215.14:443", Address("93.184.215.14", 443)),
        ("[2606:2800::1]:443", Address("2606:2800::1", 443)),
        ("[2606:2800:0:0::1]:443", Address("2606:2800::1", 443)),
    ],
)
def test_a_host_and_a_port(text: str, address: Address) -> None:
    assert parse(text) == address
    assert parse(str(address)) == address


@pytest.mark.parametrize("text", [*SCHEMES, *NONSENSE])
def test_nothing_else_is_an_address(text: str) -> None:
    with pytest.raises(Invalid) as raised:
        parse(text)
    assert raised.value.field == "address"
    assert len(str(raised.value)) < 400
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("ip", [OPEN, OPEN_V6, "8.8.8.8", "100.128.0.1", "2a00:1450:4001::5"])
def test_the_open_internet_is_dialled(ip: str) -> None:
    assert routed("bot.example:443", ip) == Route(ip, 443, "bot.example")


@pytest.mark.parametrize("ip", NOT_OPEN)
def test_all_else_is_not_dialled(ip: str) -> None:
    with pytest.raises(OutOfBounds, match="not a public internet address"):
        routed("bot.example:443", ip)


@pytest.mark.parametrize("ip", ["127.0.0.1", "169.254.169.254", "::1", "64:ff9b::7f00:1"])
def test_one_bad_answer_spoils_the_others(ip: str) -> None:
    with pytest.raises(OutOfBounds):
        routed("bot.example:443", OPEN, OPEN_V6, ip)


@pytest.mark.parametrize(
    "ip", ["10.0.0.1", "127.0.0.1", "192.168.1.1", "172.20.1.1", "::1", "fd00::1"]
)
def test_private_networks_by_the_operators_setting(ip: str) -> None:
    assert routed("bot:443", ip, allow_private=True).ip == ip
    with pytest.raises(OutOfBounds, match="SANTIAGO_ALLOW_PRIVATE=1"):
        routed("bot:443", ip)


@pytest.mark.parametrize(
    "ip", ["169.254.169.254", "0.0.0.0", "224.0.0.1", "fe80::1", "::ffff:10.0.0.1"]
)
def test_what_no_setting_allows(ip: str) -> None:
    with pytest.raises(OutOfBounds):
        refuse(ip_address(ip), allow_private=True)


@pytest.mark.parametrize(
    "ip", ["168.63.129.16", "fd00:ec2::254", "fd20:ce::254", "100.100.100.200"]
)
@pytest.mark.parametrize("allow_private", [False, True])
def test_where_clouds_answer_their_machines_is_never_dialled(ip: str, allow_private: bool) -> None:
    """Not even where private networks may be, nor as one of several answers."""
    with pytest.raises(OutOfBounds) as refused:
        routed("bot.example:443", OPEN, ip, allow_private=allow_private)
    assert "SANTIAGO_ALLOW_PRIVATE" not in str(refused.value), "no setting allows it"


def test_a_name_that_is_not_found() -> None:
    with pytest.raises(OutOfBounds, match=r"bot\.example was not found"):
        routed("bot.example:443")

    async def fails(_host: str, _port: int) -> Sequence[str]:
        raise OSError("no such host")

    with pytest.raises(OutOfBounds, match="was not found"):
        asyncio.run(route(parse("bot.example:443"), resolver=fails))


def test_the_systems_own_resolver() -> None:
    with pytest.raises(OutOfBounds, match=r"127\.0\.0\.1|::1"):
        asyncio.run(route(parse("localhost:443")))


def test_names_that_nobody_answers_for_keep_no_other_one_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answered, system = Event(), socket.getaddrinfo

    def patient(host: str, *args: Any, **options: Any) -> Any:
        return system(host, *args, **options) if host == OPEN else answered.wait(60) and []

    monkeypatch.setattr(socket, "getaddrinfo", patient)

    async def ask() -> Route:
        slow = [asyncio.create_task(addresses.look_up("slow.example", 443)) for _ in range(40)]
        await asyncio.sleep(0)  # all of them have begun
        try:
            return await route(parse(f"{OPEN}:443"))
        finally:
            answered.set()
            await asyncio.wait(slow)

    assert asyncio.run(ask()).ip == OPEN


def test_what_was_checked_is_what_is_dialled() -> None:
    """A name server that answers well once and ill from then on is asked once."""
    answers = iter([[OPEN], ["127.0.0.1"], ["127.0.0.1"]])

    async def rebinding(_host: str, _port: int) -> Sequence[str]:
        return next(answers)

    async def dialled() -> Ways:
        return await ways_to("bot.example:443", None, Ways(), resolver=rebinding)

    ways = asyncio.run(dialled())
    target, options = ways._target("bot.example:443")
    assert target == f"ipv4:{OPEN}:443"
    named = dict(options)
    assert named["grpc.default_authority"] == "bot.example:443"
    assert named["grpc.ssl_target_name_override"] == "bot.example"
    assert named["grpc.enable_http_proxy"] == 0
    assert named["grpc.service_config_disable_resolution"] == 1
    assert len(options) == len(named)
    with pytest.raises(OutOfBounds, match=r"127\.0\.0\.1"):
        asyncio.run(dialled())


def test_an_ipv6_route() -> None:
    found = routed("[2606:2800::1]:443", "2606:2800::1")
    assert found.target == "ipv6:[2606:2800::1]:443"
    assert dict(found.options)["grpc.default_authority"] == "[2606:2800::1]:443"


def test_an_address_of_another_kind_in_the_database_is_not_dialled() -> None:
    for address in ("dns:bot.example:443", "ipv4:127.0.0.1:443", "xds:///bot:443"):
        with pytest.raises(OutOfBounds):
            asyncio.run(ways_to(address, None, Ways()))


def test_a_private_literal_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(config.ALLOW_PRIVATE, raising=False)
    with pytest.raises(Invalid, match=r"127\.0\.0\.1"):
        addresses.refuse_private_literal(parse("127.0.0.1:443"))
    addresses.refuse_private_literal(parse("bot.example:443"))
    monkeypatch.setenv(config.ALLOW_PRIVATE, "1")
    addresses.refuse_private_literal(parse("127.0.0.1:443"))


@pytest.mark.parametrize(
    ("host", "allowed"),
    [("127.0.0.1", True), ("localhost", True), ("[::1]", True), ("0.0.0.0", False), ("::", False)],
)
def test_private_addresses_by_default_only_while_nobody_else_comes_in(
    host: str, allowed: bool
) -> None:
    assert addresses.private_allowed(addresses.private_while_alone(host, {})) is allowed


@pytest.mark.parametrize("setting", [{"SANTIAGO_PROXIES": "1"}, {config.ALLOW_PRIVATE: "0"}])
def test_no_private_addresses_by_default_behind_a_proxy_or_against_the_operator(
    setting: dict[str, str],
) -> None:
    assert addresses.private_while_alone("127.0.0.1", setting) == {}
