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
# - say what to do about a step that failed but may have happened, and about an undo that fails;
# - crash a saga at every point, and show that the end is the same;
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
# she cannot get to the hotel. A database could roll back. An airline cannot: the flight is bought. It can only be
# cancelled.
#
# Such a step that makes up for an earlier one is a **compensation**. A **saga** is a row of steps, each with its
# compensation. Here is a travel agency with its own books. A minus is money that it gives back.

# %%
from durable_lab.lesson.story import Clock, begin, crash_at, deliver, new_file, then
from durable_lab.lesson.trying import compare, crash_run, show
from durable_lab.world import Ledger
from durable_lab.world.services import Service

PRICES = {"flight": 200, "hotel": 150, "car": 60}


class SoldOut(Exception):
    """The agency's last word."""


class Agency(Service):
    """Books and cancels. What is in `sold_out`, `silent` or `strict` goes wrong."""

    name, sold_out, silent, strict = "agency", (), (), ()

    def book(self, what, *, idempotency_key):
        if what in self.sold_out:
            raise SoldOut(f"no {what} left")
        self._perform(f"book {what}", idempotency_key, {"costs": PRICES[what]})
        if what in self.silent:
            raise TimeoutError("no answer")  # it is booked, but the answer gets lost

    def cancel(self, what, *, idempotency_key):
        if what in self.strict:
            raise PermissionError(f"no cancelling of the {what} on the last day")
        booked = self.ledger.effects(f"book {what}")  # it looks first: where nothing is booked, it gives nothing back
        self._perform(f"cancel {what}", idempotency_key, {"costs": -PRICES[what] if booked else 0})

    def balance(self):
        """Prints the books. Returns what Kim has paid by now."""
        for effect in self.ledger.effects():
            print(f"  {effect.operation}: {effect.body['costs']}")
        return sum(effect.body["costs"] for effect in self.ledger.effects())


# %% [markdown]
# ## Undo in reverse
#
# An ordinary `except ActivityError` is enough to begin with. What is done, is noted; when something fails, it is undone
# in reverse.


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
# The variable `done` is not stored. A new process gets it back by replay, because the history says which steps
# succeeded. That is why sagas and durable execution fit together.

# %%
draw(result, ledger=agency.ledger)

# %% [markdown]
# ### A belief: "the order of undoing does not matter"
#
# Three steps: open an account, put 100 into it, order a card. The card fails. This author undoes in the order in which
# things were done.

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
# A later step may stand on an earlier one. So the last one goes first.
#
# ### A belief: "to be safe, undo all steps"
#
# Now the hotel is sold out, so the car was never asked for. This author gives the money back for all three, and a bank
# does not look whether it was ever paid.


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
paid_for_all = predict(...)  # how much has Kim paid in the end? (A minus is a gift.)

# %%
agency = Agency(Ledger(new_file()))
agency.sold_out = ("hotel",)
result = attempt_run(undo_all, begin("trip-2", THINGS), clock=Clock())
compare(paid_for_all, result, agency.balance())

# %% [markdown]
# A step that never began has nothing to undo. Money was given back for a hotel and a car that had never been charged.
#
# ## The step that failed, and happened
#
# Lesson 04 again: no answer is not a no. The car is booked, but each answer gets lost. For `trip` the step has failed,
# so it is not in `done`.

# %%
paid_for_lost_answer = predict(...)  # `trip` once more. How much has Kim paid in the end?

# %%
agency = Agency(Ledger(new_file()))
agency.silent = ("car",)
result = attempt_run(trip, begin("trip-3", THINGS), clock=Clock())
show(result)
compare(paid_for_lost_answer, result, agency.balance())

# %% [markdown]
# Kim has no trip, and pays for a car. So the undo is noted **before** the step. Then the undo may meet a step that
# never happened; it must look first and do nothing, as `Agency.cancel` does. Even that is not enough for a booking that
# is still on its way: it may land **after** the cancellation. The other side has to remember the cancellation and refuse
# what comes later, or the undo is repeated later. Here is the whole saga as a small function.


# %%
def saga(ctx, steps):
    """Do the steps (do, undo, what) in order; if one fails, undo in reverse. Says what is undone and what is not."""
    begun = []
    try:
        for do, undo, what in steps:
            begun.append((undo, what))  # subtle: before the step, because a step that failed may have happened
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
            left.append(what)  # the other ones are still undone
    return {"status": "undone" if not left else "a human is needed", "why": why, "undone": undone, "left": left}


def safe_trip(ctx, things):
    return saga(ctx, [(agency.book, agency.cancel, what) for what in things])


# %%
paid_after_saga = predict(...)  # the same car whose answers get lost. How much has Kim paid now?

# %%
agency = Agency(Ledger(new_file()))
agency.silent = ("car",)
result = attempt_run(safe_trip, begin("trip-4", THINGS), clock=Clock())
show(result)
compare(paid_after_saga, result, agency.balance())

# %% [markdown]
# ## When an undo fails
#
# The hotel does not take cancellations on the last day. That is final. What about the flight?

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
# "car" was asked to be undone as well, since it had begun; nothing was there, so nothing was given back. The hotel is
# left, and the result says so: a person must see to it. A saga that hides this is worse than one that fails.
#
# ### A belief: "a trip that waits has gone wrong"
#
# Between flight and hotel a person must agree. No answer has come yet.


# %%
def trip_with_approval(ctx, things):
    try:
        ctx.call_activity(agency.book, "flight")
        ctx.wait_signal("approval")
        ctx.call_activity(agency.book, "hotel")
    except engine().ActivityError:
        ctx.call_activity(agency.cancel, "flight")


# %%
cancellations = predict(...)  # how many cancellations are in the books while it waits?

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
# Now the hardest test. First we let the saga run once, and note every point that the agency passes: before each effect,
# and after it, when it is not yet recorded. (A death right after a record is the same as one before the next effect.)

# %%
points = []
agency = Agency(Ledger(new_file()), at=points.append)
agency.silent = ("car",)
wanted = attempt_run(safe_trip, begin("trip-7", THINGS), clock=Clock())
books = agency.ledger.effects()
points = list(dict.fromkeys(points))  # each one once
print(then(wanted, lambda m, result: points))

# %% [markdown]
# **Predict.** For each of these points: a process dies there, and a new one goes on from the journal. In how many of
# the cases are the agency's books, and the answer, the same as without a crash?

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
# Two halves again. What is recorded does not run again: that is your engine. What is not recorded runs again with the
# same key: that is the agency. Here is the last of these runs, which died inside an undo. First what the crash left:

# %%
draw(died if points else wanted, crash=point if points else None)

# %% [markdown]
# And the same run after the new process: what was replayed, and what was live.

# %%
draw(ended if points else wanted, replayed=replayed if points else 0)

# %% [markdown]
# ## The whole story, on your engine
#
# Now Kim's refund, from beginning to end. Every step is a process of its own; one is killed with `kill -9` right after
# the bank has paid. All that they share is a file.

# %%
import os
import subprocess
import sys


def demo(*words):
    """`durable-lab demo` on the engine under study, in a process of its own. Returns how often the bank paid."""
    command = [sys.executable, "-m", "durable_lab", "demo", *words]
    env = {**os.environ, "LAB_MODULE": study.current().name, "FORCE_COLOR": "", "COLUMNS": "100"}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    print(done.stdout + done.stderr)
    told = done.stdout.partition("refunds paid by the bank: ")[2].split()
    return int(told[0]) if told else None


# %%
refunds = predict(...)  # how many refunds in the bank's books, with a kill right after the payment?

# %%
count = demo()
if count is not None:
    refunds.compare(count)

# %% [markdown]
# Read it from top to bottom, and say for each line of the history who made it, and whether it was live or replayed.
# Then the same with a bank that does not look at keys.

# %%
naive_refunds = predict(...)  # how many refunds now?

# %%
count = demo("--naive")
if count is not None:
    naive_refunds.compare(count)

# %% [markdown]
# Your engine did the same both times. What it cannot promise alone, it does not promise.
#
# ## All of it

# %%
check()

# %% [markdown]
# ## What stands around such an engine
#
# Two things that every larger engine has, in small. First, **fan-out**: many independent steps, each recorded by
# itself. (Yours does them one after the other, real engines at the same time; the records are alike.) A crash in the
# middle costs only the unfinished ones. And a plan that is too wide is refused: a model that wants 200 searches has a
# bill of 200 searches.

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
searches = predict(
    ...
)  # five words, a crash in the third search. How many searches are begun, both processes together?

# %%
from durable_lab.checks.bench import Crash

searched.clear()
found = attempt_run(research, crash_run(research, begin("r-1", list("abcde")), clock=Clock()), clock=Clock())
compare(searches, found, len(searched))
show(attempt_run(research, begin("r-2", [f"word {i}" for i in range(200)]), clock=Clock()))

# %% [markdown]
# Second, a **stream** for a person or program that watches. Task and connection know nothing of each other: the events are kept per
# task, and the watcher has a **cursor**, the number of events seen. A history is such a list. After a broken line one
# goes on from the cursor.


# %%
def events_from(cursor, state):
    """All events that a watcher with this cursor has not seen."""
    return [f"{command.name}: {command.value}" for command in state.commands[cursor:]]


# %%
rest = predict(...)  # a watcher saw 3 of the 5 searches, and comes back. How many events does it get?


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
# And about the whole lab. Say your answer aloud before you look at the choices; it may be asked in an interview.

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
# Cover the right column, and say it yourself.
#
# | the question | the sentence |
# |---|---|
# | Where is the truth? | In the log. A process can be thrown away. |
# | How much machinery? | Checkpoints for most agents; replay for work that is long, waits, or moves money. |
# | What may a workflow do? | Decide, the same each time. All else is an activity, and is recorded. |
# | How often does an effect happen? | At least once from the engine; once in the world, if that knows the key. |
# | What is an approval? | A stop, bound to one exact action, with a timeout and a record of who agreed. |
#
# ## Stretch
#
# 1. The history shows that the agency was asked three times for a car that is sold out. Which lesson had the cure? Use
#    it.
# 2. A trip has a part that is a saga itself: a tour with its own three bookings. Write it with `saga` inside a step of
#    `saga`. Must the inner one be an activity? (An activity may not use `ctx`.) What does the outer one have to know to
#    undo it?

# %% [markdown]
# ## Restart and run all: the same result?
#
# **Kernel, Restart Kernel and Run All Cells**. The numbers must be the same as before; times of day in the demo are
# not.
#
# This was the last lesson. Next: run `durable-lab demo --kill-at send_email.effect` and the other points in a terminal,
# tell the story by hand with `durable-lab refund start`, and read "Real engines compared" in the handout: which of them
# would you take for your own agent, and why?
