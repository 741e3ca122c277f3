"""Tell mypyc what it cannot know of the core; in pure Python it means nothing.

`@mypyc_attr(acyclic=True)` keeps the objects of a class from the garbage collector, which would
visit each of a tree's nodes and positions: nothing that they refer to refers back to them.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the package is there when the core is compiled, and not needed afterwards
    from mypy_extensions import mypyc_attr as mypyc_attr
else:

    def mypyc_attr(**_):
        """Leave a class as it is."""
        return lambda made: made
