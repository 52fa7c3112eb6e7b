"""The diagnosis names the belief of engines that it has not seen, and none for a right engine; no engine stops it."""

import ast
import json
import random
import signal
import sys
import time
from contextlib import suppress

import pytest

from durable_lab import source
from durable_lab.checks.bench import NotStarted
from durable_lab.diagnosis.diagnose import (
    FINGERPRINTS,
    diagnose,
    known_engines,
    known_stories,
    nearest,
    right,
    similarity,
)
from durable_lab.diagnosis.limited import TimeIsUp, limited
from durable_lab.diagnosis.observe import STOPPED, observe, symptoms
from durable_lab.diagnosis.probe_bench import NeverComesBack, ProbeBench
from durable_lab.judge import PUBLIC
from durable_lab.study import LAB_DIR
from durable_lab.todos import all_todos
from grader.checker.examinee import Examinee
from grader.dev.bank import BELIEFS, entries, splice
from grader.dev.bank.confusion_matrix import MIN_SHARE, Named, name, share, table
from grader.dev.bank.entry import halves
from grader.dev.bank.fork import ForkEnded, in_fork
from grader.dev.bank.learn import differences, files, stories
from grader.dev.bank.learn import known_engines as learnt
from grader.dev.bank.observe import facts_of, module
from grader.dev.bank.splice import REFERENCE

WRONG, RIGHT = [*entries("wrong"), *entries("beyond")], entries("right")
KNOWN, HELD_BACK = halves(WRONG)
SOURCE = REFERENCE.read_text(encoding="utf-8")


@pytest.mark.long
def test_nine_of_ten_engines_that_it_has_not_seen_are_named_rightly():
    held = [name(entry, entry.todo) for entry in HELD_BACK]
    assert share(held) >= MIN_SHARE, table(held)
    assert [one for one in held if one.named and not one.right] == [], "no belief is better than a wrong one"


@pytest.mark.long
def test_its_fingerprints_and_examples_are_those_of_the_known_half():
    known, told = learnt(KNOWN), stories(WRONG, stored_stories())
    stale = [path for path, text in files(known, told).items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "`python -m grader.dev.bank.learn`"
    for one in known:
        found = nearest(one.facts, one.belief.todo)
        assert found is not None, one.engine
        assert found[0] == one.belief, one.engine


def stored_stories():
    return json.loads(FINGERPRINTS.read_text(encoding="utf-8"))["stories"]


@pytest.mark.parametrize("entry", WRONG[::9], ids=lambda entry: entry.path.stem)
@pytest.mark.long(every=10)
def test_the_stories_of_a_belief_are_those_that_the_judge_finds_in_its_engines(entry):
    found = differences(entry, [PUBLIC])
    stored = stored_stories()[entry.belief][entry.path.stem]["differences"]
    assert [one for one in found if one not in stored] == [], "`python -m grader.dev.bank.learn --judge-all`"


def test_an_engine_whose_belief_is_not_in_the_table_is_not_named_as_another(monkeypatch):
    for belief, engines in known_engines().items():
        todo = BELIEFS[belief].todo
        with monkeypatch.context() as patch:
            patch.delitem(BELIEFS, belief)
            for engine, seen in engines.items():
                assert nearest({**right(todo), **seen}, todo) is None, engine


def test_a_belief_that_does_not_explain_the_story_is_not_named():
    for belief, engines in known_engines().items():
        todo, told = BELIEFS[belief].todo, known_stories(belief)
        for engine, seen in engines.items():
            facts = {**right(todo), **seen}
            assert {nearest(facts, todo, story)[0].id for story in told} <= {belief}, engine
            assert nearest(facts, todo, ("R14", "another kind")) is None
    assert ("R11", "another key") in known_stories("M4a")
    assert not any("key" in kind for _, kind in known_stories("M6a")), "the time has nothing to do with keys"


def test_a_position_that_moves_twice_is_not_named_as_a_belief_about_keys():
    entry = next(entry for entry in WRONG if entry.path.stem == "asking_and_recording_both_count")
    facts = facts_of(entry.source(), 1)
    assert facts["keys_of_one_payment.one key"] is False
    assert not BELIEFS["M4a"].is_shown_by(facts)


def test_symptoms_that_a_belief_cannot_have_speak_against_it():
    seen = known_engines()["M20b"]["a_time_of_zero_is_no_time"]
    assert nearest({**right(2), **seen}, 2)[0].id == "M20b"
    others = {"half_a_second.between": 3, "what_the_record_holds.recorded": False, "the_next_day.records": 1}
    others |= {"a_power_cut_behind_a_time.ends": "failed", "a_small_part_of_a_second.first": "another time"}
    assert nearest({**right(2), **seen, **others}, 2) is None


@pytest.mark.parametrize("entry", RIGHT, ids=lambda entry: entry.path.stem)
@pytest.mark.long(every=6)
def test_a_right_engine_has_no_symptom_in_any_todo(entry):
    for todo in all_todos():
        facts = facts_of(entry.source(), todo)
        assert symptoms(facts, right(todo)) == {}
        assert nearest(facts, todo) is None


@pytest.mark.long
def test_two_mistakes_at_once_are_named_as_one_of_the_two_or_not_at_all():
    def only(function):
        return [e for e in WRONG if e.todo == 1 and overridden(e) == {f"Context.{function}"}]

    draw = random.Random(5)
    for _ in range(15):
        one, other = draw.choice(only("_ask")), draw.choice(only("_perform"))
        facts = facts_of(splice(other.text, splice(one.text, SOURCE)), 1)
        found = nearest(facts, 1)
        assert found is None or found[0].id in (one.belief, other.belief), (one.name, other.name)


def overridden(entry):
    classes = [node for node in ast.parse(entry.text).body if isinstance(node, ast.ClassDef)]
    return {f"{node.name}.{part.name}" for node in classes for part in node.body}


@pytest.mark.parametrize("todo", all_todos())
@pytest.mark.parametrize("mistake", ["amuont", "raise SystemExit(3)", "return 3", "return None", "return self"])
@pytest.mark.long(every=5)
def test_an_engine_that_is_only_broken_shows_no_belief(todo, mistake):
    engine = SOURCE
    for part in all_todos()[todo].parts:
        text = source.text_of(engine, part.function)
        head = text[: text.index('"""')] if '"""' in text else text.splitlines()[0] + "\n"
        engine = source.replace_function(engine, part.function, f"{head.rstrip()}\n        {mistake}")
    facts = facts_of(engine, todo)
    found = nearest(facts, todo)
    assert symptoms(facts, right(todo))
    assert found is None, f"{found[0].id}: {found[0].words}"


@pytest.mark.parametrize("todo", all_todos())
def test_a_todo_that_is_still_to_be_written_shows_no_belief(todo):
    skeleton = (LAB_DIR / "durable_lab" / "skeleton" / "engine.py").read_text(encoding="utf-8")
    assert nearest(facts_of(skeleton, todo), todo) is None


def test_a_diagnosis_has_only_words_of_the_lab():
    m = module(next(entry for entry in HELD_BACK if entry.belief == "M16a").source())
    said = diagnose(lambda: m, 3)
    assert (said.belief, said.words) == ("M16a", BELIEFS["M16a"].words)
    assert said.customer == BELIEFS["M16a"].customer
    assert said.read == BELIEFS["M16a"].read
    assert "blocked: waits for approval # pay()" in said.example


@pytest.mark.parametrize("belief", ["M20a", "M24a", "M9d", "M18a", "M23f"])
def test_the_facts_through_a_proxy_are_those_without_one(belief):
    entry = next(entry for entry in KNOWN if entry.belief == belief)
    with Examinee(entry.source(), isolated=False) as examinee:
        assert observe(examinee.fresh, entry.todo) == facts_of(entry.source(), entry.todo)


class Gone(BaseException):
    pass


class Dead:
    def __getattr__(self, name):
        raise Gone


def test_a_module_that_is_dead_is_started_only_a_few_times():
    asked = []

    def fresh():
        asked.append(1)
        return Dead()

    facts = observe(fresh, 1)
    assert set(facts.values()) == {STOPPED}
    assert len(facts) == len(asked) <= 3
    assert nearest(facts, 1) is None


def test_a_module_that_cannot_be_loaded_has_no_diagnosis_but_a_fault_of_the_machine_is_raised():
    def broken(error):
        raise error

    for error in (SyntaxError("nonsense"), Gone(), SystemExit(3)):
        assert diagnose(lambda error=error: broken(error), 1) is None
    for error in (NotStarted("no bubblewrap"), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            diagnose(lambda error=error: broken(error), 1)


def test_an_engine_that_calls_without_an_end_is_stopped_by_the_bench():
    bench = ProbeBench(lambda: module(SOURCE))
    policy = bench.m.RetryPolicy(max_attempts=1_000_000, initial_interval=0.0)
    down = bench.activity("pay", OSError("down"))
    with pytest.raises(NeverComesBack):
        bench.try_run(lambda ctx, order: ctx.call_activity(down), retry=policy)


@pytest.mark.parametrize(
    ("belief", "function", "statement"),
    [
        ("M8b", "Context._perform", "self._engine.clock.sleep(policy.interval(len(tries) - 1))"),
        ("M16b", "Context.wait_signal", "raise self._stop(WorkflowBlocked(name))"),
    ],
)
@pytest.mark.parametrize("wait", ["while True: pass", "time.sleep(60)", "time.sleep(0.2)"])
@pytest.mark.long(every=2)
def test_an_engine_that_loops_or_really_waits_is_named_in_less_than_two_seconds(belief, function, statement, wait):
    kept = f"; {statement}" if belief == "M16b" and "True" not in wait else ""
    text = source.text_of(SOURCE, function)
    assert statement in text
    engine = source.replace_function(SOURCE, function, text.replace(statement, wait + kept)) + "\nimport time\n"

    def diagnosed():
        start = time.monotonic()
        with limited(lambda: module(engine), cpu=0.1, wall=0.3) as fresh:
            found = diagnose(fresh, BELIEFS[belief].todo, seconds=1.5)
        return [found and found.belief, time.monotonic() - start]

    named, seconds = in_fork(diagnosed, 30)
    assert named == belief
    assert seconds < 2


def test_a_time_limit_ends_with_its_block():
    def loop():
        with suppress(TimeIsUp), limited(lambda: None, wall=0.01) as fresh:
            fresh()
            while True:
                pass
        return [signal.getitimer(timer) for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL)]

    assert in_fork(loop, 30) == [[0.0, 0.0], [0.0, 0.0]]


def test_an_engine_that_cannot_be_interrupted_is_killed():
    def stubborn():
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass

    with pytest.raises(ForkEnded, match=r"killed after 0\.3 seconds"):
        in_fork(stubborn, seconds=0.3)
    with pytest.raises(ForkEnded, match="ended with code 3"):
        in_fork(lambda: sys.exit(3), seconds=30)
    assert in_fork(lambda: {"a": 1}, seconds=30) == {"a": 1}


@pytest.mark.long
def test_if_two_beliefs_fit_equally_none_is_named(monkeypatch):
    facts = next(one.facts for one in learnt(KNOWN[:1]))
    belief = KNOWN[0].belief
    assert nearest(facts, 1)[0].id == belief
    twin = next(b for b in BELIEFS.values() if b.todo == 1 and b.id != belief)
    monkeypatch.setitem(BELIEFS, twin.id, type(twin)(**{**vars(twin), "tells": BELIEFS[belief].tells}))
    monkeypatch.setitem(known_engines(), twin.id, dict(known_engines()[belief]))
    assert nearest(facts, 1) is None


def test_the_similarity_is_1_for_equal_symptoms_and_0_if_none_is_shared():
    one = {"a.x": 1, "a.y": 2}
    assert similarity(one, one) == 1
    assert similarity(one, {"b.x": 1}) == 0
    assert 0 < similarity(one, {"a.x": 3}) < similarity(one, {"a.x": 1}) < 1


def test_the_table_says_how_many_are_named_as_what():
    held = [Named("e1", "M1a", 1, "M1a"), Named("e2", "M1a", 1, "M2a"), Named("e3", "M6a", 2, "")]
    assert table(held) == "TODO 1  M1a 1/2: 1 as M2a\nTODO 2  M6a 0/1: 1 not named"
    assert share(held) == pytest.approx(1 / 3)
