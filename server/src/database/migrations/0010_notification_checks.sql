-- What others say about a submission of a notification.

create table notification_checks (
  workspace_id smallint not null,
  notification_id text collate "C" not null,
  submission_id text collate "C" not null,
  checks jsonb not null,
  updated bigint not null,
  primary key (workspace_id, notification_id, submission_id)
);
