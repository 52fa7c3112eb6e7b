"""Your engine. Fill the TODOs in engine.py; see the README beside this folder."""
