from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Lock

import pytest
from argon2 import PasswordHasher

from ladder.errors import Invalid
from ladder.people import passwords

GOOD = "seven ships sail"
FULL_COST = passwords._HASHER


@pytest.fixture(autouse=True)
def full_cost(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hash as the service does; other tests use less work."""
    monkeypatch.setattr(passwords, "_HASHER", FULL_COST)
    passwords._decoy.cache_clear()
    yield
    passwords._decoy.cache_clear()


def test_a_password_is_kept_as_argon2id_with_a_salt_of_its_own() -> None:
    first, second = passwords.hash_password(GOOD), passwords.hash_password(GOOD)
    assert first.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert first != second
    assert passwords.verify(first, GOOD)
    assert passwords.verify(second, GOOD)
    assert not passwords.verify(first, GOOD + " ")
    assert GOOD not in first


def test_nothing_is_right_where_none_is_kept() -> None:
    assert not passwords.verify(None, GOOD)
    assert not passwords.verify(None, "")


@pytest.mark.parametrize("kept", ["", "nonsense", "$argon2id$v=19$m=19456,t=2,p=1$broken"])
def test_nothing_is_right_where_what_is_kept_is_broken(kept: str) -> None:
    assert not passwords.verify(kept, GOOD)


def test_as_much_is_computed_for_a_user_who_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    verified: list[str] = []
    real = PasswordHasher.verify

    def counting(self: PasswordHasher, hash: str | bytes, password: str | bytes) -> bool:
        verified.append(str(hash).rpartition("$")[0].rpartition("$")[0])
        return real(self, hash, password)

    monkeypatch.setattr(PasswordHasher, "verify", counting)
    assert not passwords.verify(None, "wrong")
    assert not passwords.verify(passwords.hash_password(GOOD), "wrong")
    assert len(verified) == 2
    assert verified[0] == verified[1]


def test_a_few_are_hashed_at_a_time_and_others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    class Meeting:
        """A hasher that goes on once as many hash as may at the same time."""

        def __init__(self) -> None:
            self.lock, self.running, self.most = Lock(), 0, 0
            self.together = Barrier(passwords.AT_ONCE)

        def verify(self, *_: object) -> bool:
            with self.lock:
                self.running += 1
                self.most = max(self.most, self.running)
            self.together.wait(60)
            with self.lock:
                self.running -= 1
            return True

        def hash(self, _: str) -> str:
            return "decoy"

    hasher, people = Meeting(), 10 * passwords.AT_ONCE
    monkeypatch.setattr(passwords, "_HASHER", hasher)
    with ThreadPoolExecutor(people) as threads:
        assert all(threads.map(lambda _: passwords.verify("kept", GOOD), range(people)))
    assert hasher.most == passwords.AT_ONCE


def test_the_same_characters_in_another_composition_are_the_same_password() -> None:
    assert passwords.verify(passwords.hash_password("ma\u00f1ana por la"), "man\u0303ana por la")


def test_a_password_counts_to_its_last_character() -> None:
    longest = "\ufdfa" * passwords.MAX_LENGTH  # each is eighteen characters when it is written out
    kept = passwords.hash_password(longest)
    assert passwords.verify(kept, longest)
    assert not passwords.verify(kept, longest[:-1])
    assert not passwords.verify(kept, longest + "x")


def test_text_that_is_no_text_does_no_harm() -> None:
    assert not passwords.verify(passwords.hash_password(GOOD), "\ud800")
    assert not passwords.verify(passwords.hash_password(GOOD), "x" * 1_000_000)


def test_a_hash_with_other_parameters_is_outdated() -> None:
    assert passwords.needs_rehash(PasswordHasher(1, 8, 1).hash(GOOD))
    assert not passwords.needs_rehash(passwords.hash_password(GOOD))


@pytest.mark.parametrize("password", ["", "x" * 9, "x" * 201, "a\0bcdefghijk", "a\nbcdefghijk"])
def test_length_and_characters(password: str) -> None:
    with pytest.raises(Invalid) as refused:
        passwords.check(password, "ana")
    assert refused.value.field == "password"


@pytest.mark.parametrize(
    "password", ["compay-segundo", "COMPAY-SEGUNDO", "aaaaaaaaaaaa", "1212121212"]
)
def test_what_is_easily_guessed(password: str) -> None:
    with pytest.raises(Invalid, match="easy to guess"):
        passwords.check(password, "compay-segundo")


@pytest.mark.parametrize(
    "password", [GOOD, "azúcar tabaco ron", "correcthorse", "ten-signs!", (GOOD * 20)[:200]]
)
def test_length_is_enough(password: str) -> None:
    passwords.check(password, "ana")
