-- Why messages ended so: those that their recipients did not want are no failures. Null for deliveries, and without a reason.
alter table message_counts add column reason text;
