"""Caddy with the shipped configuration, on ports of a test's own, with a certificate of its own."""

import os
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import create_connection

from tests.conftest import PROJECT, START_LIMIT, free_port, missing
from tests.e2e.processes import until


@dataclass(frozen=True)
class Proxy:
    """Where Caddy listens for the site and the gateway, and whom one has to trust."""

    site: int
    gateway: int
    ca_file: str


@contextmanager
def caddy(folder: Path, *, site: int = 9, gateway: int = 9) -> Iterator[Proxy]:
    """Run Caddy as `localhost` in front of these ports of this machine until the block ends."""
    if not shutil.which("caddy"):
        missing("caddy")
    first = free_port(more=3)
    root = folder / "caddy" / "pki" / "authorities" / "local" / "root.crt"
    made = Proxy(first, first + 1, str(root))
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        "CADDY_ADMIN": f"127.0.0.1:{first + 2}",
        "HTTP_PORT": str(first + 3),
        "HTTPS_PORT": str(made.site),
        "GATEWAY_PORT": str(made.gateway),
        "SITE": f"127.0.0.1:{site}",
        "GATEWAY": f"127.0.0.1:{gateway}",
    }
    command = ["caddy", "run", "--config", str(PROJECT / "Caddyfile"), "--adapter", "caddyfile"]
    with (folder / "caddy.log").open("w") as log:
        server = subprocess.Popen(command, env=environ, stdout=log, stderr=log)
    try:
        until(lambda: server.poll() is not None or _answers(made), START_LIMIT)
        assert server.poll() is None, (folder / "caddy.log").read_text()
        yield made
    finally:
        server.terminate()
        server.wait(START_LIMIT)


def _answers(proxy: Proxy) -> bool:
    """Return True once both ports speak TLS, with a certificate that its authority has signed."""
    try:
        context = ssl.create_default_context(cafile=proxy.ca_file)
        for port in (proxy.site, proxy.gateway):
            with create_connection(("127.0.0.1", port), START_LIMIT) as plain:
                context.wrap_socket(plain, server_hostname="localhost").close()
    except OSError:
        return False
    return True
