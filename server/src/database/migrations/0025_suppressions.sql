-- Addresses that nothing is sent to.

create table suppressions (
  workspace_id smallint not null,
  id text collate "C" not null,
  kind text not null,
  -- In the form in which it is compared; after the erasure of its person a keyed digest of that.
  address text collate "C" not null,
  reason text not null,
  -- provider/<name> or key/<name>.
  source text not null,
  message_id text collate "C",
  note text,
  -- The recipient of the message: an erasure finds the row by it.
  person text collate "C",
  created bigint not null,
  -- Null: until it is removed.
  ends bigint,
  primary key (workspace_id, id)
);

-- The address first: decisions look it up by an index that nothing else competes with.
create unique index suppressions_by_address on suppressions (address, kind, workspace_id);
create index suppressions_by_reason on suppressions (workspace_id, reason, id);
create index suppressions_by_person on suppressions (workspace_id, person) where person is not null;
create index suppressions_ending on suppressions (ends) where ends is not null;
