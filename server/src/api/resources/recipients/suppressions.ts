/** /suppressions: addresses that nothing is sent to. */
import {
  type AddressKind,
  type NewSuppression,
  type Suppression,
  type SuppressionReason,
  suppressionsPage,
} from '@postrider/contract'
import { invalidField } from '../../../base/errors.ts'
import { timedId } from '../../../base/ids.ts'
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
import { paging, success } from '../../call.ts'
import { changesConfig, type ResourceHandlers } from '../../outcome.ts'

export const suppressions = {
  'suppressions.list': async ({ query }, { app, caller, now }) => {
    const { address: text, kind, reason, cursor, limit = suppressionsPage } = query
    const address = text === undefined ? undefined : addressIn({ address: text, kind }, '')
    const filter = { address, kind, reason }
    const page = await listSuppressions(app.database, caller.workspaceId, filter, { cursor, limit, now })
    return success('suppressions.list', { paging: paging(page), results: page.rows.map(record) })
  },
  'suppressions.add': async ({ body }, { app, caller, now }) => {
    const { workspaceId, name } = caller
    const entries = body.suppressions.map((item, index) => {
      const path = `suppressions.${index}.`
      return { ...addressIn(item, path), item, ends: endOf(item, path, now) }
    })
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
      reply: success('suppressions.add', { added: added.length, existing: existingNumbers.size }),
      writes: added.length > 0 ? [suppressionsInsert(added)] : [],
      changesConfig,
    }
  },
  'suppressions.delete': ({ params: { suppression_id } }, { caller }) => ({
    reply: success('suppressions.delete', undefined),
    writes: [deleteSuppression(caller.workspaceId, suppression_id)],
  }),
} satisfies ResourceHandlers<'suppressions'>

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
