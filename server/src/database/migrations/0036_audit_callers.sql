-- Who made a change: the key, its role, the session, and the address of the client. Empty for earlier changes.

alter table audit_events add column key_id text not null default '';
alter table audit_events add column session_id text not null default '';
alter table audit_events add column role text not null default '';
alter table audit_events add column address text not null default '';
