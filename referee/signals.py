"""The signals that ask a program to end in good order."""

import signal


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return SIGINT, SIGTERM, and SIGHUP; without the last one if `nohup` has it ignored."""
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return (signal.SIGINT, signal.SIGTERM, *(() if ignored else (signal.SIGHUP,)))
