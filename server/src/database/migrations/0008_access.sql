-- Who may do what, and who did.

create table audit_events (
  id text collate "C" not null primary key,
  workspace_id smallint not null,
  type text not null,
  actor text not null,
  target text not null,
  source text not null,
  at bigint not null
);

create index audit_events_by_time on audit_events (workspace_id, id desc);
