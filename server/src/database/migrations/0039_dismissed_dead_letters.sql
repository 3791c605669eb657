-- Dead letters that a person has dismissed: they leave the list of open ones, and stay until their retention.

alter table dead_letters add column dismissed bigint;
