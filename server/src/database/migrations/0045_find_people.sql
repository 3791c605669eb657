-- Keyed digests of the addresses that a message names or was sent to. Most have one. Each place has an ordered index: a
-- page costs the same however many messages an address has, which an index of all elements (GIN) could not do.
alter table messages add column addresses bigint[];

create index messages_by_address on messages (workspace_id, (addresses[1]), id) where addresses[1] is not null;
create index messages_by_second_address on messages (workspace_id, (addresses[2]), id) where addresses[2] is not null;
create index messages_by_third_address on messages (workspace_id, (addresses[3]), id) where addresses[3] is not null;

-- An email address is found with its name before it (Ada <ada@example.com>) as without.
drop index profiles_by_email;
create index profiles_by_email on profiles (
  workspace_id,
  (left(lower(btrim(coalesce(substring(profile ->> 'email' from '<([^<>]*)>\s*$'), profile ->> 'email'))), 320))
    collate "C",
  id
) where profile ->> 'email' is not null;

-- Profiles are found by the beginning of a name, and of a family name: the last word of a name that is one text.
create index profiles_by_name on profiles (
  workspace_id,
  (left(lower(coalesce(nullif(btrim(profile ->> 'name'), ''),
    btrim(coalesce(profile ->> 'given_name', '') || ' ' || coalesce(profile ->> 'family_name', '')))), 320)) collate "C",
  id
) where coalesce(profile ->> 'name', profile ->> 'given_name', profile ->> 'family_name') is not null;
create index profiles_by_family_name on profiles (
  workspace_id,
  (left(lower(coalesce(nullif(btrim(profile ->> 'family_name'), ''),
    substring(btrim(profile ->> 'name') from '\S+$'))), 320)) collate "C",
  id
) where coalesce(profile ->> 'family_name', profile ->> 'name') is not null;
