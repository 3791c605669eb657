-- Lists and who is subscribed to them.

create table lists (
  workspace_id smallint not null,
  id text collate "C" not null,
  name text not null,
  preferences jsonb,
  created bigint not null,
  updated bigint not null,
  deleted bigint,
  primary key (workspace_id, id)
);

create table list_subscriptions (
  workspace_id smallint not null,
  list_id text collate "C" not null,
  recipient text collate "C" not null,
  preferences jsonb,
  created bigint not null,
  updated bigint not null,
  primary key (workspace_id, list_id, recipient)
);

create index list_subscriptions_by_recipient on list_subscriptions (workspace_id, recipient, list_id);
