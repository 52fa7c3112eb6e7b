"""The figure has everything that it must show, and no two texts overlap."""

import contextlib
import itertools
import re
import warnings

import pytest

from durable_lab.timeline import draw, history_of, table
from durable_lab.timeline.figure import figure_of
from durable_lab.world import Effect
from solution.engine import WorkflowState


def texts(figure):
    return [text for text in figure.axes[0].texts if text.get_text()]


def words(figure):
    return " | ".join(text.get_text() for text in texts(figure))


def overlaps(figure):
    """Pairs of texts whose boxes meet."""
    renderer = figure.canvas.get_renderer()
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts(figure)]
    pairs = itertools.combinations(boxes, 2)
    return [(a, b) for (a, one), (b, two) in pairs if one.padded(-1).overlaps(two.padded(-1))]


@pytest.mark.parametrize("clock", [False, True])
def test_no_two_texts_meet_on_the_refund(done, world, clock):
    figure = figure_of(history_of(done, replayed=3, crash=3, ledger=world.ledger, engine="lab (x.py)"), clock=clock)
    assert overlaps(figure) == []


def test_no_two_texts_meet_on_forty_commands(m):
    state = m.WorkflowState("w", None, [m.Command("activity", "step", [i], value="x" * 90) for i in range(40)])
    assert overlaps(figure_of(history_of(state, replayed=20))) == []


def test_no_two_texts_meet_on_a_divergence(diverged, done, m):
    assert overlaps(figure_of(history_of(diverged))) == []

    def other(ctx, order):
        ctx.call_activity(assess, order)
        ctx.wait_signal("approval")

    def assess(order):
        """Never called: it is recorded."""

    later = m.DurableEngine().run(other, done.state)
    assert later.status == "failed"
    assert overlaps(figure_of(history_of(later, crash=1))) == []


@pytest.mark.parametrize("clock", [False, True])
@pytest.mark.parametrize("count", [2, 5, 40])
def test_no_two_texts_meet_where_signals_come_at_the_same_time(m, count, clock):
    commands = [m.Command("now", "now", started_at=1.0, ended_at=1.0)]
    signals = [m.Signal(f"signal-{i}", i, 172_800.0) for i in range(count)]
    history = history_of(m.WorkflowState("w", None, commands, signals))
    names = [pair for pair in overlaps(figure_of(history, clock=clock)) if set(pair) != {"✉"}]
    assert names == []


def test_the_title_says_workflow_status_and_reason_and_the_engine_its_file(blocked):
    said = words(figure_of(history_of(blocked, engine="lab (lab/engine.py)")))
    assert "refund-1 · blocked: it waits for the signal approval" in said
    assert "engine: lab (lab/engine.py)" in said


def test_the_lines_across_are_named(done):
    said = words(figure_of(history_of(done, replayed=3, crash="pay_back.effect")))
    assert "now: from here it is live" in said
    assert "crash after the effect of pay_back, before it is recorded" in said


def test_a_divergence_is_shown_in_two_columns(diverged):
    said = words(figure_of(history_of(diverged)))
    for part in ("history says", "your code asked", "≠ kind", "your code differs from here"):
        assert part in said


def test_two_refunds_are_seen(done, world):
    effects = world.ledger.effects()
    said = words(figure_of(history_of(done, ledger=[*effects, effects[1]])))
    assert "2 \N{MULTIPLICATION SIGN} pay_back" in said


def test_replayed_bars_are_outlined_live_ones_filled_and_failed_ones_hatched(done):
    patches = figure_of(history_of(done, replayed=2)).axes[0].patches
    bars = [patch for patch in patches if round(patch.get_height(), 3) == 0.15]
    assert [bar.get_facecolor()[3] == 0 for bar in bars] == [True, True, False, False, False, False, False]
    assert [bool(bar.get_hatch()) for bar in bars] == [False, False, False, True, True, False, False]


@pytest.mark.parametrize("dark", [False, True])
def test_a_drawing_is_a_picture_and_its_text(done, dark):
    bundle = draw(done, dark=dark)._repr_mimebundle_()
    assert bundle["image/png"].startswith("iVBOR")
    assert "refund-1 · completed" in bundle["text/plain"]


def test_a_dollar_sign_is_no_mathematics(m):
    state = m.WorkflowState("$x$", None, [m.Command("activity", "pay", ["$\\frac{"], value="$a$")])
    assert "$a$" in words(figure_of(history_of(state)))


def test_nothing_one_event_and_an_unknown_kind_have_a_picture_with_a_sentence(m):
    for commands, sentence in (
        ([], "Nothing is recorded"),
        ([m.Command("now", "now")], "One event"),
        ([m.Command("child", "c")], "does not know"),
    ):
        assert sentence in words(figure_of(history_of(m.WorkflowState("w", None, commands))))


def test_output_that_is_too_long_to_read_is_cut_with_a_note(m):
    state = m.WorkflowState("w", None, [m.Command("now", "now") for _ in range(300)])
    assert "the first 200 of 300 commands" in words(figure_of(history_of(state)))


def test_an_open_todo_is_shown_as_its_sentence():
    class NotYet:
        state = None

        def __repr__(self):
            return "Not yet: this needs TODO 1."

    assert draw(NotYet())._repr_mimebundle_() == {"text/plain": "Not yet: this needs TODO 1."}


def test_a_file_is_drawn_and_a_broken_one_is_reported_with_the_problem(tmp_path):
    good, torn = tmp_path / "good.json", tmp_path / "torn.json"
    good.write_text(WorkflowState("refund-1", {"id": "A1"}).to_json(), encoding="utf-8")
    assert "refund-1" in repr(draw(good))
    torn.write_text(good.read_text()[:-9], encoding="utf-8")
    for path, words in ((torn, "not the JSON of a workflow state"), (tmp_path / "none.json", "No such file")):
        drawing = draw(path)
        assert drawing.png is None
        assert str(path) in repr(drawing)
        assert words in repr(drawing)


ODD = {
    "lone surrogate": "caf\udce9.txt",
    "escape sequence": "\x1b[31mred\x1b]0;title\x07",
    "nul and bell": "a\x00b\x07c",
    "right to left": "\u202ecod.exe\u2066",
    "line breaks": "one\ntwo\r\nthree\u2028four",
    "html": "<img src=x onerror=alert(1)>",
    "mathtext": "$\\frac{1}{0}$ $x",
    "emoji": "\U0001f9ff\U000e0041 \U0001f468\u200d\U0001f469",
    "10,000 characters": "x" * 10_000,
    "many words": "word " * 2_000,
}
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def odd_run(m, text):
    """The text everywhere that a text can be."""

    def activity(given):
        raise ValueError(text)

    activity.__name__ = text

    def workflow(ctx, given):
        ctx.wait_signal(text)
        with contextlib.suppress(m.ActivityError):
            ctx.call_activity(activity, text)
        ctx.wait_signal(f"{text}!")

    engine = m.DurableEngine(clock=m.SimulatedClock())
    state = engine.signal(m.WorkflowState(text, {text: text}), text, {"said": text})
    return engine.run(workflow, engine.signal(state, "unread", text))


@pytest.mark.parametrize("clock", [False, True])
@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
@pytest.mark.long(every=4)
def test_any_string_can_be_drawn_and_printed(m, text, clock):
    run = odd_run(m, text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        history = history_of(run, crash=1, replayed=1, engine=text, ledger=[Effect(1, text, text, text, None)])
        drawing = draw(run, crash=text, engine=text, clock=clock)
    assert drawing.png
    figure = figure_of(history, clock=clock)
    assert overlaps(figure) == []
    shown = [drawing.text, table(run), words(figure)]
    for event in history.events:
        shown += [event.what, event.name, event.outcome]
        assert len(event.outcome) <= 300
    for one in shown:
        assert not UNSEEN.search(one)
        one.encode()


def test_a_divergence_with_any_text_can_be_drawn(m):
    for text in ODD.values():
        run = odd_run(m, text)
        other = m.DurableEngine().run(lambda ctx, name: ctx.wait_signal(f"{name}?"), run.state)
        assert other.status == "failed"
        assert not UNSEEN.search(draw(other).text)
        assert not UNSEEN.search(words(figure_of(history_of(other))))
