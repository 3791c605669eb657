-- Runs as they are read: why a step waits or did nothing, and which runs a run has started. And as they are claimed: of
-- each workspace in turn.

-- Of a step that failed what went wrong; of every other why it waits, was skipped or did nothing.
alter table run_steps rename column error to reason;

-- The run that started it; null: started from outside.
alter table runs add column parent_id text collate "C";

create index runs_by_parent on runs (workspace_id, parent_id, id desc) where parent_id is not null;

-- Those that should have closed, for whoever looks after what nobody waits for.
create index batches_by_close on batches (closes);
drop index batches_by_end;

drop index runs_due;
create index runs_due on runs (lane, workspace_id, due_at) where due_at is not null;
