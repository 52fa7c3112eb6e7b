"""A mistake in weights.toml is reported before anything is graded, with the file, the key and the allowed values."""

import pytest

from grader import rubric
from grader.cli.main import main
from grader.rubric import WEIGHTS, RubricError, read

GOOD = WEIGHTS.read_text(encoding="utf-8")

BAD = {
    "no TOML": ("[todo]", "[todo", "is not TOML"),
    "a missing table": ("[manual]", "[other]", "manual is missing. Needed: todo, whole, lessons, hidden, manual"),
    "an unknown table": ("[todo]", "[bonus]\nx = 1\n[todo]", "bonus is not known. Allowed: todo, whole"),
    "a missing key": ("5 = 8", "", "[todo] 5 is missing. Needed: 1, 2, 3, 4, 5"),
    "an unknown key": ("5 = 8", "5 = 8\n6 = 0", "[todo] 6 is not known. Allowed: 1, 2, 3, 4, 5"),
    "a misspelled key": ("questions = 10", "question = 10", "[lessons] questions is missing"),
    "a string for a number": ("5 = 8", '5 = "8"', "[todo] 5 is '8', but must be a number of points"),
    "a truth value": ("5 = 8", "5 = true", "[todo] 5 is True, but must be a number of points"),
    "a negative number": ("5 = 8", "5 = -8", "[todo] 5 is -8, but points must be 0 or more"),
    "no number": ("5 = 8", "5 = nan", "[todo] 5 is nan, but points must be 0 or more, and finite"),
    "infinity": ("essay = 5", "essay = inf", "[manual] essay is inf"),
    "a list": ("5 = 8", "5 = [8]", "[todo] 5 is [8]"),
    "a list for a table": ("[whole]", "[[whole]]", "whole is [{'points': 14}], but must be a table: [whole]"),
    "a seed that is a number": ('seed = "lab-01"', "seed = 1", "[hidden] seed is 1, but must be a string"),
    "an empty seed": ('seed = "lab-01"', 'seed = ""', "[hidden] seed is '', but must be a string"),
    "a sum of 101": ("5 = 8", "5 = 9", "add up to 101. They must add up to 100"),
    "a sum of 92": ("5 = 8", "5 = 0", "add up to 92"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_broken_rubric_is_refused_with_the_file_the_key_and_what_is_allowed(case, tmp_path):
    old, new, says = BAD[case]
    assert GOOD.count(old) == 1
    path = tmp_path / "weights.toml"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(RubricError) as refused:
        read(path)
    assert str(path) in str(refused.value)
    assert says in str(refused.value)


def test_a_rubric_that_is_not_there_or_no_utf_8_is_refused(tmp_path):
    with pytest.raises(RubricError, match="No such file"):
        read(tmp_path / "weights.toml")
    (tmp_path / "weights.toml").write_bytes(b"# caf\xe9")
    with pytest.raises(RubricError, match="is not TOML"):
        read(tmp_path / "weights.toml")


def test_the_rubric_as_released_and_with_other_weights_is_good(tmp_path):
    assert read(WEIGHTS)["todo"]["1"] == 24
    path = tmp_path / "weights.toml"
    path.write_text(GOOD.replace("1 = 24", "1 = 23.5").replace("2 = 8", "2 = 8.5"), encoding="utf-8")
    assert read(path)["todo"]["2"] == 8.5


@pytest.mark.parametrize("command", ["grade", "one", "course", "release", "autograde", "export"])
def test_each_command_that_needs_the_rubric_says_what_is_wrong_before_it_does_anything(
    command, tmp_path, monkeypatch, capsys
):
    path = tmp_path / "weights.toml"
    path.write_text(GOOD.replace("5 = 8", "5 = -8"), encoding="utf-8")
    monkeypatch.setattr(rubric, "WEIGHTS", path)
    rubric.weights.cache_clear()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "class" / "ann").mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    arguments = ["csv"] if command == "export" else [str(tmp_path / "class")]
    try:
        assert main([command, *arguments]) == 2
    finally:
        rubric.weights.cache_clear()
    said = capsys.readouterr().err
    assert "[todo] 5 is -8" in said
    assert str(path) in said
    assert sorted(tmp_path.rglob("*")) == before
