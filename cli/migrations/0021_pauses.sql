-- The pause of deliveries: one row from `serve --paused` until `postrider resume`, else none.

create table pauses (
  the_only boolean primary key check (the_only),
  since bigint not null,
  host text not null
);
