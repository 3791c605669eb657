-- People who are erased: a row that comes due, done a step at a time, and the receipt that stays of it.

create table erasures (
  id text collate "C" not null primary key,
  workspace_id smallint not null,
  -- Who it is, only while it is under way; nothing is sent to them meanwhile. And what stands in their place.
  person text collate "C",
  pseudonym text collate "C" not null,
  status text not null,
  begun bigint not null,
  completed bigint,
  -- Claimable when due_at has come, over when it is null.
  due_at bigint,
  lease text collate "C",
  claims smallint not null default 0,
  -- Which step it is at, and how far that one has come.
  step text not null,
  place text,
  -- It was asked for once more: all steps follow once more.
  again boolean not null default false,
  -- How many of each kind.
  removed jsonb not null
);

create unique index erasures_by_person on erasures (workspace_id, person) where person is not null;
create index erasures_due on erasures (due_at) where due_at is not null;

create function added_counts(a jsonb, b jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_object_agg(kind, n), '{}') from (
    select kind, coalesce((a->>kind)::bigint, 0) + coalesce((b->>kind)::bigint, 0) as n
    from jsonb_object_keys(a || b) as kind
  ) counts where n > 0
$$;

-- The few that an erasure has to look at: all others tell of a message, which is read when they are sent.
create index webhook_deliveries_saying on webhook_deliveries (workspace_id, id) where payload is not null;
