"""The sentences of the conformance suite, as the site says them."""

from referee.conformance.suite import checks, first_call
from web.formats import CHECKS


def test_each_check_has_its_sentence() -> None:
    suite = (*checks(), first_call("1"))
    assert {check.name: check.sentence for check in suite} == dict(CHECKS)
