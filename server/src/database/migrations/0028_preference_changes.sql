-- The ledger of consent: every change of a preference, with its origin. Rows are only added; an erasure makes them anonymous.

create table preference_changes (
  workspace_id smallint not null,
  id text collate "C" not null,
  -- The pseudonym after the erasure of the user.
  user_id text collate "C" not null,
  tenant_id text collate "C" not null,
  -- Null: not about one topic.
  topic_id text collate "C",
  -- Null: the choice was removed.
  status text,
  has_custom_routing boolean,
  custom_routing jsonb,
  digest_schedule_id text,
  -- Preferences by notification and category after the change.
  document jsonb,
  -- api, one_click, page, provider, erasure.
  source text not null,
  -- key/<name>, provider/<name>, or recipient.
  actor text not null,
  message_id text collate "C",
  -- Of the browser or mail service; cleared when the retention of messages is over.
  ip text,
  user_agent text,
  created bigint not null,
  primary key (workspace_id, id)
);

create index preference_changes_by_user on preference_changes (workspace_id, user_id, id);
create index preference_changes_by_time on preference_changes (created);
create index preference_changes_from_browsers on preference_changes (created)
  where ip is not null or user_agent is not null;
