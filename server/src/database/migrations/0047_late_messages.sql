-- A message can end long after it was accepted. Its week is kept until it is old by its end, which this index finds.
create index messages_late on messages_final (greatest(first_due, sent, canceled_at))
  where greatest(first_due, sent, canceled_at) - enqueued > 86400000;
