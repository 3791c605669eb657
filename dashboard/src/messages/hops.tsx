/** The way of a message in a row: each delivery with its outcome, in the order of their attempts. */
import { ArrowRightIcon, PlusIcon, XMarkIcon } from '@heroicons/react/16/solid'
import type { Message } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { integrationsQuery } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { useProviderNames } from '../names/provider-names.ts'
import { Channel, ChannelMark } from '../parts/channel.tsx'
import { channelNames } from '../parts/meanings.ts'
import { type Hop, hopsOf, isBeside, type NameOf, shownHops } from './message-hops.ts'
import styles from './messages.module.css'

const hopTexts = texts({
  en: { failed: 'failed', next: 'then', beside: 'and' },
  de: { failed: 'fehlgeschlagen', next: 'dann', beside: 'und' },
})

/** The title of the integration, as in sentences; undefined where the integration is deleted. */
export function useIntegrationNames(): NameOf {
  const { data } = useQuery(integrationsQuery)
  return useMemo(() => {
    const titles = new Map<string, string>(data?.map(({ id, title }) => [id, title]))
    return ({ provider, integration = '' }) => (data ? titles.get(integration) : provider)
  }, [data])
}

interface HopsProps extends Pick<Message, 'providers' | 'retry'> {
  nameOf: NameOf
}

export function Hops({ nameOf, ...message }: HopsProps) {
  const t = useTexts(hopTexts)
  const { providers = [], retry } = message
  const isDeleted = [...providers, ...(retry ? [retry] : [])].some(
    (delivery) => delivery.provider !== undefined && nameOf(delivery) === undefined,
  )
  const names = useProviderNames(isDeleted)
  const hops = hopsOf(message, (delivery) => {
    const { provider = '' } = delivery
    return nameOf(delivery) ?? names.get(provider) ?? delivery.provider
  })
  if (hops.length === 0) return null
  const { before, shown, after } = shownHops(hops)
  const hasRoom = hops.length === 1
  return (
    <span className={styles.hops}>
      {before.length > 0 && <Others hops={before} />}
      {shown.map((hop, index) => {
        const { channel, name, hasFailed } = hop
        const left = shown[index - 1] ?? before.at(-1)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: hops stay in their order
          <span key={index} className={styles.hop} data-failed={hasFailed}>
            {left &&
              (isBeside(left, hop) ? (
                <PlusIcon role="img" aria-label={t.beside} />
              ) : (
                <ArrowRightIcon role="img" aria-label={t.next} />
              ))}
            {hasRoom || name === undefined ? (
              <Channel channel={channel} detail={name} />
            ) : (
              <Way channel={channel} name={name} />
            )}
            {hasFailed && <XMarkIcon role="img" aria-label={t.failed} />}
          </span>
        )
      })}
      {after.length > 0 && <Others hops={after} />}
    </span>
  )
}

/** Those that are not shown as their number, with their names in the title. */
function Others({ hops }: { hops: readonly Hop[] }) {
  const t = useTexts(hopTexts)
  const channels: Record<string, string> = useTexts(channelNames)
  const words = hops.map(({ channel, name = channels[channel] ?? channel, hasFailed }) =>
    hasFailed ? `${name} ${t.failed}` : name,
  )
  const title = words
    .map((word, at) => {
      const hop = hops[at]
      return at === 0 || !hop ? word : `, ${isBeside(hops[at - 1], hop) ? t.beside : t.next} ${word}`
    })
    .join('')
  return (
    <span role="img" className={styles.others} aria-label={title} title={title}>
      +{hops.length}
    </span>
  )
}

/** Without the word for the channel, so that the names of several have room. */
const Way = ({ channel, name }: { channel: string; name: string }) => (
  <>
    <ChannelMark channel={channel} />
    <span className={styles.name} title={name}>
      {name}
    </span>
  </>
)
