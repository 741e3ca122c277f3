"""Check that everything in the locks has a wheel for each Python and machine that we name.

`make wheels` runs it; it needs the package index. pip downloads the wheels of another machine, but
looks at the markers of its own: so they are evaluated here, and pip gets what is left.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from packaging.markers import Marker

LOCKS = ("requirements-uv.lock", "requirements.lock", "requirements-test.lock")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
OLDEST_GLIBC = 28  # 2.28: Debian 10, Ubuntu 20.04, RHEL 8
OLDEST_MACOS = 14
HASHES = r"(?:\n    --hash=\S+(?: \\)?$)+"
ENTRY = re.compile(rf"^(\S+==\S+)(?: ; (.+?))?(?: \\)?$({HASHES})", re.MULTILINE)


def linux(machine: str) -> tuple[list[str], dict[str, str]]:
    """Return the tags of wheels for this processor, and what markers see there."""
    tags = [f"manylinux_2_{minor}_{machine}" for minor in range(OLDEST_GLIBC, 4, -1)]
    tags += [f"{name}_{machine}" for name in ("manylinux2014", "manylinux2010", "manylinux1")]
    return tags, {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": machine}


MACHINES = {
    "Linux x86-64": linux("x86_64"),
    "Linux ARM": linux("aarch64"),
    "macOS ARM": (
        [f"macosx_{OLDEST_MACOS}_0_arm64"],
        {"sys_platform": "darwin", "platform_system": "Darwin", "platform_machine": "arm64"},
    ),
}


def wanted(lock: str, python: str, machine: dict[str, str]) -> list[str]:
    """Return the entries of a lock that are installed there, each with its hashes."""
    environment = machine | {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "os_name": "posix",
    }
    return [
        name + " \\" + hashes
        for name, marker, hashes in ENTRY.findall(Path(lock).read_text())
        if not marker or Marker(marker).evaluate(environment)
    ]


def download(entries: list[str], python: str, tags: list[str], folder: Path) -> str:
    """Download the wheels; return what pip says if there is one too few."""
    lock = folder / "lock"
    lock.write_text("\n".join(entries) + "\n")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--python-version", python]
    where = [f"--platform={tag}" for tag in tags]
    done = subprocess.run(
        [*pip, *options, *where, "--dest", str(folder / "wheels"), "--requirement", str(lock)],
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
    return "" if done.returncode == 0 else (errors or [done.stderr])[-1]


def main() -> int:
    """Print a line for each machine, Python and lock; return 1 if any lacks a wheel."""
    failed = 0
    for machine, (tags, markers) in MACHINES.items():
        with tempfile.TemporaryDirectory() as folder:  # wheels for every Python come once
            for python in PYTHONS:
                for lock in LOCKS:
                    entries = wanted(lock, python, markers)
                    error = download(entries, python, tags, Path(folder))
                    failed += bool(error)
                    found = error or f"{len(entries)} wheels"
                    print(f"{machine:13} Python {python}  {lock:24} {found}", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
