-- Which secret key the encrypted values of this database belong to: at most one row, made by the first start.

create table secret_keys (
  the_only boolean primary key check (the_only),
  -- The id that every value encrypted with the key begins with; it does not tell the key.
  id text not null,
  -- The key that a rotation in progress writes; no server starts until it is finished.
  next_id text,
  -- After a rotation: the derived keys that ids and pseudonyms rest on, encrypted. Null: they are derived from the key.
  lasting text
);
