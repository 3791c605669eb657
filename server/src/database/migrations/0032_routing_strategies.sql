-- Stored routing strategies, which notifications name instead of a routing of their own.

create table routing_strategies (
  workspace_id smallint not null,
  id text collate "C" not null,
  name text not null,
  description text,
  tags jsonb not null,
  -- As written: routing, channels and providers.
  document jsonb not null,
  created bigint not null,
  updated bigint not null,
  creator text not null,
  updater text not null,
  archived bigint,
  primary key (workspace_id, id)
);

create index routing_strategies_by_time on routing_strategies (workspace_id, created desc, id desc)
  where archived is null;
