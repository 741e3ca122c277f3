"""The script of the lesson: a game of two in which every move and every die is given.

The learner has seat 0. A step explains, and asks for one move; whatever else is legal there gets a
friendly answer. The numbers in the sentences are those of this game: `tests/web/test_lesson.py`
plays it.
"""

from dataclasses import dataclass
from typing import Final

from web.languages import mark

RIVAL: Final = "Carmen"

_LAYOUT: Final = (
    "citizens=jose:yellow,pedro:white,conchita:yellow,alonso:white,martinez:blue,el-zorro:none,"
    "miguel:blue,maria:red,pablo:red buildings=distillery,casino,sawmill,bank,harbour-office,"
    "newspaper,black-market,cafe,trading-office,cigar-factory,church,customs"
)
START: Final = (
    f"{_LAYOUT} turn=0 active=0 ship=1 value=2 car=0 silenced=none demand=none owners=none "
    "phase=roll seat=1 p0=3/2/1,1,1,0,0,0/none p1=3/2/1,1,1,0,0,0/none"
)
"""The first position, as in docs/notation.md."""
LATER: Final = (
    f"{_LAYOUT} turn=47 active=0 ship=7 value=4 car=0 silenced=none "
    "demand=sugar:0,citrus:2,tobacco:0,rum:0 owners=bank:0,cafe:0,church:1 phase=deliver seat=0 "
    "round=0,1 p0=2/39/1,2,1,0,0,1/bank p1=4/46/0,0,2,0,1,1/casino"
)
"""The position in which the lesson shows how a game ends."""
LEAP: Final = mark("Forty turns later the last ship is in the harbour.")
"""The sentence for the moment at which the game leaps there."""


@dataclass(frozen=True, slots=True)
class LessonStep:
    """Explain something, and ask the learner for one move; without a `move` they only read on.

    `otherwise` answers any other legal move. `then` are the moves and rolls that follow, or the
    position to which the game leaps.
    """

    says: str
    asks: str
    move: str | None = None
    otherwise: str = ""
    then: tuple[str, ...] = ()
    shows: str | None = None
    """A part of the drawing that is marked, by its class."""


BEFORE: Final = ("roll 1 2 2 2 1", "exclude citrus")
"""The moves and rolls before the first step."""
STEPS: Final = (
    LessonStep(
        says=mark(
            "Carmen is your rival. Whoever has the most victory points (VP) when the seventh "
            "ship has sailed wins."
        ),
        asks=mark("Look at the ship: it wants the goods on its dice, for 2 VP each."),
        shows="ship",
    ),
    LessonStep(
        says=mark(
            "All players drive the same car, in the direction of the arrow. The first stop is "
            "free, each further one costs 1 peso."
        ),
        asks=mark("Drive 1 stop to José: he gives you 2 sugar."),
        move="drive 1",
        otherwise=mark(
            "You may drive that far, but you will need your pesos soon. Drive just 1 stop, to José."
        ),
    ),
    LessonStep(
        says=mark(
            "José’s flower is yellow, so your pawn now goes to a yellow building and may use it."
        ),
        asks=mark("Go to the Distillery: it makes rum, and the ship wants rum."),
        move="visit distillery",
        otherwise=mark(
            "You may go there, too, but only the Distillery makes rum, and the ship wants "
            "rum. Go to the Distillery."
        ),
    ),
    LessonStep(
        says=mark("The Distillery turns sugar into rum, as much as you like."),
        asks=mark(
            "The ship wants 1 sugar and 2 rum, and you have 3 sugar: turn 2 of them into rum."
        ),
        move="convert 2",
        otherwise=mark(
            "That is possible, too, but the ship wants 1 sugar and 2 rum. Turn 2 sugar into 2 rum."
        ),
        then=("drive 1", "visit cigar-factory", "convert 1"),
    ),
    LessonStep(
        says=mark(
            "Carmen got 2 tobacco from Pedro and made a cigar in the Cigar Factory. Now it is "
            "your turn again."
        ),
        asks=mark("Drive 2 stops to Alonso, the lawyer. The second stop costs 1 peso."),
        move="drive 2",
        otherwise=mark(
            "You may stop there, but with Alonso’s help you will earn VP on Carmen’s turns, "
            "too. Drive 2 stops."
        ),
    ),
    LessonStep(
        says=mark(
            "Alonso makes a building yours. Whenever another player’s pawn ends a turn there, "
            "you get 1 VP."
        ),
        asks=mark(
            "Take the Bank: its flower is blue, like that of Martínez, who is next on the street."
        ),
        move="own bank",
        otherwise=mark(
            "You may choose that, but Carmen will soon want to go to the Bank. Take the Bank."
        ),
    ),
    LessonStep(
        says=mark(
            "Your pawn moves after Alonso, too. His flower is white, but the Cigar Factory is "
            "taken: Carmen’s pawn stands there."
        ),
        asks=mark("Go to the Church: it gives you 1 VP."),
        move="visit church",
        otherwise=mark(
            "Customs would turn one of the ship’s dice to 0, but you want to deliver to this "
            "ship. Go to the Church."
        ),
        then=("drive 1", "visit bank"),
    ),
    LessonStep(
        says=mark(
            "Carmen drove to Martínez and went to your Bank: 1 VP for you. Next comes El "
            "Zorro, the pickpocket."
        ),
        asks=mark("Drive 1 stop to El Zorro: Carmen must give you something."),
        move="drive 1",
        otherwise=mark(
            "You may drive on, but then you could not pay the way to the harbour next turn. "
            "Drive 1 stop, to El Zorro."
        ),
        then=("give citrus", "drive 1", "visit harbour-office", "raise"),
    ),
    LessonStep(
        says=mark(
            "Carmen gave you 1 citrus, and your pawn used the Church once more. Then she "
            "raised the flag: goods are worth 3 VP now."
        ),
        asks=mark("Now is the time to deliver: drive 3 stops to the harbour, for 2 pesos."),
        move="drive 3",
        otherwise=mark(
            "You may stop there, but then Carmen can deliver before you. Drive 3 stops to the "
            "harbour."
        ),
    ),
    LessonStep(
        says=mark(
            "At the harbour everybody may deliver in turn, one kind of good at a time. You begin."
        ),
        asks=mark("Deliver your sugar first: Carmen has sugar, too, and the ship wants only 1."),
        move="deliver sugar 1",
        otherwise=mark(
            "You may do that, but Carmen could then deliver her sugar before you. Deliver 1 "
            "sugar first."
        ),
        then=("deliver tobacco 2",),
    ),
    LessonStep(
        says=mark("3 VP for you! Carmen delivered 2 tobacco, and now it is your turn again."),
        asks=mark("Deliver 2 rum, for 6 VP."),
        move="deliver rum 2",
        otherwise=mark("You may do that, but it brings less. Deliver 2 rum."),
        then=("deliver cigars 1", "roll 2 2 1 3 1"),
    ),
    LessonStep(
        says=mark(
            "Carmen’s cigar filled the ship, so it sailed. For the next ship the value falls "
            "back to 2 VP, and you rolled its dice."
        ),
        asks=mark(
            "The ship takes only four of the five goods: leave sugar ashore, because Carmen has "
            "some and you have none."
        ),
        move="exclude sugar",
        otherwise=mark(
            "You may leave that ashore, but Carmen has sugar and you have none. Leave sugar ashore."
        ),
        then=(LATER,),
    ),
    LessonStep(
        says=mark(
            "Forty turns later: the last ship. The value rises when the car passes the "
            "harbour or a delivery leaves the ship wanting more; after 4 VP the ship sails."
        ),
        asks=mark("You are at the harbour in time: deliver 2 citrus, for 8 VP."),
        move="deliver citrus 2",
        otherwise=mark(
            "You may do that, but 2 citrus bring 8 VP and fill the last ship. Deliver 2 citrus."
        ),
    ),
    LessonStep(
        says=mark(
            "The last ship has sailed, and the game is over. Every 3 goods that are left bring 1 "
            "VP: you win 48 to 47."
        ),
        asks=mark("You know the game. Now play on against an easy bot!"),
    ),
)
