# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 02 · Replay
#
# **You will be able to**
#
# - explain what the position of a command is, and how a command finds its record;
# - distinguish replayed commands from live ones;
# - write the core of the engine: TODO 1 and TODO 4;
# - predict how many activities run after a crash at any point.

# %%
from __future__ import annotations  # the type hints in the TODO cells are not evaluated

from durable_lab import study
from durable_lab.lesson import attempt_run, check, engine, fresh, predict, question, todo
from durable_lab.timeline import Timeline, draw

print(study.current().label)

# %% [markdown]
# ## Twice on the screen, once at the bank
#
# A program prints "I am paying now" twice. The bank has paid once. Both are correct, and nothing is broken. At the end
# of this lesson you can explain why.
#
# ## One shape for every command
#
# A **workflow** is a function that decides. It asks the engine for something through `ctx`; each request is a
# **command**. Its **position** is its number, from 0. The **history** holds one record for each position. The docstring
# of the engine shows the shape that every command has:

# %%
print(engine().__doc__)

# %% [markdown]
# **Replay**: there is a record, so it is returned, and nothing runs. **Live**: there is no record, so the command is
# performed.
#
# ## TODO 1, in three parts
#
# You write three methods of `Context`. Each has a cell here. When you run the cell, the method is written into
# `lab/engine.py`. You may also edit that file: a cell never overwrites newer code there. For a hint, run a cell with
# `!durable-lab hint 1`.
#
# **Part a: `call_activity`.** It contains the whole shape, and uses the other two parts. `self._ask(kind, name, args)`
# returns the record or `None`. `self._record(command)` makes a new record durable; it is given. Ask yourself: an
# activity returned `None` or 0. Is there a record?

# %%
# @todo Context.call_activity

# %% [markdown]
# **Part b: `_ask`.** Is there a record at `self._position`? If so, is it a record of this command? Ask yourself: which
# code increments the position, on replay and live?

# %%
# @todo Context._ask

# %% [markdown]
# **Part c: `_perform`.** The activity may fail and be tried again. All attempts together make **one** `Command`. Ask
# yourself: `max_attempts` is 3, and all fail. How many calls, how many waits, how many records? (More in lesson 04.)

# %%
# @todo Context._perform

# %% [markdown]
# Now the tests of TODO 1. While other TODOs are open, the reference is used for them. Red tests are expected until all
# three parts are written. Start reading a failure at `first difference`.

# %%
check(1)

# %% [markdown]
# ## TODO 4: `run`
#
# `run` calls the workflow and reports how it ended: **completed**, **blocked** (it waits) or **failed**. Ask yourself:
# a workflow should wait, but it catches everything and returns "fine". What is its status? `ctx._stopped` knows.

# %%
# @todo DurableEngine.run

# %%
check(4)

# %% [markdown]
# ## Your engine at work
#
# Here is a small shop. `calls` lists every call that reached an activity. We keep it outside the engine, so that no
# engine can report it wrongly. Without power, the process dies in `charge`, before any money moves. The workflow `buy`
# has a variable, `total`, and prints a line.

# %%
from types import SimpleNamespace

from durable_lab.checks.bench import Crash
from durable_lab.lesson.trying import compare, crash_run, show


def shop(calls, printed=None, power=True):
    """Return a shop that appends its calls to the list `calls`, and the lines that `buy` prints to `printed`."""

    def price(item):
        calls.append(f"price of {item}")
        return {"tea": 4, "cup": 9}[item]

    def charge(amount):
        if not power:
            raise Crash  # the process dies here
        calls.append(f"charge {amount}")
        return f"receipt for {amount}"

    def send(text):
        calls.append(f"send {text!r}")

    def buy(ctx, items):
        if printed is not None:
            printed.append("I am paying now")
        total = 0
        for item in items:
            total += ctx.call_activity(price, item)
        ctx.call_activity(charge, total)
        ctx.call_activity(send, f"you paid {total}")
        return total

    return SimpleNamespace(price=price, charge=charge, send=send, buy=buy)


# %% [markdown]
# Two small helpers:

# %%
def new(name, given=None):
    """Return the state of a run that has not started."""
    return engine().WorkflowState(name, given)


def records_in(result):
    """Return the number of records in the history of a result or of a state."""
    return len(getattr(getattr(result, "state", result), "commands", []))


# %% [markdown]
# The first process dies in `charge`. `crash_run` returns what a new process finds: the history in the journal. (Until
# your TODOs are written, these cells say what is missing.)

# %%
calls = []
half = crash_run(shop(calls, power=False).buy, new("shop-1", ["tea", "cup"]))
print("calls:", calls)
show(half)

# %% [markdown]
# **Predict.** The power is back, and a second process runs the workflow on this history.

# %%
live = predict(...)  # how many activities does the second process call?
value = predict(...)  # what does the workflow return: which total?

# %%
calls = []
resumed = attempt_run(shop(calls).buy, half)
print("calls:", calls)
show(resumed)
compare(live, resumed, len(calls))
compare(value, resumed, resumed.value)

# %% [markdown]
# This is the timeline of your run. Positions 0 and 1 were replayed; the rest ran live.

# %%
draw(resumed, replayed=2)

# %% [markdown]
# The next timeline is interactive. It shows the history of the process that died. Click it and press **n**: your engine
# continues, one step at a time. **←** and **→** move through the events, **c** crashes at the selected event, **f**
# forks there, and **?** lists every key. Crash at position 2, continue, and see what is called again. (It has a shop of
# its own, so the numbers of this lesson stay the same.)

# %%
Timeline(shop([]).buy, half, engine=engine())

# %% [markdown]
# ### A belief: "my print came twice, so the activity ran twice"
#
# Both processes ran the first line of `buy`. Here they are again, with one list for the lines and one for the calls.

# %%
lines = predict(...)  # how many times is "I am paying now" in `printed`, counted over both processes?
charges = predict(...)  # and how often did a call of charge succeed?

# %%
calls, printed = [], []
died = crash_run(shop(calls, printed, power=False).buy, new("shop-1", ["tea", "cup"]))
went_on = attempt_run(shop(calls, printed).buy, died)
compare(lines, went_on, len(printed))
compare(charges, went_on, sum(call.startswith("charge") for call in calls))

# %% [markdown]
# Some authors then protect the activity "against the replay": they run it only if it has not run before. Here a
# finished run is replayed with such a guard.

# %%
done_before = set()
corner_shop = shop([])  # its list of calls is not used


def guarded(ctx, amount):
    if "charge" not in done_before:
        done_before.add("charge")
        ctx.call_activity(corner_shop.charge, amount)
    ctx.call_activity(corner_shop.send, "thank you")
    return "fine"


# %%
ending = predict(...)  # how does the replay end: "completed" or "failed"?

# %%
done_before.clear()
once = attempt_run(guarded, new("shop-2", 13))
again = attempt_run(guarded, once.state)
show(again)
compare(ending, again, again.status)

# %% [markdown]
# The replay skipped a command, so the next one met the record of another command. Leave this protection to the engine.

# %% [markdown]
# ### A belief: "it continues at the line where it died"
#
# Then no replay would be needed: store the line, and jump there. Here is a program that does so. It stored "3".

# %%


def buy_from(line):
    total = 0
    if line <= 1:
        total += corner_shop.price("tea")
    if line <= 2:
        total += corner_shop.price("cup")
    if line <= 3:
        return corner_shop.charge(total)


# %%
jumped = predict(...)  # what does buy_from(3) return? A string such as "receipt for 13"

# %%
jumped.compare(buy_from(3))

# %% [markdown]
# The line was right, but the variable was lost. Replay also runs the lines above, and so computes `total` again.

# %% [markdown]
# ### A belief: "a retry starts the workflow again"
#
# This bank is busy twice, and works at the third attempt. It is called when two prices are known. (The clock is
# simulated, so you do not have to wait.)

# %%
busy = []


def busy_bank(amount):
    busy.append("call")
    if len(busy) < 3:
        raise ConnectionError("the bank is busy")
    return f"receipt for {amount}"


def buy_patiently(ctx, items):
    total = sum(ctx.call_activity(patient_shop.price, item) for item in items)
    return ctx.call_activity(busy_bank, total)


# %%
prices = predict(...)  # how often is price called, in all?
bank = predict(...)  # how often is the bank called?
records = predict(...)  # how many records does the history have at the end?

# %%
busy.clear()
calls = []
patient_shop = shop(calls)
patient = attempt_run(buy_patiently, new("shop-3", ["tea", "cup"]), clock=engine().SimulatedClock())
show(patient)
compare(prices, patient, len(calls))
compare(bank, patient, len(busy))
compare(records, patient, records_in(patient))

# %% [markdown]
# An attempt is repeated inside its own position. Earlier commands that succeeded do not run again.
#
# ### A belief: "a result is found by the name of its activity"
#
# Here is a cache that works like that. It is asked for the price of tea, then for the price of a cup.

# %%
by_name = {}


def remembered(fn, *args):
    if fn.__name__ not in by_name:
        by_name[fn.__name__] = fn(*args)
    return by_name[fn.__name__]


# %%
total_by_name = predict(...)  # the sum of the two answers

# %%
by_name.clear()
total_by_name.compare(remembered(corner_shop.price, "tea") + remembered(corner_shop.price, "cup"))

# %% [markdown]
# Would name **and** arguments be enough? Two customers draw a number at the door. The calls are the same, the results
# are not.

# %%
numbers = []


def draw_number():
    numbers.append(len(numbers) + 1)
    return numbers[-1]


def door(ctx, _):
    return [ctx.call_activity(draw_number), ctx.call_activity(draw_number)]


# %%
replayed_numbers = predict(...)  # what does the replay return? A list such as [1, 1]

# %%
numbers.clear()
first = attempt_run(door, new("door-1"))
second = attempt_run(door, first.state)
show(second)
compare(replayed_numbers, second, second.value)

# %% [markdown]
# ### A belief: "what an activity writes into my variables stays there"
#
# `scan` appends each item to a list of the workflow, and returns nothing.

# %%


def checkout(ctx, items):
    basket = []

    def scan(item):
        basket.append(item)

    for item in items:
        ctx.call_activity(scan, item)
    return len(basket)


# %%
at_first = predict(...)  # what does the first run return for two items?
replayed = predict(...)  # what does a replay of the finished history return?

# %%
first = attempt_run(checkout, new("till-1", ["tea", "cup"]))
second = attempt_run(checkout, first.state)
compare(at_first, first, first.value)
compare(replayed, second, second.value)

# %% [markdown]
# On replay the activity does not run, so nothing is appended to the list. No engine can see that. Use the value that an
# activity **returns**.
#
# ### A belief: "the state is mine to change"
#
# `half` is the history with two records. We have already run it to completion. What does it contain now?

# %%
left = predict(...)  # how many records are in `half` now?

# %%
compare(left, half, records_in(half))

# %% [markdown]
# A state is a snapshot: support can open it tomorrow and see what was known at that time. `run` works on a copy. So we
# can run the same snapshot again, as often as we like; each run continues from there.

# %%
calls = []
show(attempt_run(shop(calls).buy, half))
print("calls:", calls)

# %% [markdown]
# ### A belief: "an empty answer is no answer"
#
# Four activities return `None`, 0, an empty string and `False`. Then the finished history is replayed.

# %%
asked = []


def answer(number):
    asked.append(number)
    return (None, 0, "", False)[number]


def survey(ctx, _):
    return [ctx.call_activity(answer, number) for number in range(4)]


# %%
asked_again = predict(...)  # how many of the four activities does the replay call?

# %%
first = attempt_run(survey, new("survey-1"))
asked.clear()
second = attempt_run(survey, first.state)
show(second)
compare(asked_again, second, len(asked))

# %% [markdown]
# ## Questions

# %%
question("replay-1", ...)

# %%
question("replay-2", ...)

# %%
question("replay-3", ...)

# %%
question("replay-4", ...)

# %% [markdown]
# ## Stretch
#
# Every prefix of a history is a history, too: it is what a crash at that point leaves. Write a loop that cuts the
# finished history of `buy` after 0, 1, 2, 3 and 4 records, and runs each prefix. What is the same in all five runs, and
# how many calls do you expect in each? Start like this, without the `#`:

# %%
# whole = attempt_run(shop([]).buy, new("shop-4", ["tea", "cup"])).state
# prefix = engine().WorkflowState("shop-4", ["tea", "cup"], whole.commands[:1])

# %% [markdown]
# ## Restart and run all: the same result?
#
# **Kernel, Restart Kernel and Run All Cells**. Your methods are in `lab/engine.py`, so they are still there, and the
# numbers must be the same. `check(1)` and `check(4)` should be green before you continue.
#
# Next: `03_determinism.ipynb`. What must a workflow never do if it is to be replayed?
