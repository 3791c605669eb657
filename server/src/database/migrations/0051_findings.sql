-- Mistakes in a message that its history has in words, by their codes. Most messages have none.
alter table messages add column findings text[];
create index messages_with_findings on messages (workspace_id, id) where findings is not null;
