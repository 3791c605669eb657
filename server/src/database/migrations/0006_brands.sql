-- Brands in immutable versions, and translations.

create table brands (
  workspace_id smallint not null,
  id text collate "C" not null,
  version integer not null,
  is_default boolean not null default false,
  created bigint not null,
  updated bigint not null,
  deleted bigint,
  primary key (workspace_id, id)
);

create unique index brands_default on brands (workspace_id) where is_default;

-- Messages point at the version they were rendered with.
create table brand_versions (
  workspace_id smallint not null,
  brand_id text collate "C" not null,
  version integer not null,
  name text not null,
  settings jsonb not null,
  snippets jsonb,
  created bigint not null,
  primary key (workspace_id, brand_id, version)
);

create table translations (
  workspace_id smallint not null,
  domain text collate "C" not null,
  locale text collate "C" not null,
  content text not null,
  updated bigint not null,
  primary key (workspace_id, domain, locale)
);
