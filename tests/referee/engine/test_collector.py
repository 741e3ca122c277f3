"""The garbage collector rests while anybody searches, and then does as before."""

import gc

from referee.engine.collector import garbage_collector_rests


def test_it_rests_until_the_last_of_several_searches_ends() -> None:
    first, second = garbage_collector_rests(), garbage_collector_rests()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_it_is_not_started_if_it_did_not_run_before() -> None:
    gc.disable()
    try:
        with garbage_collector_rests():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
