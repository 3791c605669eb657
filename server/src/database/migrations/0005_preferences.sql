-- What recipients want: by notification and category, and by topic; and the topics with their sections.

create table preference_sections (
  workspace_id smallint not null,
  id text collate "C" not null,
  name text not null,
  routing_options jsonb not null,
  has_custom_routing boolean not null default false,
  -- How many live topics stand in it: one row to compare, so that no topic is added while the section is archived.
  topics integer not null default 0,
  created bigint not null,
  updated bigint not null,
  creator text not null,
  updater text not null,
  archived bigint,
  primary key (workspace_id, id)
);

-- What was published last, one row a workspace.
create table preference_pages (
  workspace_id smallint not null primary key,
  id text collate "C" not null,
  version bigint not null,
  published bigint not null,
  publisher text not null
);

create table preference_topics (
  workspace_id smallint not null,
  id text collate "C" not null,
  section_id text collate "C" not null,
  name text not null,
  default_status text not null,
  -- The rest of what callers store with a topic.
  settings jsonb not null,
  created bigint not null,
  updated bigint not null,
  creator text not null,
  updater text not null,
  archived bigint,
  primary key (workspace_id, id)
);

create index preference_topics_by_section on preference_topics (workspace_id, section_id, id);

-- First generation: `{notifications, categories}` as one document.
create table preferences (
  workspace_id smallint not null,
  recipient text collate "C" not null,
  preferences jsonb not null,
  version integer not null,
  updated bigint not null,
  primary key (workspace_id, recipient)
);

-- Second generation: one row a topic; `tenant_id` is empty for what holds everywhere.
create table topic_preferences (
  workspace_id smallint not null,
  user_id text collate "C" not null,
  tenant_id text collate "C" not null,
  topic_id text collate "C" not null,
  status text not null,
  has_custom_routing boolean not null,
  custom_routing jsonb not null,
  updated bigint not null,
  primary key (workspace_id, user_id, tenant_id, topic_id)
);

create table tenant_topic_defaults (
  workspace_id smallint not null,
  tenant_id text collate "C" not null,
  topic_id text collate "C" not null,
  status text not null,
  has_custom_routing boolean not null,
  custom_routing jsonb not null,
  primary key (workspace_id, tenant_id, topic_id)
);
