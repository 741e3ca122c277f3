"""Draw the players' pieces: pawns and owner markers, each with its seat's colour and shape."""

from collections.abc import Iterator, Mapping, Sequence

from web.drawing.geometry import Form, Point
from web.drawing.shapes import at, classes, symbol, tag, title


def owners(
    form: Form,
    buildings: Sequence[str],
    owned: Mapping[str, int],
    labels: Sequence[str] = (),
    word: str = "",
) -> Iterator[str]:
    """Yield a marker on each building; those of nobody are `absent`.

    The seats' labels, if there are any, name the owner after `word`, "Owner: ".
    """
    dx, dy, size = form.building.marker
    for thing, (x, y) in zip(buildings, form.buildings, strict=True):
        seat = owned.get(thing)
        told = "" if seat is None or not labels else f"{word}{labels[seat]}"
        yield marker(seat, (x + dx, y + dy), size, told, thing)


def marker(
    seat: int | None, place: Point, size: float, told: str = "", thing: str | None = None
) -> str:
    """Return a seat's marker; that of nobody is `absent`. `thing` is the building it is on."""
    inner = size * 0.48
    edge = (size - inner) / 2
    return tag(
        "g",
        title(told),
        symbol("owner", 0, 0, size),
        symbol(f"seat-{seat or 0}", edge, edge, inner, class_="glyph"),
        class_=classes("owner", "absent" if seat is None else f"seat-{seat}"),
        data_owner=thing,
        transform=at(*place),
    )


def pawns(form: Form, buildings: Sequence[str], visited: Sequence[str | None]) -> Iterator[str]:
    """Yield the pawn of each seat, on the building that it visits; `absent` if it visits none."""
    spaces = dict(zip(buildings, form.buildings, strict=True))
    dx, dy, width = form.building.pawn
    height, mark = width * 1.375, width * 0.42
    for seat, visits in enumerate(visited):
        x, y = spaces[visits] if visits else form.stops[0]
        yield tag(
            "g",
            symbol("pawn", 0, 0, width, height),
            symbol(f"seat-{seat}", (width - mark) / 2, height * 0.6, mark, class_="glyph"),
            class_=classes("pawn", "piece", f"seat-{seat}", absent=not visits),
            transform=at(x + dx, y + dy),
        )
