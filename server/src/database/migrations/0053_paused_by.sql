-- Who paused deliveries by a call, as `key/<name>`; null after `serve --paused`, and for pauses of older versions.
alter table pauses add column source text;
