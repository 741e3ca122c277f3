"""The luck of a match: known answers, fair dice, and nobody who can choose them.

The known answers were computed with openssl:
printf HEX | xxd -r -p | openssl dgst -sha256 -mac HMAC -macopt hexkey:SEED
"""

from collections import Counter

import pytest

from referee.game import Luck, commitment, fresh_seed
from referee.rules.pieces import DICE, PLAIN_GOODS

SEED = bytes(range(32))
NONCES = (b"", bytes.fromhex("c0ffee"))
ROLLS = 12_000
CRITICAL = {3: 16.27, 4: 18.47}
"""Chi-square that one fair die in a thousand exceeds, by degrees of freedom."""


def rolls(seed: bytes = SEED, attempt: int = 1, nonces: tuple[bytes, ...] = NONCES) -> list[str]:
    luck = Luck(seed, attempt, nonces)
    return ["".join(map(str, luck.roll())) for _ in range(4)]


def test_the_commitment_is_a_sha256() -> None:
    known = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
    assert commitment(SEED).hex() == known


def test_known_rolls() -> None:
    # e9 db e1 98 72, f3 27 73 ac 16, f0 b8 b5 eb 15, ae 54 83 b3 f8, each modulo 6.
    assert rolls() == ["32210", "22122", "03112", "00331"]


def test_bytes_that_would_favour_a_face_are_skipped() -> None:
    # Roll 21 has the bytes 12 fd ca f5 59 08; fd is above 251.
    luck = Luck(SEED, 1, NONCES)
    many = [luck.roll() for _ in range(22)]
    assert many[21] == (0, 3, 3, 3, 1)


def test_known_moves_of_the_caretaker() -> None:
    luck = Luck(SEED, 1, NONCES)
    moves = [40, 10, 70, 30, 60, 20, 50]
    digests = 0x67AD104C7ED8ECDB, 0xF236AE7083EFD7FF, 0x1B85D74B907A7BBC, 0x95115004C96E0614
    assert [luck.choose(moves) for _ in digests] == [10 + 10 * (d % 7) for d in digests]


def test_a_block_that_is_used_up_is_followed_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = {bytes([0, 0, 0, 0, 0, 0, 0, n]): bytes([b] * 32) for n, b in enumerate((255, 254, 3))}
    monkeypatch.setattr(Luck, "_digest", lambda _, text: blocks[text])
    assert Luck(SEED, 1, NONCES).roll() == tuple(faces[3] for faces in DICE)


def test_every_part_changes_the_dice() -> None:
    different = [
        rolls(),
        rolls(seed=SEED[::-1]),
        rolls(attempt=2),
        rolls(nonces=(b"x", NONCES[1])),
        rolls(nonces=(NONCES[1], b"")),
        rolls(nonces=(NONCES[1][:1], NONCES[1][1:])),
        rolls(nonces=(*NONCES, b"")),
    ]
    assert len({tuple(four) for four in different}) == len(different)


def test_the_caretaker_does_not_change_the_dice() -> None:
    luck = Luck(SEED, 1, NONCES)
    luck.choose([1, 2])
    assert "".join(map(str, luck.roll())) == rolls()[0]


@pytest.mark.parametrize("good", range(len(PLAIN_GOODS)), ids=PLAIN_GOODS)
def test_dice_are_fair(good: int) -> None:
    luck = Luck(SEED, 1, ())
    fallen = Counter(luck.roll()[good] for _ in range(ROLLS))
    expected = {face: n * ROLLS / 6 for face, n in Counter(DICE[good]).items()}
    assert fallen.keys() == expected.keys()
    chi_square = sum((fallen[face] - n) ** 2 / n for face, n in expected.items())
    assert chi_square < CRITICAL[len(expected) - 1]


def test_dice_do_not_depend_on_each_other() -> None:
    luck = Luck(SEED, 2, ())
    pairs = Counter(luck.roll()[3:] for _ in range(ROLLS))
    weight = Counter(DICE[3])
    expected = {(a, b): weight[a] * weight[b] * ROLLS / 36 for a in weight for b in weight}
    chi_square = sum((pairs[pair] - n) ** 2 / n for pair, n in expected.items())
    assert chi_square < 37.70  # 15 degrees of freedom, one in a thousand


def test_seeds_are_fresh() -> None:
    seeds = {fresh_seed() for _ in range(100)}
    assert len(seeds) == 100
    assert {len(seed) for seed in seeds} == {32}
