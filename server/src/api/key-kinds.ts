/** The one rule for draft and mock keys: they change nothing that a recipient of another key could notice. */
import { type Access, isPublishing } from '@postrider/contract'
import { forbidden } from '../base/errors.ts'
import type { Mode } from '../messages/send.ts'

interface Calling {
  mode: Mode
}

/** Throws a 403 for an operation that only a published key may call. */
export function requireKind(access: Access, { mode }: Calling): void {
  if (access === 'published' && mode !== 'live') throw publishedRequired(mode)
}

/** Throws a 403 for a body that publishes. */
export function requireDraft(access: Access, { mode }: Calling, body: unknown): void {
  if (access === 'drafts' && mode !== 'live' && isPublishing(body)) throw publishedRequired(mode)
}

/** A draft or mock key reads or changes what a key of another kind has sent. */
export const isOfAnotherKind = ({ mode }: Calling, sent: { mode: string }): boolean =>
  mode !== 'live' && sent.mode !== mode

/** Throws a 403 for what a key of another kind has sent. */
export function requireSender(caller: Calling, sent: { mode: string }): void {
  const { mode } = caller
  if (isOfAnotherKind(caller, sent))
    throw forbidden('published_key_required', `A ${kindOf[sent.mode as Mode]} key sent this; this is a ${mode} key`)
}

const kindOf: Record<Mode, string> = { live: 'published', draft: 'draft', mock: 'mock' }

const publishedRequired = (mode: Mode) =>
  forbidden('published_key_required', `Only a published key can do this; this is a ${mode} key`)
