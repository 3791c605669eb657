/** /suppressions: addresses that nothing is sent to. */
import {
  type AddressKind,
  NewSuppression,
  type RowError,
  type Suppression,
  type SuppressionReason,
  suppressionsPage,
} from '@postrider/contract'
import { invalidField, rowErrorOf } from '../../../base/errors.ts'
import { timedId } from '../../../base/ids.ts'
import { compileCheck } from '../../../base/schema/check.ts'
import { checkFieldNames, refuse } from '../../../base/schema/unknown-fields.ts'
import { parseTimestamp } from '../../../base/time/clock.ts'
import {
  deleteSuppression,
  findSuppressions,
  isErased,
  listSuppressions,
  type SuppressionRow,
  suppressionsInsert,
} from '../../../database/tables/suppressions/suppressions.ts'
import { kindOf, type NormalAddress, normalAddress, shownAddress } from '../../../providers/address.ts'
import { type CallContext, paging, success } from '../../call.ts'
import { changesConfig, type ResourceHandlers } from '../../outcome.ts'

export const suppressions = {
  'suppressions.list': async ({ query }, { app, caller, now }) => {
    const { address: text, kind, reason, cursor, limit = suppressionsPage } = query
    const address = text === undefined ? undefined : addressIn({ address: text, kind }, '')
    const filter = { address, kind, reason }
    const page = await listSuppressions(app.database, caller.workspaceId, filter, { cursor, limit, now })
    return success('suppressions.list', { paging: paging(page), results: page.rows.map(record) })
  },
  'suppressions.add': async ({ body }, ctx) => {
    const entries = body.suppressions.map((item, index) => readEntry(item, `suppressions.${index}.`, ctx.now))
    const { counts, writes } = await additions(entries, ctx)
    return { reply: success('suppressions.add', counts), writes, changesConfig }
  },
  'suppressions.import': async ({ body }, ctx) => {
    const entries: Entry[] = []
    const errors: RowError[] = []
    for (const [row, item] of body.suppressions.entries())
      try {
        checkRow(item)
        checkFieldNames(NewSuppression, item, { at: '', what: 'a row', report: refuse })
        entries.push(readEntry(item as NewSuppression, '', ctx.now))
      } catch (error) {
        errors.push(rowErrorOf(row, error))
      }
    const { counts, writes } = await additions(entries, ctx)
    return { reply: success('suppressions.import', { ...counts, errors }), writes, changesConfig }
  },
  'suppressions.delete': ({ params: { suppression_id } }, { caller }) => ({
    reply: success('suppressions.delete', undefined),
    writes: [deleteSuppression(caller.workspaceId, suppression_id)],
  }),
} satisfies ResourceHandlers<'suppressions'>

const checkRow = compileCheck(NewSuppression, 'row')

interface Entry extends NormalAddress {
  item: NewSuppression
  ends: number | null
}

/** `path` is that of its fields. Throws a 400. */
const readEntry = (item: NewSuppression, path: string, now: number): Entry => ({
  ...addressIn(item, path),
  item,
  ends: endOf(item, path, now),
})

/** Adds the addresses that are not on the list. */
async function additions(entries: readonly Entry[], { app, caller, now }: CallContext) {
  const { workspaceId, name } = caller
  // The first mention counts.
  const addresses = [
    ...new Map(entries.toReversed().map((entry) => [`${entry.kind} ${entry.address}`, entry])).values(),
  ].reverse()
  const existingEntries = await findSuppressions(
    app.database,
    addresses.map(({ kind, address }) => ({ workspaceId, kind, address })),
    now,
  )
  const existingNumbers = new Set(existingEntries.map(({ n }) => n))
  const added = addresses
    .filter((_, n) => !existingNumbers.has(n))
    .map(({ kind, address, ends, item: { reason = 'manual', note } }) => ({
      ...{ workspace_id: workspaceId, id: timedId(now), kind, address, reason, source: name },
      ...{ message_id: null, note: note || null, person: null, created: now, ends },
    }))
  return {
    counts: { added: added.length, existing: existingNumbers.size },
    writes: added.length > 0 ? [suppressionsInsert(added)] : [],
  }
}

const notOfKind: Record<AddressKind, string> = {
  email: 'must be one email address',
  phone_number: 'must be a telephone number with its country code, as +12025550143',
  chat_id: 'must be the id of a chat: printable ASCII characters without spaces',
  device_token: 'must be a device token: printable ASCII characters without spaces',
}

/** `path` is that of its fields: empty in a query. */
function addressIn(
  { address: text, kind = kindOf(text) }: { address: string; kind?: AddressKind | undefined },
  path: string,
): NormalAddress {
  if (kind === undefined)
    throw invalidField(
      `${path}kind`,
      'must be set for an address that is neither an email address nor a telephone number',
    )
  const address = normalAddress(kind, text)
  if (!address) throw invalidField(`${path}address`, notOfKind[kind])
  return address
}

function endOf({ ends }: NewSuppression, path: string, now: number): number | null {
  if (ends === undefined || ends === null) return null
  const time = parseTimestamp(ends)
  if (!(time > now)) throw invalidField(`${path}ends`, 'must be in the future')
  return time
}

/** The address of an erased person is a digest, which is not shown. */
function record(row: SuppressionRow): Suppression {
  const kind = row.kind as AddressKind
  return {
    id: row.id,
    kind,
    address: isErased(row) ? null : shownAddress({ kind, address: row.address }),
    reason: row.reason as SuppressionReason,
    source: row.source,
    ...(row.message_id !== null && { message_id: row.message_id }),
    ...(row.note !== null && { note: row.note }),
    created: row.created,
    ...(row.ends !== null && { ends: row.ends }),
  }
}
