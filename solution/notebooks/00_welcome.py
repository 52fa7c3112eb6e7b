# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Welcome
#
# In this lab you build a small **durable workflow engine**. A workflow that runs on it can be killed at any moment
# and goes on where it stopped. No finished step runs twice.
#
# Run the cells from top to bottom with **Shift + Enter**. The first one shows which engine is under study: your own,
# in `lab/engine.py`.

# %%
from durable_lab import study

engine_under_study = study.current()
print(engine_under_study.label)

# %% [markdown]
# ## Where you stand
#
# The next cell runs the 14 tests on your engine. On a fresh lab none of them passes, and that is right: the five TODOs
# in `lab/engine.py` are still to be written.

# %%
# !durable-lab

# %% [markdown]
# ## What it will do
#
# The reference is in `solution/`. Here it tells the story that you will meet everywhere in this lab: a customer wants
# money back, a human must agree, and the engine remembers. Predict before you run: after the refund is completed, the
# finished history is run once more. How many new effects will there be?

# %%
# !python -m solution.refund

# %% [markdown]
# ## What to do now
#
# 1. Open `lab-01-durable-workflow-engine/README.md`: the story, the words, the rules and the five TODOs.
# 2. Open `lab-01-durable-workflow-engine/lab/engine.py`. Read it once from top to bottom.
# 3. Write TODO 1. Then run `durable-lab check 1` in a terminal (File, New, Terminal). `durable-lab hint 1` asks you a
#    question that helps.
