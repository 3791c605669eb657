-- Who made the request, `key/<name>` or `operator`; null where an automation or an older version made it.
alter table requests add column source text;
-- Nothing is sent before this time.
alter table requests add column not_before bigint;
-- `paused` or `canceled`: neither its messages nor further ones are sent, whatever node has them. Null for any other.
alter table requests add column stopped text;
alter table requests add column stopped_by text;
alter table requests add column stopped_at bigint;

create index requests_paused on requests (workspace_id, id) where stopped = 'paused';
