/** Every filter of `GET /messages` over a large table, beside a page without one, and searches of profiles. */
import { timedIdFloor } from '@postrider/server/internal/base/ids'
import type { Engine } from '@postrider/server/internal/database/engine'
import { makePartitions } from '@postrider/server/internal/database/partitions'
import { addressDigests } from '@postrider/server/internal/database/tables/messages/addresses'
import { providersUse } from '@postrider/server/internal/database/tables/messages/records'
import { openStorage, type Place } from './databases.ts'
import type { Bench, Figures } from './measure.ts'
import { apiKey, startProduct } from './product.ts'
import { quantile } from './statistics.ts'

const DAY_MS = 86_400_000
/** Eight weeks: as many partitions, as after two months of use. */
const DAYS = 56
const ROWS_A_STATEMENT = 20_000
/** Requests for each filter; the first of them warm the caches. */
const REQUESTS = 120
const WARM_REQUESTS = 20

/** Values that exist, and one that does not, for each filter. */
const FILTERS: Record<string, string> = {
  none: '',
  event: 'event=event-7',
  'event, unknown': 'event=no-such-event',
  recipient: 'recipient=user-77',
  'recipient, unknown': 'recipient=unknown',
  notification: 'notification=notification-3',
  'notification, unknown': 'notification=none',
  'status, common': 'status=DELIVERED',
  'status, rare': 'status=UNROUTABLE',
  'status, none': 'status=CLICKED',
  'several statuses': 'status=OPENED,UNDELIVERABLE',
  list: 'list=list-3',
  'list, unknown': 'list=none',
  tags: 'tags=tag-1,tag-2',
  'tags, unknown': 'tags=none',
  tenant_id: 'tenant_id=tenant-4',
  'tenant_id, unknown': 'tenant_id=none',
  traceId: 'traceId=trace-500',
  'traceId, unknown': 'traceId=none',
  'messageId, unknown': 'messageId=none',
  provider: 'provider=sendgrid',
  'provider, unknown': 'provider=none',
  enqueued_after: `enqueued_after=${Date.now() - DAY_MS}`,
  archived: 'archived=true',
  'event and status': 'event=event-7&status=UNDELIVERABLE',
  'recipient and tags': 'recipient=user-77&tags=none',
  address: 'address=user-78@example.com',
  'address, unknown': 'address=unknown@example.com',
  'address, common': 'address=team@example.com',
  'address, second': 'address=%2B4917000077',
  'address of a profile only': 'address=private-77@example.com',
  'address and status': 'address=team@example.com&status=CLICKED',
}

/** Beginnings of what profiles have, and one of none. */
const SEARCHES: Record<string, string> = {
  'profiles: id': 'search=user-77',
  'profiles: address': 'search=private-1',
  'profiles: family name': 'search=name-199',
  'profiles: unknown': 'search=none',
}

export async function messageFilters(bench: Bench): Promise<Figures> {
  const place = await bench.databases.copy()
  await seedMessages(place, bench.messages)
  const product = await startProduct(place, bench.port)
  try {
    const figures: Figures = { messages: bench.messages }
    const calls = [
      ...Object.entries(FILTERS).map(([name, query]) => [name, `messages?${query}`] as const),
      ...Object.entries(SEARCHES).map(([name, query]) => [name, `profiles?${query}`] as const),
    ]
    for (const [name, path] of calls) {
      const times = await timesOf(`http://127.0.0.1:${product.port}/${path}`)
      figures[`${name} p50`] = quantile(times, 0.5)
      figures[`${name} p99`] = quantile(times, 0.99)
    }
    return figures
  } finally {
    await product.stop()
  }
}

async function timesOf(url: string): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < WARM_REQUESTS + REQUESTS; n += 1) {
    const begin = performance.now()
    const reply = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } })
    await reply.arrayBuffer()
    if (reply.status !== 200) throw new Error(`${url} answered ${reply.status}`)
    if (n >= WARM_REQUESTS) times.push(performance.now() - begin)
  }
  return times
}

/** Finished messages over eight weeks, with values for every filter, and profiles. */
export async function seedMessages(place: Place, count: number): Promise<void> {
  const engine = await openStorage(place)
  try {
    const now = Date.now()
    for (let day = DAYS; day >= 0; day -= 7) await makePartitions(engine, now - day * DAY_MS)
    for (let from = 0; from < count; from += ROWS_A_STATEMENT)
      await insert(engine, from, Math.min(ROWS_A_STATEMENT, count - from), now - DAYS * DAY_MS, (DAYS * DAY_MS) / count)
    await engine.run({ text: PROFILES, values: [PROFILE_COUNT, now] })
    await engine.run(providersUse(['smtp', 'sendgrid'].map((provider) => ({ workspace_id: 1, provider }))))
    await engine.run({ text: 'analyze' })
  } finally {
    await engine.close()
  }
}

const PROFILE_COUNT = 200_000
/** Addresses of their own, which no message has in its row. */
const PROFILES = `insert into profiles (workspace_id, id, profile, version, created, updated)
  select 1, 'user-' || n, jsonb_build_object('email', 'private-' || n || '@example.com', 'given_name', 'Given-' || n,
    'family_name', 'Name-' || n, 'phone_number', '+4915' || n), 1, $2, $2
  from generate_series(1, $1::integer) as g(n)`

const digestOf = ({ tokens }: Engine, kind: string, address: string) =>
  addressDigests(tokens, 1, [{ kind, address }])[0]

/** A third have an address that they share, a fiftieth a second one. */
function addressesOf(engine: Engine, n: number): (number | undefined)[] {
  const first = n % 3 === 0 ? 'team@example.com' : `user-${n % 20_000}@example.com`
  return [
    digestOf(engine, 'email', first),
    ...(n % 50 === 27 ? [digestOf(engine, 'phone_number', `49170000${n % 1_000}`)] : []),
  ]
}

/** In the order of time, spread over all partitions; each filter's values are about as common as in use. */
async function insert(engine: Engine, from: number, rows: number, start: number, stepMs: number): Promise<void> {
  const ids = Array.from({ length: rows }, (_, n) => {
    const at = Math.floor(start + (from + n) * stepMs)
    const id = `${timedIdFloor(at)}${(from + n).toString(16).padStart(21, '0')}`
    return { n: from + n, id, at, addresses: addressesOf(engine, from + n) }
  })
  await engine.run({
    text: `insert into messages (id, workspace_id, lane, due_at, status, event, recipient, notification_id, mode, enqueued,
        first_due, sent, delivered, archived, tags, addresses, trace_id, list_id, tenant_id, input, pinned, deliveries, flushes)
      select r.id, 1, 0, null,
        case when r.n % 20 = 0 then 'UNDELIVERABLE' when r.n % 10 = 1 then 'OPENED' when r.n % 50 = 2 then 'UNROUTABLE'
          else 'DELIVERED' end,
        'event-' || r.n % 50, 'user-' || r.n % 20000, 'notification-' || r.n % 40, 'live', r.at, r.at, r.at + 500, r.at + 900,
        r.n % 1000 = 5, case when r.n % 10 = 3 then array['tag-' || r.n % 7] end, r.addresses,
        case when r.n % 100 = 4 then 'trace-' || r.n / 100 end, case when r.n % 5 = 1 then 'list-' || r.n % 30 end,
        case when r.n % 4 = 1 then 'tenant-' || r.n % 100 end, '{"recipient":"user","data":{"order":"A-1"}}', null,
        '[{"n":0,"channel":"email","provider":"' || case when r.n % 3 = 0 then 'smtp' else 'sendgrid' end
          || '","integration":"i","state":"sent","attempts":1,"firstAt":1,"log":[]}]', 1
      from json_to_recordset($1::json) as r(n bigint, id text, at bigint, addresses bigint[])`,
    values: [JSON.stringify(ids)],
  })
}
