"""The lesson: a guided game for somebody who has never seen the rules, without an account.

- `script`: what is taught: the layout, the moves of both sides, and the sentences.
- `pages`: the script played by the rules, step by step, and the pages of the steps.

Nothing is stored: a step is a page, and its address all that there is to know about the learner.
"""

from web.lesson.pages import blueprint

__all__ = ["blueprint"]
