-- Rows of the queues that were given up, and the processes that work on this database.

create table dead_letters (
  id text collate "C" primary key,
  workspace_id smallint not null,
  -- The queue, and the id of the row in its table.
  kind text not null,
  subject_id text collate "C" not null,
  -- The message that reports a digest.
  message_id text collate "C",
  -- A sentence of the server: it holds nothing of a person.
  error text not null,
  attempts integer not null,
  -- The process that gave it up.
  node text collate "C" not null,
  created bigint not null,
  -- When it went back to its queue; null while it is open.
  released bigint
);

create unique index dead_letters_open on dead_letters (kind, subject_id) where released is null;
create index dead_letters_by_time on dead_letters (workspace_id, id desc);
create index dead_letters_of_message on dead_letters (message_id) where message_id is not null;

-- Digests and receipts wait for their release, as rows of other queues do.
alter table digests alter column due_at drop not null;
create index receipts_dead on receipts (message_id) where due_at is null;

-- One row for each process, written again and again while it lives.
create table nodes (
  id text collate "C" primary key,
  version text not null,
  started bigint not null,
  seen bigint not null,
  -- When it ended well; null while it lives, and for one that died.
  stopped bigint,
  -- JSON: the work in progress and the connections of its pool.
  state jsonb not null
);
