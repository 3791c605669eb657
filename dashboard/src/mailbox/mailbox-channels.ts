/** The channels that the mailbox serves: those without an integration that sends. */
import type { Channel, Integration } from '@postrider/client'
import { channels } from '../parts/meanings.ts'

const SANDBOX = 'mailbox'

/** None without a mailbox that is switched on. */
export function mailboxChannels(
  integrations: readonly Pick<Integration, 'provider' | 'enabled' | 'channels'>[],
): Channel[] {
  const enabled = integrations.filter(({ enabled }) => enabled)
  if (!enabled.some(({ provider }) => provider === SANDBOX)) return []
  const sending = new Set(enabled.filter(({ provider }) => provider !== SANDBOX).flatMap(({ channels }) => channels))
  return channels.filter((channel) => !sending.has(channel))
}
