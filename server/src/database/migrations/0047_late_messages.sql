-- A message can end long after its id was made, when it or its request waited. Its week is kept until it is old by its end,
-- which this index finds. An id has seconds since the epoch in hexadecimal digits; another one is as old as its message.
create index messages_late on messages_final (greatest(first_due, sent, canceled_at))
  where greatest(first_due, sent, canceled_at) / 1000 - case when id ~ '^1-[0-9a-f]{8}-'
    then ('x' || substr(id, 3, 8))::bit(32)::bigint else enqueued / 1000 end > 86400;
