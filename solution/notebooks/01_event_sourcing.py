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
# - compute the state from a log, for today or for any earlier day;
# - write a journal in 20 lines that lets a program survive a crash;
# - predict how much is repeated after a crash in any step;
# - explain what a checkpoint of all variables does not give you.

# %%
from __future__ import annotations  # the type hints in the TODO cells are not evaluated

from durable_lab import study
from durable_lab.lesson import attempt_run, check, engine, fresh, predict, question, todo
from durable_lab.timeline import draw

print(study.current().label)

# %% [markdown]
# ## A number without an explanation
#
# The till shows 75. The owner asks: "Why 75? And what was it at noon?" A program that stores only the number 75 cannot
# answer. A program that stores what happened can answer both questions.
#
# ## Store what happened
#
# An **event** is something that has happened. A **log** is a list of events, in order. Events are never changed or
# removed; new events are appended.

# %%
log = [("in", 100), ("out", 30), ("in", 5), ("out", 30), ("in", 30)]

# %% [markdown]
# The state is not stored. It is computed: start with 0, and apply one event after the other. This is called a **fold**;
# in Python it is `functools.reduce`.

# %%
from functools import reduce


def after(till, event):
    """Return the till after one more event."""
    kind, amount = event
    return till + amount if kind == "in" else till - amount


print(reduce(after, log, 0))

# %% [markdown]
# Noon was after the first two events. A fold over the beginning of the log gives the state at that time.

# %%
at_noon = predict(...)  # what was in the till after the first two events?

# %%
at_noon.compare(reduce(after, log[:2], 0))

# %% [markdown]
# ### A belief: "the log has the same line twice, so one of them is redundant"
#
# Two events of our log look alike. The owner removes the duplicate.

# %%
tidied = predict(...)  # what does the fold return without the duplicate?

# %%
unique = list(dict.fromkeys(log))
print(unique)
tidied.compare(reduce(after, unique, 0))

# %% [markdown]
# Two customers took out 30 each. Two events may look alike and both be true. A log is append-only: it is never cleaned
# up, sorted or corrected.
#
# ## A journal for a program
#
# Now we apply the same idea to a program. Its events are its finished steps, each with its result. Here is a journal in
# a file, one line for each finished step. Read it carefully; the engine that you will write has the same shape.

# %%
import json


def journaled(file):
    """Return a function `step(action, *args)` that runs each action once, and keeps its result in `file`."""
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
# A refund in five steps. `started` and `finished` are lists that we keep outside, as the world keeps its books.
# `dies_in` names the step in which the process dies. The death is the exception `Crash`; no code in the lab catches it
# by mistake.

# %%
from durable_lab.checks.bench import Crash

NAMES = ("read_order", "ask_model", "pay_back", "send_email", "close_case")
started, finished = [], []
dies_in = None


def do(name):
    """Run one step: it starts, and finishes if the process stays alive."""
    started.append(name)
    if name == dies_in:
        raise Crash
    finished.append(name)
    return f"result of {name}"


def refund(step):
    """Run the five steps, one after the other."""
    return [step(do, name) for name in NAMES]


# %% [markdown]
# `process` simulates a process: it starts with nothing but the file. It prints what it started, and how it ended.

# %%
from durable_lab.lesson.story import new_folder

folder = new_folder()


def no_file(name):
    """Return the path of a file that does not exist, even if the cell is run twice."""
    path = folder / name
    path.unlink(missing_ok=True)
    return path


def process(program, dies=None):
    """Run the program as a new process would. Returns the steps that it started."""
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
# The first process dies in the fourth step, `send_email`, before the e-mail is sent.

# %%
file = no_file("crash-in-4.jsonl")
process(lambda: refund(journaled(file)), dies="send_email")
print(file.read_text())

# %% [markdown]
# **Predict.** A second process starts with the same file. The program runs again from its first line. The file has
# three steps.

# %%
starts = predict(...)  # how many steps does the second process start?
repeated = predict(...)  # how many steps that had already finished run again?

# %%
finished.clear()
file = no_file("crash-in-4.jsonl")
first = process(lambda: refund(journaled(file)), dies="send_email")  # the first process again
second = process(lambda: refund(journaled(file)))
starts.compare(len(second))
repeated.compare(len(finished) - len(set(finished)))

# %% [markdown]
# No finished step ran again. `send_email` was **started** twice, once in each process, and finished once. Remember this
# gap; lesson 04 is about it.
#
# ## A crash in step 1
#
# Now the process dies in `read_order`.

# %%
starts_from_1 = predict(...)  # how many steps does the second process start?
repeated_from_1 = predict(...)  # how many steps that had already finished run again?

# %%
finished.clear()
file = no_file("crash-in-1.jsonl")
first = process(lambda: refund(journaled(file)), dies="read_order")
second = process(lambda: refund(journaled(file)))
starts_from_1.compare(len(second))
repeated_from_1.compare(len(finished) - len(set(finished)))

# %% [markdown]
# Now a crash in every step, one after the other. Look at the last column.

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
    """Run the refund, starting from the variables that were saved last."""
    results = json.loads(file.read_text()) if file.exists() else []
    for number in range(len(results), len(NAMES)):
        results.append(do(NAMES[number]))
        if (number + 1) % EVERY == 0:
            file.write_text(json.dumps(results))
    return results


# %% [markdown]
# The process dies in step 4, as before. The last checkpoint was after step 2, and `pay_back` is step 3.

# %%
checkpoint_payments = predict(...)  # how often does pay_back finish, counted over both processes?

# %%
finished.clear()
file = no_file("checkpoint.json")
first = process(lambda: with_checkpoints(file), dies="send_email")
second = process(lambda: with_checkpoints(file))
checkpoint_payments.compare(finished.count("pay_back"))

# %% [markdown]
# Everything since the last checkpoint runs again, payments included. With a checkpoint after every step (`EVERY = 1`)
# this does not happen, and the difference is smaller: a checkpoint stores the newest state but not how it was reached,
# and the program must be written so that it can start in the middle. This is often good enough.
#
# ## What no log can do
#
# One crash affects both of them: the effect has happened, and the process dies **before it is recorded**. Here the bank
# pays, and then the process dies, the first time only.


# %%
def pay_then_die(name):
    result = do(name)
    if name == "pay_back" and finished.count("pay_back") == 1:
        raise Crash  # the bank has paid; the journal does not know it yet
    return result


def unlucky(step):
    """Run the same refund, with that crash in it."""
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
# The journal cannot know whether the bank paid, so the step runs **at least once**. The bank has to help: see lesson
# 04.
#
# ## The log of your engine
#
# Your engine calls such a log a **history**. It is a `WorkflowState`: the input, the commands by position, and the
# signals. This class is given. Here is one made by hand.

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
# A history can be written as text, and stored in a file or a database. Read back, it is the same history.

# %%
text = history.to_json()
print(text[:200], "...")
print("the same:", m.WorkflowState.from_json(text) == history)

# %% [markdown]
# "How much has been paid?" is a fold, too. A failure is an event like any other, so the fold has to check for it.

# %%
paid = predict(...)  # how much did the bank pay according to this history?


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
# nested loop, and a function that calls another one. What must be saved so that it can start anywhere? Then do the same
# with `step`. Which one was easier to write?

# %% [markdown]
# ## Restart and run all: the same result?
#
# **Kernel, Restart Kernel and Run All Cells**. The numbers must be the same as before. In this lesson you write no code
# for the engine, so there is nothing to `check` yet.
#
# Next: `02_replay.ipynb`. You write the core of the engine: ask, do, record, return.
