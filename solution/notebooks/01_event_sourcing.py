# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 01 · Event sourcing: state is a fold over the log
#
# **You will be able to**
#
# - compute a state from a log, the state of today and that of any day before;
# - write a journal in 20 lines that saves a program from a crash;
# - predict how much is repeated after a crash in any step;
# - say what a checkpoint of all variables does not give you.

# %%
from __future__ import annotations  # the type hints in the TODO cells are words only

from durable_lab import study
from durable_lab.lesson import attempt_run, check, engine, fresh, predict, question, todo
from durable_lab.timeline import draw

print(study.current().label)

# %% [markdown]
# ## A number without an explanation
#
# The till says 75. The owner asks: "Why 75? And what was it at noon?" A program that keeps only the number 75 has no
# answer. A program that keeps what happened has both.
#
# ## Keep what happened
#
# An **event** is something that has happened. A **log** is a list of events, in order. Nothing in it is changed or
# removed; new events are put at its end.

# %%
log = [("in", 100), ("out", 30), ("in", 5), ("out", 30), ("in", 30)]

# %% [markdown]
# The state is not stored. It is computed: begin with 0, and let one event after the other change it. Going through a
# list in this way is called a **fold**; in Python it is `functools.reduce`.

# %%
from functools import reduce


def after(till, event):
    """The till after one more event."""
    kind, amount = event
    return till + amount if kind == "in" else till - amount


print(reduce(after, log, 0))

# %% [markdown]
# Noon was after the first two events. A fold over the beginning of the log gives the state of that time.

# %%
at_noon = predict(...)  # what was in the till after the first two events?

# %%
at_noon.compare(reduce(after, log[:2], 0))

# %% [markdown]
# ### A belief: "the log holds the same line twice, so one of them is too much"
#
# Two events of our log look alike. The owner tidies up, and keeps each line once.

# %%
tidied = predict(...)  # what does the fold say after the tidying?

# %%
unique = list(dict.fromkeys(log))
print(unique)
tidied.compare(reduce(after, unique, 0))

# %% [markdown]
# Twice 30 was taken out, by two customers. Two events may look alike and both be true. A log is only ever added to:
# not tidied, not sorted, not corrected.
#
# ## A journal for a program
#
# Now the same idea for a program. Its events are its finished steps, each with its result. Here is a journal in a file,
# one line for each finished step. Read it slowly; the engine that you will write has the same shape.

# %%
import json


def journaled(file):
    """A function `step(action, *args)` that does each action once, and remembers its result in `file`."""
    past = iter(file.read_text().splitlines() if file.exists() else [])

    def step(action, *args):
        line = next(past, None)  # ask: is this step in the journal?
        if line is None:
            result = action(*args)  # no: do it ...
            line = json.dumps(result)
            with file.open("a") as journal:
                journal.write(line + "\n")  # ... and record it before going on
        return json.loads(line)  # return what the record says

    return step


# %% [markdown]
# Five steps of a refund. `started` and `finished` are lists that we keep outside, as the world keeps its books.
# `dies_in` names the step in which the process dies. The death is the exception `Crash`; nothing in the lab catches it
# by mistake.

# %%
from durable_lab.checks.bench import Crash

NAMES = ("read_order", "ask_model", "pay_back", "send_email", "close_case")
started, finished = [], []
dies_in = None


def do(name):
    """One step: it is started, and if the process lives on, it is finished."""
    started.append(name)
    if name == dies_in:
        raise Crash
    finished.append(name)
    return f"result of {name}"


def refund(step):
    """The program: five steps, one after the other."""
    return [step(do, name) for name in NAMES]


# %% [markdown]
# `process` stands for a process: it begins with nothing but the file. It prints what it started and finished.

# %%
from durable_lab.lesson.story import new_folder

folder = new_folder()


def no_file(name):
    """The path of a file that is not there yet, also when a cell is run twice."""
    path = folder / name
    path.unlink(missing_ok=True)
    return path


def process(program, dies=None):
    """Run the program in a new process, as it were. Returns what it started."""
    global dies_in
    dies_in = dies
    before = len(started)
    try:
        program()
        ended = "it reached its end"
    except Crash:
        ended = "it died there"
    print("started:", ", ".join(started[before:]) or "nothing", "|", ended)
    return started[before:]


# %% [markdown]
# ## A crash in step 4
#
# The first process dies in the fourth step, `send_email`, before the e-mail is out.

# %%
file = no_file("crash-in-4.jsonl")
process(lambda: refund(journaled(file)), dies="send_email")
print(file.read_text())

# %% [markdown]
# **Predict.** A second process starts with the same file. The program runs again from its first line. Three steps are
# in the file.

# %%
starts = predict(...)  # how many steps does the second process start?
repeated = predict(...)  # how many steps that were finished before are done again?

# %%
finished.clear()
file = no_file("crash-in-4.jsonl")
first = process(lambda: refund(journaled(file)), dies="send_email")  # the first process once more
second = process(lambda: refund(journaled(file)))
starts.compare(len(second))
repeated.compare(len(finished) - len(set(finished)))

# %% [markdown]
# Nothing that was finished is done again. `send_email` was **started** twice, once in each process, and finished once.
# Keep this in mind: it is the gap that lesson 04 is about.
#
# ## A crash in step 1
#
# Now the process dies in `read_order`.

# %%
starts_from_1 = predict(...)  # how many steps does the second process start?
repeated_from_1 = predict(...)  # how many steps that were finished before are done again?

# %%
finished.clear()
file = no_file("crash-in-1.jsonl")
first = process(lambda: refund(journaled(file)), dies="read_order")
second = process(lambda: refund(journaled(file)))
starts_from_1.compare(len(second))
repeated_from_1.compare(len(finished) - len(set(finished)))

# %% [markdown]
# And a crash in every step, one after the other. Look at the last column.

# %%
for name in NAMES:
    finished.clear()
    file = no_file(f"all-{name}.jsonl")
    process(lambda file=file: refund(journaled(file)), dies=name)
    process(lambda file=file: refund(journaled(file)))
    print("    finished twice:", len(finished) - len(set(finished)))

# %% [markdown]
# ## A belief: "a checkpoint of all variables is the same"
#
# A **checkpoint** saves the variables of a program from time to time. Here is the same refund, with a checkpoint after
# every second step.

# %%
EVERY = 2


def with_checkpoints(file):
    """The refund, going on from the variables that were saved last."""
    results = json.loads(file.read_text()) if file.exists() else []
    for number in range(len(results), len(NAMES)):
        results.append(do(NAMES[number]))
        if (number + 1) % EVERY == 0:
            file.write_text(json.dumps(results))
    return results


# %% [markdown]
# It dies in step 4, as before. The last checkpoint was after step 2, and `pay_back` is step 3.

# %%
checkpoint_payments = predict(...)  # how often does pay_back finish, both processes together?

# %%
finished.clear()
file = no_file("checkpoint.json")
first = process(lambda: with_checkpoints(file), dies="send_email")
second = process(lambda: with_checkpoints(file))
checkpoint_payments.compare(finished.count("pay_back"))

# %% [markdown]
# What happens between two checkpoints is done again, and money is moved again. With a checkpoint after every step
# (`EVERY = 1`) this does not happen. Then the difference is smaller: a checkpoint knows the newest state and not the way to
# it, and the program must be written so that it can begin in its middle. Often that is good enough.
#
# ## What no log can do
#
# One crash hurts both of them: the effect is there, and the process dies **before it is recorded**. Here the bank pays,
# and then the process dies, the first time only.


# %%
def pay_then_die(name):
    result = do(name)
    if name == "pay_back" and finished.count("pay_back") == 1:
        raise Crash  # the bank has paid; the journal does not know it yet
    return result


def unlucky(step):
    """The same refund, with that death in it."""
    return [step(pay_then_die, name) for name in NAMES]


# %%
payments = predict(...)  # how often does pay_back finish now, with our journal?

# %%
finished.clear()
file = no_file("gap.jsonl")
first = process(lambda: unlucky(journaled(file)))
second = process(lambda: unlucky(journaled(file)))
payments.compare(finished.count("pay_back"))

# %% [markdown]
# The journal cannot see whether the bank paid. So the step is done **at least once**. The bank has to help: lesson 04.
#
# ## The log of your engine
#
# Your engine calls such a log a **history**. It is a `WorkflowState`: the input, the commands by position, and the
# signals. This class is given. Here is one, made by hand.

# %%
m = engine()
history = m.WorkflowState(
    "refund-1",
    {"id": "A1", "amount": 30},
    commands=[
        m.Command("activity", "assess", ["A1"], value="arrived broken: refund"),
        m.Command("activity", "pay_back", ["A1", 30], value="receipt-1"),
        m.Command("activity", "pay_back", ["A1", 5], ok=False, error="ValueError: the account is closed"),
        m.Command("activity", "send_email", ["kim@example.com", "30 is on its way"]),
    ],
)
draw(history)

# %% [markdown]
# All of it is text, so it can live in a file or in a database. Read back, it is the same history.

# %%
text = history.to_json()
print(text[:200], "...")
print("the same:", m.WorkflowState.from_json(text) == history)

# %% [markdown]
# "How much has been paid?" is a fold, too. A failure is an event like any other, so the fold has to look at it.

# %%
paid = predict(...)  # how much did the bank pay, by this history?


# %%
def paid_after(total, command):
    return total + command.args[1] if command.name == "pay_back" and command.ok else total


paid.compare(reduce(paid_after, history.commands, 0))

# %% [markdown]
# ## Questions

# %%
question("log-1", ...)

# %%
question("log-2", ...)

# %%
question("log-3", ...)

# %% [markdown]
# ## Stretch
#
# Set `EVERY = 1` above, and run the cells below it again. Now write `with_checkpoints` for a program with an `if`, a
# loop in a loop, and a function that calls another one. What must be saved, so that it can begin anywhere? Then do the
# same with `step`. Which one was easier to write?

# %% [markdown]
# ## Restart and run all: the same result?
#
# **Kernel, Restart Kernel and Run All Cells**. The numbers must be the same as before. This lesson asks for no code of
# yours; `check` has nothing to say yet.
#
# Next: `02_replay.ipynb`. You write the heart of the engine: ask, do, record, return.
