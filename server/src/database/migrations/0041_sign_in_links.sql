-- Links that sign a browser in with a key, once. Of the token of a link only the hash is stored.

create table sign_in_links (
  hash text collate "C" primary key,
  -- Of the key.
  workspace_id smallint not null,
  key_id text collate "C" not null,
  expires bigint not null,
  -- When it signed in; such a row stays for a while, so that a second use can be named.
  used bigint
);

create index sign_in_links_by_end on sign_in_links (expires);
