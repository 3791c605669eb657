-- Messages that are still to be worked on stand apart from those that are final. A final message is written once into its
-- week and, as a rule, never again: its indexes grow at their right end, it leaves no dead rows, and what a claim or a
-- record touches stays as small as what is in progress (ADR 18).

alter table messages rename to messages_final;
alter index messages_pkey rename to messages_final_pkey;
drop index messages_due, messages_by_time, messages_by_recipient, messages_by_event, messages_by_notification,
  messages_by_status, messages_by_request, messages_by_trace, messages_by_list, messages_by_list_message,
  messages_by_tenant, messages_by_run, messages_by_job, messages_by_tag;

-- The events of its first write, which is the only one of most messages; those of later writes are rows of `history`.
alter table messages_final add column events text;

create table messages (like messages_final including defaults) partition by list ((due_at is null));

-- Every message leaves a dead row here: vacuum comes often while few messages wait, more seldom with what there is to scan.
create table messages_live partition of messages for values in (false) with (
  autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_threshold = -1,
  autovacuum_analyze_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
alter table messages_live add primary key (id);
-- The planner excludes a partition by its check constraints where it cannot prune by an expression.
alter table messages_live add constraint messages_live_due check (due_at is not null);

insert into messages_live select * from messages_final where due_at is not null;
delete from messages_final where due_at is not null;
alter table messages_final add constraint messages_final_over check (due_at is null);
alter table messages attach partition messages_final for values in (true);

-- The claim walks it in order of due_at within a lane.
create index messages_live_by_due on messages_live (lane, due_at);

-- Ascending, so that pages fill up: new ids go to the right end. They are read backwards.
create index messages_by_time on messages (workspace_id, id);
create index messages_by_recipient on messages (workspace_id, recipient, id);
create index messages_by_event on messages (workspace_id, event, id);
create index messages_by_status on messages (workspace_id, status, id);
create index messages_by_notification on messages (workspace_id, notification_id, id) where notification_id is not null;
create index messages_by_request on messages (workspace_id, request_id, id) where request_id is not null;
create index messages_by_trace on messages (workspace_id, trace_id, id) where trace_id is not null;
create index messages_by_list on messages (workspace_id, list_id, id) where list_id is not null;
create index messages_by_list_message on messages (workspace_id, list_message_id, id) where list_message_id is not null;
create index messages_by_tenant on messages (workspace_id, tenant_id, id) where tenant_id is not null;
create index messages_by_run on messages (workspace_id, run_id, id) where run_id is not null;
create index messages_by_job on messages (workspace_id, job_id, id) where job_id is not null;
-- Without a list of pending entries, which one unlucky insert would have to sort in.
create index messages_by_tag on messages using gin (tags) with (fastupdate = off) where tags is not null;

-- Weeks are written once: vacuum has nothing to do but to mark what is new, in portions of equal size.
do $$ declare part regclass; begin
  for part in select inhrelid from pg_inherits where inhparent in ('messages_final'::regclass, 'history'::regclass) loop
    execute format('alter table %s set (autovacuum_vacuum_insert_scale_factor = 0,
      autovacuum_vacuum_insert_threshold = 100000)', part);
  end loop;
end $$;
