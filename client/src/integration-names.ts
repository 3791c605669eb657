/** The names of integrations that are shown: those of deleted ones come from their providers. */
import type { Candidate, DeliveryRecord, MessageExplanation } from './generated.ts'
import type { SentenceFormat } from './sentence-format.ts'

/** A deleted integration has no title: it is known by its provider. */
export function withProviderNames<Explained extends Pick<MessageExplanation, 'candidates' | 'deliveries'>>(
  explanation: Explained,
  { nameOf: nameOfKey }: Pick<SentenceFormat, 'nameOf'>,
): Explained {
  const named = <Entry extends Candidate | DeliveryRecord>(entry: Entry): Entry => {
    if (!isDeleted(entry)) return entry
    const { provider } = entry
    const name = provider === undefined ? undefined : nameOfKey?.('provider', provider)
    return { ...entry, isDeleted: true, ...(name !== undefined && { title: name }) }
  }
  const { candidates, deliveries } = explanation
  return { ...explanation, candidates: candidates.map(named), deliveries: deliveries.map(named) }
}

/** The server titles those that exist; `isDeleted` keeps that where a title came from the provider. */
export const isDeleted = (entry: Pick<Candidate, 'integration' | 'title'> & { isDeleted?: boolean }): boolean =>
  entry.isDeleted ?? (entry.integration !== undefined && entry.title === undefined)
