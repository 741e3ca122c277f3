"""Looks for files of the host, of other bots and of the referee, and writes where it may not."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

_PLACES = (
    "/etc/shadow",
    "/etc/passwd",
    "/root",
    "/home",
    "/var",
    "/sys/kernel",
    "/dev/mem",
    "/dev/kmsg",
)
_OUTSIDE = ("/proc/1/root", "/proc/self/root/..", "/proc/1/cwd", "/run/santiago/..")


def commit(targets: Mapping[str, Any]) -> Iterator[str]:
    """Yield what it found of `targets["paths"]`, and where it could write."""
    for path in (*_PLACES, *targets["paths"]):
        for root in ("", *_OUTSIDE):
            with suppress(OSError):
                os.stat(f"{root}{path}")  # noqa: PTH116
                yield f"{root}{path} is there"
    for folder in ("/", "/bot", "/usr", "/dev", "/opt", "/run", "/proc/sys/kernel", "/lib"):
        with suppress(OSError):
            (Path(folder) / "mine").write_text("mine")
            yield f"a file in {folder}"
    yield from _own_bundle()
    with suppress(OSError):
        Path("/proc/sys/kernel/core_pattern").write_text("|/bot/mine")
        yield "a kernel setting"


def _own_bundle() -> Iterator[str]:
    """Try to change the program that will be started again for the next match."""
    program = Path("/bot/bot.py")
    for change in (
        lambda: program.write_text(""),
        lambda: program.unlink(),
        lambda: program.chmod(0o777),
        lambda: program.rename("/bot/other.py"),
        lambda: (
            program.link_to("/tmp/bot.py")
            if hasattr(program, "link_to")
            else os.link(program, "/bot/x")
        ),
        lambda: os.open(f"/proc/self/fd/{os.open(program, os.O_RDONLY)}", os.O_RDWR),
    ):
        if program.exists():
            with suppress(OSError):
                change()
                yield "a change of its own bundle"
