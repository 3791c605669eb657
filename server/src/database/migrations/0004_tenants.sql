-- Tenants, who belongs to them, and the devices of users.

create table tenants (
  workspace_id smallint not null,
  id text collate "C" not null,
  name text not null,
  parent_id text collate "C",
  brand_id text collate "C",
  properties jsonb not null,
  user_profile jsonb not null,
  created bigint not null,
  updated bigint not null,
  primary key (workspace_id, id),
  -- A parent exists as long as it has children.
  constraint tenants_parent foreign key (workspace_id, parent_id) references tenants (workspace_id, id)
);

create index tenants_by_parent on tenants (workspace_id, parent_id, id) where parent_id is not null;

create table tenant_members (
  workspace_id smallint not null,
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  profile jsonb not null,
  created bigint not null,
  primary key (workspace_id, tenant_id, user_id),
  constraint tenant_members_tenant foreign key (workspace_id, tenant_id)
    references tenants (workspace_id, id) on delete cascade
);

create index tenant_members_by_user on tenant_members (workspace_id, user_id, tenant_id);

create table device_tokens (
  workspace_id smallint not null,
  user_id text collate "C" not null,
  token text collate "C" not null,
  provider_key text not null,
  device jsonb,
  tracking jsonb,
  properties jsonb,
  -- Null: it never expires.
  expires bigint,
  status text not null,
  status_reason text,
  version integer not null,
  created bigint not null,
  updated bigint not null,
  primary key (workspace_id, user_id, token)
);
