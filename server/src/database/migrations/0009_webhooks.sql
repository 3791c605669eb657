-- Where callers want to hear of changes, what is on its way to them, and what they tell us.

create table webhooks (
  workspace_id smallint not null,
  id text collate "C" not null,
  url text not null,
  -- Encrypted.
  secret text,
  types jsonb not null,
  enabled boolean not null,
  version integer not null,
  created bigint not null,
  updated bigint not null,
  primary key (workspace_id, id)
);

-- One event to one endpoint: a row that comes due, like a message.
create table webhook_deliveries (
  id text collate "C" not null primary key,
  workspace_id smallint not null,
  webhook_id text collate "C" not null,
  type text not null,
  due_at bigint,
  lease text collate "C",
  claims smallint not null default 0,
  attempts smallint not null default 0,
  created bigint not null,
  -- JSON text; what is fetched when it is sent is not stored.
  payload text not null,
  error text
);

create index webhook_deliveries_due on webhook_deliveries (due_at) where due_at is not null;

create table inbound_events (
  workspace_id smallint not null,
  message_id text collate "C" not null,
  event text not null,
  user_id text,
  properties jsonb not null,
  received bigint not null,
  primary key (workspace_id, message_id)
);
