"""Write SVG elements as text; what people wrote is escaped here, and nowhere else."""

from markupsafe import escape

_BREADTH = 0.61  # of a letter in units of the font size, about


def tag(_name: str, *children: str, **attributes: object) -> str:
    """Return an element of other elements. Attributes of None are left out, `_` stands for `-`.

    A name of Python has a `_` at its end: `class_`.
    """
    told = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_shown(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{_name}{told}>{''.join(children)}</{_name}>"


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
    return min(size, width / (_BREADTH * max(1, len(text))))


def at(x: float, y: float) -> str:
    """Return a move to a point, for `transform`."""
    return f"translate({number(x)} {number(y)})"


def classes(*names: str, **given: bool) -> str:
    """Return the value of `class`: the names, and those of `given` that are true."""
    return " ".join([*names, *(name for name, is_so in given.items() if is_so)])


def _shown(value: object) -> str:
    return number(value) if isinstance(value, int | float) else str(escape(value))
