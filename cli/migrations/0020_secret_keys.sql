-- The secret key that encrypts values of this database: at most one row, inserted by the first start.

create table secret_keys (
  the_only boolean primary key check (the_only),
  -- The id that every value encrypted with the key begins with; the key cannot be derived from it.
  id text not null,
  -- The key that a rotation in progress writes; no server starts until it is finished.
  next_id text,
  -- After a rotation: the derived keys that ids and pseudonyms rest on, encrypted. Null: they are derived from the key.
  retained_keys text
);
