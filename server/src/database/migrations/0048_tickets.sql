-- Results that a provider keeps until they are read, as Expo does: a row for each delivery it accepted, until its result was
-- read, or is kept no longer. A claim moves `due_at`, so that no other node reads the same meanwhile.
create table tickets (
  message_id text collate "C" not null,
  -- The number of the delivery.
  n smallint not null,
  workspace_id smallint not null,
  integration text not null,
  -- The id that the provider gave.
  ticket text not null,
  created bigint not null,
  due_at bigint not null,
  primary key (message_id, n)
) with (autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_threshold = -1,
  autovacuum_vacuum_cost_delay = 0);

create index tickets_due on tickets (due_at);
