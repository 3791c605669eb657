-- Automations: templates in immutable versions, runs that come due step by step, and what runs count and collect together.

create table automation_templates (
  workspace_id smallint not null,
  id text collate "C" not null,
  alias text collate "C",
  name text not null,
  version integer not null,
  created bigint not null,
  updated bigint not null,
  primary key (workspace_id, id)
);

create unique index automation_templates_by_alias on automation_templates (workspace_id, alias) where alias is not null;

create table automation_versions (
  workspace_id smallint not null,
  template_id text collate "C" not null,
  version integer not null,
  -- JSON text, as given: name, alias, automation, triggers.
  template text not null,
  created bigint not null,
  primary key (workspace_id, template_id, version),
  foreign key (workspace_id, template_id) references automation_templates (workspace_id, id) on delete cascade
);

create table runs (
  id text collate "C" not null primary key,
  workspace_id smallint not null,
  mode text not null,
  -- 1; 2 for those that a list was given, one for each subscriber.
  lane smallint not null,
  -- The run as a job, like a message: claimable when due_at has come, over when it is null.
  due_at bigint,
  lease text collate "C",
  claims smallint not null default 0,
  status text not null,
  cancelation_token text,
  template_id text collate "C",
  source text[] not null,
  -- A run started by a run is one deeper; `root` is the run that all of them come from.
  depth smallint not null,
  root text collate "C" not null,
  created bigint not null,
  updated bigint not null,
  -- JSON texts: the automation as given, what else the run was started with, and what a worker goes on with.
  automation text not null,
  start text not null,
  state text,
  error text
) partition by range (id);

create index runs_due on runs (lane, due_at) where due_at is not null;
-- What may have ended its workers, and is claimed alone.
create index runs_suspect on runs (due_at) where due_at is not null and claims >= 2;
-- The runs of a list by the run that sends to it.
create index runs_of_list on runs ((source[1])) where due_at is not null and lane = 2;
create index runs_by_token on runs (workspace_id, cancelation_token)
  where due_at is not null and cancelation_token is not null;
create index runs_by_time on runs (workspace_id, id desc);
create index runs_by_status on runs (workspace_id, status, id desc);
create index runs_by_template on runs (workspace_id, template_id, id desc) where template_id is not null;

create table runs_default partition of runs default;

create table run_steps (
  run_id text collate "C" not null,
  position integer not null,
  workspace_id smallint not null,
  action text not null,
  status text not null,
  started bigint not null,
  updated bigint not null,
  -- JSON text.
  result text,
  error text,
  message_ids text[],
  primary key (run_id, position)
) partition by range (run_id);

create table run_steps_default partition of run_steps default;

-- How often something was done in the window that began with its first time. Keys are digests.
create table throttles (
  workspace_id smallint not null,
  mode text not null,
  key text collate "C" not null,
  uses integer not null,
  ends bigint not null,
  primary key (workspace_id, mode, key)
);

create index throttles_by_end on throttles (ends);

-- What runs put together; the run that opened it waits for it. Keys are digests.
create table batches (
  id text collate "C" not null primary key,
  workspace_id smallint not null,
  mode text not null,
  key text collate "C" not null,
  run_id text collate "C" not null,
  -- Nothing is added any more once it is false.
  is_open boolean not null,
  items integer not null,
  items_max integer not null,
  closes bigint not null,
  closes_max bigint not null
);

create unique index batches_open on batches (workspace_id, mode, key) where is_open;
create index batches_by_run on batches (run_id);
create index batches_by_end on batches (closes_max);

create table batch_items (
  batch_id text collate "C" not null references batches (id) on delete cascade on update cascade,
  position integer not null,
  workspace_id smallint not null,
  -- Who added it.
  run_id text collate "C" not null,
  -- JSON text.
  item text not null,
  primary key (batch_id, position)
);

create index batch_items_by_run on batch_items (run_id);
