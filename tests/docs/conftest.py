"""What the pages tell to type is run by a Python that has been forked."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def _forked_python(forked_python: None) -> None:
    """To import the command anew for each line of a page takes longer than most of them run."""
