-- One call that means many messages: a row that comes due, expanded a step at a time into messages.

create table requests (
  id text collate "C" not null primary key,
  workspace_id smallint not null,
  -- What it is: `send`, `list` or `bulk`.
  kind text not null,
  mode text not null,
  -- Of the messages it makes.
  lane smallint not null,
  -- The request as a job, like a message: claimable when due_at has come, over when it is null.
  due_at bigint,
  lease text collate "C",
  claims smallint not null default 0,
  -- A bulk job is CREATED until it is run; then, as any request, PROCESSING until COMPLETED or ERROR.
  status text not null,
  created bigint not null,
  archived boolean not null default false,
  -- JSON texts: what all messages share; whom it is for, in order; how far it has come.
  input text not null,
  targets text not null,
  progress text,
  received integer not null default 0,
  enqueued integer not null default 0,
  failures integer not null default 0,
  error text
) partition by range (id);

create index requests_due on requests (due_at) where due_at is not null;
create index requests_by_time on requests (workspace_id, id desc);

create table requests_default partition of requests default;

-- The users of a bulk job, in the order they came.
create table bulk_users (
  job_id text collate "C" not null,
  position integer not null,
  workspace_id smallint not null,
  recipient text collate "C" not null,
  -- JSON texts: as the pipeline takes it, and as it was given.
  input text not null,
  given text not null,
  primary key (job_id, position)
) partition by range (job_id);

create unique index bulk_users_by_recipient on bulk_users (job_id, recipient);

create table bulk_users_default partition of bulk_users default;
