-- One rule for rows that end their worker: each claim of a webhook delivery without a result counts, as in other queues.

-- A default that is a constant rewrites no row.
alter table webhook_deliveries add column claims smallint not null default 0;

-- Requests and digests were claimed again without end: those get their attempts alone before they are dead-lettered.
update requests set claims = 7 where due_at is not null and claims > 7;
update digests set claims = 2 where claims > 2;
