"""Write SVG elements as text; what people wrote is escaped here, and nowhere else."""

from markupsafe import escape

_BREADTH, _SLIM_BREADTH = 0.65, 0.4  # of a letter in units of the font size, about
_SLIM = frozenset("ijltí'’.,: ")


def tag(_name: str, *children: str, **attributes: object) -> str:
    """Return an element of other elements. Attributes of None are left out, `_` stands for `-`.

    A name of Python has a `_` at its end: `class_`.
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_shown(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{_name}{written}>{''.join(children)}</{_name}>"


def number(value: float) -> str:
    """Return a length with at most two places."""
    return f"{round(value, 2):.10g}"


def symbol(
    name: str, x: float, y: float, width: float, height: float | None = None, **attributes: object
) -> str:
    """Return a drawing from the sheet of symbols."""
    high = width if height is None else height
    return tag("use", href=f"#{name}", x=x, y=y, width=width, height=high, **attributes)


def words(x: float, y: float, text: str, size: float, **attributes: object) -> str:
    """Return a line of text."""
    return tag("text", str(escape(text)), x=x, y=y, font_size=size, **attributes)


def title(text: str) -> str:
    """Return what browsers show under the pointer."""
    return tag("title", str(escape(text)))


def fitting(text: str, size: float, width: float) -> float:
    """Return the font size, at most `size`, at which a line of bold text fits into a width."""
    slim = sum(letter in _SLIM for letter in text)
    breadth = _SLIM_BREADTH * slim + _BREADTH * (len(text) - slim)
    return min(size, width / max(breadth, _BREADTH))


def at(x: float, y: float) -> str:
    """Return a move to a point, for `transform`."""
    return f"translate({number(x)} {number(y)})"


def classes(*names: str, **optional: bool) -> str:
    """Return the value of `class`: the names, and those of `optional` that are true."""
    return " ".join([*names, *(name for name, is_so in optional.items() if is_so)])


def _shown(value: object) -> str:
    return number(value) if isinstance(value, int | float) else str(escape(value))
