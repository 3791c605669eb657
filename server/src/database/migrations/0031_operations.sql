-- Running an installation: messages sent again, messages held for a repair, and the health of integrations over time.

-- Messages that replay others. Rows go with the retention of messages.
create table replayed_messages (
  replayed_as text collate "C" primary key,
  workspace_id smallint not null,
  message_id text collate "C" not null
);

create index replayed_messages_by_message on replayed_messages (message_id, replayed_as);

-- Whether a message that every integration refuses for its configuration waits for a repair.
alter table workspaces add column hold_misconfigured boolean not null default false;

-- When the integration was last repaired, while messages that are held for it have not been released since.
alter table integrations add column release_held bigint;

-- Calls of an integration in buckets of five minutes, merged by the hour after a day; added up over all nodes.
create table integration_health (
  workspace_id smallint not null,
  integration_id text collate "C" not null,
  -- The length and the start of the bucket, in milliseconds.
  span integer not null,
  at bigint not null,
  -- By class of result, in the order of `callClasses`.
  calls integer[] not null,
  -- Calls by latency, in the order of `latencyBounds`; the last is for longer ones.
  latencies integer[] not null,
  -- The latest failure that is due to the integration and not to a message; addresses are masked.
  error text,
  error_class text,
  error_at bigint,
  primary key (workspace_id, integration_id, span, at),
  foreign key (workspace_id, integration_id) references integrations (workspace_id, id) on delete cascade
);
