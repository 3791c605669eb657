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

-- One event to one webhook: a row that comes due, like a message.
create table webhook_deliveries (
  id text collate "C" not null primary key,
  workspace_id smallint not null,
  webhook_id text collate "C" not null,
  type text not null,
  -- The message it tells of, which is read when it is sent; otherwise what it says, as JSON text.
  message_id text collate "C",
  payload text,
  -- Claimable when due_at has come, over when it is null.
  due_at bigint,
  lease text collate "C",
  attempts smallint not null default 0,
  created bigint not null,
  -- When the webhook answered 2xx.
  delivered bigint,
  -- Of the last attempt, while it has not been delivered.
  error text
) partition by range (id);

-- Each webhook is claimed for itself, so that one that hangs keeps no other waiting.
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at) where due_at is not null;
create index webhook_deliveries_live on webhook_deliveries (created) where due_at is not null;
create index webhook_deliveries_by_webhook on webhook_deliveries (workspace_id, webhook_id, id desc);
create index webhook_deliveries_failed on webhook_deliveries (workspace_id, webhook_id, id desc)
  where due_at is null and delivered is null;

create table webhook_deliveries_default partition of webhook_deliveries default;

create table inbound_events (
  workspace_id smallint not null,
  message_id text collate "C" not null,
  event text not null,
  user_id text,
  properties jsonb not null,
  received bigint not null,
  primary key (workspace_id, message_id)
);

create index inbound_events_by_time on inbound_events (received);
