"""The sentences of the conformance suite, as the site says them."""

from flask import Flask

from ladder.bots import reports
from referee.conformance.suite import checks, first_call
from web.formats import CHECKS, check_sentence


def test_each_check_has_its_sentence() -> None:
    suite = (*checks(), first_call("1"))
    assert {check.name: check.sentence for check in suite} == dict(CHECKS)


def test_what_is_checked_beside_the_suite_is_translated_too(app: Flask) -> None:
    assert len(reports.OWN) == 3
    with app.test_request_context(headers={"Accept-Language": "de"}):
        assert check_sentence("It starts in its sandbox, and listens.").startswith("Er startet")
        assert (
            check_sentence("It was asked in an older suite.") == "It was asked in an older suite."
        )
