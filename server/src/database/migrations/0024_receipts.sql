-- What became of messages after a provider took them: receipts of its callbacks, until they are applied. A receipt that
-- came before the commit of its delivery waits here; an hour later it is dropped.

create table receipts (
  id text collate "C" primary key,
  workspace_id smallint not null,
  message_id text collate "C" not null,
  -- The number of the delivery.
  n smallint not null,
  -- JSON: the kind, its time and what is known beside.
  receipt text not null,
  created bigint not null,
  due_at bigint,
  lease text collate "C",
  claims smallint not null default 0
) with (autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_threshold = -1,
  autovacuum_vacuum_cost_delay = 0);

create index receipts_due on receipts (due_at) where due_at is not null;
