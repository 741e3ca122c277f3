"""The CPU seconds of each test: `make test ARGS="-p tests.cpu"` ends with the most expensive ones.

What a process has used counts for the test that waits for its end: browsers and servers that serve
a whole file stand at its last test; so do those of a file that tests.forking has forked.
PostgreSQL, which waits for nobody, does not count.
"""

from collections import Counter
from collections.abc import Generator
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

import pytest

from tests import forking

MOST = 30


def used() -> float:
    """CPU seconds of this process, of those that it has waited for, and of forked ones."""
    usages = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages) + forking.cpu()


_counted = used()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note what setup, test or teardown has used, where xdist passes it on."""
    global _counted
    report = yield
    before, _counted = _counted, used()
    report.user_properties.append(("cpu", _counted - before))
    return report


def pytest_runtest_logstart() -> None:
    """Count from here: what came before the first test is not its own."""
    global _counted
    _counted = used()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the most expensive tests."""
    seconds = Counter[str]()
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                seconds[report.nodeid] += value if name == "cpu" else 0
    terminalreporter.section(f"{seconds.total():.0f} CPU seconds in tests")
    for test, value in seconds.most_common(MOST):
        terminalreporter.write_line(f"{value:7.1f} {test}")
