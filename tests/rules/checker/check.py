"""Check traces of whole games: python tests/rules/checker/check.py FILE|-

Prints one line. Exit code 0: all games are right. 1: the first divergence is told. 2: wrong usage.
"""

import sys
from pathlib import Path

if __name__ == "__main__":  # run as a file, it finds its package from the project's folder
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.rules.checker.stream import TraceError, check_stream


def main(arguments: list[str]) -> int:
    """Check the file that is named, or stdin for "-"."""
    if len(arguments) != 1:
        print("usage: python tests/rules/checker/check.py FILE|-", file=sys.stderr)
        return 2
    try:
        if arguments[0] == "-":
            games, lines = check_stream(sys.stdin.buffer)
        else:
            with Path(arguments[0]).open("rb") as stream:
                games, lines = check_stream(stream)
    except OSError as error:
        print(f"cannot read {arguments[0]}: {error.strerror}", file=sys.stderr)
        return 2
    except TraceError as error:
        print(error)
        return 1
    print(f"All right: games {games}, lines {lines}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
