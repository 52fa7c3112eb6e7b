"""`to_json` and `from_json`: a documented, versioned format; an error names the place of the problem."""

import json

import pytest

from solution.engine import Attempt, Command, Signal, WorkflowState

STATE = WorkflowState(
    "refund-7",
    {"id": "A1", "amount": 30},
    [
        Command(
            "activity", "pay", ["A1", 30], False, None, "Timeout: no", (Attempt(1.0, 2.0, "Timeout: no"),), 1.0, 2.0
        ),
        Command("now", "now", [], True, 3.5, None, (), 3.5, 3.5),
        Command("signal", "go", [], True, {"by": "Ana"}, None, (), 4.0, 4.0),
    ],
    [Signal("go", {"by": "Ana"}, 0.5)],
)


def test_the_format_is_written_out():
    assert json.loads(STATE.to_json()) == {
        "version": 1,
        "workflow_id": "refund-7",
        "input": {"id": "A1", "amount": 30},
        "commands": [
            {
                "kind": "activity",
                "name": "pay",
                "args": ["A1", 30],
                "ok": False,
                "value": None,
                "error": "Timeout: no",
                "tries": [{"started_at": 1.0, "ended_at": 2.0, "error": "Timeout: no"}],
                "started_at": 1.0,
                "ended_at": 2.0,
            },
            {
                "kind": "now",
                "name": "now",
                "args": [],
                "ok": True,
                "value": 3.5,
                "error": None,
                "tries": [],
                "started_at": 3.5,
                "ended_at": 3.5,
            },
            {
                "kind": "signal",
                "name": "go",
                "args": [],
                "ok": True,
                "value": {"by": "Ana"},
                "error": None,
                "tries": [],
                "started_at": 4.0,
                "ended_at": 4.0,
            },
        ],
        "signals": [{"name": "go", "payload": {"by": "Ana"}, "received_at": 0.5}],
    }


def test_a_state_that_is_read_again_is_the_same():
    again = WorkflowState.from_json(STATE.to_json())
    assert again == STATE
    assert again.to_json() == STATE.to_json()


def test_a_fresh_state_has_no_input_no_commands_and_no_signals():
    state = WorkflowState("w")
    assert (state.input, state.commands, state.signals) == (None, [], [])
    assert WorkflowState.from_json(state.to_json()) == state


def test_two_fresh_states_share_nothing():
    first, second = WorkflowState("a"), WorkflowState("b")
    first.commands.append(Command("now", "now"))
    assert second.commands == []


def test_the_text_is_one_line_of_ascii():
    text = WorkflowState("w", ["é", "\ud800", "\n\u2028"]).to_json()
    assert text.isascii()
    assert len(text.splitlines()) == 1


def changed(path, value):
    data = json.loads(STATE.to_json())
    at = data
    for step in path[:-1]:
        at = at[step]
    if value is KeyError:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return json.dumps(data)


WRONG = [
    ("", "not the JSON"),
    ("{", "not the JSON"),
    ("[" * 100_000, "not the JSON"),
    ("null", 'an object with "version": 1'),
    ("[]", 'an object with "version": 1'),
    ('"text"', 'an object with "version": 1'),
    ("{}", 'an object with "version": 1'),
    (changed(["version"], 2), 'an object with "version": 1'),
    (changed(["version"], "1"), 'an object with "version": 1'),
    (changed(["version"], KeyError), 'an object with "version": 1'),
    (changed(["workflow_id"], 7), "state.workflow_id"),
    (changed(["workflow_id"], None), "state.workflow_id"),
    (changed(["workflow_id"], KeyError), "fields workflow_id, input, commands, signals"),
    (changed(["input"], KeyError), "fields workflow_id"),
    (changed(["extra"], 1), "fields workflow_id"),
    (changed(["commands"], {}), "state.commands"),
    (changed(["commands"], None), "state.commands"),
    (changed(["commands", 1], "x"), "state.commands[1]"),
    (changed(["commands", 1, "kind"], KeyError), "state.commands[1]"),
    (changed(["commands", 1, "more"], 1), "state.commands[1]"),
    (changed(["commands", 2, "name"], None), "state.commands[2].name"),
    (changed(["commands", 0, "args"], {}), "state.commands[0].args"),
    (changed(["commands", 0, "ok"], 1), "state.commands[0].ok"),
    (changed(["commands", 0, "ok"], None), "state.commands[0].ok"),
    (changed(["commands", 0, "error"], 5), "state.commands[0].error"),
    (changed(["commands", 0, "ok"], True), "state.commands[0]: expected ok, or an error without a value"),
    (changed(["commands", 0, "error"], None), "state.commands[0]: expected ok, or an error without a value"),
    (changed(["commands", 0, "value"], 0), "state.commands[0]: expected ok, or an error without a value"),
    (changed(["commands", 1, "ok"], False), "state.commands[1]: expected ok, or an error without a value"),
    (changed(["commands", 2, "error"], "E: no"), "state.commands[2]: expected ok, or an error without a value"),
    (changed(["commands", 0, "tries"], None), "state.commands[0].tries"),
    (changed(["commands", 0, "tries", 0], []), "state.commands[0].tries[0]"),
    (changed(["commands", 0, "tries", 0, "started_at"], "1"), "state.commands[0].tries[0].started_at"),
    (changed(["commands", 0, "tries", 0, "ended_at"], True), "state.commands[0].tries[0].ended_at"),
    (changed(["commands", 0, "tries", 0, "error"], 0), "state.commands[0].tries[0].error"),
    (changed(["commands", 0, "started_at"], None), "state.commands[0].started_at"),
    (changed(["signals"], "x"), "state.signals"),
    (changed(["signals", 0], None), "state.signals[0]"),
    (changed(["signals", 0, "name"], 1), "state.signals[0].name"),
    (changed(["signals", 0, "received_at"], "now"), "state.signals[0].received_at"),
    (changed(["input"], float("nan")), "not the JSON"),
    (changed(["commands", 0, "value"], float("inf")), "not the JSON"),
    (STATE.to_json().replace("30", "1e999"), "not the JSON"),
    (STATE.to_json()[:-1], "not the JSON"),
    (STATE.to_json() + "x", "not the JSON"),
]


@pytest.mark.parametrize(("text", "says"), WRONG, ids=range(len(WRONG)))
def test_a_problem_is_reported_with_its_place(text, says):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        WorkflowState.from_json(text)
    assert says in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("thing", [None, 5, {}, [], object()])
def test_what_is_no_text_at_all_is_a_value_error_too(thing):
    with pytest.raises(ValueError, match="not the JSON"):
        WorkflowState.from_json(thing)
