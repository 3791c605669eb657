-- Everything a message, its history and the resources behind it need. Times are milliseconds since the Unix epoch.
-- Tables that grow with messages are partitioned by id, which is time; `partitions.ts` makes the partitions ahead.

create table workspaces (
  id smallint primary key,
  name text not null unique
);

create table keys (
  id text collate "C" primary key,
  workspace_id smallint not null references workspaces (id),
  kind text not null,
  name text not null,
  hash text collate "C" not null unique,
  hint text not null,
  created bigint not null,
  revoked bigint
);

create table messages (
  id text collate "C" not null primary key,
  workspace_id smallint not null,
  -- The message as a job: claimable when due_at has come; leased while `lease` is set; final when due_at is null.
  lane smallint not null,
  due_at bigint,
  lease text collate "C",
  claims smallint not null default 0,
  cancel_requested boolean not null default false,
  -- The message as a record.
  status text not null,
  event text not null,
  recipient text not null,
  notification_id text,
  mode text not null,
  enqueued bigint not null,
  first_due bigint not null,
  sent bigint,
  delivered bigint,
  opened bigint,
  clicked bigint,
  canceled_at bigint,
  error text,
  reason text,
  reason_code text,
  archived boolean not null default false,
  tags text[],
  request_id text collate "C",
  trace_id text,
  list_id text,
  list_message_id text collate "C",
  tenant_id text,
  run_id text collate "C",
  job_id text collate "C",
  idempotency_key text,
  -- JSON texts: the input as accepted, the facts pinned by the decision, the deliveries tried.
  input text not null,
  pinned text,
  deliveries text,
  flushes integer not null default 0
) partition by range (id);

-- Only live rows; the claim walks it in order of due_at within a lane.
create index messages_due on messages (lane, due_at) where due_at is not null;
create index messages_by_time on messages (workspace_id, id desc);
create index messages_by_recipient on messages (workspace_id, recipient, id desc);
create index messages_by_event on messages (workspace_id, event, id desc);
create index messages_by_notification on messages (workspace_id, notification_id, id desc);
create index messages_by_status on messages (workspace_id, status, id desc);
create index messages_by_request on messages (workspace_id, request_id, id desc) where request_id is not null;
create index messages_by_trace on messages (workspace_id, trace_id, id desc) where trace_id is not null;
create index messages_by_list on messages (workspace_id, list_id, id desc) where list_id is not null;
create index messages_by_list_message on messages (workspace_id, list_message_id, id desc)
  where list_message_id is not null;
create index messages_by_tenant on messages (workspace_id, tenant_id, id desc) where tenant_id is not null;
create index messages_by_run on messages (workspace_id, run_id, id desc) where run_id is not null;
create index messages_by_job on messages (workspace_id, job_id, id desc) where job_id is not null;
create index messages_by_tag on messages using gin (tags) where tags is not null;

create table messages_default partition of messages default;

-- One row a flush, with that flush's events; never a growing column rewritten.
create table history (
  message_id text collate "C" not null,
  flush integer not null,
  workspace_id smallint not null,
  events text not null,
  primary key (message_id, flush)
) partition by range (message_id);

create table history_default partition of history default;

-- What the built-in sandbox kept; the id is the message's id and the delivery's number.
create table mailbox (
  id text collate "C" not null primary key,
  workspace_id smallint not null,
  message_id text collate "C" not null,
  channel text not null,
  recipient text not null,
  received bigint not null,
  content text not null
) partition by range (id);

create index mailbox_by_time on mailbox (workspace_id, id desc);
create index mailbox_by_recipient on mailbox (workspace_id, recipient, id desc);

create table mailbox_default partition of mailbox default;

create table idempotency_keys (
  workspace_id smallint not null,
  route text collate "C" not null,
  key text collate "C" not null,
  expires bigint not null,
  status smallint not null,
  -- Encrypted: a reply may hold a secret that is shown once.
  reply text not null,
  primary key (workspace_id, route, key)
);

create index idempotency_keys_by_expiry on idempotency_keys (expires);

create table profiles (
  workspace_id smallint not null,
  id text collate "C" not null,
  profile jsonb not null,
  version integer not null,
  created bigint not null,
  updated bigint not null,
  primary key (workspace_id, id)
);

create table events (
  workspace_id smallint not null,
  event text collate "C" not null,
  notification_id text not null,
  updated bigint not null,
  primary key (workspace_id, event)
);

create table notifications (
  workspace_id smallint not null,
  id text collate "C" not null,
  alias text collate "C",
  draft_version integer not null,
  published_version integer,
  created bigint not null,
  updated bigint not null,
  creator text not null,
  updater text not null,
  archived bigint,
  primary key (workspace_id, id)
);

create unique index notifications_by_alias on notifications (workspace_id, alias)
  where alias is not null and archived is null;

-- Immutable: messages point at the version they were rendered from.
create table notification_versions (
  workspace_id smallint not null,
  notification_id text collate "C" not null,
  version integer not null,
  payload jsonb not null,
  created bigint not null,
  creator text not null,
  -- When it was first published; null for what was only ever a draft.
  published bigint,
  primary key (workspace_id, notification_id, version)
);

create table integrations (
  workspace_id smallint not null,
  id text collate "C" not null,
  provider text not null,
  channel text,
  title text not null,
  alias text,
  enabled boolean not null,
  priority integer not null,
  settings jsonb not null,
  -- Encrypted JSON object of the secret settings.
  secrets text,
  version integer not null,
  created bigint not null,
  updated bigint not null,
  primary key (workspace_id, id)
);

create unique index integrations_by_alias on integrations (workspace_id, alias) where alias is not null;
