/** Tickets: the results of deliveries that a provider keeps until they are read. */
import type { Engine, Statement } from '../../engine.ts'
import { byKey, columnList, guardPlan, inLockOrder, type Row, recordset, rowsOf, typesOf } from '../../query.ts'

const NEW = ['message_id', 'n', 'workspace_id', 'integration', 'ticket', 'created', 'due_at'] as const

export type TicketRow = Row<'tickets', (typeof NEW)[number]>

/** A delivery that was repeated after a crash has the ticket of its last call. */
export const ticketsInsert = (tickets: readonly TicketRow[]): Statement => ({
  text: `insert into tickets (${columnList(NEW)})
    select ${columnList(NEW)} from ${recordset('$1', 'r', typesOf('tickets', NEW))}
    on conflict (message_id, n) do update set ticket = excluded.ticket, integration = excluded.integration,
      created = excluded.created, due_at = excluded.due_at`,
  values: [JSON.stringify(ordered(tickets))],
  name: 'insert-tickets',
})

/** Due tickets, which are due again at `until` unless they are deleted or postponed before: their node may die. */
export async function claimTickets(
  engine: Engine,
  { now, until, limit }: { now: number; until: number; limit: number },
): Promise<TicketRow[]> {
  const claim: Statement = {
    text: `update tickets t set due_at = $2
      from (select message_id, n from tickets where due_at <= $1 order by due_at limit $3 for update skip locked) d
      where ${byKey('t.message_id', 'd.message_id')} and ${byKey('t.n', 'd.n')}
      returning ${columnList(NEW, 't')}`,
    values: [now, until, limit],
    name: 'claim-tickets',
  }
  const [, result] = await engine.batch([guardPlan, claim])
  return rowsOf<TicketRow>(result)
}

const KEY = ['message_id', 'n', 'ticket'] as const

/** Only as they were claimed: a delivery may have been repeated since. */
export const ticketsDelete = (tickets: readonly TicketRow[]): Statement => ({
  text: `delete from tickets t using ${recordset('$1', 'r', typesOf('tickets', KEY))}
    where ${byKey('t.message_id', 'r.message_id')} and ${byKey('t.n', 'r.n')} and t.ticket = r.ticket`,
  values: [JSON.stringify(ordered(tickets))],
  name: 'delete-tickets',
})

export const ticketsPostpone = (tickets: readonly TicketRow[], until: number): Statement => ({
  text: `update tickets t set due_at = $2 from ${recordset('$1', 'r', typesOf('tickets', KEY))}
    where ${byKey('t.message_id', 'r.message_id')} and ${byKey('t.n', 'r.n')} and t.ticket = r.ticket`,
  values: [JSON.stringify(ordered(tickets)), until],
  name: 'postpone-tickets',
})

/** Rows are locked in one order. */
const ordered = (tickets: readonly TicketRow[]): TicketRow[] =>
  inLockOrder(tickets.map((ticket) => ({ ...ticket, id: `${ticket.message_id}-${ticket.n}` }))).map(
    ({ id: _id, ...ticket }) => ticket,
  )
