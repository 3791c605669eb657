-- Mails that came to a bounce address and were not understood: the latest hundred of a workspace, for two weeks.

create table unrecognized_bounces (
  id text collate "C" primary key,
  workspace_id smallint not null,
  -- The message that the bounce address names. It can be deleted before: its recipient is found without it.
  message_id text collate "C" not null,
  recipient text collate "C" not null,
  created bigint not null,
  -- Empty for that of a mail system, null where it is not known.
  envelope_sender text,
  -- Its beginning, as Latin-1.
  mail text not null
);

create index unrecognized_bounces_by_time on unrecognized_bounces (workspace_id, id desc);
