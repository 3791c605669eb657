/** The statements of a limit, on the product's tables: what it has to write and to know, and nothing about who may. */

const columns =
  'id, workspace_id, lane, due_at, lease, claims, status, event, recipient, mode, enqueued, first_due, input'

export const insert = `insert into messages (${columns})
  select ${columns} from json_to_recordset($1::json) as r(id text, workspace_id smallint, lane smallint, due_at bigint,
    lease text, claims smallint, status text, event text, recipient text, mode text, enqueued bigint,
    first_due bigint, input text)`

/** A recipient named by id may have stored addresses: a server has to read them. */
export const profiles = `select p.id, p.profile from json_array_elements_text($1::json) as r(id)
  join profiles p on p.workspace_id = 1 and p.id = r.id`

export const finish = `with r as materialized (
    select * from json_to_recordset($1::json) as r(id text, status text, notification_id text, sent bigint,
      delivered bigint, pinned text, deliveries text, events text)
  ), u as (
    update messages m set due_at = null, lease = null, claims = 0, status = r.status, notification_id = r.notification_id,
      sent = r.sent, delivered = r.delivered, pinned = r.pinned, deliveries = r.deliveries, flushes = 1
    from r where m.id = r.id
  )
  insert into history (message_id, flush, workspace_id, events) select id, 1, 1, events from r`

/** A fresh table has no statistics; these keep the batch from being joined by reading all of it. */
export const planner = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'].map((name) => `set ${name} = off`)
