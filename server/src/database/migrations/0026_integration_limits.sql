-- Limits and weights of integrations, what was used of them, and the circuit breakers that are not closed.

alter table integrations
  add column weight integer,
  add column limit_per_second double precision,
  add column limit_concurrency integer,
  add column limit_per_day integer;

-- One row for each integration with a limit per second or day, from its first call on.
create table integration_usage (
  workspace_id smallint not null,
  integration_id text collate "C" not null,
  -- When the next call may start, in microseconds since the Unix epoch by the clock of the database.
  next_at bigint not null,
  -- The day that `used` counts, in days since the Unix epoch, UTC.
  day integer not null,
  used integer not null,
  primary key (workspace_id, integration_id),
  foreign key (workspace_id, integration_id) references integrations (workspace_id, id) on delete cascade
);

-- No row: closed. A row counts for the version of the integration it was opened at: a change closes the breaker.
create table integration_breakers (
  workspace_id smallint not null,
  integration_id text collate "C" not null,
  version integer not null,
  since bigint not null,
  reason text not null,
  error text not null,
  -- Waits so far; each is about twice as long as the one before.
  waits integer not null,
  -- When the next probe may start. While one is in progress: when another may take its place.
  probe_at bigint not null,
  probing boolean not null,
  -- Good probes since the last bad one.
  good integer not null,
  -- Counts the changes of the row; a probe and its result are written only to the revision they saw.
  revision integer not null,
  primary key (workspace_id, integration_id),
  foreign key (workspace_id, integration_id) references integrations (workspace_id, id) on delete cascade
);
