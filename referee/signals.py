"""The signals that ask a program to end in good order, and those that have ended one."""

import signal


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return SIGINT, SIGTERM, and SIGHUP; without the last one if `nohup` has it ignored."""
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return (signal.SIGINT, signal.SIGTERM, *(() if ignored else (signal.SIGHUP,)))


def how_ended(code: int) -> str:
    """Return how a process ended, by its exit code, which is negative after a signal."""
    if code < 0:
        return f"was ended by a signal ({signal.strsignal(-code)})"
    return f"ended with exit code {code}"
