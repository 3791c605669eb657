-- Who requests that the node which leases a message stops: `key/<name>`. Null without a request.
alter table messages add column cancel_source text;
