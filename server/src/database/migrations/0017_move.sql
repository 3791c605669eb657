-- Whether this installation was exported to move elsewhere, or is being imported: at most one row. It is never exported.

create table moves (
  the_only boolean primary key check (the_only),
  -- `exporting`, `exported`, `importing` and `verified` keep a server from starting; `imported` does not.
  state text not null,
  -- The export that it is, from the manifest.
  export_id text not null,
  folder text not null,
  host text not null,
  at bigint not null,
  -- Of an import: how many steps of it are committed.
  steps integer not null default 0
);
