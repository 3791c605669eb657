-- Audiences and whom their filter matches.

create table audiences (
  workspace_id smallint not null,
  id text collate "C" not null,
  name text not null,
  description text not null,
  filter jsonb not null,
  version integer not null,
  created bigint not null,
  updated bigint not null,
  -- A recomputation as a job: due until it has gone through all profiles.
  due_at bigint,
  lease text collate "C",
  claims smallint not null default 0,
  progress text,
  primary key (workspace_id, id)
);

create index audiences_due on audiences (due_at) where due_at is not null;

create table audience_members (
  workspace_id smallint not null,
  audience_id text collate "C" not null,
  member_id text collate "C" not null,
  version integer not null,
  reason text not null,
  added bigint not null,
  primary key (workspace_id, audience_id, member_id)
);

create index audience_members_by_member on audience_members (workspace_id, member_id, audience_id);
