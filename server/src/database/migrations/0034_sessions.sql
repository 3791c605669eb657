-- Sessions of browsers, roles of keys, and more of who made a change.

alter table keys add column role text not null default 'full';

create table sessions (
  id text collate "C" primary key,
  -- The environment of the key.
  workspace_id smallint not null,
  key_id text collate "C" not null references keys (id) on delete cascade,
  -- The environment in which the session acts.
  acts_in smallint not null references workspaces (id),
  -- Of the token, which only the cookie has.
  hash text collate "C" not null unique,
  created bigint not null,
  -- Written once in some minutes.
  last_seen bigint not null
);

create index sessions_by_key on sessions (key_id, last_seen desc, id desc);
create index sessions_by_use on sessions (workspace_id, last_seen desc, id desc);
create index sessions_to_drop on sessions (last_seen);
