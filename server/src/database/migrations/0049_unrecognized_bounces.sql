-- Mails that came to a bounce address and were not understood: the latest hundred, for two weeks.

create table unrecognized_bounces (
  id text collate "C" primary key,
  workspace_id smallint not null,
  -- The message that the bounce address names.
  message_id text collate "C" not null,
  created bigint not null,
  -- Its beginning, as Latin-1, without the token of the bounce address.
  mail text not null
);

create index unrecognized_bounces_by_time on unrecognized_bounces (workspace_id, id desc);
