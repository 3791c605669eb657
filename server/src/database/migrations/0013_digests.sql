-- Digests: the events that are kept for a recipient about a topic until one message tells of all of them.

alter table topic_preferences add column digest_schedule_id text collate "C";

create table digests (
  id text collate "C" not null primary key,
  workspace_id smallint not null,
  mode text not null,
  topic_id text collate "C" not null,
  recipient text collate "C" not null,
  -- Empty outside any tenant.
  tenant_id text collate "C" not null,
  schedule_id text collate "C" not null,
  -- The template and the categories as they were when the last event came; JSON text.
  terms text not null,
  events integer not null,
  -- By category.
  counts jsonb not null,
  opened bigint not null,
  -- Events are added while it is open; the moment it was closed gives its message a place in time.
  is_open boolean not null,
  closed bigint,
  due_at bigint not null,
  lease text collate "C",
  claims smallint not null default 0
);

create unique index digests_open on digests (workspace_id, mode, topic_id, recipient, tenant_id) where is_open;
create index digests_due on digests (due_at);
create index digests_by_schedule on digests (workspace_id, schedule_id, id);
create index digests_by_recipient on digests (workspace_id, recipient, id);

-- One row for each category an event belongs to; those that rank lowest go when there are more than will be shown.
create table digest_events (
  digest_id text collate "C" not null references digests (id) on delete cascade,
  category text collate "C" not null,
  -- The how-manieth event of the digest.
  position integer not null,
  workspace_id smallint not null,
  rank double precision,
  -- JSON text.
  data text not null,
  primary key (digest_id, category, position)
);

-- What starts runs of automation templates: inbound events by their name, and moments that come again.
create table automation_triggers (
  workspace_id smallint not null,
  template_id text collate "C" not null,
  position integer not null,
  event text collate "C",
  cron text,
  zone text,
  -- The next moment of a schedule; null when it comes no more.
  due_at bigint,
  primary key (workspace_id, template_id, position),
  foreign key (workspace_id, template_id) references automation_templates (workspace_id, id) on delete cascade
);

create index automation_triggers_by_event on automation_triggers (workspace_id, event) where event is not null;
create index automation_triggers_due on automation_triggers (due_at) where due_at is not null;
