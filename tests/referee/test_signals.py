import signal
from threading import Thread

from referee.signals import Flag
from tests.nervous import signals_at_every_step


def test_a_flag_is_set_by_signals_that_come_while_it_is_set_or_waited_for() -> None:
    flag = Flag()
    before = signal.signal(signal.SIGUSR1, lambda *_: flag.set())
    try:
        with signals_at_every_step(signal.SIGUSR1):
            flag.set()
            assert flag.wait(600)
        flag = Flag()
        with signals_at_every_step(signal.SIGUSR1):
            assert flag.wait(600)
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_flag_wakes_all_who_wait() -> None:
    flag = Flag()
    assert not flag.wait(-1)
    assert not flag.is_set()
    waiting = [Thread(target=flag.wait, args=(600,)) for _ in range(3)]
    for thread in waiting:
        thread.start()
    flag.set()
    for thread in waiting:
        thread.join(300)
    assert not any(thread.is_alive() for thread in waiting)
    assert flag.is_set()
