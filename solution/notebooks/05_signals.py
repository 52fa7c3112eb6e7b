# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 05 · Signals: wait two days for a human, and hold nothing
#
# **You will be able to**
#
# - let a workflow wait as long as it takes, without a process, a thread or a connection;
# - write `wait_signal` and `signal`, and say why taking a signal is a recorded command;
# - say what becomes of a signal that is early, empty, late, or sent twice;
# - keep an `except` from cancelling an order that only waits.

# %%
from __future__ import annotations  # the type hints in the TODO cells are not evaluated

from durable_lab import study
from durable_lab.lesson import attempt_run, check, engine, fresh, predict, question, todo
from durable_lab.timeline import Timeline, draw

print(study.current().label)

# %% [markdown]
# ## Ana is back on Thursday
#
# Kim's refund needs Ana's yes, and Ana is away for two days. Hundreds of other refunds wait, too. A program that sits
# and waits would hold memory, perhaps a connection, for two days; and one deploy would end it.
#
# A durable workflow does not sit. It **suspends**: the run stops, what it knows is stored, the process may end. Ana's
# answer comes as a **signal**, a message that is put into the history. Then any process runs the workflow again.
#
# ## TODO 3: take a signal, or suspend
#
# The shape is the old one: ask history, do it live, record it, return it. To do it live means here to take the first
# signal of this name. If there is none, the run stops. `self._inbox` holds, by name, the signals that are not yet
# taken.

# %%
# @todo Context.wait_signal

# %%
check(3)

# %% [markdown]
# ## TODO 5: deliver a signal
#
# Nothing runs when a signal is delivered. It is made durable, and the caller gets a new state that has it.

# %%
# @todo DurableEngine.signal

# %%
check(5)

# %% [markdown]
# ## Monday: the run stops
#
# Here is the refund once more. It also takes the time, to see how long it waited. The clock is a simulated one, and
# Monday begins at 0.

# %%
from durable_lab.lesson.story import Clock, begin, deliver, new_file, new_folder, then
from durable_lab.lesson.trying import compare, show
from durable_lab.world import World

DAY = 24 * 60 * 60
ORDER = {"id": "A1", "amount": 30, "reason": "arrived broken"}


def refund_in(world):
    """The refund with this bank, mailer and model."""

    def refund(ctx, order):
        advice = ctx.call_activity(world.assess, order)
        asked_at = ctx.now()
        decision = ctx.wait_signal("approval")
        waited = (ctx.now() - asked_at) / DAY
        if not decision["approved"]:
            return {"status": "declined", "by": decision["by"], "days": waited, "advice": advice}
        receipt = ctx.call_activity(world.pay_back, order["id"], order["amount"])
        return {"status": "refunded", "by": decision["by"], "days": waited, "receipt": receipt}

    return refund


# %%
file = new_file()  # the books of bank and model
monday = attempt_run(refund_in(World(file)), begin("refund-1", ORDER), clock=Clock(0))
draw(monday)

# %% [markdown]
# The run is blocked, and `run` has come back. Nothing waits inside it. The process may end now: from here on we use
# nothing of it but this text.

# %%
saved = then(monday, lambda m, result: result.state.to_json())
print(saved)

# %% [markdown]
# ## Wednesday: Ana says yes
#
# Another process reads the text, puts Ana's answer into it, and stores it again. The workflow does not run.

# %%
state = then(saved, lambda m, text: m.WorkflowState.from_json(text))
answered = deliver(state, "approval", {"approved": True, "by": "Ana"}, clock=Clock(2 * DAY))
saved_again = then(answered, lambda m, state: state.to_json())
show(answered)

# %% [markdown]
# A third process goes on. It has a new clock, which says Wednesday.

# %%
model_calls = predict(...)  # how often was the model called (assess), all processes together?
days = predict(...)  # how many days did the refund wait, by its own account?

# %%
world = World(file)
state = then(saved_again, lambda m, text: m.WorkflowState.from_json(text))
done = attempt_run(refund_in(world), state, clock=Clock(2 * DAY))
show(done)
compare(model_calls, done, len(world.ledger.effects("assess")))
compare(days, done, (done.value or {}).get("days"))

# %% [markdown]
# Replay went fast through the past, found the signal at the wait, and went on. Look for both in the picture.

# %%
draw(done, replayed=2, ledger=World(file).ledger)

# %% [markdown]
# ### A belief: "waiting needs a thread"
#
# We let a thousand refunds wait, and count the threads before and after.

# %%
threads = predict(...)  # how many more threads are there while 1,000 runs wait?

# %%
import threading


def waits(ctx, given):
    return ctx.wait_signal("approval")


before = threading.active_count()
waiting = [attempt_run(waits, begin(f"refund-{n}"), clock=Clock()) for n in range(1000)]
compare(threads, waiting[0], threading.active_count() - before)
print(then(waiting[0], lambda m, result: f"each one is a text of about {len(result.state.to_json())} characters"))

# %% [markdown]
# And nothing polls: the process that delivers the signal starts the next run.
#
# ### A belief: "a sleep sleeps"
#
# This author wants to give Kim two days before anybody looks at her answer, and lets the workflow sleep. Our clock only
# jumps; on a real one a process would sit there. And every replay begins at the first line.

# %%
days_slept = predict(...)  # the run is started, blocked, and resumed once. How many days were slept in all?

# %%
clock = Clock()


def sleeper(ctx, given):
    clock.sleep(2 * DAY)  # never in a workflow
    return ctx.wait_signal("answer")


blocked = attempt_run(sleeper, begin("reminder-1"), clock=clock)
result = attempt_run(sleeper, deliver(blocked.state or blocked, "answer", "thanks"), clock=clock)
compare(days_slept, result, clock.now() / DAY)

# %% [markdown]
# The sleep is not in the history, so each replay sleeps again. A **process** must not sleep; a workflow may wait for a
# time. Real engines offer **durable timers** for this: the wake-up is recorded, and the run is suspended until it is due.
# In our engine a timer is a signal from outside: a line in a table of "wake me at" delivers it. That gives every wait a
# **timeout**. Decide beforehand what a timeout means: cancel, ask another person, or do the safe thing.
#
# Here the clock says no after two days, and on the third day Ana says yes. Only then a worker takes up the run.

# %%
says = predict(...)  # what is the status in the value, "refunded" or "declined"?

# %%
refund = refund_in(World(new_file()))
asked = attempt_run(refund, begin("refund-2", ORDER), clock=Clock())
timeout = deliver(asked.state or asked, "approval", {"approved": False, "by": "the clock"}, clock=Clock(2 * DAY))
late = deliver(timeout, "approval", {"approved": True, "by": "Ana"}, clock=Clock(3 * DAY))
decided = attempt_run(refund, late, clock=Clock(3 * DAY))
show(decided)
compare(says, decided, (decided.value or {}).get("status"))

# %% [markdown]
# The first one wins, and that is recorded. Ana's answer is not lost: it stays in the state, unread.


# %%
def unread(m, result):
    taken = sum(command.kind == "signal" for command in result.state.commands)
    return f"signals: {len(result.state.signals)}, taken: {taken}"


print(then(decided, unread))
draw(decided)

# %% [markdown]
# ### A belief: "a signal is a message that I read once"
#
# First: what if it comes too early? Ana is quick. Her answer is there before the run has started.

# %%
status_of_early = predict(...)  # how does the run end, "blocked" or "completed"?

# %%
early = deliver(begin("refund-3", ORDER), "approval", {"approved": True, "by": "Ana"})
result = attempt_run(refund_in(World(new_file())), early, clock=Clock())
compare(status_of_early, result, result.status)

# %% [markdown]
# Signals are **buffered**: kept until a workflow waits for them. Now two names. Finance answers first, but the workflow
# waits for the boss first.


# %%
def two_names(ctx, given):
    boss = ctx.wait_signal("boss")
    finance = ctx.wait_signal("finance")
    return [boss, finance]


# %%
answers = predict(...)  # what is returned? A list of two texts

# %%
state = deliver(begin("names-1"), "finance", "Bo agrees")
state = deliver(state, "boss", "Ana agrees")
result = attempt_run(two_names, state, clock=Clock())
compare(answers, result, result.value)

# %% [markdown]
# Every name has a queue of its own. Within one name, the first one in is the first one out. Now comes the test for
# "read once": two answers of one name, and a crash between the two waits. The new process runs the workflow from its
# first line.

# %%
from durable_lab.checks.bench import Crash
from durable_lab.lesson.trying import crash_run

deaths = []


def note(text):
    if deaths:
        raise Crash(deaths.pop())
    return f"noted: {text}"


def two_answers(ctx, given):
    first = ctx.wait_signal("answer")
    ctx.call_activity(note, first)
    return [first, ctx.wait_signal("answer")]


# %%
answers_after_crash = predict(...)  # what is returned after the crash? A list of two texts

# %%
deaths[:] = ["the first process"]
state = deliver(deliver(begin("answers-1"), "answer", "one"), "answer", "two")
left = crash_run(two_answers, state, clock=Clock())
show(left)
result = attempt_run(two_answers, left, clock=Clock())
show(result)
compare(answers_after_crash, result, result.value)

# %% [markdown]
# Taking a signal is a command. On replay the first wait gets the same answer again, and the second wait does not get it
# too. The state still holds both signals; the history says who took which. In the picture the first wait is only
# outlined: it was replayed.

# %%
draw(result, replayed=1)

# %% [markdown]
# ### A belief: "an empty answer is no answer"
#
# A button sends no data. A form sends 0, or an empty text. Five signals with nothing in them:

# %%
completed = predict(...)  # how many of the five runs are completed?

# %%
EMPTY = (None, False, 0, "", [])
states = [deliver(begin(f"empty-{i}"), "approval", payload) for i, payload in enumerate(EMPTY)]
results = [attempt_run(waits, state, clock=Clock()) for state in states]
print(then(results[0], lambda m, result: [result.value for result in results]))
compare(completed, results[0], sum(result.status == "completed" for result in results))

# %% [markdown]
# Ask whether there **is** a signal, not whether its payload is true. If your engine waits at one of them, look there.
#
# ### A belief: "catching everything is safe"
#
# This author is careful. If anything goes wrong, the order is cancelled. But nothing is wrong: Ana has not answered
# yet.

# %%
cancelled = []


def cancel(order_id):
    cancelled.append(order_id)


def careful(ctx, order_id):
    try:
        return ctx.wait_signal("approval")
    except Exception:
        ctx.call_activity(cancel, order_id)
        return "cancelled"


# %%
orders = predict(...)  # how many orders are cancelled while it waits?

# %%
cancelled.clear()
result = attempt_run(careful, begin("order-1", "A1", needs=(3,)), clock=Clock())
show(result)
compare(orders, result, len(cancelled))

# %% [markdown]
# `WorkflowBlocked` is not an `Exception`, so it passes. A bare `except:` does catch it. Then the engine is the last
# line of defence. Here such a workflow does two things: it prints, and it calls an activity.


# %%
def reckless(ctx, order_id):
    try:
        return ctx.wait_signal("approval")
    except BaseException:
        print(f"  this line is reached: order {order_id} is about to be cancelled")
        ctx.call_activity(cancel, order_id)
        return "cancelled"


# %%
orders_of_reckless = predict(...)  # how many orders are cancelled?
status_of_reckless = predict(...)  # and the status of the run: "completed" or "blocked"?

# %%
cancelled.clear()
result = attempt_run(reckless, begin("order-2", "A1", needs=(3,)), clock=Clock())
compare(orders_of_reckless, result, len(cancelled))
compare(status_of_reckless, result, result.status)

# %% [markdown]
# The context is stopped: every later command stops again, and the run is not reported as completed. But the printed
# line shows that the code ran. With an effect in that place, outside every activity, it would have happened. So catch
# what you mean: `except ActivityError`.
#
# ### A belief: "if I close the app, the order stops"
#
# The app that starts an order is only a client. Here the app is a real process, and it is killed right after the first
# step is recorded. Nothing is cancelled. Then Ana answers, and another worker goes on.

# %%
import os
import subprocess
import sys

folder = new_folder()
env = {**os.environ, "LAB_MODULE": study.current().name}


def process(*words):
    """One step of the refund story, in a process of its own, on the engine under study. Returns its exit code."""
    command = [sys.executable, "-m", "durable_lab", "refund", *words]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    print(done.stdout + done.stderr, end="")
    return done.returncode


def app():
    """The app, in an empty folder. It is killed on its way."""
    for path in folder.glob("refund*"):
        path.unlink()
    return process("start", "--kill-at", "assess.recorded")


killed = app()
if killed not in (0, 1, 2):
    print("the app is gone, exit code", killed)

# %%
payments = predict(...)  # how many payments does the bank make in the end?

# %%
killed = app()  # once more, so that this cell counts from nothing
if killed not in (0, 1, 2) and all(process(step) == 0 for step in ("resume", "approve", "resume")):
    payments.compare(len(World(folder / "refund.world.db").ledger.effects("pay_back")))

# %% [markdown]
# The order lives in the history. To stop it, tell **it**: send a signal that the workflow understands, as
# `{"approved": False}` is one.
#
# ## What does Ana agree to?
#
# "Approved: yes" is too little. An agent may change its mind while Ana reads. So the answer names the exact action that
# was shown to her, with its arguments, and the workflow compares. If they differ, it asks again.


# %%
def bound(ctx, action):
    for _ in range(5):  # five answers to other questions are enough
        answer = ctx.wait_signal("approval")
        if answer["action"] == action:
            return {"approved": answer["approved"], "by": answer["by"], "action": action}
    return {"approved": False, "by": "no one", "action": action}


# %% [markdown]
# Ana has agreed to pay back 30. In the meantime the action has become 900.

# %%
status = predict(...)  # how does this run end, "completed" or "blocked"?

# %%
yes_to_30 = {"approved": True, "by": "Ana", "action": ["pay_back", "A1", 30]}
stale = deliver(begin("action-1", ["pay_back", "A1", 900]), "approval", yes_to_30)
asks_again = attempt_run(bound, stale, clock=Clock())
show(asks_again)
compare(status, asks_again, asks_again.status)

# %% [markdown]
# The old answer was taken, recorded and not used. The run waits for an answer to the new question. Everything is in the
# history: who, what, when. For an audit one thing more is needed: here `by` is whatever the sender wrote, and it has to
# come from the **authenticated** user instead. Now Bo agrees to the 900.

# %%
yes_to_900 = {"approved": True, "by": "Bo", "action": ["pay_back", "A1", 900]}
show(attempt_run(bound, deliver(asks_again.state or asks_again, "approval", yes_to_900), clock=Clock()))

# %% [markdown]
# ## Questions

# %%
question("signals-1", ...)

# %%
question("signals-2", ...)

# %%
question("signals-3", ...)

# %%
question("signals-4", ...)

# %%
question("signals-5", ...)

# %%
question("signals-6", ...)

# %% [markdown]
# ## Decide it yourself
#
# This is Monday again, as something to touch. Click into it and press **space**: your engine runs up to the wait. Press
# **s** and choose the signal, and it goes on. Then go back to the wait with **←**, fork there with **f**, and say no in
# the other future. The two stand above each other, and their first difference is marked. (It has a bank of its own.)

# %%
again = begin("refund-1", ORDER)
own = refund_in(World(new_file()))
Timeline(own, again, engine=engine(), clock=Clock(0), signals={"approval": {"approved": True, "by": "Ana"}})

# %% [markdown]
# ## Stretch
#
# 1. A nervous user clicks twice, and two equal signals arrive. Your engine keeps both, and it must: two equal answers
#    may both be meant. How could the sender mark them as one? (Think of lesson 04. The store's `journal` has a
#    `signal_key`.)
# 2. Write an approval record for "merge a pull request". Which fields does it need, so that a commit that is pushed
#    afterwards is not approved with it?

# %% [markdown]
# ## Restart and run all: the same result?
#
# **Kernel, Restart Kernel and Run All Cells**. The numbers must be the same as before, but for the time of day in the
# story of the app: that one was told in real time.
#
# Next: `06_sagas.ipynb`. What if a later step fails, and the earlier ones have to be undone?
