"""The code that the student saw pass counts: of several cells, the one that `@todo` put into the engine."""

from __future__ import annotations

import pytest

from tests.handin.handin import NOW, REFERENCE, WAIT

FIRST = "@todo(2)\ndef now(self) -> float:\n    # my first try\n    return self._engine.clock.now()"
BOOK = "notebooks/03_determinism.ipynb"


def said(hand_in):
    return hand_in.cell(NOW)["source"]


def counts(hand_in):
    """The whole engine is the reference: its `now` is the one that counts."""
    return hand_in.read().whole == REFERENCE


def after(hand_in, text, stem="03_determinism", **more):
    """A cell with this text right below the one of TODO 2, or at the end of another notebook."""
    cells = hand_in.books[stem]["cells"]
    at = cells.index(hand_in.cell(NOW)) + 1 if stem == "03_determinism" else len(cells)
    return hand_in.add(stem, text, at=at, **more)


@pytest.mark.parametrize("file", [False, True])
def test_the_final_version_in_a_copy_below_the_first_try_counts(solved, file):
    after(solved, said(solved))
    solved.say(NOW, FIRST)
    if file:
        solved.files["lab/engine.py"] = REFERENCE.encode()
    assert counts(solved)
    assert solved.read().origins[2] == f"{BOOK}, cell 17"


def test_of_three_tries_the_last_one_counts(solved):
    last = said(solved)
    solved.say(NOW, FIRST)
    after(solved, last)
    after(solved, FIRST.replace("first", "second"))
    assert counts(solved)


def test_the_cell_that_the_file_agrees_with_counts_wherever_it_is(solved):
    solved.files["lab/engine.py"] = REFERENCE.encode()
    after(solved, FIRST)  # an old try that was kept below
    assert counts(solved)
    assert any(f"{BOOK}, cell 16 counts: it is what lab/engine.py has" in line for line in solved.read().repairs)


@pytest.mark.parametrize("stem", ["04", "05"])
def test_a_copy_in_a_later_notebook_counts(solved, stem):
    stem = next(name for name in solved.books if name.startswith(stem))
    after(solved, said(solved), stem)
    solved.say(NOW, FIRST)
    assert counts(solved)


def test_a_copy_in_a_notebook_of_ones_own_counts_if_the_file_agrees_with_it(solved):
    final = said(solved)
    solved.say(NOW, FIRST)
    solved.books["scratch"] = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    solved.add("scratch", final, at=0)
    assert not counts(solved), "a scratch notebook alone does not say which of the two was run last"
    solved.files["lab/engine.py"] = REFERENCE.encode()
    assert counts(solved)


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_a_first_try_that_is_kept_in_a_cell_that_does_not_run_never_counts_before_one_that_does(solved, kind):
    after(solved, FIRST, cell_type=kind)
    assert counts(solved)


def test_a_first_try_that_is_commented_out_gives_way(solved):
    after(solved, said(solved))
    solved.say(NOW, "\n".join(f"# {line}" for line in FIRST.splitlines()))
    assert counts(solved)


def test_a_plain_function_in_the_own_cell_gives_way_to_one_under_todo(solved):
    after(solved, said(solved))
    solved.say(NOW, FIRST.removeprefix("@todo(2)\n"))
    assert counts(solved)


def test_a_cell_that_was_moved_counts_where_it_is(solved):
    cells = solved.books["03_determinism"]["cells"]
    cells.append(cells.pop(cells.index(solved.cell(NOW))))
    assert counts(solved)


def test_a_stub_below_counts_for_nothing(solved):
    after(solved, '@todo(2)\ndef now(self) -> float:\n    raise NotImplementedError("TODO 2: write it")')
    assert counts(solved)


def test_the_reason_names_the_cell_that_is_there(solved):
    solved.say(NOW, solved.cell(WAIT)["source"])
    assert "in its cell (notebooks/03_determinism.ipynb, cell 16)" in solved.read().refusals["TODO 2"]
    solved.books["03_determinism"]["cells"].remove(solved.cell(NOW))
    assert "its cell is not in 03_determinism any more" in solved.read().refusals["TODO 2"]
