/** The channels that the mailbox serves; messages are decided by the same rule (`messages/decide/candidates.ts`). */
import { type Channel, channels } from '@postrider/contract'
import type { IntegrationRow } from '../database/tables/workspace/integrations.ts'
import { isSandbox, type Provider } from '../providers/provider.ts'

interface Served {
  integrations: readonly Pick<IntegrationRow, 'provider' | 'channel' | 'enabled'>[]
  providers: ReadonlyMap<string, Pick<Provider, 'channels' | 'capabilities'>>
  /** Channels that ever had an integration, which in production never return to the mailbox; none elsewhere. */
  integrated: readonly string[]
}

export function mailboxChannels({ integrations, providers, integrated }: Served): Channel[] {
  const channelsOf = (matches: (provider: Pick<Provider, 'capabilities'>) => boolean) =>
    new Set(
      integrations.flatMap(({ provider: key, channel, enabled }) => {
        const provider = providers.get(key)
        if (!enabled || !provider || !matches(provider)) return []
        return channel === null ? provider.channels : [channel as Channel]
      }),
    )
  const caught = channelsOf(isSandbox)
  const sending = channelsOf((provider) => !isSandbox(provider))
  return channels.filter((channel) => caught.has(channel) && !sending.has(channel) && !integrated.includes(channel))
}
