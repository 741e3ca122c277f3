"""The newspaper and the citizens whom it silences: B10, with C6 and D3."""

from tests.rules.table import STREET, awaited, legal, played, player, table


def test_b10_the_newspaper_gives_a_peso_and_silences_one_citizen_of_nine() -> None:
    position = table(player(), player(), phase="visit", car="pedro")
    changes = played(position, "visit newspaper")
    assert changes == {"p0 pawn": "newspaper", "p0 pesos": +1}
    assert awaited(position) == "seat 0: function"
    assert legal(position) == {f"silence {citizen}" for citizen in STREET} | {"pass"}
    assert played(position, "silence el-zorro") == {"silenced": ["el-zorro"]}
    assert awaited(position) == "seat 1: drive"


def test_b10_the_peso_comes_also_without_silencing() -> None:
    position = table(player(), player(), phase="visit", car="pedro")
    changes = played(position, "visit newspaper", "pass")
    assert changes == {"p0 pawn": "newspaper", "p0 pesos": +1}


def test_b10_only_those_who_are_awake() -> None:
    quiet = "maria,conchita,pablo"
    position = table(player(), player(), phase="visit", car="pedro", silenced=quiet)
    played(position, "visit newspaper")
    awake = set(STREET) - set(quiet.split(","))
    assert legal(position) == {f"silence {citizen}" for citizen in awake} | {"pass"}
    changes = played(position, "silence alonso")
    assert changes == {"silenced": ["maria", "conchita", "pablo", "alonso"]}  # all four


def test_b10_with_all_nine_silenced_only_the_peso_is_left() -> None:
    everyone = ",".join(STREET)
    position = table(player(), player(), phase="visit", car="pedro", silenced=everyone)
    changes = played(position, "visit newspaper")
    assert changes == {"p0 pawn": "newspaper", "p0 pesos": +1}
    assert awaited(position) == "seat 1: drive"


def test_b10_the_lawyer_always_offers_the_own_newspaper() -> None:
    """Its peso is worth the way even where there is nobody left to silence (C5)."""
    position = table(
        player(),
        player(),
        phase="lawyer",
        car="alonso",
        owners="newspaper:0",
        silenced=",".join(STREET),
    )
    assert "use newspaper" in legal(position)
    assert played(position, "use newspaper") == {"p0 pesos": +1}
    assert awaited(position) == "seat 0: visit"


def test_d3_silencing_the_citizen_at_the_car_lasts_until_the_next_drive() -> None:
    position = table(player(), player(), phase="visit", car="pedro")
    played(position, "visit newspaper", "silence pedro")
    assert played(position, "drive 1")["silenced"] == []


def test_c6_the_next_driver_can_go_past_a_silenced_citizen_at_the_usual_price() -> None:
    position = table(player(), player(on="bank"), active=1, car="pedro", silenced="maria,jose")
    assert legal(position) == {"drive 1", "drive 2", "drive 3", "drive 4"}
    changes = played(position, "drive 2")
    assert changes == {"car": 3, "p1 pesos": -1, "silenced": ["jose"]}
    assert awaited(position) == "seat 0: drive"
