# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 05 · Signals: wait two days for a human without holding a resource
#
# **You will be able to**
#
# - let a workflow wait for as long as needed, without a process, a thread or a connection;
# - write `wait_signal` and `signal`, and explain why consuming a signal is a recorded command;
# - explain what happens to a signal that is early, empty, late, or sent twice;
# - prevent an `except` from cancelling an order that only waits.

# %%
from __future__ import annotations  # the type hints in the TODO cells are not evaluated

from durable_lab import study
from durable_lab.lesson import attempt_run, check, engine, fresh, predict, question, todo
from durable_lab.timeline import Timeline, draw

print(study.current().label)

# %% [markdown]
# ## Ana is back on Thursday
#
# Kim's refund needs Ana's approval, and Ana is away for two days. Hundreds of other refunds wait, too. A program that
# keeps running would hold memory, and perhaps a connection, for two days, and a deployment would end it.
#
# A durable workflow **suspends** instead: the run stops, its history is stored, and the process may end. Ana's answer
# arrives as a **signal**, a message that is added to the history. Then any process can run the workflow again.
#
# ## TODO 3: take a signal, or suspend
#
# The shape is the same: ask, do, record, return. Here "do" means taking the first signal of this name. If there is
# none, the run stops. `self._inbox` holds, by name, the signals that are not yet consumed.

# %%
# @todo Context.wait_signal

# %%
check(3)

# %% [markdown]
# ## TODO 5: deliver a signal
#
# Nothing runs when a signal is delivered. The signal is recorded, and the caller gets a new state that contains it.

# %%
# @todo DurableEngine.signal

# %%
check(5)

# %% [markdown]
# ## Monday: the run stops
#
# Here is the refund again. It also reads the time, to measure how long it waited. The clock is simulated, and Monday
# begins at 0.

# %%
from durable_lab.lesson.story import Clock, begin, deliver, new_file, new_folder, then
from durable_lab.lesson.trying import compare, show
from durable_lab.world import World

DAY = 24 * 60 * 60
ORDER = {"id": "A1", "amount": 30, "reason": "arrived broken"}


def refund_in(world):
    """Return the refund workflow with this bank, mailer and model."""

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
# The run is blocked, and `run` has returned. No code is waiting. The process may end now: from here on we use only this
# string.

# %%
saved = then(monday, lambda m, result: result.state.to_json())
print(saved)

# %% [markdown]
# ## Wednesday: Ana approves
#
# Another process reads the string, adds Ana's answer, and stores it again. The workflow does not run.

# %%
state = then(saved, lambda m, text: m.WorkflowState.from_json(text))
answered = deliver(state, "approval", {"approved": True, "by": "Ana"}, clock=Clock(2 * DAY))
saved_again = then(answered, lambda m, state: state.to_json())
show(answered)

# %% [markdown]
# A third process continues. Its clock says Wednesday.

# %%
model_calls = predict(...)  # how often was the model called (assess), counted over all processes?
days = predict(...)  # how many days did the refund wait, according to its result?

# %%
world = World(file)
state = then(saved_again, lambda m, text: m.WorkflowState.from_json(text))
done = attempt_run(refund_in(world), state, clock=Clock(2 * DAY))
show(done)
compare(model_calls, done, len(world.ledger.effects("assess")))
compare(days, done, (done.value or {}).get("days"))

# %% [markdown]
# The replay returned the recorded results, found the signal at the wait, and continued live. Find these parts in the
# timeline.

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
print(then(waiting[0], lambda m, result: f"each one is a string of about {len(result.state.to_json())} characters"))

# %% [markdown]
# And nothing polls: the process that delivers the signal starts the next run.
#
# ### A belief: "a workflow may sleep"
#
# This author wants to give Kim two days to answer, and lets the workflow sleep. Our clock only jumps; with a real one,
# a process would be held for two days. And every replay starts at the first line.

# %%
days_slept = predict(...)  # the run is started, blocked, and resumed once. How many days did it sleep in total?

# %%
clock = Clock()


def sleeper(ctx, given):
    clock.sleep(2 * DAY)  # never in a workflow
    return ctx.wait_signal("answer")


blocked = attempt_run(sleeper, begin("reminder-1"), clock=clock)
result = attempt_run(sleeper, deliver(blocked.state or blocked, "answer", "thanks"), clock=clock)
compare(days_slept, result, clock.now() / DAY)

# %% [markdown]
# The sleep is not in the history, so each replay sleeps again. A **process** must not sleep, but a workflow may wait
# for a time. Real engines offer **durable timers** for this: the wake-up time is recorded, and the run is suspended
# until it is due. In our engine a timer is a signal from outside: a program that keeps a table of wake-up times
# delivers it. This gives every wait a **timeout**. Decide in advance what a timeout means: cancel, ask another person,
# or do the safe thing.
#
# Here the clock declines after two days, and on the third day Ana approves. Only then does a worker continue the run.

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
# The first signal wins, and that is recorded. Ana's answer is not lost: it stays in the state, unread.


# %%
def unread(m, result):
    taken = sum(command.kind == "signal" for command in result.state.commands)
    return f"signals: {len(result.state.signals)}, taken: {taken}"


print(then(decided, unread))
draw(decided)

# %% [markdown]
# ### A belief: "a signal is a message that I read once"
#
# First, a signal that comes too early. Ana is quick: her answer arrives before the run has started.

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
answers = predict(...)  # what is returned? A list of two strings

# %%
state = deliver(begin("names-1"), "finance", "Bo agrees")
state = deliver(state, "boss", "Ana agrees")
result = attempt_run(two_names, state, clock=Clock())
compare(answers, result, result.value)

# %% [markdown]
# Every name has a queue of its own. Within one name, signals are consumed first in, first out. Now we test "read once":
# two answers of one name, and a crash between the two waits. The new process runs the workflow from its first line.

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
answers_after_crash = predict(...)  # what is returned after the crash? A list of two strings

# %%
deaths[:] = ["the first process"]
state = deliver(deliver(begin("answers-1"), "answer", "one"), "answer", "two")
left = crash_run(two_answers, state, clock=Clock())
show(left)
result = attempt_run(two_answers, left, clock=Clock())
show(result)
compare(answers_after_crash, result, result.value)

# %% [markdown]
# Consuming a signal is a command. On replay the first wait gets the same answer again, and the second wait gets the
# other one. The state still holds both signals; the history records which wait consumed which. In the timeline the
# first wait is only outlined, because it was replayed.

# %%
draw(result, replayed=1)

# %% [markdown]
# ### A belief: "an empty answer is no answer"
#
# A button sends no data. A form sends 0 or an empty string. Here are five signals with empty payloads:

# %%
completed = predict(...)  # how many of the five runs are completed?

# %%
EMPTY = (None, False, 0, "", [])
states = [deliver(begin(f"empty-{i}"), "approval", payload) for i, payload in enumerate(EMPTY)]
results = [attempt_run(waits, state, clock=Clock()) for state in states]
print(then(results[0], lambda m, result: [result.value for result in results]))
compare(completed, results[0], sum(result.status == "completed" for result in results))

# %% [markdown]
# Check whether there **is** a signal, not whether its payload is true. If your engine blocks at one of them, look for
# that check.
#
# ### A belief: "catching everything is safe"
#
# This author is careful: if anything goes wrong, the order is cancelled. But nothing is wrong. Ana has not answered
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
orders = predict(...)  # how many orders are cancelled while the run waits?

# %%
cancelled.clear()
result = attempt_run(careful, begin("order-1", "A1", needs=(3,)), clock=Clock())
show(result)
compare(orders, result, len(cancelled))

# %% [markdown]
# `WorkflowBlocked` is not an `Exception`, so it passes. A bare `except:` does catch it. Then the engine is the last
# line of defence. The next workflow does two things after catching it: it prints, and it calls an activity.


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
# line shows that the code ran. An effect there, outside any activity, would have happened. So catch only what you mean:
# `except ActivityError`.
#
# ### A belief: "if I close the app, the order stops"
#
# The app that starts an order is only a client. Here the app is a real process, and it is killed right after the first
# step is recorded. Nothing is cancelled. Then Ana answers, and another worker continues.

# %%
import os
import subprocess
import sys

folder = new_folder()
env = {**os.environ, "LAB_MODULE": study.current().name}


def process(*words):
    """Run one step of the refund story in a separate process, on the engine under study. Returns its exit code."""
    command = [sys.executable, "-m", "durable_lab", "refund", *words]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    print(done.stdout + done.stderr, end="")
    return done.returncode


def app():
    """Run the app in an empty folder. It is killed before it finishes."""
    for path in folder.glob("refund*"):
        path.unlink()
    return process("start", "--kill-at", "assess.recorded")


killed = app()
if killed not in (0, 1, 2):
    print("the app was killed, exit code", killed)

# %%
payments = predict(...)  # how many payments does the bank make in the end?

# %%
killed = app()  # again, so that this cell starts counting from zero
if killed not in (0, 1, 2) and all(process(step) == 0 for step in ("resume", "approve", "resume")):
    payments.compare(len(World(folder / "refund.world.db").ledger.effects("pay_back")))

# %% [markdown]
# The order lives in the history. To stop it, send it a signal that the workflow understands, such as
# `{"approved": False}`.
#
# ## What does Ana agree to?
#
# "Approved: yes" is not enough. An agent may change its plan while Ana reads. So the answer names the exact action that
# was shown to her, with its arguments, and the workflow compares. If they differ, it asks again.


# %%
def bound(ctx, action):
    for _ in range(5):  # accept at most five answers to other questions
        answer = ctx.wait_signal("approval")
        if answer["action"] == action:
            return {"approved": answer["approved"], "by": answer["by"], "action": action}
    return {"approved": False, "by": "no one", "action": action}


# %% [markdown]
# Ana has approved a refund of 30. Meanwhile the action has changed to 900.

# %%
status = predict(...)  # how does this run end, "completed" or "blocked"?

# %%
yes_to_30 = {"approved": True, "by": "Ana", "action": ["pay_back", "A1", 30]}
stale = deliver(begin("action-1", ["pay_back", "A1", 900]), "approval", yes_to_30)
asks_again = attempt_run(bound, stale, clock=Clock())
show(asks_again)
compare(status, asks_again, asks_again.status)

# %% [markdown]
# The old answer was consumed and recorded, but not used. The run waits for an answer to the new question. The history
# has everything: who, what, when. An audit needs one thing more: here `by` is whatever the sender wrote, but it must
# come from the **authenticated** user. Now Bo approves the 900.

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
# ## Try it: decide yourself
#
# This is Monday again, as an interactive timeline. Click it and press **space**: your engine runs up to the wait. Press
# **s** and choose the signal, and the run continues. Then go back to the wait with **←**, fork there with **f**, and
# decline in the other branch. The two branches are shown one above the other, with their first difference marked. (It
# has a bank of its own.)

# %%
again = begin("refund-1", ORDER)
own = refund_in(World(new_file()))
Timeline(own, again, engine=engine(), clock=Clock(0), signals={"approval": {"approved": True, "by": "Ana"}})

# %% [markdown]
# ## Stretch
#
# 1. A nervous user clicks twice, and two equal signals arrive. Your engine keeps both, and it must: both answers may be
#    intended. How could the sender mark them as one? (Think of lesson 04. The store's `journal` has a `signal_key`.)
# 2. Design an approval record for "merge a pull request". Which fields does it need, so that it does not also approve a
#    commit that is pushed later?

# %% [markdown]
# ## Restart and run all: the same result?
#
# **Kernel, Restart Kernel and Run All Cells**. The numbers must be the same as before, except the times of day in the
# story of the app, which ran in real time.
#
# Next: `06_sagas.ipynb`. What happens if a later step fails and the earlier ones have to be undone?
