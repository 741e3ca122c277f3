import pytest

from ladder.config import HOSTS, Environment, HostingSettings, Settings
from ladder.errors import SettingsError
from ladder.jobs.celery import celery_app
from ladder.variables import at_port
from ladder.wiring import KINDS

ENVIRON = {
    "DATABASE_URL": "postgresql://santiago:hush@host/santiago",
    "REDIS_URL": "redis://:hush@host:6379/0",
}


def test_settings_come_from_the_environment() -> None:
    settings = Settings.from_environment(
        {**ENVIRON, "SANTIAGO_PLACES": "8", "SANTIAGO_LEASE": "4", "SANTIAGO_RENEW": "1.5"}
    )
    assert settings.database_url == ENVIRON["DATABASE_URL"]
    assert settings.redis_url == ENVIRON["REDIS_URL"]
    assert (settings.places, settings.lease, settings.renew) == (8, 4.0, 1.5)


def test_what_is_not_said_has_a_default() -> None:
    settings = Settings.from_environment(ENVIRON)
    assert (settings.places, settings.lease, settings.renew) == (8, 15.0, 5.0)


def test_no_secret_is_shown() -> None:
    assert "hush" not in repr(Settings.from_environment(ENVIRON))


@pytest.mark.parametrize("name", ["SANTIAGO_API_TOKEN", "SANTIAGO_SECRET_KEY", "DATABASE_URL"])
def test_a_secret_that_is_no_text_is_not_shown(name: str) -> None:
    with pytest.raises(SettingsError, match=f"^{name} is wrong: give text in UTF-8$"):
        Environment.from_environment({name: "hush\udcff"})


@pytest.mark.parametrize("name", ["DATABASE_URL", "REDIS_URL"])
def test_a_missing_setting_is_named(name: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} is not set. Set it to"):
        Settings.from_environment({**ENVIRON, name: " "})


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("SANTIAGO_PLACES", "many", "'many': give a whole number"),
        ("SANTIAGO_PLACES", "2.5", "'2.5': give a whole number"),
        ("SANTIAGO_PLACES", "0", "give 1 or more"),
        ("SANTIAGO_LEASE", "long", "'long': give a number"),
        ("SANTIAGO_RENEW", "8", "renew at least twice within a lease"),
        ("SANTIAGO_LEASE", "inf", "give 600 or less"),
        ("SANTIAGO_LEASE", "nan", "give 600 or less"),
        ("SANTIAGO_RENEW", "nan", "renew at least twice within a lease"),
        ("SANTIAGO_MESSAGE_AGE", "0", "more than 0"),
        ("SANTIAGO_MESSAGE_AGE", "nan", "give 3600 or less"),
        ("SANTIAGO_MESSAGE_AGE", "1e300", "give 3600 or less"),
        ("SANTIAGO_PLACES", "9" * 30, "give 1000 or less"),
        ("SANTIAGO_GUEST_GAMES", "1000000", "give 36500 or less"),
        ("SANTIAGO_LADDER_PACE", "-1", "give 0 or more"),
        ("SANTIAGO_LADDER_PACE", "nan", "give 0 or more"),
    ],
)
def test_nonsense_is_named(name: str, value: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        Settings.from_environment({**ENVIRON, name: value})


@pytest.mark.parametrize(
    "url",
    [
        *("redis://host", "redis://:hush@host:6379/0", "rediss://user:hush@[::1]:6379/15"),
        *("redis://host/?db=3", "redis://:hu%40sh@host/2", "unix:///run/redis.sock?db=2"),
    ],
)
def test_the_address_of_a_redis(url: str) -> None:
    assert Settings.from_environment({**ENVIRON, "REDIS_URL": f"{url} "}).redis_url == url


@pytest.mark.parametrize(
    "url",
    [
        *("foo", "hush", "http://host:6379/0", "redis:/host", "redis:///0", "redis://host:0"),
        *("redis://:hush@host:6379x/0", "redis://:hush@host:99999/0", "redis://:hush@host/abc"),
        *("redis://host/0/1", "redis://host/?db=x", "redis://:hush/1@host:6379/0"),
        *("redis://[::1", "unix://", "unix://run/redis.sock", "unix:///run/redis.sock?db=x"),
    ],
)
def test_the_address_of_no_redis_is_told_without_its_password(url: str) -> None:
    with pytest.raises(SettingsError, match=r"^REDIS_URL is wrong: give redis://HOST") as refused:
        Settings.from_environment({**ENVIRON, "REDIS_URL": url})
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("SANTIAGO_PLANNER_SECONDS", "abc", "'abc': give a number of seconds above 0"),
        ("SANTIAGO_PLANNER_SECONDS", "inf", "give a number of seconds above 0"),
        ("SANTIAGO_TURQUINO_SECONDS", "-1", "'-1': give a number of seconds above 0"),
        ("SANTIAGO_PUBLIC_GATEWAY", "gateway", "'gateway': give HOST:PORT, as ladder.example:50"),
        ("SANTIAGO_PUBLIC_GATEWAY", "unix:/run/gateway", "give HOST:PORT, as ladder.example:50"),
        ("WEB_CONCURRENCY", "x", "'x': give a whole number"),
        ("WEB_CONCURRENCY", "0", "give 1 or more"),
        ("WEB_CONCURRENCY", "100000", "give 1000 or less"),
        ("SANTIAGO_PROXIES", "127", "give 10 or less"),
        ("SANTIAGO_LOG", "jsn", "'jsn': give 'text' or 'json'"),
    ],
)
def test_nonsense_for_a_part_of_the_service_is_named_before_it_starts(
    name: str, value: str, why: str
) -> None:
    with pytest.raises(SettingsError, match=f"{name} is .*{why}"):
        Environment.from_environment({name: value})


@pytest.mark.parametrize(
    ("given", "host"), [("::1", "::1"), ("[::1]", "::1"), (" 0.0.0.0", "0.0.0.0"), ("a", "a")]
)
def test_ipv6_may_stand_in_brackets(given: str, host: str) -> None:
    assert Environment.from_environment({"SANTIAGO_HOST": given}).host == host
    assert at_port(host, 80) == ("[::1]:80" if ":" in host else f"{host}:80")


SWITCHES = ("SANTIAGO_ALLOW_PRIVATE", "SANTIAGO_ALLOW_PLAIN", "SANTIAGO_ACCESS_LOG")


def switched_on(environ: dict[str, str]) -> list[bool]:
    found = Environment.from_environment(environ)
    return [bool(value) for value in (found.allow_private, found.allow_plain, found.access_log)]


@pytest.mark.parametrize(
    ("text", "on"), [("1", True), (" 1 ", True), ("0", False), ("0 ", False), ("", False)]
)
def test_1_switches_on_and_0_or_nothing_off(text: str, on: bool) -> None:
    assert switched_on(dict.fromkeys(SWITCHES, text)) == [on] * len(SWITCHES)


@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize("text", ["false", "no", "off", "00", "true", "2"])
def test_a_switch_that_may_mean_either_is_named(name: str, text: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} is '{text}': give 1 to switch it on, or 0"):
        Environment.from_environment({name: text})


def test_each_process_with_metrics_has_a_port() -> None:
    def ports(first: int, others: int) -> None:
        environ = {"SANTIAGO_METRICS_PORT": str(first), "WEB_CONCURRENCY": "2"}
        Environment.from_environment(environ).check_metrics_ports(others)

    ports(65534, 0)
    ports(65532, 2)
    ports(0, 2)
    for first, others, most in ((65535, 0, 65534), (65533, 2, 65532)):
        with pytest.raises(SettingsError, match=f"_PORT is {first}: give {most} or less"):
            ports(first, others)


@pytest.mark.parametrize(
    "address", ["foo", "/run/host.sock", "unix:", "host:", "a:1, b", "a:1 b:2", "me@a:1", "a:70000"]
)
def test_an_address_of_no_host_is_named(address: str) -> None:
    with pytest.raises(SettingsError, match="give unix:/PATH or HOST:PORT"):
        HostingSettings.from_environment({HOSTS: address})


@pytest.mark.parametrize("name", ["SANTIAGO_KEPT_BUNDLES", "SANTIAGO_HOSTED_SLOTS"])
def test_a_number_that_no_database_holds_is_named(name: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} is '9+': give 1000 or less"):
        HostingSettings.from_environment({name: "9" * 30})


def test_hosts_are_separated_by_commas() -> None:
    found = HostingSettings.from_environment({HOSTS: "unix:/run/a.sock, [::1]:50071,b.example:1,"})
    assert found.hosts == ("unix:/run/a.sock", "[::1]:50071", "b.example:1")
    assert HostingSettings.from_environment({HOSTS: "none"}).hosts == ()


@pytest.mark.parametrize(
    ("redis_url", "broker"),
    [
        ("redis://host:6379/0", "redis://host:6379/0"),
        ("unix:///run/redis.sock", "redis+socket:///run/redis.sock"),
    ],
)
def test_celery_spells_redis_in_its_own_way(redis_url: str, broker: str) -> None:
    app = celery_app(Settings("sqlite://", redis_url))
    assert app.conf.broker_url == broker


def test_messages_are_json_and_nothing_else() -> None:
    conf = celery_app(Settings("sqlite://", "redis://host")).conf
    assert (conf.accept_content, conf.task_serializer) == (["json"], "json")
    assert conf.result_backend is None


def test_queues_are_taken_by_priority() -> None:
    conf = celery_app(Settings("sqlite://", "redis://host"), KINDS.order).conf
    names = [queue.name for queue in conf.task_queues]
    assert [name.rpartition(".")[2] for name in names] == [
        "answer",
        "check",
        "build",
        "validation",
        "challenge",
        "tournament",
        "ladder",
        "casual-analysis",
        "analysis",
        "puzzle",
    ]
    order = conf.broker_transport_options["queue_order_strategy"]()
    order.update({"replies.to.me", *names})
    assert order.consume(11) == [*names, "replies.to.me"]
    order.rotate(names[0])
    assert order.consume(1) == names[:1]
