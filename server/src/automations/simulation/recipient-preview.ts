/** Previews the recipients of a send to many: resolved as in production, up to the maximum that is shown. */
import { childId } from '../../base/ids.ts'
import { completed, type SendInput } from '../../messages/send.ts'
import type { Target } from '../../recipients/read-recipients.ts'
import type { ExpandedRecipient, Place, SourcePage } from '../../recipients/sources.ts'
import type { RequestEffect } from '../run-store.ts'
import type { SimulatedRequest, Written } from './in-memory-data.ts'

/** A page of recipients of the target, with the subscriptions that runs had written. */
export type ReadRecipients = (written: Written, target: Target, after: Place, limit: number) => Promise<SourcePage>

export interface RecipientPreview {
  /** The first of them. */
  messages: { id: string; input: SendInput; listId: string | undefined }[]
  /** How many recipients were found. */
  recipients: number
  /** Counting stopped at the limit. */
  more: boolean
}

/** The page size of a fan-out. */
const PAGE = 250
/** Counts up to a thousand recipients. */
const REQUEST_PAGES_MAX = 4
/** The maximum of a simulation: some hundred queries. */
const PAGES_MAX = 100
/** Messages shown for one request. */
const SHOWN_MAX = 100

/** Shared by the requests of one simulation, which are previewed one after the other. */
export function createRecipientPreviews(read: ReadRecipients, secret: Buffer) {
  let pages = 0
  return async ({ id, shared, addressing, written }: SimulatedRequest): Promise<RecipientPreview> => {
    // A recipient of several targets gets one message, from the first target.
    const known = new Set<string>()
    const messages: RecipientPreview['messages'] = []
    const pagesMax = Math.min(PAGES_MAX, pages + REQUEST_PAGES_MAX)
    for (const target of addressing.targets) {
      let place: Place | undefined = null
      while (place !== undefined) {
        if (pages >= pagesMax) return { messages, recipients: known.size, more: true }
        pages += 1
        const page: SourcePage = await read(written, target, place, PAGE)
        for (const addressee of page.recipients) {
          const { recipient } = addressee.own
          if (known.has(recipient)) continue
          known.add(recipient)
          if (messages.length >= SHOWN_MAX) continue
          const input = inputOf(shared, target, addressee)
          messages.push({ id: childId(secret, id, recipient), input, listId: addressee.marks?.listId })
        }
        place = page.next
      }
    }
    return { messages, recipients: known.size, more: false }
  }
}

/** Data of the target override the shared data; data of the recipient override both. */
function inputOf(shared: RequestEffect['shared'], target: Target, { own }: ExpandedRecipient): SendInput {
  const data = 'data' in target ? target.data : undefined
  return data ? completed({ ...shared, targetData: { 0: data } }, { ...own, target: 0 }) : completed(shared, own)
}
