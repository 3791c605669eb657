-- A message can end long after its id was made, when it or its request waited. Its week is kept until it is old by its end,
-- which this index finds. The id has seconds since the epoch in hexadecimal digits.
create index messages_late on messages_final (greatest(first_due, sent, canceled_at))
  where greatest(first_due, sent, canceled_at) / 1000 - ('x' || substr(id, 3, 8))::bit(32)::bigint > 86400;
