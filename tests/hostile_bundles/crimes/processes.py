"""Looks at other processes and at what they left open, signals them, and reads the environment."""

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

_NAMES = {
    *("SANTIAGO_ADDRESS", "HOME", "LANG", "PATH", "PWD", "PYTHONPATH", "PYTHONUNBUFFERED"),
    *("LD_LIBRARY_PATH", "GRPC_EXPERIMENTS"),  # of the runtime, and of the kit's own
}
_OF_A_BUILD = {
    *("HOME", "TZ", "LC_ALL", "LC_CTYPE", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "OLDPWD"),
    *("SHLVL", "SOURCE_DATE_EPOCH", "ZERO_AR_DATE", "npm_config_update_notifier", "_"),
}
_OPEN = ("/dev/null", "/dev/urandom", "/proc/", "/bot", "/run/santiago/", "/opt", "/usr")


def commit(targets: Mapping[str, Any]) -> Iterator[str]:
    """Yield who else is there, and what could be learned or done."""
    yield from (f"the variable {name}" for name in set(os.environ) - _NAMES - _OF_A_BUILD)
    for process in (int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()):
        yield from _looked_into(process, targets["secret"])
    for process in targets["processes"]:
        with suppress(OSError):
            os.kill(process, signal.SIGKILL)
            yield f"a signal to {process}"
    for descriptor in os.listdir("/proc/self/fd"):  # noqa: PTH208
        with suppress(OSError):
            at = os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115
            if at.startswith("/") and not at.startswith(_OPEN):
                yield f"the open file {at}"
    with suppress(OSError):
        os.nice(-5)
        yield "a better priority"


def _looked_into(process: int, secret: str) -> Iterator[str]:
    folder = Path(f"/proc/{process}")
    for name in ("environ", "cmdline", "status"):
        with suppress(OSError):
            if secret in (folder / name).read_text(errors="replace"):
                yield f"the secret in {folder / name}"
    with suppress(OSError):
        (folder / "oom_score_adj").write_text("-1000")
        yield f"protection of {process} from the end of memory"
