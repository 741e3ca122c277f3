"""The pieces of Santiago de Cuba: goods, citizens, buildings, flowers, dice.

Each kind of piece is numbered from 0; the tuple of its names, in the same order, is the only
place where the names stand (they are those of the move notation).
"""

from typing import Final

# Goods. The first five are the plain goods; wood is never demanded (see H1).
SUGAR: Final = 0
CITRUS: Final = 1
TOBACCO: Final = 2
RUM: Final = 3
CIGARS: Final = 4
WOOD: Final = 5
GOODS: Final = ("sugar", "citrus", "tobacco", "rum", "cigars", "wood")
PLAIN_GOODS: Final = GOODS[:WOOD]
UNITS_OF_EACH_GOOD: Final = 8

# Citizens. The first six only give (C2).
PEDRO: Final = 0
MARIA: Final = 1
JOSE: Final = 2
MARTINEZ: Final = 3
CONCHITA: Final = 4
MIGUEL: Final = 5
EL_ZORRO: Final = 6
PABLO: Final = 7
ALONSO: Final = 8
CITIZENS: Final = (
    "pedro",
    "maria",
    "jose",
    "martinez",
    "conchita",
    "miguel",
    "el-zorro",
    "pablo",
    "alonso",
)

# Buildings.
BANK: Final = 0
CHURCH: Final = 1
DISTILLERY: Final = 2
CIGAR_FACTORY: Final = 3
BLACK_MARKET: Final = 4
SAWMILL: Final = 5
CAFE: Final = 6
CUSTOMS: Final = 7
CASINO: Final = 8
HARBOUR_OFFICE: Final = 9
TRADING_OFFICE: Final = 10
NEWSPAPER: Final = 11
BUILDINGS: Final = (
    "bank",
    "church",
    "distillery",
    "cigar-factory",
    "black-market",
    "sawmill",
    "cafe",
    "customs",
    "casino",
    "harbour-office",
    "trading-office",
    "newspaper",
)

# Flowers. Space s of the city lies under flower SPACE_FLOWERS[s] (S2).
YELLOW: Final = 0
BLUE: Final = 1
RED: Final = 2
WHITE: Final = 3
NO_FLOWER: Final = 4
FLOWERS: Final = ("yellow", "blue", "red", "white")
SPACE_FLOWERS: Final = (0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3)

# S3: the flower on each citizen's tile, by citizen. The rulebook names those of Pedro, Miguel and
# Alonso; the other five are this project's assumption, and this table is the place to change it.
CITIZEN_FLOWERS: Final = (
    WHITE,  # pedro
    RED,  # maria (assumed)
    YELLOW,  # jose (assumed)
    BLUE,  # martinez (assumed)
    YELLOW,  # conchita (assumed)
    BLUE,  # miguel
    NO_FLOWER,  # el-zorro
    RED,  # pablo (assumed)
    WHITE,  # alonso
)

# S5: the faces of each good's die, by plain good.
PLAIN_DIE: Final[tuple[int, ...]] = (0, 1, 1, 2, 2, 3)
CITRUS_DIE: Final[tuple[int, ...]] = (0, 1, 2, 2, 3, 4)
DICE: Final[tuple[tuple[int, ...], ...]] = (PLAIN_DIE, CITRUS_DIE, PLAIN_DIE, PLAIN_DIE, PLAIN_DIE)

# The street: stop 0 is the harbour, 1 to 9 are the citizens.
HARBOUR: Final = 0
STOPS: Final = 10

MIN_PLAYERS: Final = 2  # S1
MAX_PLAYERS: Final = 4
LOWEST_VALUE: Final = 2
HIGHEST_VALUE: Final = 4
SHIPS: Final = 7
LAST_TURN: Final = 300  # H7
