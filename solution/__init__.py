"""The reference: the engine and the patterns that stand on it. `lab/` is made from this folder."""
