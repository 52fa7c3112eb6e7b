# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 00 · Why a for-loop agent dies
#
# Welcome. In this lab you build a small **durable workflow engine**: programs that run on it can be killed at any
# moment, and go on where they stopped. There are seven lessons, about eight hours in all if you work through
# them. Run the cells from top to bottom with **Shift + Enter**.
#
# **You will be able to**
#
# - show, with a real process and a real kill, what is lost when a program dies;
# - say why no `try` and no `finally` helps;
# - tell what a process remembers from what the world remembers;
# - say in one sentence how a durable program goes on.

# %%
from __future__ import annotations  # the type hints in the TODO cells are words only

from durable_lab import study
from durable_lab.lesson import attempt_run, check, engine, fresh, predict, question, todo
from durable_lab.timeline import draw

print(study.current().label)

# %% [markdown]
# That line says which engine is under study, and from which file. Yours is `lab/engine.py`.
#
# ## Where you stand
#
# The next cell runs the 14 tests on your engine. At the start none passes, and that is right: the five TODOs are still
# to be written. You begin to write in lesson 02.

# %%
# !durable-lab

# %% [markdown]
# ## Eleven o'clock, and a new version goes out
#
# Kim wants 30 back for order A1, which arrived broken. An agent is at work on it. It has just paid. At this moment
# a new version is deployed, and the old process is killed because it does not end within the seconds that it is given.
# There is no bug anywhere. What happens to the money?
#
# We do not have to guess. Here is such an agent. Its plan is fixed, so that it does the same every time; a real one
# asks a model at each turn. `world` is a bank, a mailer and a model. They keep their own books in a file.

# %%
import sys

from durable_lab.lesson.story import new_folder

folder = new_folder()
agent = folder / "agent.py"
agent.write_text(
    """
import sys
from uuid import uuid4
from durable_lab.faults import killer
from durable_lab.world import World

world = World("agent.world.db", at=killer(sys.argv[1]))
notes = {}  # all that the agent knows; it lives in memory

tools = {
    "assess": lambda: world.assess({"id": "A1", "reason": "arrived broken"}),
    "pay_back": lambda: world.pay_back("A1", 30, idempotency_key=str(uuid4())),
    "send_email": lambda: world.send_email("kim@example.com", notes["pay_back"], idempotency_key=str(uuid4())),
}
for name in tools:
    notes[name] = tools[name]()
    print("done:", name, "->", notes[name], flush=True)
"""
)
print(agent.read_text())

# %% [markdown]
# We start it as a process of its own. `killer` ends the process at a point that we name, with the same signal as
# `kill -9`. So it dies at the same point every time. No warning comes first. (An **idempotency key** is a name for one
# effect. This agent remembers nothing, so it makes up a new one each time.)

# %%
import subprocess


def process(*words, env=None):
    """Run a Python process in our folder. Print, and return, what it says."""
    command = [sys.executable, *map(str, words)]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    print(done.stdout + done.stderr, end="")
    print("exit code", done.returncode, "(it reached its end)" if done.returncode == 0 else "(it did not end well)")
    return done.stdout


def no_books(file):
    """Throw these books away, so that a cell can be run again and counts from nothing."""
    for path in folder.glob(f"{file}*"):
        path.unlink()


no_books("agent.world.db")
said = process(agent, "send_email.before")

# %% [markdown]
# It was killed after the bank had paid, and before the mailer was called. The variable `notes` is gone. The books of
# the bank, the mailer and the model are not: the world remembers.

# %%
from durable_lab.world import Ledger


def books(file):
    """What really happened in the world, in order."""
    ledger = Ledger(folder / file)
    effects = ledger.effects()
    ledger.close()
    for effect in effects:
        print(f"  {effect.id}. {effect.service}: {effect.operation} {effect.body}")
    return [effect.operation for effect in effects]


happened = books("agent.world.db")

# %% [markdown]
# **Predict.** A new process starts the same agent, and it is not killed this time. How often has the bank paid then,
# both processes together? And how often was the model paid for?

# %%
payments = predict(...)  # how many payments are in the bank's books at the end? A number in place of the dots
model_calls = predict(...)  # how many calls of the model (assess) have we paid for?

# %%
no_books("agent.world.db")
said = process(agent, "send_email.before")  # the first process once more, on empty books
said = process(agent, "nowhere")  # and the second one
happened = books("agent.world.db")
payments.compare(happened.count("pay_back"))
model_calls.compare(happened.count("assess"))

# %% [markdown]
# The bank would have ignored a key that it knows. But the second process cannot know the first one's key. The longer
# an agent works, the more it pays per step, and the more it does in the world, the worse this gets.
#
# ## A belief: "a good program tidies up before it ends"
#
# Then `finally` would save the notes. Let us see.

# %%
tidy = folder / "tidy.py"
tidy.write_text(
    """
from durable_lab.faults import killer

try:
    print("at work", flush=True)
    killer("here")("here")  # kill -9
finally:
    print("all notes are saved", flush=True)
"""
)
print(tidy.read_text())

# %%
saved = predict(...)  # does the line "all notes are saved" appear? True or False

# %%
said = process(tidy)
saved.compare("all notes are saved" in said)

# %% [markdown]
# A process that is killed with `kill -9` runs nothing more: no `except`, no `finally`. Other ends do give a warning: a
# deploy usually sends SIGTERM first, and a handler then has some seconds to tidy up. A lack of memory, a power cut and
# `kill -9` give none. So what must be kept has to be written down **while** the program works, step by step. That is
# the idea of this whole lab.
#
# ## The same story on a durable engine
#
# `durable-lab refund` tells the story of Kim with the finished engine, one process for each step. All that the
# processes share is a file with the history. First a process starts the refund; it needs a human, so it stops there.

# %%
import os

finished = "solution" if (study.ROOT / "solution" / "engine.py").is_file() else "lab"  # yours, if there is no other


def story(*words):
    """One step of the story, in a process of its own."""
    process("-m", "durable_lab", "refund", *words, env={**os.environ, "LAB_MODULE": finished})


story("start")

# %% [markdown]
# Two days later Ana agrees. Her answer goes into the history. No process waited for it.

# %%
story("approve")

# %% [markdown]
# A second process goes on. It is killed at the very same point as our agent: the bank has paid, the e-mail is not out.

# %%
story("resume", "--kill-at", "send_email.before")

# %%
happened = books("refund.world.db")

# %% [markdown]
# **Predict.** A third process takes up the file. Count again over all processes.

# %%
payments_in_all = predict(...)  # how many payments in the bank's books at the end?
model_calls_in_all = predict(...)  # how many calls of the model?

# %%
story("resume")
happened = books("refund.world.db")
payments_in_all.compare(happened.count("pay_back"))
model_calls_in_all.compare(happened.count("assess"))

# %% [markdown]
# Read the line that begins with `replayed`. The third process ran the program again from its first line. But each step
# that was in the file was not done again: its result was read. Only the rest was done.
#
# **Processes come and go; the file stays, and it says what is done.**
#
# ## The picture
#
# This is the history in the file. There are five commands in it, and three processes made them.

# %%
from durable_lab.stores import SQLiteStore


def load(m):
    with SQLiteStore(folder / "refund.db", engine=m) as store:
        return store.load("refund-1")


draw(fresh(load))

# %% [markdown]
# ## Questions
#
# Put a letter in place of the dots, and run the cell.

# %%
question("agent-1", ...)

# %%
question("agent-2", ...)

# %%
question("agent-3", ...)

# %% [markdown]
# ## Stretch
#
# The worst point to die is `pay_back.effect`: the bank has paid, and that is not recorded yet. Tell the story once
# more, in another file, with a kill at that point. How many payments do you expect? Take the `#` away. Then take
# another file, and add `"--naive"` to every step: now the bank does not look at keys.

# %%
# story("start", "--store", "worst.db")
# story("approve", "--store", "worst.db")
# story("resume", "--store", "worst.db", "--kill-at", "pay_back.effect")
# story("resume", "--store", "worst.db")
# books("worst.world.db")

# %% [markdown]
# ## Restart and run all: the same result?
#
# In the menu: **Kernel, Restart Kernel and Run All Cells**. The numbers must be the same as before. Here they are,
# because each run of this lesson has a new folder.
#
# Before you go on, read the handout `lab-01-durable-workflow-engine/README.md` as far as "The rules".
#
# Next: `01_event_sourcing.ipynb`. What must a log hold, so that a program can go on from it?
