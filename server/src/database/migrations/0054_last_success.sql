-- When the latest call of a bucket ended that its integration answered as it should: a later one than an error ends it.
alter table integration_health add column success_at bigint;
