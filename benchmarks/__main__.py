"""Run the benchmarks named on the command line, or all: every module here with a `main()`."""

import pkgutil
import sys
from importlib import import_module

import benchmarks


def names() -> list[str]:
    """Return the benchmarks by module name."""
    found = pkgutil.iter_modules(benchmarks.__path__)
    return sorted(module.name for module in found if not module.name.startswith("_"))


def run(wanted: list[str]) -> int:
    """Run the wanted benchmarks one after the other; return the exit status."""
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        print(
            f"No benchmark {', '.join(unknown)}; there are: {', '.join(names())}", file=sys.stderr
        )
        return 2
    for name in wanted or names():
        print(f"== {name}", flush=True)
        import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
