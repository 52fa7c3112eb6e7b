"""The widget's Python side: its traits are what a reader sees."""

import json
import sys
import types

import nbformat
import pytest
from nbconvert import HTMLExporter

from durable_lab.timeline import Timeline, widget
from solution.refund import APPROVAL, ORDER

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"


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
    """A saved view is an error message without its kernel, so none is saved. VS Code alone needs one to begin."""
    shown.run()
    bundle, _ = shown._repr_mimebundle_()
    assert VIEW not in bundle
    assert bundle["image/png"].startswith("iVBOR")
    assert f'<div class="{shown.home}"><img alt=' in bundle["text/html"]
    for kind in ("text/plain", "text/html"):
        assert "waits for the signal approval" in bundle[kind]


def test_where_a_page_makes_no_widget_unasked_there_is_a_view_too(shown, monkeypatch):
    shell = types.SimpleNamespace(user_ns={"__vsc_ipynb_file__": "a.ipynb"})
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    bundle, _ = shown._repr_mimebundle_()
    assert VIEW in bundle
    assert bundle["image/png"].startswith("iVBOR")


def test_a_converted_notebook_shows_the_figure_once_and_no_view_of_a_widget(shown):
    """Also one that was executed by a tool, which saves the state of each widget."""
    shown.run()
    bundle, metadata = shown._repr_mimebundle_()
    output = nbformat.v4.new_output("display_data", bundle, metadata=metadata)
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("t", outputs=[output])])
    book.metadata["widgets"] = {STATE: {"version_major": 2, "version_minor": 0, "state": {shown.model_id: {}}}}
    page, _ = HTMLExporter().from_notebook_node(book)
    assert page.count(bundle["image/png"]) == 1
    assert "waits for the signal approval" in page
    assert f'<script type="{VIEW}"' not in page


DIGITS = {"device": 9007199254740993, "top": 2**63 - 1, "one": 1.0, "big": 1e22, "minus": -0.0, "sum": 0.1 + 0.2}
DIGITS_TEXT = (
    '{"device": 9007199254740993, "top": 9223372036854775807, "one": 1.0, "big": 1e+22, "minus": -0.0, '
    '"sum": 0.30000000000000004}'
)


def sent(shown):
    """What the browser gets, as JavaScript can read it."""
    return json.loads(json.dumps(shown.get_state(), default=repr), parse_int=float, parse_float=float)


def test_no_number_of_a_record_passes_through_javascript(m):
    """It goes as text made in Python, and what is typed into a form comes back as text."""
    shown = Timeline(lambda ctx, _: ctx.wait_signal("go"), m.WorkflowState("w"), engine=m, signals={"go": DIGITS})
    shown.run()
    offered = sent(shown)["signals"][0]["payload"]
    assert offered == DIGITS_TEXT
    ask(shown, do="deliver", name="go", payload=offered)
    assert repr(shown.state.value) == repr(DIGITS)
    shown.position = 1
    for line in json.dumps(DIGITS, indent=1).splitlines()[1:-1]:
        assert line.strip() in json.loads(sent(shown)["records"])["1"]["json"]
    assert DIGITS["device"] not in json.loads(sent(shown)["scene"])["events"][1]
    shown.close()


@pytest.mark.parametrize("text", ["9007199254740993", "1.0", "1e22", "-0.0", "[1, 1.0]"])
def test_a_value_that_is_typed_keeps_its_digits(shown, text):
    shown.run()
    ask(shown, do="fork", at=0, how="value", payload=text)
    shown.keep()
    assert repr(shown.state.commands[0].value) == repr(json.loads(text))


def test_a_number_that_json_does_not_have_is_refused_in_a_sentence(shown):
    shown.run()
    for text in ("NaN", "1e999"):
        ask(shown, do="deliver", name="approval", payload=text)
        assert shown.problem
    assert shown.state.signals == []


def test_any_string_reaches_the_browser_and_returns(m):
    """A lone surrogate cannot be sent; it is shown escaped, and the signal that is chosen is still the right one."""
    odd = "caf\udce9\x1b[31m\u202e"

    def workflow(ctx, _):
        print(odd)
        ctx.wait_signal(odd)
        raise RuntimeError(odd)

    shown = Timeline(workflow, m.WorkflowState(odd, odd), engine=m, signals={odd: odd})
    shown.run()
    choice = shown.signals[0]
    ask(shown, do="fork", at=0, how="signal", **choice)
    shown.keep()
    assert shown.state.signals[0].name == shown.state.signals[0].payload == odd
    for at in range(shown.total):
        shown.position = at
        told = json.dumps({k: v for k, v in shown.get_state().items() if not k.startswith("_")}, ensure_ascii=False)
        told.encode()
        assert "\\u001b" not in told.replace("\\\\u001b", "")  # escaped for the reader, not only for the way
        assert "\u202e" not in told
    shown.close()


def test_an_attempt_says_when_and_how_long_and_never_seconds_since_1970(m):
    tries = (
        m.Attempt(1_796_070_741.0, 1_796_070_742.5, "Timeout: no answer"),
        m.Attempt(1_796_070_745.0, 1_796_070_746.0),
    )
    state = m.WorkflowState(
        "w", None, [m.Command("activity", "pay", [], True, 1, None, tries, 1_796_070_741.0, 1_796_070_746.0)]
    )
    shown = Timeline(lambda ctx, _: None, state, engine=m)
    assert shown.selected["tries"] == [
        "attempt 1: +1.5 s, it took 1.5 s, Timeout: no answer",
        "attempt 2: +5 s, it took 1 s, it worked",
    ]
    assert "began 2026-11-30" in shown.engine
    shown.close()


def test_both_futures_mark_the_first_difference_in_their_own_column(shown):
    shown.run()
    shown.deliver("approval", APPROVAL)
    at = next(row["index"] for row in shown.rows if row["name"] == "send_email")
    shown.fork(at, outcome=(False, "Timeout: no answer"))
    assert shown.rows[shown.first_difference]["outcome"] != shown.other[shown.other_difference]["outcome"]
    assert shown.first_difference == shown.other_difference == at


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


def in_scene(shown):
    return [event[0] for event in json.loads(shown.scene)["events"]]


def test_of_a_long_history_the_part_in_view_is_sent_first_and_the_rest_when_it_is_asked_for(m):
    state = m.WorkflowState("w", None, [m.Command("now", "now", value=float(i)) for i in range(3_000)])
    long = Timeline(lambda ctx, _: ctx.wait_signal("go"), state, engine=m)
    assert in_scene(long) == list(range(widget.FIRST))
    assert not json.loads(long.scene)["whole"]
    ask(long, do="whole")
    assert in_scene(long) == list(range(3_000))
    assert json.loads(long.scene)["whole"]
    ask(long, do="crash", at=2_000)
    assert 2_000 in in_scene(long)
    assert len(in_scene(long)) == widget.FIRST
    long.close()


def test_failed_only_and_clock_are_laid_out_in_python(done, m):
    shown = Timeline(lambda ctx, _: None, done, engine=m)
    shown.failed_only = True
    assert in_scene(shown) == [row["index"] for row in shown.rows] == [4, 6]
    shown.failed_only, shown.clock = False, True
    assert json.loads(shown.scene)["clock"]
    assert len(in_scene(shown)) == shown.total
    shown.close()


def test_the_records_around_the_selected_event_are_in_the_browser_before_it_is_selected(m):
    state = m.WorkflowState("w", None, [m.Command("now", "now", value=float(i)) for i in range(300)])
    shown = Timeline(lambda ctx, _: None, state, engine=m)
    for position in (0, 11, 12, 30, 150, 140, 299):
        shown.position = position
        near = set(map(int, json.loads(shown.records)))
        assert set(range(max(0, position - 10), min(300, position + 11))) <= near
        assert len(near) <= 2 * widget.NEAR + 1
    shown.close()


def test_everything_that_goes_to_the_browser_is_json(shown):
    shown.run()
    for name in shown.trait_names(sync=True):
        if not name.startswith("_") and name not in ("layout", "tabbable", "tooltip"):
            json.dumps(getattr(shown, name))


def test_an_open_todo_in_the_place_of_a_state_is_shown_as_its_sentence():
    assert "Not yet" in repr(Timeline(None, type("NotYet", (), {"__repr__": lambda self: "Not yet"})()))


def test_no_file_of_the_widget_asks_for_anything_from_elsewhere():
    for file in widget.STATIC.iterdir():
        text = file.read_text(encoding="utf-8")
        assert "http" not in text
        assert "import " not in text
