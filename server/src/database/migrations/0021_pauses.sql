-- Whether deliveries are paused: at most one row, from `serve --paused` until somebody resumes them.

create table pauses (
  the_only boolean primary key check (the_only),
  since bigint not null,
  host text not null
);
