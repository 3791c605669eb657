-- How often a message held the process that worked on it, and what the process was doing then; null for all others.
alter table messages add column stalls smallint, add column stalled_in text;
