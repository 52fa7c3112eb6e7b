# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 04 · Retries and idempotency
#
# **You will be able to**
#
# - write the loop that tries an activity again, and compute how much it helps;
# - say which errors must not be tried again, and why a failure is recorded;
# - name the exact crash that sends two e-mails, and close the gap;
# - say what is left to do where the other side knows no keys.

# %%
from __future__ import annotations  # the type hints in the TODO cells are not evaluated

from durable_lab import study
from durable_lab.lesson import attempt_run, check, engine, fresh, predict, question, todo
from durable_lab.timeline import draw

print(study.current().label)

# %% [markdown]
# ## The mailer does not answer
#
# You ask a mailer to write to Kim. Ten seconds pass, and no answer comes. Did the e-mail go out? You cannot know:
# perhaps your question was lost, perhaps only the answer. If you ask again, Kim may get two e-mails. If you do not, she
# may get none.
#
# The way out has two halves. We ask again: that is this lesson's first half. And the other side notices that it was
# asked before: that is the second.
#
# ## How much does asking again help?
#
# An **attempt** is one try. A **retry** is a try after a failed one. So three attempts are one first try and two
# retries. In the formula below,
#
# - **p** is the chance that one attempt succeeds, a number from 0 to 1;
# - **r** is the number of retries, so there are r + 1 attempts at most.
#
# One attempt fails with the chance 1 - p. All of them fail with the chance (1 - p) to the power of (r + 1). So the
# chance that one of them succeeds is **1 - (1 - p)^(r + 1)**.


# %%
def formula(p, r):
    """The chance that an activity succeeds with r retries."""
    return 1 - (1 - p) ** (r + 1)


# %% [markdown]
# A service answers seven times out of ten, so p is 0.7. What do two retries make of it?

# %%
percent = predict(...)  # the chance of success with two retries, in percent, without decimals

# %%
percent.compare(round(100 * formula(0.7, 2)))

# %% [markdown]
# Does the world keep to the formula? We let chance decide, 2,000 times for each number of retries. The generator starts
# from a fixed number, so you get the same picture every time. No workflow is near: inside one, `random` is forbidden.

# %%
import random

P, TIMES, RETRIES = 0.7, 2000, range(6)
rng = random.Random(4)


def one_try(r):
    """Does one of r + 1 attempts succeed?"""
    return any(rng.random() < P for _ in range(r + 1))


simulated = [sum(one_try(r) for _ in range(TIMES)) / TIMES for r in RETRIES]

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(7, 3.2))
axes.plot(RETRIES, [formula(P, r) for r in RETRIES], "o--", markerfacecolor="none", markersize=11, label="the formula")
axes.plot(RETRIES, simulated, "x", color="black", label=f"{TIMES:,} simulated tries each")
axes.set(xlabel="retries r", ylabel="chance of success", title=f"One attempt succeeds with p = {P}", ylim=(0.6, 1.03))
axes.legend(loc="lower right")
plt.show()

# %% [markdown]
# The same as a table:

# %%
print("retries  formula  simulated")
for r in RETRIES:
    print(f"{r:>7}  {formula(P, r):>7.3f}  {simulated[r]:>9.3f}")

# %% [markdown]
# Two retries turn a bad service into a good one. But look at the small print: each attempt must fail **by itself**. If
# the service is down for an hour, the next attempt fails because of the same thing. So we wait between attempts, longer
# each time: that is **back-off**. And if the card is blocked, no number of attempts helps.
#
# ## TODO 1, part c: make attempts
#
# The policy says how often, how long, and which errors are final:

# %%
import inspect

print(inspect.getsource(engine().RetryPolicy))

# %% [markdown]
# `max_attempts` counts **all** attempts. You may have written this part in lesson 02. Then leave the cell below as it
# is: a stub never overwrites work. Write it here, or in the file.

# %%
# @todo Context._perform

# %%
check(1)

# %% [markdown]
# ## Your loop, and the formula
#
# An activity may be random; it lives in the world. We call it on your engine in 400 runs, with two retries. What share
# succeeds? The formula is printed beside it.

# %%
from durable_lab.checks.bench import Crash
from durable_lab.lesson.story import Clock, begin, crash_at, new_file, then
from durable_lab.lesson.trying import compare, crash_run, show


def unsteady():
    """Succeeds with the chance P."""
    if rng.random() >= P:
        raise ConnectionError("busy")
    return "done"


def calls_it(ctx, given):
    return ctx.call_activity(unsteady, retry=engine().RetryPolicy(max_attempts=3))


rng = random.Random(5)
results = [attempt_run(calls_it, begin(f"try-{i}"), clock=Clock()) for i in range(400)]
share = sum(result.status == "completed" for result in results) / len(results)
print(f"your engine {share:.3f}, formula {formula(P, 2):.3f}" if share else results[0])

# %% [markdown]
# ## What a retry looks like
#
# This bank refuses its first two calls. The clock is a simulated one, in seconds: when the engine sleeps on it, time
# jumps and there is no waiting. The first pause is one second, and each pause is twice as long as the one before.

# %%
from durable_lab.world import Ledger, Mailer, World


def pay(ctx, order_id):
    return ctx.call_activity(world.pay_back, order_id, 30, retry=engine().RetryPolicy(max_attempts=4))


# %%
calls = predict(...)  # how many calls reach the bank?
seconds = predict(...)  # how many seconds pass on the clock?
records = predict(...)  # how many commands stand in the history at the end?

# %%
world, clock = World(new_file(), fails=2), Clock()
paid = attempt_run(pay, begin("refund-1", "A1"), clock=clock)
show(paid)
compare(calls, paid, world.ledger.count_calls("bank", "pay_back"))
compare(seconds, paid, clock.now())
compare(records, paid, len(paid.state.commands) if paid.state else 0)

# %% [markdown]
# Three attempts, one record: the final outcome, with all its attempts in it. A retry does not start the workflow again.
# It happens inside one command. In the picture:

# %%
draw(paid)

# %% [markdown]
# ### A belief: "with three attempts, one call and three retries are made"
#
# Now the bank refuses for ever, and the policy is `max_attempts=3`.

# %%
calls_in_three = predict(...)  # how many calls reach the bank?

# %%
world = World(new_file(), fails=99)


def pay_in_three(ctx, order_id):
    return ctx.call_activity(world.pay_back, order_id, 30, retry=engine().RetryPolicy(max_attempts=3))


refused = attempt_run(pay_in_three, begin("refund-2", "A1"), clock=Clock())
show(refused)
compare(calls_in_three, refused, world.ledger.count_calls("bank", "pay_back"))

# %% [markdown]
# The workflow did not catch the `ActivityError`, so the run has failed. The error that is kept is that of the last
# attempt. The picture shows the pauses.

# %%
draw(refused)

# %% [markdown]
# ### A belief: "try everything again, sooner or later it works"
#
# "This account is closed" is not a fault on the line. It is an answer, and it will be the same tomorrow. Such an error
# of the business is **non-retryable**. First a policy that does not know this:

# %%
asked = []


class AccountClosed(Exception):
    """The bank's last word."""


def pay_into(account):
    asked.append(account)
    raise AccountClosed(f"account {account} is closed")


def stubborn(ctx, account):
    return ctx.call_activity(pay_into, account, retry=engine().RetryPolicy(max_attempts=50))


# %%
calls_of_stubborn = predict(...)  # how often is the bank asked?

# %%
asked.clear()
clock = Clock()
result = attempt_run(stubborn, begin("refund-3", "KIM-7"), clock=clock)
compare(calls_of_stubborn, result, len(asked))
print(f"minutes on the clock: {clock.now() / 60:.0f}")

# %% [markdown]
# Now the policy names the error. A class or its name will do, and its subclasses count.


# %%
def sensible(ctx, account):
    final = ("AccountClosed",)
    return ctx.call_activity(pay_into, account, retry=engine().RetryPolicy(max_attempts=50, non_retryable=final))


# %%
calls_of_sensible = predict(...)  # how often is the bank asked now?

# %%
asked.clear()
result = attempt_run(sensible, begin("refund-4", "KIM-7"), clock=Clock())
show(result)
compare(calls_of_sensible, result, len(asked))

# %% [markdown]
# ### A belief: "it failed, so there is no result, so there is nothing to record"
#
# This workflow tells Kim if the bank does not pay. The bank fails three times, the apology goes out, and then the
# process dies before the apology is recorded. Meanwhile the bank is repaired.


# %%
def refund(ctx, order_id):
    try:
        ctx.call_activity(world.pay_back, order_id, 30)
    except engine().ActivityError as error:
        ctx.call_activity(world.send_email, "kim@example.com", f"We could not pay: {error.message}")
        return "not refunded"
    ctx.call_activity(world.send_email, "kim@example.com", "30 is on its way.")
    return "refunded"


world = World(new_file(), fails=3, at=crash_at("send_email.effect"))
left = crash_run(refund, begin("refund-5", "A1"), clock=Clock())
show(left)

# %%
payments = predict(...)  # a new process goes on; the bank works now. How many payments in its books?
says = predict(...)  # and what does the workflow return, "refunded" or "not refunded"?

# %%
world = World(new_file(), fails=3, at=crash_at("send_email.effect"))
left = crash_run(refund, begin("refund-5", "A1"), clock=Clock())  # the first process once more
result = attempt_run(refund, left, clock=Clock())
compare(payments, result, len(world.ledger.effects("pay_back")))
compare(says, result, result.value)

# %% [markdown]
# A failure is an outcome. It is recorded, and the replay takes the same `except` branch. Now an engine that does not
# record failures. We play it by taking the failure out of the history, and go on from there.

# %%
payments_forgotten = predict(...)  # how many payments now?

# %%
world = World(new_file(), fails=3, at=crash_at("send_email.effect"))
left = crash_run(refund, begin("refund-6", "A1"), clock=Clock())
forgetful = then(left, lambda m, s: m.WorkflowState(s.workflow_id, s.input, [c for c in s.commands if c.ok]))
result = attempt_run(refund, forgetful, clock=Clock())
for effect in world.ledger.effects():
    print(f"  {effect.service}: {effect.operation} {effect.body}")
compare(payments_forgotten, result, len(world.ledger.effects("pay_back")))

# %% [markdown]
# Kim has the money, and an e-mail that says that she does not get it. The two processes took two branches.
#
# ## A belief: "retries make everything safe"
#
# Here is the mailer from the beginning. The first two e-mails go out, but its answers get lost. It does not look at
# keys. Nothing crashes in this story.


# %%
def letter(ctx, given):
    ctx.call_activity(mailer.send_email, "kim@example.com", "30 for order A1 is on its way.")


# %%
mails = predict(...)  # how many e-mails does Kim get?

# %%
mailer = Mailer(Ledger(new_file()), loses=2, deduplicates=False)
sent = attempt_run(letter, begin("letter-1"), clock=Clock())
show(sent)
compare(mails, sent, len(mailer.ledger.effects("send_email")))

# %% [markdown]
# No answer is not a no. Retries are safe only where doing it again changes nothing; such an activity is called
# **idempotent**. The cure is a name for the effect, the **idempotency key**: run and position. Every attempt brings the
# same one. Look at what the mailer was told:

# %%
for effect in mailer.ledger.effects("send_email"):
    print(effect.id, effect.key, effect.body["text"])

# %% [markdown]
# Now the same with a mailer that looks at keys, and drops what it knows.

# %%
mails_with_keys = predict(...)  # how many e-mails?

# %%
mailer = Mailer(Ledger(new_file()), loses=2)
sent = attempt_run(letter, begin("letter-2"), clock=Clock())
compare(mails_with_keys, sent, len(mailer.ledger.effects("send_email")))

# %% [markdown]
# A key has two limits. Real services forget it after a time: Stripe keeps keys for at least 24 hours, and the story of
# this lab waits two days. And it stands for **one** request: a good service refuses a known key with another body.
#
# ## The exact crash that sends two e-mails
#
# Now without lost answers, and with a crash. A recorded step never runs again. So two e-mails need a death at one
# moment. At which one? Here are three to choose from; `archive` is a step after the e-mail.

# %%
MOMENTS = {
    "send_email.before": "before the mailer is reached",
    "send_email.effect": "after the e-mail is out, before that is recorded",
    "archive": "after that is recorded",
}


def mails_after(moment, deduplicates, action=letter):
    """Die at this moment, and go on in a new process. Returns how that run ended, and how many e-mails are out."""
    global mailer
    die = crash_at(moment)
    books = Ledger(new_file())
    mailer = Mailer(books, deduplicates=deduplicates, at=die)

    def archive():
        die("archive")

    def workflow(ctx, given):
        action(ctx, given)
        ctx.call_activity(archive)

    result = attempt_run(workflow, crash_run(workflow, begin("letter-3"), clock=Clock()), clock=Clock())
    return result, len(books.effects("send_email"))


# %%
moment = predict(...)  # which moment gives two e-mails? One of the three names in quotes

# %%
print("without keys  with keys  the process dies ...")
two = None
for name, words in MOMENTS.items():
    result, without = mails_after(name, False)
    _, with_keys = mails_after(name, True)
    if result.status == "completed":
        print(f"{without:>12}  {with_keys:>9}  {words} ({name})")
    two = name if without == 2 else two
compare(moment, result, two)

# %% [markdown]
# The engine cannot see whether the mailer acted just before the death. So it asks again, **at least once**. The mailer
# sees the key again and does nothing. Together: **effectively once**. Each half alone is not enough.
#
# Here is that crash as a picture, with the mailer's own books beside it: one e-mail, and no record of it.

# %%
mailer = Mailer(Ledger(new_file()), deduplicates=False, at=crash_at("send_email.effect"))
left = crash_run(letter, begin("letter-4"), clock=Clock())
draw(left, crash="after the e-mail, before the record", ledger=mailer.ledger)

# %% [markdown]
# And the new process: one record, and two e-mails in the books.

# %%
mailer = Mailer(Ledger(new_file()), deduplicates=False, at=crash_at("send_email.effect"))
left = crash_run(letter, begin("letter-4"), clock=Clock())
sent = attempt_run(letter, left, clock=Clock())
draw(sent, ledger=mailer.ledger)

# %% [markdown]
# ### A belief: "any key will do"
#
# This activity makes up its own key, a new one at each call. The mailer looks at keys.

# %%
from uuid import uuid4


def send_with_own_key(to, text):
    mailer.send_email(to, text, idempotency_key=str(uuid4()))


def own_key(ctx, given):
    ctx.call_activity(send_with_own_key, "kim@example.com", "30 for order A1 is on its way.")


# %%
mails_with_own_key = predict(...)  # dies after the e-mail, before the record. How many e-mails?

# %%
compare(mails_with_own_key, *mails_after("send_email.effect", True, own_key))

# %% [markdown]
# ### A belief: "then record it first, and do it afterwards"
#
# We play an engine that does so, and that dies between the two. The record is there. The e-mail is not.

# %%
mails_recorded_first = predict(...)  # how many e-mails does Kim get, after the new process?

# %%
mailer = Mailer(Ledger(new_file()))
args = ["kim@example.com", "30 for order A1 is on its way."]
early = fresh(lambda m: m.WorkflowState("letter-5", None, [m.Command("activity", "send_email", args)]))
result = attempt_run(letter, early, clock=Clock())
show(result)
compare(mails_recorded_first, result, len(mailer.ledger.effects("send_email")))

# %% [markdown]
# Record first means **at most once**: perhaps never. Record afterwards means at least once: perhaps again. There is a third
# way where effect and record are in the same database: one transaction holds both, and the step happens exactly once
# (DBOS's transactions do this). An e-mail or another company's bank is in no transaction of ours. So we take "at least
# once", and let a key do the rest.
#
# ## Where the other side knows no keys
#
# An old mailer has no keys, but it has an outbox that one can read. Then **check, then act**: look whether the effect
# is there already, and only then do it.


# %%
def send_if_missing(to, text):
    there = any(effect.body == {"to": to, "text": text} for effect in mailer.ledger.effects("send_email"))
    meanwhile()
    if not there:
        mailer.send_email(to, text, idempotency_key="this mailer does not look at it")


def meanwhile():
    """What happens between the look and the act: nothing, for now."""


def careful(ctx, given):
    ctx.call_activity(send_if_missing, "kim@example.com", "30 for order A1 is on its way.")


# %%
mails_after_a_look = predict(...)  # the same crash, after the e-mail and before the record. How many e-mails?

# %%
compare(mails_after_a_look, *mails_after("send_email.effect", False, careful))

# %% [markdown]
# That helps. But a gap remains, between the look and the act. Worker A looks, sees nothing, and hangs. Others think
# that it is dead, so worker B takes the run. Then A wakes up.

# %%
mails_of_two_workers = predict(...)  # how many e-mails, after both workers are done?


# %%
def meanwhile():
    """The first time, a second worker takes the same run from the same state, and finishes it."""
    if not others:
        others.append("worker B")
        attempt_run(careful, begin("letter-6"), clock=Clock())


others = []
mailer = Mailer(Ledger(new_file()), deduplicates=False)
result = attempt_run(careful, begin("letter-6"), clock=Clock())
compare(mails_of_two_workers, result, len(mailer.ledger.effects("send_email")))

# %% [markdown]
# Check-then-act makes the gap smaller. It closes it only if the other side does both in one step, and that is what a
# mailer with keys does. And mind what you look for: the same text may be meant twice. Put the order's number into it.
#
# ## Questions
#
# Put a letter in place of the dots, and run the cell.

# %%
question("retries-1", ...)

# %%
question("retries-2", ...)

# %%
question("retries-3", ...)

# %%
question("retries-4", ...)

# %%
question("retries-5", ...)

# %% [markdown]
# ## Stretch
#
# A thousand clients lose the same service at the same second, and all have the same back-off. When do they come back?
# The usual cure is **jitter**: a bit of chance in each pause. Where may that random number be drawn, so that a replay
# still decides the same? (Does a replay sleep?)

# %% [markdown]
# ## Restart and run all: the same result?
#
# **Kernel, Restart Kernel and Run All Cells**. The numbers must be the same as before, the simulated ones too.
#
# Next: `05_signals.ipynb`. A workflow waits two days for a human, and holds nothing.
