from ladder.worker.lag import Lag


def test_everyone_learns_the_worst_since_the_own_beginning() -> None:
    lag = Lag()
    lag.note(9.0)
    with lag.watched() as first:
        lag.note(0.25)
        with lag.watched() as second:
            lag.note(0.0314)
        lag.note(0.1)
    lag.note(7.0)
    assert (first.milliseconds, second.milliseconds) == (250, 31)
