-- The treatment of variables without a value, where the notification does not say: `keep`, `fail` or `empty`.
alter table workspaces add column on_missing_variable text not null default 'keep';
