-- Bulk jobs are listed newest first, with what they send. Jobs that exist are listed without it.

alter table requests add column event text;

create index requests_bulk on requests (workspace_id, id desc) where kind = 'bulk';
