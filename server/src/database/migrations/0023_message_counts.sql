-- Counts of messages for summaries over a window. A commit that accepts or finishes messages appends its own rows, so that
-- no two commits wait for each other; rows of past minutes are merged later, and those of past days by the hour.

create table message_counts (
  -- A connection takes many numbers at a time: each is one write less.
  id bigint generated always as identity (cache 1000),
  workspace_id smallint not null,
  -- The minute, or the hour, in which it happened.
  at bigint not null,
  -- How many milliseconds the row stands for; 0 until it is merged.
  span integer not null default 0,
  -- Null: accepted. With a channel the status of a delivery, else the one with which a message ended.
  status text,
  channel text,
  provider text,
  count bigint not null,
  -- The only index, because every commit writes it: merging reads a span by time, a summary each span.
  primary key (span, at, id)
);
