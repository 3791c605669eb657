-- Audiences and whom their filter matches.

create table audiences (
  workspace_id smallint not null,
  id text collate "C" not null,
  name text not null,
  description text not null,
  -- As it was given. Null matches nobody.
  filter jsonb,
  -- What joins a filter that names no operator itself.
  operator text,
  version integer not null,
  created bigint not null,
  updated bigint not null,
  -- Deleted; the row goes when the last member has gone.
  removed bigint,
  -- A recount as a job: due until it has gone through all users, `progress` being the last of them.
  due_at bigint,
  progress text collate "C",
  primary key (workspace_id, id)
);

create index audiences_due on audiences (due_at) where due_at is not null;

create table audience_members (
  workspace_id smallint not null,
  audience_id text collate "C" not null,
  member_id text collate "C" not null,
  version integer not null,
  reason text not null,
  added bigint not null,
  primary key (workspace_id, audience_id, member_id)
);

create index audience_members_by_member on audience_members (workspace_id, member_id, audience_id);

-- How often members were written. Who writes compares it with what it was when they read: one after the other.
create table audience_writes (
  the_only boolean primary key check (the_only),
  count bigint not null
);
insert into audience_writes values (true, 0);

-- Users whose profile or tenants changed since their audiences were last looked at.
create table audience_changes (
  id bigint generated always as identity primary key,
  workspace_id smallint not null,
  user_id text collate "C" not null
);

-- In the commit of the change itself, whoever makes it. The lock is shared by all of these and held to the end of the
-- commit: who makes an audience takes it alone, and so waits for changes that do not see the audience yet. By row, not
-- by statement: most writes change one row, and keeping its old and new self for a statement costs several times as much.
create function note_changed_profile() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(7305002);
  insert into audience_changes (workspace_id, user_id)
    select coalesce(new.workspace_id, old.workspace_id), coalesce(new.id, old.id)
    where exists (select 1 from audiences a where a.workspace_id = coalesce(new.workspace_id, old.workspace_id));
  return null;
end $$;

create function note_changed_tenant_member() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(7305002);
  insert into audience_changes (workspace_id, user_id)
    select coalesce(new.workspace_id, old.workspace_id), coalesce(new.user_id, old.user_id)
    where exists (select 1 from audiences a where a.workspace_id = coalesce(new.workspace_id, old.workspace_id));
  return null;
end $$;

create trigger profiles_changed after insert or update or delete on profiles
  for each row execute function note_changed_profile();
create trigger tenant_members_changed after insert or delete on tenant_members
  for each row execute function note_changed_tenant_member();
