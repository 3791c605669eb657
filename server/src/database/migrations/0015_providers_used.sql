-- The providers that deliveries of a workspace went through: a name that none did is found nowhere without reading all
-- messages.

create table providers_used (
  workspace_id smallint not null,
  provider text collate "C" not null,
  primary key (workspace_id, provider)
);

insert into providers_used
  select distinct m.workspace_id, d.value ->> 'provider'
  from messages m cross join lateral json_array_elements(m.deliveries::json) d
  where d.value ->> 'provider' is not null;
