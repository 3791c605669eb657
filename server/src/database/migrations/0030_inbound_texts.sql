-- Text messages that came in, as webhooks are called for them: an erasure finds those of a number.

create index webhook_deliveries_texts on webhook_deliveries (workspace_id, id) where type = 'sms:received';
