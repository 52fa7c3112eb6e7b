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
# Welcome. In this lab you build a small **durable workflow engine**. A program that runs on it can be killed at any
# moment, and continues where it stopped. There are seven lessons, about eight hours in all. Run the cells from top to
# bottom with **Shift + Enter**.
#
# **You will be able to**
#
# - show, with a real process and a real kill, what is lost when a program dies;
# - explain why neither `try` nor `finally` helps;
# - distinguish what a process remembers from what the world remembers;
# - explain in one sentence how a durable program continues.

# %%
from __future__ import annotations  # the type hints in the TODO cells are not evaluated

from durable_lab import study
from durable_lab.lesson import attempt_run, check, engine, fresh, predict, question, todo
from durable_lab.timeline import draw

print(study.current().label)

# %% [markdown]
# That line names the engine under study and its file. Yours is `lab/engine.py`.
#
# ## Your progress
#
# The next cell runs the 14 tests on your engine. At the start none passes, as expected: the five TODOs are still to be
# written. You start writing in lesson 02.

# %%
# !durable-lab

# %% [markdown]
# ## Eleven o'clock: a new version is deployed
#
# Kim wants 30 back for order A1, which arrived broken. An agent works on it and has just paid. At this moment a new
# version is deployed, and the old process is killed because it does not exit within its grace period. There is no bug
# anywhere. What happens to the money?
#
# Let us try it. Here is such an agent. Its plan is fixed, so that it does the same every time; a real agent asks a
# model at each turn. `world` contains a bank, a mailer and a model, which keep their own books in a file.

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
notes = {}  # everything that the agent knows; it lives in memory

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
# We start it as a separate process. `killer` ends the process at a point that we name, with the same signal as
# `kill -9`, so it dies at the same point every time and without warning. (An **idempotency key** is a name for one
# effect. This agent remembers nothing, so it generates a new key for each call.)

# %%
import subprocess


def process(*words, env=None):
    """Run a Python process in our folder. Prints its output, and returns its standard output."""
    command = [sys.executable, *map(str, words)]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    print(done.stdout + done.stderr, end="")
    print("exit code", done.returncode, "(it reached its end)" if done.returncode == 0 else "(it did not end well)")
    return done.stdout


def no_books(file):
    """Delete these books, so that a cell that is run again starts counting from zero."""
    for path in folder.glob(f"{file}*"):
        path.unlink()


no_books("agent.world.db")
said = process(agent, "send_email.before")

# %% [markdown]
# The process was killed after the bank had paid, and before the mailer was called. The variable `notes` is lost. The
# books of the bank, the mailer and the model are still there: the world remembers.

# %%
from durable_lab.world import Ledger


def books(file):
    """Print every effect in the world, in order. Returns their operations."""
    ledger = Ledger(folder / file)
    effects = ledger.effects()
    ledger.close()
    for effect in effects:
        print(f"  {effect.id}. {effect.service}: {effect.operation} {effect.body}")
    return [effect.operation for effect in effects]


happened = books("agent.world.db")

# %% [markdown]
# **Predict.** A new process starts the same agent, and this time it is not killed. How often has the bank paid then,
# counted over both processes? And how often have we paid for the model?

# %%
payments = predict(...)  # how many payments are in the bank's books at the end? Replace the dots with a number
model_calls = predict(...)  # how many calls of the model (assess) have we paid for?

# %%
no_books("agent.world.db")
said = process(agent, "send_email.before")  # the first process again, on empty books
said = process(agent, "nowhere")  # and the second one
happened = books("agent.world.db")
payments.compare(happened.count("pay_back"))
model_calls.compare(happened.count("assess"))

# %% [markdown]
# The bank ignores a key that it knows, but the second process cannot know the first one's key. The longer an agent
# works, the more each step costs, and the more effects it has, the worse this gets.
#
# ## A belief: "a good program cleans up before it ends"
#
# If so, `finally` would save the notes. Let us try.

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
# A process that is killed with `kill -9` runs nothing more: no `except`, no `finally`. Other ways to end do give a
# warning: a deployment usually sends SIGTERM first, and a handler then has some seconds to clean up. The out-of-memory
# killer, a power failure and `kill -9` give none. So progress has to be recorded **while** the program works, step by
# step. That is the idea of this whole lab.
#
# ## The same story on a durable engine
#
# `durable-lab refund` tells Kim's story with the finished engine, one process for each step. The processes share only a
# file with the history. The first process starts the refund. It needs a human, so it stops there.

# %%
import os

finished = "solution" if (study.ROOT / "solution" / "engine.py").is_file() else "lab"  # if there is no solution: yours


def story(*words):
    """Run one step of the story in a separate process."""
    process("-m", "durable_lab", "refund", *words, env={**os.environ, "LAB_MODULE": finished})


story("start")

# %% [markdown]
# Two days later Ana approves. Her answer is added to the history. No process waited for it.

# %%
story("approve")

# %% [markdown]
# A second process continues. It is killed at the same point as our agent: the bank has paid, and the e-mail is not
# sent.

# %%
story("resume", "--kill-at", "send_email.before")

# %%
happened = books("refund.world.db")

# %% [markdown]
# **Predict.** A third process continues from the file. Count again over all processes.

# %%
payments_in_all = predict(...)  # how many payments in the bank's books at the end?
model_calls_in_all = predict(...)  # how many calls of the model?

# %%
story("resume")
happened = books("refund.world.db")
payments_in_all.compare(happened.count("pay_back"))
model_calls_in_all.compare(happened.count("assess"))

# %% [markdown]
# Read the line that begins with `replayed`. The third process ran the program again from its first line. It did not
# repeat the steps that were in the file: it read their results, and performed only the remaining steps.
#
# **Processes come and go; the file stays, and it records what is done.**
#
# ## The picture
#
# This is the history in the file. It has five commands, made by three processes.

# %%
from durable_lab.stores import SQLiteStore


def load(m):
    with SQLiteStore(folder / "refund.db", engine=m) as store:
        return store.load("refund-1")


draw(fresh(load))

# %% [markdown]
# ## Questions
#
# Replace the dots with a letter, and run the cell.

# %%
question("agent-1", ...)

# %%
question("agent-2", ...)

# %%
question("agent-3", ...)

# %% [markdown]
# ## Stretch
#
# The worst point to die is `pay_back.effect`: the bank has paid, and that is not recorded yet. Run the story again in
# another file, with a kill at that point. How many payments do you expect? Remove the `#`. Then use another file, and
# add `"--naive"` to every step: now the bank does not check keys.

# %%
# story("start", "--store", "worst.db")
# story("approve", "--store", "worst.db")
# story("resume", "--store", "worst.db", "--kill-at", "pay_back.effect")
# story("resume", "--store", "worst.db")
# books("worst.world.db")

# %% [markdown]
# ## Restart and run all: the same result?
#
# In the menu, choose **Kernel, Restart Kernel and Run All Cells**. The numbers must be the same as before. Here they
# are, because each run of this lesson uses a new folder.
#
# Before you continue, read the handout `lab-01-durable-workflow-engine/README.md` as far as "The rules".
#
# Next: `01_event_sourcing.ipynb`. What must a log contain so that a program can continue from it?
