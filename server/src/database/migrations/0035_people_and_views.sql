-- Profiles are listed newest first, and found by the beginning of an id, an email address or a telephone number.

create index profiles_by_time on profiles (workspace_id, created desc, id desc);
-- Values are cut, so that whatever a caller stores there fits an index entry.
create index profiles_by_email on profiles
  (workspace_id, (left(lower(profile ->> 'email'), 320)) collate "C", id) where profile ->> 'email' is not null;
create index profiles_by_phone_number on profiles
  (workspace_id, (left(regexp_replace(profile ->> 'phone_number', '[^0-9]', '', 'g'), 32)) collate "C", id)
  where profile ->> 'phone_number' is not null;

-- Filters of a page of the dashboard under a name.
create table views (
  workspace_id smallint not null,
  name text collate "C" not null,
  page text not null,
  filters jsonb not null,
  created bigint not null,
  updated bigint not null,
  primary key (workspace_id, name)
);

-- The last attempt of a delivery to a webhook, and its reply.
alter table webhook_deliveries add column attempted bigint;
alter table webhook_deliveries add column reply_status smallint;
alter table webhook_deliveries add column reply_body text;
-- The first delivery of the event, for one that was replayed.
alter table webhook_deliveries add column replay_of text collate "C";
