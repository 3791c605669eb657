-- The only index that serves `~>=~` and `~<=~` on ids: a message is looked up in it, whatever the statistics say about the
-- others that have the id behind other columns (ADR 46). The primary key stays for what replicates or exports tables.
create unique index messages_live_by_id on messages_live (id text_pattern_ops);
