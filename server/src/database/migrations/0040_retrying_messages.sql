-- Messages that wait for another attempt, among any number that wait for their first. Of live messages only, and of few.
create index messages_live_retrying on messages_live (workspace_id, id)
  where status = 'ROUTED' and deliveries like '%"nextAt":%';

-- Changes by a session were made in the dashboard; the source of all changes was `api`.
update audit_events set source = 'dashboard' where session_id <> '';
