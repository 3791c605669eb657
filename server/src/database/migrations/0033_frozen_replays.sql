-- Replays send what was counted when they were confirmed, and one node at a time releases the messages of a repair.

-- The messages that a replay in progress was confirmed for.
create table replay_originals (
  request_id text collate "C" not null,
  message_id text collate "C" not null,
  primary key (request_id, message_id)
);

-- When the next step of a release is due, or the lease of the node that takes it ends; null without `release_held`.
alter table integrations add column release_due bigint;
-- The last message that the pass in progress has read.
alter table integrations add column release_after text collate "C";
-- 0: the first pass, of all messages. 1: one of those that wait since before the repair. 2: the last one of these.
alter table integrations add column release_pass smallint not null default 0;

update integrations set release_due = release_held where release_held is not null;
