/** Where an integration would reach the recipient of a message: undefined when the profile does not say. */
import type { Channel } from '@postrider/contract'
import { ANONYMOUS_PREFIX } from '../../recipients/read-recipients.ts'
import type { Integration } from '../facts.ts'
import type { Permitted } from './decision.ts'

export function addressFor({ provider, settings }: Integration, channel: Channel, value: Permitted): unknown {
  const { recipient } = value.input
  // An address without a user has no inbox to look into.
  if (channel === 'inbox' && recipient.startsWith(ANONYMOUS_PREFIX)) return undefined
  return provider.contact(value.profile.merged, settings, { recipient, channel })
}
