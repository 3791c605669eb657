-- The channels of a workspace in which an integration of a real provider was ever switched on. In production the mailbox
-- does not serve them any more, also when that integration is switched off or deleted.

alter table workspaces add column integrated_channels text[] not null default '{}';

update workspaces w set integrated_channels = (
  select coalesce(array_agg(distinct i.channel order by i.channel), '{}')
  from integrations i
  -- Only the mailbox serves several channels, and only then the column is null.
  where i.workspace_id = w.id and i.provider <> 'mailbox' and i.channel is not null
);
