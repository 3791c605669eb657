-- Switches of open and click tracking: of a workspace by channel, and of an integration. Null: none is set here.

alter table workspaces add column tracking jsonb;
alter table integrations add column tracking jsonb;
