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
# - write the retry loop of an activity, and compute how much it helps;
# - explain which errors must not be retried, and why a failure is recorded;
# - identify the exact crash that sends two e-mails, and close the gap;
# - explain what is left to do if a service does not support keys.

# %%
from __future__ import annotations  # the type hints in the TODO cells are not evaluated

from durable_lab import study
from durable_lab.lesson import attempt_run, check, engine, fresh, predict, question, todo
from durable_lab.timeline import draw

print(study.current().label)

# %% [markdown]
# ## The mailer does not answer
#
# You ask a mailer to send Kim an e-mail. Ten seconds pass, and no answer comes. Was the e-mail sent? You cannot know:
# perhaps your request was lost, perhaps only the answer. If you ask again, Kim may get two e-mails. If you do not, she
# may get none.
#
# The solution has two halves. We ask again: that is the first half of this lesson. The mailer detects that the request
# is a repetition: that is the second half.
#
# ## How much do retries help?
#
# An **attempt** is one try. A **retry** is an attempt after a failed one. So three attempts are one first try and two
# retries. In the formula below,
#
# - **p** is the probability that one attempt succeeds, a number from 0 to 1;
# - **r** is the number of retries, so there are at most r + 1 attempts.
#
# One attempt fails with probability 1 - p. All of them fail with probability (1 - p)^(r + 1). So the probability that
# one of them succeeds is **1 - (1 - p)^(r + 1)**.


# %%
def formula(p, r):
    """Return the probability that an activity succeeds with r retries."""
    return 1 - (1 - p) ** (r + 1)


# %% [markdown]
# A service answers seven times out of ten, so p is 0.7. What is the effect of two retries?

# %%
percent = predict(...)  # the probability of success with two retries, in percent, without decimals

# %%
percent.compare(round(100 * formula(0.7, 2)))

# %% [markdown]
# Does a simulation agree with the formula? We simulate 2,000 calls for each number of retries. The generator has a
# fixed seed, so you get the same plot every time. This code is outside any workflow; inside one, `random` is forbidden.

# %%
import random

P, TIMES, RETRIES = 0.7, 2000, range(6)
rng = random.Random(4)


def one_try(r):
    """Return whether one of r + 1 attempts succeeds."""
    return any(rng.random() < P for _ in range(r + 1))


simulated = [sum(one_try(r) for _ in range(TIMES)) / TIMES for r in RETRIES]

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(7, 3.2))
axes.plot(RETRIES, [formula(P, r) for r in RETRIES], "o--", markerfacecolor="none", markersize=11, label="the formula")
axes.plot(RETRIES, simulated, "x", color="black", label=f"{TIMES:,} simulated tries each")
axes.set(xlabel="retries r", ylabel="probability of success", title=f"p = {P} for one attempt", ylim=(0.6, 1.03))
axes.legend(loc="lower right")
plt.show()

# %% [markdown]
# The same numbers as a table:

# %%
print("retries  formula  simulated")
for r in RETRIES:
    print(f"{r:>7}  {formula(P, r):>7.3f}  {simulated[r]:>9.3f}")

# %% [markdown]
# Two retries turn an unreliable service into a reliable one. But the formula assumes that attempts fail
# **independently**. If the service is down for an hour, the next attempt fails for the same reason. So the engine waits
# between attempts, longer each time: this is **back-off**. And if the card is blocked, no number of attempts helps.
#
# ## TODO 1, part c: make attempts
#
# The policy says how often to try, how long to wait, and which errors are final:

# %%
import inspect

print(inspect.getsource(engine().RetryPolicy))

# %% [markdown]
# `max_attempts` counts **all** attempts. If you wrote this part in lesson 02, leave the cell below as it is: a stub
# never overwrites your code. Otherwise write it here or in the file.

# %%
# @todo Context._perform

# %%
check(1)

# %% [markdown]
# ## Your loop, and the formula
#
# An activity may use random numbers. We call this one on your engine in 400 runs, with two retries. What share
# succeeds? The cell also prints the result of the formula.

# %%
from durable_lab.checks.bench import Crash
from durable_lab.lesson.story import Clock, begin, crash_at, new_file, then
from durable_lab.lesson.trying import compare, crash_run, show


def unsteady():
    """Succeed with probability P."""
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
# This bank refuses its first two calls. The clock is simulated and counts seconds: when the engine sleeps on it, time
# jumps and you do not wait. The first wait is one second, and each wait is twice as long as the one before.

# %%
from durable_lab.world import Ledger, Mailer, World


def pay(ctx, order_id):
    return ctx.call_activity(world.pay_back, order_id, 30, retry=engine().RetryPolicy(max_attempts=4))


# %%
calls = predict(...)  # how many calls reach the bank?
seconds = predict(...)  # how many seconds pass on the clock?
records = predict(...)  # how many commands does the history have at the end?

# %%
world, clock = World(new_file(), fails=2), Clock()
paid = attempt_run(pay, begin("refund-1", "A1"), clock=clock)
show(paid)
compare(calls, paid, world.ledger.count_calls("bank", "pay_back"))
compare(seconds, paid, clock.now())
compare(records, paid, len(paid.state.commands) if paid.state else 0)

# %% [markdown]
# Three attempts make one record: the final outcome, with all its attempts. A retry does not start the workflow again;
# it happens inside one command. In the timeline:

# %%
draw(paid)

# %% [markdown]
# ### A belief: "three attempts are one call and three retries"
#
# Now the bank always refuses, and the policy is `max_attempts=3`.

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
# The workflow did not catch the `ActivityError`, so the run has failed. The recorded error is that of the last attempt.
# The timeline shows the waits.

# %%
draw(refused)

# %% [markdown]
# ### A belief: "retry everything; sooner or later it works"
#
# "This account is closed" is not a temporary fault. It is an answer, and it will be the same tomorrow. Such a business
# error is **non-retryable**. First, a policy that does not name this error:

# %%
asked = []


class AccountClosed(Exception):
    """The account is closed. The bank's answer is final."""


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
# Now the policy names the error, by its class or by the name of the class. Subclasses count.


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
# This workflow tells Kim if the bank does not pay. The bank fails three times, the apology is sent, and then the
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
payments = predict(...)  # a new process continues, and the bank works. How many payments are in the bank's books?
says = predict(...)  # and what does the workflow return, "refunded" or "not refunded"?

# %%
world = World(new_file(), fails=3, at=crash_at("send_email.effect"))
left = crash_run(refund, begin("refund-5", "A1"), clock=Clock())  # the first process again
result = attempt_run(refund, left, clock=Clock())
compare(payments, result, len(world.ledger.effects("pay_back")))
compare(says, result, result.value)

# %% [markdown]
# A failure is an outcome. It is recorded, and the replay takes the same `except` branch. Now an engine that does not
# record failures: we simulate it by removing the failure from the history, and continue from there.

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
# Kim gets the money, and an e-mail that says that she does not. The two processes took different branches.
#
# ## A belief: "retries make everything safe"
#
# Here is the mailer from the beginning. For the first two requests it sends the e-mail, but the answer is lost. It does
# not check keys. Nothing crashes in this story.


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
# A missing answer does not mean that nothing happened. Retries are safe only if a repetition changes nothing; such an
# activity is called **idempotent**. The solution is a name for the effect, the **idempotency key**, made from run and
# position. Every attempt sends the same key. This is what the mailer received:

# %%
for effect in mailer.ledger.effects("send_email"):
    print(effect.id, effect.key, effect.body["text"])

# %% [markdown]
# Now the same with a mailer that checks keys, and ignores a request whose key it knows.

# %%
mails_with_keys = predict(...)  # how many e-mails?

# %%
mailer = Mailer(Ledger(new_file()), loses=2)
sent = attempt_run(letter, begin("letter-2"), clock=Clock())
compare(mails_with_keys, sent, len(mailer.ledger.effects("send_email")))

# %% [markdown]
# A key has two limits. Real services forget keys after a time: Stripe keeps them for at least 24 hours, and the story
# of this lab waits two days. And a key identifies **one** request: a good service refuses a known key with another
# body.
#
# ## The exact crash that sends two e-mails
#
# Now no answer is lost, but the process crashes. A recorded step never runs again, so two e-mails require a crash at
# one particular moment. Which one? Here are three to choose from; `archive` is a step after the e-mail.

# %%
MOMENTS = {
    "send_email.before": "before the mailer is reached",
    "send_email.effect": "after the e-mail is sent, before that is recorded",
    "archive": "after that is recorded",
}


def mails_after(moment, deduplicates, action=letter):
    """Die at this moment, and continue in a new process. Returns the result of its run and the number of e-mails."""
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
moment = predict(...)  # which moment gives two e-mails? One of the three names, in quotes

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
# The engine cannot know whether the mailer acted just before the crash, so it asks again: **at least once**. The mailer
# recognises the key and does nothing. Together: **effectively once**. Neither half is enough alone.
#
# Here is the timeline of that crash, with the mailer's own books beside it: one e-mail, and no record of it.

# %%
mailer = Mailer(Ledger(new_file()), deduplicates=False, at=crash_at("send_email.effect"))
left = crash_run(letter, begin("letter-4"), clock=Clock())
draw(left, crash="after the e-mail, before the record", ledger=mailer.ledger)

# %% [markdown]
# And after the new process: one record, and two e-mails in the books.

# %%
mailer = Mailer(Ledger(new_file()), deduplicates=False, at=crash_at("send_email.effect"))
left = crash_run(letter, begin("letter-4"), clock=Clock())
sent = attempt_run(letter, left, clock=Clock())
draw(sent, ledger=mailer.ledger)

# %% [markdown]
# ### A belief: "any key will do"
#
# This activity generates its own key, a new one for each call. The mailer checks keys.

# %%
from uuid import uuid4


def send_with_own_key(to, text):
    mailer.send_email(to, text, idempotency_key=str(uuid4()))


def own_key(ctx, given):
    ctx.call_activity(send_with_own_key, "kim@example.com", "30 for order A1 is on its way.")


# %%
mails_with_own_key = predict(...)  # a crash after the e-mail, before the record. How many e-mails?

# %%
compare(mails_with_own_key, *mails_after("send_email.effect", True, own_key))

# %% [markdown]
# ### A belief: "then record it first, and act afterwards"
#
# We simulate an engine that does so and dies between the two. The record exists; the e-mail was not sent.

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
# Recording first means **at most once**: perhaps never. Recording afterwards means at least once: perhaps again. There
# is a third possibility if effect and record are in the same database: one transaction contains both, and the step
# happens exactly once (DBOS's transactions do this). An e-mail or another company's bank cannot be part of our
# transaction. So we choose "at least once" and add a key.
#
# ## If the other side does not support keys
#
# An old mailer does not support keys, but its outbox can be read. Then **check, then act**: check whether the effect
# has already happened, and act only if it has not.


# %%
def send_if_missing(to, text):
    there = any(effect.body == {"to": to, "text": text} for effect in mailer.ledger.effects("send_email"))
    meanwhile()
    if not there:
        mailer.send_email(to, text, idempotency_key="this mailer does not look at it")


def meanwhile():
    """Runs between the check and the act. Does nothing for now."""


def careful(ctx, given):
    ctx.call_activity(send_if_missing, "kim@example.com", "30 for order A1 is on its way.")


# %%
mails_after_a_look = predict(...)  # the same crash, after the e-mail and before the record. How many e-mails?

# %%
compare(mails_after_a_look, *mails_after("send_email.effect", False, careful))

# %% [markdown]
# This helps, but a gap remains between the check and the act. Worker A checks, finds nothing, and hangs. The other
# workers assume that it is dead, so worker B takes the run. Then A resumes.

# %%
mails_of_two_workers = predict(...)  # how many e-mails, after both workers have finished?


# %%
def meanwhile():
    """The first time, let a second worker run the same workflow from the same state to its end."""
    if not others:
        others.append("worker B")
        attempt_run(careful, begin("letter-6"), clock=Clock())


others = []
mailer = Mailer(Ledger(new_file()), deduplicates=False)
result = attempt_run(careful, begin("letter-6"), clock=Clock())
compare(mails_of_two_workers, result, len(mailer.ledger.effects("send_email")))

# %% [markdown]
# Check-then-act makes the gap smaller. Only the other side can close it, by doing both in one step, as a mailer with
# keys does. And be careful what you check for: two equal e-mails may both be intended. Put the order number into the
# text.
#
# ## Questions
#
# Replace the dots with a letter, and run the cell.

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
# A thousand clients lose the same service in the same second, and all use the same back-off. When do they come back?
# The usual solution is **jitter**: a random addition to each wait. Where may that random number be drawn, so that a
# replay still makes the same decisions? (Does a replay sleep?)

# %% [markdown]
# ## Restart and run all: the same result?
#
# **Kernel, Restart Kernel and Run All Cells**. The numbers must be the same as before, including the simulated ones.
#
# Next: `05_signals.ipynb`. A workflow waits two days for a human, and holds no resource.
