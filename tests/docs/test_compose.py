"""docker-compose.yml as docker-compose reads it: settings, walls, Redis, back-up and restore."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic.fields import FieldInfo
from redis import AuthenticationError, Redis
from redis.exceptions import OutOfMemoryError
from sqlalchemy import make_url

from ladder import model
from ladder.config import LADDER_PACE, Environment, HostingSettings, Settings
from ladder.jobs.celery import celery_app, redis_list, send
from ladder.matches.states import JOB
from ladder.wiring import KINDS
from referee.hosting.settings import HostSettings
from sample_bots import turquino
from tests.conftest import PROJECT, free_port, missing, oldest_redis, wait_for_redis
from tests.docs.pages import TIMEOUT, blocks, programs, type_in
from tests.ladder.conftest import create_postgres

OURS = ("migrate", "web", "worker", "scheduler", "house", "gateway")
OF_COMMANDS = {
    "SANTIAGO_ADDRESS",
    "SANTIAGO_API_TOKEN",
    "SANTIAGO_COMPILE",
    "SANTIAGO_DATA",
    "SANTIAGO_SITE",
}
"""Settings of commands, authors' bots and the installation, not of parts."""
OF_BOTS = {"SANTIAGO_SECRET", "SANTIAGO_TOKEN"}
WITHOUT_PROXY = {"SANTIAGO_TLS_CERTIFICATE", "SANTIAGO_TLS_KEY"}
"""Settings of a gateway or house that speaks TLS itself; here Caddy does."""
FIXED = {
    "DATABASE_URL": "postgresql://santiago:1-of-POSTGRES_PASSWORD@postgres:5432/santiago",
    "REDIS_URL": "redis://:1-of-REDIS_PASSWORD@redis:6379/0",
    "SANTIAGO_HOST": "0.0.0.0",
    "SANTIAGO_PORT": "8000",
    "SANTIAGO_METRICS_HOST": "0.0.0.0",
    "SANTIAGO_GATEWAY": "1-of-SANTIAGO_PUBLIC_GATEWAY",
}
"""Settings that follow from the other containers."""
NOT_OURS = {"SANTIAGO_COMPILE", "SANTIAGO_DOMAIN", "SANTIAGO_TLS"}
"""Settings of the installation and of Caddy, which no program of ours reads as it runs."""
NAME = re.compile(r"\b(?:SANTIAGO_[A-Z_]+|WEB_CONCURRENCY|DATABASE_URL|REDIS_URL)\b")
DOCKER = """#!{python}
import os, sys
words = [word for word in sys.argv[1:] if word not in ("-T", "--rm")]
if "exec" not in words and "run" not in words:
    sys.exit(0)
service, *command = words[2:]
os.environ |= dict(PGHOST={host!r}, DATABASE_URL={url!r})
if service == "postgres":
    command = [{postgres!r}.get(word, word) for word in command]
else:
    command = command or {commands!r}[service]
os.execvp(command[0], command)
"""


@dataclass(frozen=True)
class Composed:
    """What docker-compose makes of the file, and the lines of .env that it read."""

    services: dict[str, dict[str, Any]]
    settings: dict[str, str]

    @property
    def ours(self) -> dict[str, dict[str, Any]]:
        return {name: self.services[name] for name in OURS}


@pytest.fixture(scope="module")
def composed(tmp_path_factory: pytest.TempPathFactory) -> Composed:
    """With all settings of .env.example given, each with a value of its own."""
    folder = tmp_path_factory.mktemp("compose")
    real = {"SANTIAGO_PORT": "8765", "SANTIAGO_TLS_FOLDER": "./tls"}
    real |= {"SANTIAGO_EXTRAS_FOLDER": "./extras", "WORKERS": "4"}
    real |= {"COMPOSE_PROFILES": _example()["COMPOSE_PROFILES"]}
    settings = {name: f"1-of-{name}" for name in _example()} | real
    done = compose(folder, settings)
    assert done.returncode == 0, done.stderr
    return Composed(yaml.safe_load(done.stdout)["services"], settings)


def _example() -> dict[str, str]:
    """The lines of .env.example, those with a # too."""
    return dict(re.findall(r"^#?([A-Z_]+)=(.*)$", (PROJECT / ".env.example").read_text(), re.M))


def compose(folder: Path, settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Let docker-compose read the file with these lines in .env."""
    if not shutil.which("docker-compose"):
        missing("docker-compose")
    shutil.copy(PROJECT / "docker-compose.yml", folder)
    lines = "".join(f"{name}={value}\n" for name, value in settings.items())
    (folder / ".env").write_text(lines)
    return subprocess.run(
        [
            "docker-compose",
            *("--profile", "proxy", "--profile", "gateway", "--profile", "host"),
            "config",
        ],
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )


def test_every_part_gets_every_setting(composed: Composed) -> None:
    for service in composed.ours.values():
        got = service["environment"]
        plain = {"SANTIAGO_ALLOW_PLAIN": "1"} if "gateway" in service["command"] else {}
        assert composed.settings | FIXED | plain == got


def test_all_documented_settings_stand_in_the_example(composed: Composed) -> None:
    documented = set(NAME.findall((PROJECT / "docs" / "operate.md").read_text()))
    ladder_s = (Settings, Environment, HostingSettings)
    given_to = [field.default for cls in ladder_s for field in fields(cls)]
    known = {str(one.validation_alias) for one in given_to if isinstance(one, FieldInfo)}
    known |= {variable.name for _, variable in HostSettings.variables().values()}
    assert known - OF_BOTS <= documented
    given = {name for name in composed.settings if NAME.fullmatch(name)}
    assert documented - OF_COMMANDS - WITHOUT_PROXY - (set(FIXED) - {"SANTIAGO_PORT"}) == given - {
        "SANTIAGO_TLS_FOLDER",
        "SANTIAGO_EXTRAS_FOLDER",
    }


def test_each_setting_has_one_row_in_the_tables() -> None:
    page = (PROJECT / "docs" / "operate.md").read_text()
    tables = page[page.index("## Settings") : page.index("## The gateway")]
    rows = [row.split(" | ")[0] for row in tables.splitlines() if row.startswith("| `")]
    found = Counter(name for row in rows for name in NAME.findall(row))
    assert set(found.values()) == {1}
    assert set(found) == set(NAME.findall(page)) - NOT_OURS


def test_env_says_which_containers_there_are(composed: Composed) -> None:
    """What only an option of one command says, the next command does not know."""
    assert composed.services["worker"]["scale"] == 4
    profiles = {name for one in composed.services.values() for name in one.get("profiles", [])}
    assert set(composed.settings["COMPOSE_PROFILES"].split(",")) == profiles
    typed = (PROJECT / "docs" / "operate.md").read_text()
    assert not re.search(r"docker compose .*(--scale|--profile .* up)", typed)


def test_the_example_has_the_defaults_of_numbers() -> None:
    """In its lines with a #, as it says."""
    text = (PROJECT / ".env.example").read_text()
    given = dict(re.findall(r"^#([A-Z_]+)=([\d.]+)$", text, re.M))
    host = HostSettings()
    variables = HostSettings.variables().items()
    defaults = {variable.name: getattr(host, name) for name, (_, variable) in variables}
    for cls in (Settings, Environment, HostingSettings):
        infos = [one.default for one in fields(cls) if isinstance(one.default, FieldInfo)]
        defaults |= {str(info.validation_alias): info.default for info in infos}
    defaults[turquino.SECONDS_VARIABLE] = turquino.MOST_SECONDS
    compared = {name for name in given if type(defaults.get(name)) in (int, float)}
    compared -= {LADDER_PACE}  # as many as can be played: no number
    assert "SANTIAGO_LEASE" in compared
    assert {name: float(given[name]) for name in compared} == {
        name: defaults[name] for name in compared
    }


def test_every_part_sees_the_files_that_settings_name(composed: Composed) -> None:
    for name, service in composed.ours.items():
        assert "/run/tls" in str(service["volumes"]), name
    mounted = str(composed.services["host"]["volumes"])
    assert "/run/extras" in mounted
    assert "/run/tls" not in mounted


def test_a_host_gets_its_own_settings_and_no_secret(composed: Composed) -> None:
    host = composed.services["host"]
    of_tls = {"SANTIAGO_HOST_CA", "SANTIAGO_HOST_CERTIFICATE", "SANTIAGO_HOST_KEY"}
    of_root = {"SANTIAGO_SANDBOX_UIDS"}
    own = {variable.name for _, variable in HostSettings.variables().values()}
    assert own - of_tls - of_root | {"SANTIAGO_HOSTS"} == set(host["environment"])
    for name, value in host["environment"].items():
        assert name in ("SANTIAGO_HOSTS", "SANTIAGO_HOST_FOLDER") or value == f"1-of-{name}"
    assert host["network_mode"] == "none"


def test_no_container_may_more_than_it_needs(composed: Composed) -> None:
    for name, service in composed.services.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "proxy" else [])
        assert service["security_opt"][0] == "no-new-privileges:true", name
        assert len(service["security_opt"]) == (4 if name == "host" else 1)
        assert service["logging"]["options"] == {"max-size": "10m", "max-file": "5"}, name
        assert re.search(r":\d+\.\d+(\.\d+)?(-[a-z]+)?$", service["image"]), name
        assert "privileged" not in service


def test_each_part_is_asked_itself_whether_it_lives(composed: Composed) -> None:
    """The migration ends by itself, and the site is asked by its own page."""
    for name in {*OURS, "host"} - {"migrate", "web"}:
        asked = composed.services[name]["healthcheck"]["test"]
        assert asked == ["CMD", "santiago", "health", name]
    assert "/healthz" in str(composed.services["web"]["healthcheck"]["test"])


def test_our_image_has_the_release_as_its_tag_and_an_exact_python(composed: Composed) -> None:
    release = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["version"]
    assert {service["image"] for service in composed.ours.values()} == {f"santiago-arena:{release}"}
    assert re.match(r".*\nFROM python:3\.11\.\d+-", (PROJECT / "Dockerfile").read_text())


def test_docker_gets_what_our_image_is_made_of() -> None:
    """What .dockerignore holds back, COPY does not find."""
    made = re.findall(r"^COPY (.+) \S+$", (PROJECT / "Dockerfile").read_text(), re.M)
    sent = re.findall(r"^!(\S+)$", (PROJECT / ".dockerignore").read_text(), re.M)
    assert sorted(" ".join(made).split()) == sorted(sent)


def test_only_the_proxy_is_open_to_other_machines(composed: Composed) -> None:
    open_to_all = {
        name: [port for port in service.get("ports", []) if not str(port).startswith("127.0.0.1:")]
        for name, service in composed.services.items()
    }
    assert {name for name, ports in open_to_all.items() if ports} == {"proxy"}
    assert composed.services["web"]["ports"] == ["127.0.0.1:8765:8000/tcp"]


@pytest.mark.parametrize("tls", ["", "tls /run/tls/fullchain.pem /run/tls/privkey.pem"])
def test_the_proxy_leads_to_the_site_and_the_gateway(
    composed: Composed, tls: str, tmp_path: Path
) -> None:
    """By its own configuration, with a certificate that it gets or with the operator's."""
    if not shutil.which("caddy"):
        missing("caddy")
    settings = {"SANTIAGO_DOMAIN": "ladder.example", "SANTIAGO_TLS": tls}
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)} | settings
    read = subprocess.check_output(
        ["caddy", "adapt", "--config", PROJECT / "Caddyfile"], env=environ
    )
    servers = json.loads(read)["apps"]["http"]["servers"].values()
    leads = {
        server["listen"][0]: re.findall(r"'dial': '(\S+?)'", str(server)) for server in servers
    }
    assert leads == {":443": ["web:8000"], ":50052": ["gateway:50052"]}
    assert ("/run/tls/privkey.pem" in read.decode()) == bool(tls)
    assert [server["listen"] for server in servers if "'Strict-Transport-" in str(server)] == [
        [":443"]
    ]
    published = re.findall(r"'published': (\d+)", str(composed.services["proxy"]["ports"]))
    assert published == ["80", "443", "50052"]


def test_the_address_of_the_database_is_for_pg_dump_as_for_us(composed: Composed) -> None:
    engine = model.engine(composed.services["web"]["environment"]["DATABASE_URL"])
    assert engine.url.drivername == "postgresql+psycopg"
    assert engine.url.password == "1-of-POSTGRES_PASSWORD"


@pytest.mark.parametrize("name", ["POSTGRES_PASSWORD", "REDIS_PASSWORD", "SANTIAGO_SECRET_KEY"])
def test_without_a_password_nothing_starts(name: str, composed: Composed, tmp_path: Path) -> None:
    done = compose(tmp_path, composed.settings | {name: ""})
    assert done.returncode != 0
    assert name in done.stderr


@pytest.fixture
def redis(composed: Composed, tmp_path: Path) -> Iterator[Redis]:
    """The Redis of the file, at a port of the test's own."""
    service, port = composed.services["redis"], free_port()
    _, *options = [word.replace("1-of-REDIS_MAXMEMORY", "8mb") for word in service["command"]]
    server = subprocess.Popen(
        [oldest_redis(), *options, "--port", str(port), "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )
    url = composed.services["worker"]["environment"]["REDIS_URL"]
    url = url.replace("redis:6379", f"127.0.0.1:{port}")
    wait_for_redis(url, server)
    with Redis.from_url(url) as client:
        yield client
    server.terminate()
    server.wait(TIMEOUT)


def test_redis_asks_for_its_password_and_keeps_the_queue(redis: Redis) -> None:
    """Also when its memory is full: live events go first."""
    where = redis.connection_pool.connection_kwargs
    stranger = Redis(host=where["host"], port=where["port"])
    with pytest.raises(AuthenticationError):
        stranger.ping()
    stranger.close()
    url = f"redis://:{where['password']}@{where['host']}:{where['port']}/0"
    app = celery_app(Settings("sqlite://", url), KINDS.order)
    queue = KINDS.order[0]
    send(app, JOB, queue, [1])
    for number in range(200):  # 20 MB of what is kept for an hour
        redis.set(f"santiago:live:{number}", "x" * 100_000, ex=3600)
    send(app, JOB, queue, [2])
    assert redis.llen(redis_list(queue)) == 2
    assert 0 < redis.exists(*(f"santiago:live:{number}" for number in range(200))) < 200
    with pytest.raises(OutOfMemoryError):
        fill(redis)


def fill(redis: Redis) -> None:
    """One key at a time: while Redis still makes room, it takes a command of any size."""
    for number in range(200):
        redis.set(f"for ever {number}", "x" * 100_000)


def test_back_up_and_restore_in_containers(
    composed: Composed, postgres_url: str, tmp_path: Path
) -> None:
    """The page's lines, typed where `docker` runs the containers' commands on this machine.

    The back-up was made before an upgrade: the tables that came with that are in its way.
    """
    url = create_postgres(postgres_url, template="template1")
    model.upgrade(url, "r0019")
    _make_docker(tmp_path, composed, url)
    save, restore = (b.text for b in blocks("operate.md") if "docker compose exec" in b.text)
    _type(save, tmp_path)
    model.upgrade(url)
    _run_sql(url, "DROP TABLE audit_entries")
    assert "Nothing differs" in _type(restore, tmp_path)
    _run_sql(url, "SELECT * FROM audit_entries")


def _run_sql(url: str, statement: str) -> None:
    engine = model.engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(statement)
    engine.dispose()


def _make_docker(folder: Path, composed: Composed, url: str) -> None:
    """A `docker` for which each container is this machine, with the database at `url`."""
    at = make_url(url)
    commands = {name: service["command"] for name, service in composed.ours.items()}
    ours = {"santiago": at.database, "--dbname=santiago": f"--dbname={at.database}"}
    ours["--username=santiago"] = f"--username={at.username}"
    script = DOCKER.format(
        python=sys.executable,
        commands=commands,
        postgres=ours,
        host=at.query.get("host", at.host),
        url=url,
    )
    docker = folder / "docker"
    docker.write_text(script)
    docker.chmod(0o755)


def _type(script: str, folder: Path) -> str:
    path = os.pathsep.join(map(str, (folder, *programs(), os.environ["PATH"])))
    return type_in(script, folder, os.environ | {"PATH": path})
