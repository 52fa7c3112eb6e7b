"""The tables of a store.

    runs      one row a run: workflow, input, and how it was last left
    sessions  one row for each worker that took a run up
    history   one row a record, append-only:

        workflow_id  seq  type     record                                                          signal_key
        refund-7       0  command  {"kind":"activity","name":"assess","args":[...],"ok":true,...}  NULL
        refund-7       1  signal   {"name":"approval","payload":{"by":"Ana"},"received_at":1.5}    approval
        refund-7       2  command  {"kind":"signal","name":"approval",...}                         NULL

    attempts  one row for each attempt that failed, of an activity whose outcome is not recorded yet
    tie       ties the file to its log, see `log.py`

`record` is the JSON of that one Command or Signal just as `WorkflowState.to_json` has it.
"""

from __future__ import annotations

from durable_lab.stores import log
from durable_lab.stores.database import Format

APPLICATION_ID = 0x44574C31  # "DWL1", at byte 68 of the file: this file is a store of this lab
VERSION = 1  # at byte 60

# The triggers bind every program that writes. `next_only` also stops INSERT OR REPLACE, which deletes without running
# a DELETE trigger. The index has only the signals that came with a key: commands cost it nothing.
SCHEMA = """
CREATE TABLE runs(workflow_id TEXT PRIMARY KEY, workflow TEXT NOT NULL, input TEXT NOT NULL,
    status TEXT NOT NULL CHECK(status IN ('running', 'blocked', 'completed', 'failed')), detail TEXT) STRICT;
CREATE TABLE sessions(workflow_id TEXT NOT NULL, number INTEGER NOT NULL, engine TEXT NOT NULL,
    began_after INTEGER NOT NULL, at REAL NOT NULL, PRIMARY KEY(workflow_id, number)) STRICT, WITHOUT ROWID;
CREATE TABLE history(workflow_id TEXT NOT NULL, seq INTEGER NOT NULL,
    type TEXT NOT NULL CHECK(type IN ('command', 'signal')), record TEXT NOT NULL, signal_key TEXT,
    PRIMARY KEY(workflow_id, seq)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX history_keys ON history(workflow_id, signal_key) WHERE signal_key IS NOT NULL;
CREATE TRIGGER no_update BEFORE UPDATE ON history BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON history BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
CREATE TRIGGER next_only BEFORE INSERT ON history
    WHEN new.seq <> coalesce((SELECT max(seq) + 1 FROM history WHERE workflow_id = new.workflow_id), 0)
        OR new.signal_key IS NOT NULL AND EXISTS (
            SELECT 1 FROM history WHERE workflow_id = new.workflow_id AND signal_key = new.signal_key)
    BEGIN SELECT RAISE(ABORT, 'history is append-only: this seq is not the next, or this key is known'); END;
"""

# Outside history, which has one record for each command (R6). `position` counts the commands before this one.
LATER = """
CREATE TABLE IF NOT EXISTS attempts(workflow_id TEXT NOT NULL, position INTEGER NOT NULL, attempt TEXT NOT NULL) STRICT;
"""
STORE = Format("store", APPLICATION_ID, VERSION, SCHEMA, LATER + log.SCHEMA)
