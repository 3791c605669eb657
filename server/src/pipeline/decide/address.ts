/** Where an integration would reach the recipient of a message: undefined when the profile does not say. */
import type { Channel } from '@postrider/contract'
import type { Integration } from '../facts.ts'
import { NOBODY } from '../read-recipients.ts'
import type { Permitted } from './deciding.ts'

export function addressFor({ provider, settings }: Integration, channel: Channel, value: Permitted): unknown {
  const { recipient } = value.input
  // An address without a user has no inbox to look into.
  if (channel === 'inbox' && recipient.startsWith(NOBODY)) return undefined
  return provider.contact(value.profile.merged, settings, { recipient, channel })
}
