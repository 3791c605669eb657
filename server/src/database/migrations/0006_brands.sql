-- Brands in immutable versions, and translations.

create table brands (
  workspace_id smallint not null,
  id text collate "C" not null,
  version integer not null,
  -- The default is the brand that was made it last.
  default_since bigint,
  created bigint not null,
  updated bigint not null,
  deleted bigint,
  primary key (workspace_id, id)
);

create index brands_default on brands (workspace_id, default_since desc)
  where default_since is not null and deleted is null;
create index brands_by_time on brands (workspace_id, created desc, id desc) where deleted is null;

-- Messages point at the version they were rendered with.
create table brand_versions (
  workspace_id smallint not null,
  brand_id text collate "C" not null,
  version integer not null,
  name text not null,
  settings jsonb not null,
  snippets jsonb not null,
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
