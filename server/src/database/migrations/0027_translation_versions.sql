-- Versions of catalogs, which messages point at: what was sent can be shown after a catalog has changed.

alter table translations add column version integer not null default 1;

create table translation_versions (
  workspace_id smallint not null,
  domain text collate "C" not null,
  locale text collate "C" not null,
  version integer not null,
  content text not null,
  created bigint not null,
  primary key (workspace_id, domain, locale, version)
);

insert into translation_versions (workspace_id, domain, locale, version, content, created)
  select workspace_id, domain, locale, version, content, updated from translations;

-- By triggers, so that a node of the release before writes versions, too. A catalog that was deleted goes on counting.
create function number_translation() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    select coalesce(max(version), 0) + 1 into new.version from translation_versions
      where workspace_id = new.workspace_id and domain = new.domain and locale = new.locale;
  else
    new.version := old.version + (new.content <> old.content)::integer;
  end if;
  return new;
end $$;

-- After the write: an insert that becomes an update has passed the first trigger twice.
create function keep_translation_version() returns trigger language plpgsql as $$
begin
  insert into translation_versions (workspace_id, domain, locale, version, content, created)
    values (new.workspace_id, new.domain, new.locale, new.version, new.content, new.updated)
    on conflict do nothing;
  return null;
end $$;

create trigger translations_numbered before insert or update on translations
  for each row execute function number_translation();
create trigger translations_kept after insert or update on translations
  for each row execute function keep_translation_version();
