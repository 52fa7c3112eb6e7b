# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 06 · Sagas: undo what was done, last step first
#
# **You will be able to**
#
# - undo the finished steps when a later one fails, in the right order, and only those;
# - handle a step that failed but may have taken effect, and an undo that fails;
# - crash a saga at every point, and show that the result is the same;
# - run the whole story on your own engine, and explain every line of it.

# %%
from __future__ import annotations  # the type hints in the TODO cells are not evaluated

from durable_lab import study
from durable_lab.lesson import attempt_run, check, engine, fresh, predict, question, todo
from durable_lab.timeline import draw

print(study.current().label)

# %% [markdown]
# ## A flight, a hotel, and no car
#
# Kim wants a trip: flight, hotel, car. The flight is booked, the hotel is booked, and there is no car. Without a car
# she cannot get to the hotel. A database could roll back. An airline cannot: the flight has been bought, and can only
# be cancelled.
#
# A step that undoes the effect of an earlier one is a **compensation**. A **saga** is a sequence of steps, each with
# its compensation. Here is a travel agency with its own books. A negative amount is money that it gives back.

# %%
from durable_lab.lesson.story import Clock, begin, crash_at, deliver, new_file, then
from durable_lab.lesson.trying import compare, crash_run, show
from durable_lab.world import Ledger
from durable_lab.world.services import Service

PRICES = {"flight": 200, "hotel": 150, "car": 60}


class SoldOut(Exception):
    """Nothing is left. The agency's answer is final."""


class Agency(Service):
    """Books and cancels. Calls for the things in `sold_out`, `silent` or `strict` fail."""

    name, sold_out, silent, strict = "agency", (), (), ()

    def book(self, what, *, idempotency_key):
        if what in self.sold_out:
            raise SoldOut(f"no {what} left")
        self._perform(f"book {what}", idempotency_key, {"costs": PRICES[what]})
        if what in self.silent:
            raise TimeoutError("no answer")  # it is booked, but the answer is lost

    def cancel(self, what, *, idempotency_key):
        if what in self.strict:
            raise PermissionError(f"the {what} cannot be cancelled on the last day")
        booked = self.ledger.effects(f"book {what}")  # check first: without a booking, no money is given back
        self._perform(f"cancel {what}", idempotency_key, {"costs": -PRICES[what] if booked else 0})

    def balance(self):
        """Print the books. Returns what Kim has paid so far."""
        for effect in self.ledger.effects():
            print(f"  {effect.operation}: {effect.body['costs']}")
        return sum(effect.body["costs"] for effect in self.ledger.effects())


# %% [markdown]
# ## Undo in reverse
#
# We start with an ordinary `except ActivityError`. The workflow notes each finished step; if a step fails, it undoes
# them in reverse.


# %%
def trip(ctx, things):
    done = []
    try:
        for what in things:
            ctx.call_activity(agency.book, what)
            done.append(what)
        return {"status": "booked"}
    except engine().ActivityError as error:
        for what in reversed(done):
            ctx.call_activity(agency.cancel, what)
        return {"status": "cancelled", "why": error.message}


THINGS = ["flight", "hotel", "car"]

# %%
paid = predict(...)  # no car is left. How much has Kim paid in the end?

# %%
agency = Agency(Ledger(new_file()))
agency.sold_out = ("car",)
result = attempt_run(trip, begin("trip-1", THINGS), clock=Clock())
show(result)
compare(paid, result, agency.balance())

# %% [markdown]
# The variable `done` is not stored. A new process restores it by replay, because the history records which steps
# succeeded. This is why sagas and durable execution work well together.

# %%
draw(result, ledger=agency.ledger)

# %% [markdown]
# ### A belief: "the order of undoing does not matter"
#
# Three steps: open an account, deposit 100, order a card. The card fails. This author undoes the steps in the order in
# which they ran.

# %%
account = {}


def open_account():
    account.update(open=True, money=0)


def close_account():
    account["open"] = False


def put_in():
    account["money"] += 100


def take_out():
    if not account["open"]:
        raise RuntimeError("the account is closed")
    account["money"] -= 100


def order_card():
    raise SoldOut("no cards")


def forwards(ctx, given):
    try:
        for do in (open_account, put_in, order_card):
            ctx.call_activity(do)
    except engine().ActivityError:
        for undo in (close_account, take_out):
            ctx.call_activity(undo)


# %%
money = predict(...)  # how much money is stuck in the closed account?

# %%
account.clear()
result = attempt_run(forwards, begin("account-1"), clock=Clock())
show(result)
compare(money, result, account.get("money"))

# %% [markdown]
# A later step may depend on an earlier one, so it must be undone first.
#
# ### A belief: "to be safe, undo all steps"
#
# Now the hotel is sold out, so the car was never requested. This author gives the money back for all three, and
# `give_back` does not check whether it was ever paid.


# %%
def give_back(what, *, idempotency_key):
    agency._perform(f"give back {what}", idempotency_key, {"costs": -PRICES[what]})


def undo_all(ctx, things):
    try:
        for what in things:
            ctx.call_activity(agency.book, what)
    except engine().ActivityError:
        for what in reversed(things):
            ctx.call_activity(give_back, what)


# %%
paid_for_all = predict(...)  # how much has Kim paid in the end? (If negative, the agency lost money.)

# %%
agency = Agency(Ledger(new_file()))
agency.sold_out = ("hotel",)
result = attempt_run(undo_all, begin("trip-2", THINGS), clock=Clock())
compare(paid_for_all, result, agency.balance())

# %% [markdown]
# A step that never began has nothing to undo. Here money was given back for a hotel and a car that had never been paid
# for.
#
# ## A step that failed but took effect
#
# As in lesson 04, a missing answer does not mean that nothing happened. The car is booked, but each answer is lost. For
# `trip` the step has failed, so it is not in `done`.

# %%
paid_for_lost_answer = predict(...)  # `trip` again. How much has Kim paid in the end?

# %%
agency = Agency(Ledger(new_file()))
agency.silent = ("car",)
result = attempt_run(trip, begin("trip-3", THINGS), clock=Clock())
show(result)
compare(paid_for_lost_answer, result, agency.balance())

# %% [markdown]
# Kim has no trip, but pays for a car. So the undo must be noted **before** the step. Then the undo may run for a step
# that never happened; it must check first and do nothing in that case, as `Agency.cancel` does. Even that is not enough
# for a booking that is still in transit: it may arrive **after** the cancellation. Either the other side remembers the
# cancellation and refuses later bookings, or the undo is repeated later. Here is the whole saga as a small function.


# %%
def saga(ctx, steps):
    """Run the steps (do, undo, what) in order; if one fails, undo in reverse. Returns what is undone and what is left."""
    begun = []
    try:
        for do, undo, what in steps:
            begun.append((undo, what))  # subtle: before the step, because a step that failed may have taken effect
            ctx.call_activity(do, what)
        return {"status": "done"}
    except engine().ActivityError as error:
        why = error.message
    undone, left = [], []
    for undo, what in reversed(begun):
        try:
            ctx.call_activity(undo, what)
            undone.append(what)
        except engine().ActivityError:
            left.append(what)  # continue with the others
    return {"status": "undone" if not left else "a human is needed", "why": why, "undone": undone, "left": left}


def safe_trip(ctx, things):
    return saga(ctx, [(agency.book, agency.cancel, what) for what in things])


# %%
paid_after_saga = predict(...)  # the same car whose answers are lost. How much has Kim paid now?

# %%
agency = Agency(Ledger(new_file()))
agency.silent = ("car",)
result = attempt_run(safe_trip, begin("trip-4", THINGS), clock=Clock())
show(result)
compare(paid_after_saga, result, agency.balance())

# %% [markdown]
# ## If an undo fails
#
# The hotel does not accept cancellations on the last day. That answer is final. What about the flight?

# %%
undone = predict(...)  # which things are undone? A list, in the order of undoing
not_undone = predict(...)  # and which are not? A list

# %%
agency = Agency(Ledger(new_file()))
agency.sold_out, agency.strict = ("car",), ("hotel",)
result = attempt_run(safe_trip, begin("trip-5", THINGS), clock=Clock())
show(result)
agency.balance()
compare(undone, result, (result.value or {}).get("undone"))
compare(not_undone, result, (result.value or {}).get("left"))

# %% [markdown]
# The saga also asked to undo "car", because that step had begun; there was no booking, so no money was given back. The
# hotel is left, and the result says so: a person must handle it. A saga that hides this is worse than one that fails.
#
# ### A belief: "a trip that waits has gone wrong"
#
# Between flight and hotel a person must approve. No answer has come yet.


# %%
def trip_with_approval(ctx, things):
    try:
        ctx.call_activity(agency.book, "flight")
        ctx.wait_signal("approval")
        ctx.call_activity(agency.book, "hotel")
    except engine().ActivityError:
        ctx.call_activity(agency.cancel, "flight")


# %%
cancellations = predict(...)  # how many cancellations are in the books while the run waits?

# %%
agency = Agency(Ledger(new_file()))
result = attempt_run(trip_with_approval, begin("trip-6", THINGS), clock=Clock())
show(result)
compare(cancellations, result, len(agency.ledger.effects("cancel flight")))

# %% [markdown]
# Waiting is not failing. Suspension runs no compensation.
#
# ## Crash at every point
#
# Now the hardest test. First we run the saga once, and collect every point that the agency passes: before each effect,
# and after it, when it is not yet recorded. (A crash right after a record is the same as one before the next effect.)

# %%
points = []
agency = Agency(Ledger(new_file()), at=points.append)
agency.silent = ("car",)
wanted = attempt_run(safe_trip, begin("trip-7", THINGS), clock=Clock())
books = agency.ledger.effects()
points = list(dict.fromkeys(points))  # without duplicates
print(then(wanted, lambda m, result: points))

# %% [markdown]
# **Predict.** For each of these points, a process dies there, and a new one continues from the journal. In how many of
# these cases are the agency's books and the result the same as without a crash?

# %%
same = predict(...)  # in how many of the cases? A number

# %%
equal = []
for point in points:
    agency = Agency(Ledger(new_file()), at=crash_at(point))
    agency.silent = ("car",)
    died = crash_run(safe_trip, begin("trip-7", THINGS), clock=Clock())
    ended = attempt_run(safe_trip, died, clock=Clock())
    equal.append(agency.ledger.effects() == books and ended.value == wanted.value)
    replayed = len(getattr(died, "commands", ()))
    print(f"dies at {point:<20}  replayed: {replayed}  {'the same' if equal[-1] else 'not the same'}")
compare(same, wanted, sum(equal))

# %% [markdown]
# Again there are two halves. Your engine does not repeat a recorded effect. An effect that is not recorded is requested
# again with the same key, and the agency does not repeat it. Here is the last of these runs, which died inside an undo.
# First, what the crash left:

# %%
draw(died if points else wanted, crash=point if points else None)

# %% [markdown]
# And the same run after the new process: which commands were replayed, and which were live.

# %%
draw(ended if points else wanted, replayed=replayed if points else 0)

# %% [markdown]
# ## The whole story, on your engine
#
# Now Kim's refund from beginning to end. Every step is a separate process; one is killed with `kill -9` right after the
# bank has paid. The processes share only a file.

# %%
import os
import subprocess
import sys


def demo(*words):
    """Run `durable-lab demo` on the engine under study in a separate process. Returns how often the bank paid."""
    command = [sys.executable, "-m", "durable_lab", "demo", *words]
    env = {**os.environ, "LAB_MODULE": study.current().name, "FORCE_COLOR": "", "COLUMNS": "100"}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    print(done.stdout + done.stderr)
    told = done.stdout.partition("refunds paid by the bank: ")[2].split()
    return int(told[0]) if told else None


# %%
refunds = predict(...)  # how many refunds are in the bank's books after a kill right after the payment?

# %%
count = demo()
if count is not None:
    refunds.compare(count)

# %% [markdown]
# Read the output from top to bottom. For each line of the history, say which process made it, and whether it was live
# or replayed. Then run the same with a bank that does not check keys.

# %%
naive_refunds = predict(...)  # how many refunds now?

# %%
count = demo("--naive")
if count is not None:
    naive_refunds.compare(count)

# %% [markdown]
# Your engine did the same both times. It promises only what it can keep alone.
#
# ## All 14 tests

# %%
check()

# %% [markdown]
# ## What surrounds such an engine
#
# Two features of larger engines, on a small scale. The first is **fan-out**: many independent steps, each recorded
# separately. (Your engine runs them one after the other, real engines run them concurrently; the records are the same.)
# A crash in the middle repeats only the unfinished ones. And a plan that is too wide is refused, because a model that
# asks for 200 searches incurs the cost of 200 searches.

# %%
WIDEST = 5
searched = []


def search(word):
    searched.append(word)
    if searched == ["a", "b", "c"]:
        raise Crash("the first process dies in its third search")
    return f"found {word}"


def research(ctx, words):
    if len(words) > WIDEST:
        return f"refused: {len(words)} searches, at most {WIDEST}"
    return [ctx.call_activity(search, word) for word in words]


# %%
searches = predict(...)  # five words, and a crash in the third search. How many searches start, in both processes?

# %%
from durable_lab.checks.bench import Crash

searched.clear()
found = attempt_run(research, crash_run(research, begin("r-1", list("abcde")), clock=Clock()), clock=Clock())
compare(searches, found, len(searched))
show(attempt_run(research, begin("r-2", [f"word {i}" for i in range(200)]), clock=Clock()))

# %% [markdown]
# The second is a **stream** for a person or program that watches. Task and connection are independent: the events are
# stored per task, and the watcher has a **cursor**, the number of events that it has seen. A history is such a list.
# After a lost connection, the watcher continues from its cursor.


# %%
def events_from(cursor, state):
    """Return all events that a watcher with this cursor has not seen."""
    return [f"{command.name}: {command.value}" for command in state.commands[cursor:]]


# %%
rest = predict(...)  # a watcher saw 3 of the 5 searches, and reconnects. How many events does it get?


# %%
def reconnects(m, result):
    whole, missed = events_from(0, result.state), events_from(3, result.state)
    print("first 3, then the rest, is the whole:", whole[:3] + missed == whole)
    return len(missed)


compare(rest, found, then(found, reconnects))

# %% [markdown]
# ## The last questions
#
# About sagas:

# %%
question("sagas-1", ...)

# %%
question("sagas-2", ...)

# %%
question("sagas-3", ...)

# %% [markdown]
# About the whole lab. Answer aloud before you look at the choices, as in an interview.

# %%
question("sagas-4", ...)

# %%
question("sagas-5", ...)

# %%
question("sagas-6", ...)

# %%
question("sagas-7", ...)

# %%
question("sagas-8", ...)

# %%
question("sagas-9", ...)

# %%
question("sagas-10", ...)

# %% [markdown]
# ## Remember this
#
# Cover the right column, and answer each question aloud.
#
# | question | answer |
# |---|---|
# | What is the source of truth? | The log. A process is disposable. |
# | How much machinery do I need? | Checkpoints for most agents; replay for work that is long, waits, or moves money. |
# | What may a workflow do? | Make decisions, the same each time. Everything else is an activity, and is recorded. |
# | How often does an effect happen? | At least once from the engine; once in the world, if the service knows the key. |
# | What is an approval? | A stop, bound to one exact action, with a timeout and a record of who approved. |
#
# ## Stretch
#
# 1. The history shows that the agency was asked three times for a car that is sold out. Which lesson had the solution?
#    Apply it.
# 2. One part of a trip is a saga itself: a tour with its own three bookings. Write it with `saga` inside a step of
#    `saga`. Must the inner one be an activity? (An activity must not use `ctx`.) What does the outer one have to know
#    to undo it?

# %% [markdown]
# ## Restart and run all: the same result?
#
# **Kernel, Restart Kernel and Run All Cells**. The numbers must be the same as before, except the times of day in the
# demo.
#
# This was the last lesson. Next, run `durable-lab demo --kill-at send_email.effect` and the other points in a terminal,
# run the story step by step with `durable-lab refund start`, and read "Real engines compared" in the handout: which of
# them would you choose for your own agent, and why?
