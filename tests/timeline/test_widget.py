"""The widget's Python side: its traits are what a reader sees."""

import json

import pytest

from durable_lab.timeline import Timeline, widget
from solution.refund import APPROVAL, ORDER


@pytest.fixture
def shown(refund, m, world):
    made = Timeline(
        refund, m.WorkflowState("refund-1", ORDER), engine=m, ledger=world.ledger, signals={"approval": APPROVAL}
    )
    yield made
    made.close()


def ask(shown, **content):
    """As the browser asks."""
    shown._asked(shown, content, [])


def test_an_empty_history_has_a_sentence(shown):
    assert "Nothing is recorded yet" in shown.said
    assert (shown.total, shown.rows, shown.selected) == (0, [], {})


def test_the_browser_can_do_what_python_can(shown):
    ask(shown, do="step")
    assert [row["name"] for row in shown.rows] == ["assess"]
    ask(shown, do="run")
    assert (shown.status, shown.position) == ("blocked", 2)
    assert shown.signals[0] == {"name": "approval", "payload": json.dumps(APPROVAL)}
    ask(shown, do="deliver", name="approval", payload=json.dumps(APPROVAL))
    assert shown.status == "completed"
    ask(shown, do="crash", at=3)
    assert (shown.mode, shown.rows[-1]["kind"]) == ("crashed", "crash")
    ask(shown, do="run")
    assert (shown.mode, shown.status) == ("view", "completed")
    ask(shown, do="drop", at=shown.total - 2)
    assert shown.mode == "crashed"
    ask(shown, do="back")
    assert shown.status == "completed"


def test_a_fork_shows_both_futures_and_the_first_difference(shown):
    shown.run()
    shown.deliver("approval", APPROVAL)
    ask(shown, do="fork", at=2, how="signal", name="approval", payload='{"approved": false, "by": "Bo"}')
    assert (shown.mode, shown.fork_at, shown.first_difference) == ("fork", 2, 2)
    assert [row["name"] for row in shown.other][-2:] == ["send_email", "completed"]
    ask(shown, do="keep")
    assert shown.state.value["status"] == "declined"
    ask(shown, do="back")
    assert shown.state.value["status"] == "refunded"


def test_a_fork_with_another_outcome_comes_from_the_form(shown):
    shown.run()
    shown.deliver("approval", APPROVAL)
    at = next(row["index"] for row in shown.rows if row["name"] == "pay_back")
    ask(shown, do="fork", at=at, how="error", payload="Timeout: no answer")
    assert "completed" in shown.other_title
    assert shown.first_difference == at
    shown.back()
    assert (shown.mode, shown.other, shown.fork_at) == ("view", [], -1)


def test_the_selected_event_comes_in_full_with_its_line_of_code(shown):
    shown.run()
    shown.position = 0
    assert shown.selected["data"]["name"] == "assess"
    assert shown.selected["data"]["args"] == [ORDER]
    assert "ctx.call_activity(world.assess, order)" in shown.selected["line"]


def test_what_the_engine_cannot_do_is_a_sentence_and_changes_nothing(shown):
    ask(shown, do="drop", at=0)
    ask(shown, do="nonsense")
    assert shown.problem
    assert "could not be done" in shown.said


def test_a_payload_that_is_no_json_is_taken_as_text(shown):
    shown.run()
    ask(shown, do="deliver", name="hello", payload="just words")
    assert shown.state.signals[0].payload == "just words"


def test_back_closes_the_panel_first(shown):
    shown.step()
    shown.panel = "help"
    shown.back()
    assert (shown.panel, shown.total) == ("", 1)


def test_where_no_widget_runs_there_is_the_figure_and_the_table(shown):
    shown.run()
    bundle, _ = shown._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert bundle["image/png"].startswith("iVBOR")
    assert "waits for the signal approval" in bundle["text/plain"]


def test_a_very_long_history_opens_in_a_window_that_follows(m):
    state = m.WorkflowState("w", None, [m.Command("now", "now", value=float(i)) for i in range(30_000)])
    long = Timeline(lambda ctx, _: None, state, engine=m)
    assert (len(long.rows), long.first, long.total) == (widget.WINDOW, 0, 30_000)
    assert "30,000 events" in long.said
    assert len(long.overview) <= widget.OVERVIEW
    long.position = 20_000
    assert long.first <= 20_000 < long.first + len(long.rows)
    assert long.selected["position"] == 20_000
    long.close()


def test_everything_that_goes_to_the_browser_is_json(shown):
    shown.run()
    for name in shown.trait_names(sync=True):
        if not name.startswith("_") and name not in ("layout", "tabbable", "tooltip"):
            json.dumps(getattr(shown, name))


def test_an_open_todo_in_the_place_of_a_state_is_shown_as_its_sentence():
    assert "Not yet" in repr(Timeline(None, type("NotYet", (), {"__repr__": lambda self: "Not yet"})()))


def test_no_file_of_the_widget_asks_for_anything_from_elsewhere():
    for name in ("timeline.js", "timeline.css"):
        text = (widget.STATIC / name).read_text(encoding="utf-8")
        assert "http" not in text
        assert "import " not in text
