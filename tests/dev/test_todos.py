"""The TODOs in a file that a student has edited: which are open, and how one is reset."""

import pytest

from durable_lab import source, todos
from durable_lab.todos import all_todos, open_todos, reset

ORDER = [1, 4, 2, 3, 5]


def test_in_the_fresh_lab_all_five_are_open_in_the_order_of_work(lab):
    found = open_todos(lab)
    assert [*found] == [*all_todos()] == ORDER
    lines = lab.splitlines()
    for number, line in found.items():
        assert f'raise NotImplementedError("TODO {number}: ' in lines[line - 1]


def test_the_line_is_that_of_the_first_stub_of_a_todo(lab):
    stubs = [i for i, line in enumerate(lab.splitlines(), 1) if 'NotImplementedError("TODO 1: ' in line]
    assert len(stubs) == 3
    assert open_todos(lab)[1] == stubs[0]


def test_in_the_solution_none_is_open(solution):
    assert open_todos(solution) == {}


@pytest.mark.parametrize("number", ORDER)
def test_a_filled_todo_is_not_open_and_the_others_are(filled, number):
    assert [*open_todos(filled(number))] == [n for n in ORDER if n != number]


def test_a_todo_with_one_part_left_is_still_open(lab, solution):
    parts = all_todos()[1].parts
    text = lab
    for part in parts[:-1]:
        text = source.replace_function(text, part.function, source.text_of(solution, part.function))
    assert 1 in open_todos(text)


@pytest.mark.parametrize(
    "code",
    [
        "# raise NotImplementedError('TODO 2: x')",
        "'raise NotImplementedError(\"TODO 2: x\")'",
        "raise NotImplementedError('later')",
        "raise NotImplementedError('see TODO 2: x')",
        "raise NotImplementedError",
        "raise NotImplementedError()",
        "raise ValueError('TODO 2: x')",
        "raise NotImplementedError('TODO 99: x')",
        "raise",
        "print('TODO 2: x')",
    ],
)
def test_what_only_looks_like_a_stub_does_not_count(code):
    assert open_todos(f"def now(self):\n    pass\n    {code}\n") == {}


def test_a_stub_anywhere_in_the_file_counts():
    code = "class A:\n    def f(self):\n        if 1:\n            raise NotImplementedError('TODO 3: x')\n"
    assert open_todos(code) == {3: 4}


def test_a_file_that_is_no_python_is_a_syntax_error():
    with pytest.raises(SyntaxError):
        open_todos("def (:\n")


def texts(file):
    """Return each function of a file with its lines."""
    lines = file.splitlines()
    return {name: lines[source.span(node)] for name, node in source.functions(file).items()}


EDITS = {
    "a helper above": lambda text: text.replace("class Context:", "def helper():\n    return 1\n\n\nclass Context:"),
    "a helper in the class": lambda text: text.replace(
        "    def now(self)", "    def mine(self):\n        return 2\n\n    def now(self)"
    ),
    "a decorator": lambda text: text.replace("    def now(self)", "    @property\n    def now(self)"),
    "another signature": lambda text: text.replace("def now(self) -> float:", "def now(self, *, exact=True):"),
    "nothing": lambda text: text,
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("number", ORDER)
def test_a_reset_puts_back_the_stub_and_leaves_the_rest(filled, lab, number, edit):
    edited = EDITS[edit](filled(*ORDER))
    made = reset(edited, number)
    assert [*open_todos(made)] == [number]
    mine = {part.function for part in all_todos()[number].parts}
    pristine, kept = texts(lab), texts(edited)
    assert texts(made) == {name: pristine[name] if name in mine else kept[name] for name in kept}


def test_resetting_all_of_a_filled_lab_gives_the_lab_as_handed_out(filled, lab):
    text = filled(*ORDER)
    assert text != lab
    for number in ORDER:
        text = reset(text, number)
    assert text == lab


def test_a_reset_of_a_fresh_todo_changes_nothing(lab):
    assert reset(lab, 2) == lab


def test_a_reset_restores_a_missing_function(lab):
    assert texts(reset(lab.replace("def now(", "def time("), 2))["Context.now"] == texts(lab)["Context.now"]


def test_a_reset_says_which_class_is_missing(lab):
    with pytest.raises(KeyError, match="Context"):
        reset(lab.replace("class Context:", "class Other:"), 2)


def test_a_reset_keeps_the_margin_of_a_file_that_is_indented_with_tabs(filled):
    tabs = filled(*ORDER).replace("    ", "\t")
    made = reset(tabs, 2)
    assert [*open_todos(made)] == [2]
    assert "\n\tdef now(" in made


def test_a_reset_of_a_file_that_is_no_python_is_a_syntax_error(lab):
    with pytest.raises(SyntaxError):
        reset(lab + "def (:\n", 2)


def test_every_todo_has_a_title_a_lesson_parts_and_three_hints():
    for number, todo in all_todos().items():
        assert todo.number == number
        assert (len(todo.hints), bool(todo.parts)) == (3, True)
        assert all([todo.title, todo.lesson, *todo.hints, *(part.text for part in todo.parts)])


def test_no_hint_gives_an_answer_away(solution):
    shown = " ".join(hint for todo in all_todos().values() for hint in todo.hints)
    bodies = texts(solution)
    for todo in all_todos().values():
        for part in todo.parts:
            for line in (line.strip() for line in bodies[part.function][2:] if len(line.strip()) > 40):
                assert line not in shown


STUB = "TODO 3: Context.wait_signal is still to be written"


@pytest.mark.parametrize("error", [NotImplementedError(STUB), f"NotImplementedError: {STUB}"])
def test_an_error_of_a_stub_names_its_todo(error):
    assert todos.stub_behind(error) == 3


@pytest.mark.parametrize("error", [None, "", RuntimeError(STUB), f"RuntimeError: {STUB}", NotImplementedError("later")])
def test_any_other_error_names_no_todo(error):
    assert todos.stub_behind(error) is None
