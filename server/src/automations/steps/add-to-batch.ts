/** add-to-batch: the first run opens the batch and waits; later runs add their data and end. */
import { batchItemsMax, batchRetainMax, batchWaitMsMax, bodyBytesMax, type StepFields } from '@postrider/contract'
import { type JsonObject, jsonBytes, valueAt } from '../../base/json/json.ts'
import { endOfDuration } from '../../base/time/calendar-duration.ts'
import { DAY, SECOND } from '../../base/time/duration.ts'
import { pathParts } from '../references/references.ts'
import { FieldInvalid, type StepBehavior, type StepContext, StepFailed, type Transition } from '../step.ts'
import { checkCounted, countedBy, digest, ownerOf } from './shared/counter-key.ts'

type Fields = StepFields<'add-to-batch'>

/** Items are read when the batch closes, and a message can hold a hundred of them. */
const ITEM_BYTES_MAX = 60_000
/** Half of the maximum state of a run: later steps have the other half. */
const RETAINED_BYTES_MAX = bodyBytesMax / 2
/** For the keys around the items, and the needs of the next step. */
const MARGIN_BYTES = 1_000
/** As in the public API. */
const RETAIN_DEFAULT = 10

export default {
  checkPresence: (fields) => checkCounted(fields, 'batch_key'),
  fieldKinds: { names: ['batch_id', 'batch_key'] },
  check({ wait_period: wait, max_wait_period: maxWait, retain, category_key: category }, now) {
    if (wait !== undefined) lengthOf('wait_period', wait, now)
    if (maxWait !== undefined) lengthOf('max_wait_period', maxWait, now)
    if (wait !== undefined && maxWait !== undefined && lengthOf('', wait, now) > lengthOf('', maxWait, now))
      throw new FieldInvalid('max_wait_period', 'must not be shorter than wait_period')
    if ((retain?.type === 'highest' || retain?.type === 'lowest') && retain.sort_key === undefined)
      throw new FieldInvalid('retain.sort_key', `is required with the type \`${retain.type}\``)
    if (category === '__proto__') throw new FieldInvalid('category_key', 'cannot be `__proto__`')
  },
  run(fields, ctx) {
    const { waiting } = ctx.state
    return waiting?.kind === 'batch' ? close(waiting.batchId, fields, ctx) : collect(fields, ctx)
  },
} satisfies StepBehavior<'add-to-batch'>

function collect(fields: Fields, { run, state, place, now, id }: StepContext): Transition {
  const { batch_id, wait_period, max_wait_period, max_items, scope = 'global', batch_key } = fields
  if (jsonBytes(state.data) > ITEM_BYTES_MAX)
    throw new StepFailed(`The data of the run are larger than ${ITEM_BYTES_MAX} bytes and cannot be collected`)
  const by = countedBy(scope, run, batch_key, 'batch_key')
  const identity = batch_id === undefined ? [ownerOf(run), place] : [batch_id]
  const maxWaitMs = max_wait_period === undefined ? batchWaitMsMax : lengthOf('max_wait_period', max_wait_period, now)
  const waitMs = wait_period === undefined ? maxWaitMs : lengthOf('wait_period', wait_period, now)
  const batchId = id('batch')
  const maxItems = Math.min(Number(max_items ?? batchItemsMax), batchItemsMax)
  const batch = { id: batchId, key: digest(['batch', ...identity, by]), waitMs, maxWaitMs, maxItems }
  return { kind: 'collect', batch, item: state.data, until: maxItems === 1 ? now : now + Math.min(waitMs, maxWaitMs) }
}

async function close(batchId: string, fields: Fields, { state, store, now }: StepContext): Promise<Transition> {
  const batch = await store.batch(batchId)
  if (!batch) throw new StepFailed('The batch is gone')
  if (!batch.full && batch.closesAt > now) return { kind: 'hold', batchId, until: batch.closesAt }
  const all = await retained(retainOf(fields), batch.items, (from, limit) => store.batchItems(batchId, from, limit))
  const room = Math.min(RETAINED_BYTES_MAX, bodyBytesMax - jsonBytes(state) - MARGIN_BYTES)
  const items = fitting(all, room, fields.retain?.type === 'last')
  const { items: count } = batch
  const collected = { count, items }
  const data: JsonObject = { ...state.data, [fields.category_key ?? 'batch']: collected }
  return {
    kind: 'close',
    batchId,
    added: batch.added,
    next: { kind: 'next', data, ref: { count }, result: { count, items: items.length } },
  }
}

/** As many whole items as fit: the last ones, or the first ones. */
function fitting(items: readonly JsonObject[], room: number, fromEnd: boolean): JsonObject[] {
  let bytes = 0
  const order = fromEnd ? [...items].reverse() : items
  const tooMuch = order.findIndex((item) => {
    bytes += jsonBytes(item) + 1
    return bytes > room
  })
  if (tooMuch < 0) return [...items]
  return fromEnd ? items.slice(items.length - tooMuch) : items.slice(0, tooMuch)
}

function retainOf({ retain }: Fields): Retain {
  if (!retain) return { type: 'first', count: batchRetainMax }
  const { type, count = RETAIN_DEFAULT, sort_key } = retain
  return { type, count, ...(sort_key !== undefined && { sortKey: sort_key }) }
}

function lengthOf(field: string, text: string, now: number): number {
  const end = endOfDuration(text, now)
  if (end === undefined)
    throw new FieldInvalid(field, 'must be a whole number with a unit (`1 hour`) or an ISO 8601 duration')
  const length = end - now
  if (length < SECOND || length > batchWaitMsMax)
    throw new FieldInvalid(field, `must be between a second and ${batchWaitMsMax / DAY} days`)
  return length
}

interface Retain {
  type: 'first' | 'last' | 'highest' | 'lowest'
  count: number
  sortKey?: string
}

/** Items of at most 60 kB: some megabytes at a time. */
const PAGE_ITEMS = 100

type Read = (from: number, limit: number) => Promise<readonly JsonObject[]>

/** The retained items: `first` and `last` by arrival, `highest` and `lowest` by their key, then by arrival. */
async function retained({ type, count, sortKey = '' }: Retain, total: number, read: Read): Promise<JsonObject[]> {
  if (type === 'first') return [...(await read(1, Math.min(count, total)))]
  if (type === 'last') return [...(await read(Math.max(1, total - count + 1), Math.min(count, total)))]
  const sign = type === 'highest' ? -1 : 1
  const path = pathParts(sortKey)
  let best: JsonObject[] = []
  for (let from = 1; from <= total; from += PAGE_ITEMS) {
    const page = await read(from, PAGE_ITEMS)
    best = [...best, ...page].sort((a, b) => compare(valueAt(a, path), valueAt(b, path), sign)).slice(0, count)
  }
  return best
}

/** Numbers before strings; items with neither come last in both directions. */
function compare(a: unknown, b: unknown, sign: number): number {
  const [ranked, other] = [rank(a), rank(b)]
  if (ranked !== other) return ranked - other
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b)
  if (typeof a === 'string' && typeof b === 'string') return sign * (a < b ? -1 : a > b ? 1 : 0)
  return 0
}

const rank = (value: unknown) => (typeof value === 'number' ? 0 : typeof value === 'string' ? 1 : 2)
