"""The table as text, for terminals and screen readers."""

import io

from rich.console import Console

from durable_lab.timeline import history_of, table, table_of
from durable_lab.timeline.rows import rows_of, table_rows


def test_the_table_says_title_attempts_back_off_outcome_and_the_books(done, world):
    text = table(done, replayed=2, ledger=world.ledger)
    assert text.startswith("refund-1 · completed\n")
    for words in ("attempt 1 of pay_back", "back-off 1.25 s", "replayed", "live", "the world's own books (3)"):
        assert words in text


def test_where_nothing_was_replayed_there_is_no_column_for_it(done):
    assert "ran" not in table(done).splitlines()[1].split()


def test_a_divergence_is_described_in_words(diverged):
    text = " ".join(table(diverged, width=200).split())
    assert "divergence at 0" in text
    assert "your code asked for now now()" in text


def test_the_table_of_a_store_fits_in_80_columns(done):
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(table_of(rows_of(done.state.commands, (), "completed")))
    assert max(len(line) for line in console.export_text().splitlines()) <= 80


def test_a_long_history_is_cut_in_the_middle_with_a_note(m):
    state = m.WorkflowState("w", None, [m.Command("now", "now", value=float(i)) for i in range(5000)])
    text = table(state)
    assert "5000 rows; the first 100 and the last 100 are shown" in text
    assert len(text.splitlines()) < 260


def test_what_is_no_run_is_shown_as_it_is():
    assert table("not yet") == "'not yet'"


def test_every_row_has_a_mark_and_a_word(done, diverged, blocked):
    for run in (done, diverged, blocked):
        for row in table_rows(history_of(run, crash=1)):
            assert row.mark
            assert row.what
