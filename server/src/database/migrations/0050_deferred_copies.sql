-- Mails for copies that a mail server refused for now: a row for each delivery with such copies, until each of them was
-- taken, refused for good, or given up. A claim moves `due_at`, so that no other node sends the same meanwhile.
create table deferred_copies (
  message_id text collate "C" not null,
  -- The number of the delivery.
  n smallint not null,
  workspace_id smallint not null,
  -- The recipient of the message, whose erasure removes it.
  recipient text collate "C" not null,
  integration text not null,
  -- JSON with the `config` of the override, encrypted; null without one.
  override text,
  -- The sender of the envelope, and the addresses that are left.
  sender text not null,
  addresses text[] not null,
  -- As Latin-1.
  mail text not null,
  needs_utf8 boolean not null,
  -- The notification is sent at most once: nor is its mail, when the node that had it may have sent it.
  at_most_once boolean not null,
  -- A node has claimed it, and has not written a result.
  in_flight boolean not null,
  -- Claims, by which one whose time was over cannot write a result.
  attempts smallint not null,
  due_at bigint not null,
  -- They are given up afterwards: the time of the message is over.
  ends bigint not null,
  primary key (message_id, n)
) with (autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_insert_threshold = -1,
  autovacuum_vacuum_cost_delay = 0);

create index deferred_copies_due on deferred_copies (due_at);
create index deferred_copies_by_recipient on deferred_copies (workspace_id, recipient);
