import pytest

from ladder.errors import Invalid
from ladder.local.entrants import installed_bots
from ladder.people.accounts import HOUSE, RESERVED, ROLES, is_reserved, refuse_reserved


def test_house_bots_roles_and_the_house_are_reserved() -> None:
    assert {*installed_bots(), *ROLES, HOUSE} <= RESERVED
    assert all(map(is_reserved, RESERVED))


@pytest.mark.parametrize(
    "name",
    [
        *(
            "ADMIN",
            "adm1n",
            "admln",
            "a.d-m_i.n",
            "Admin 2",
            "admin007",
            "adrnin",
            "r00t",
            "5y5tem",
        ),
        *(
            "Planner",
            "p1anner",
            "planner2",
            "PLANNER-3",
            "Turqu1no",
            "pIanner",
            "rand0m",
            "gree_dy",
            "greecly",
        ),
        *("arena", "aren4", "arena-admin", "santiago_support", "official.planner"),
    ],
)
def test_so_are_their_look_alikes(name: str) -> None:
    with pytest.raises(Invalid, match="reserved for the service") as refused:
        refuse_reserved(name)
    assert refused.value.field == "name"


@pytest.mark.parametrize(
    "name",
    ["ana", "Rum", "mojito 2", "planning", "random-walker", "greedy-ana", "arenas", "x" * 40, "7"],
)
def test_other_names_are_free(name: str) -> None:
    refuse_reserved(name)
