/** The way of a message in a row: each delivery with its outcome, in the order of their attempts. */
import { ArrowRightIcon, XMarkIcon } from '@heroicons/react/16/solid'
import type { Message } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { integrationsQuery } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { Channel, ChannelMark } from '../parts/channel.tsx'
import { channelNames } from '../parts/meanings.ts'
import { alikeTitles } from './alike-integrations.ts'
import styles from './messages.module.css'

const hopTexts = texts({
  en: { failed: 'failed', next: 'then' },
  de: { failed: 'fehlgeschlagen', next: 'dann' },
})

/** More are the last one and the number of those before it: a row has no room for their names. */
const SHOWN_MAX = 2

interface Hop {
  channel: string
  name: string | undefined
  hasFailed: boolean
}

/** The name of an integration in a row. */
type NameOf = (delivery: { provider?: string | undefined; integration?: string | undefined }) => string | undefined

/** The key of the provider; the title of the integration where another one has that key, too. */
export function useIntegrationNames(): NameOf {
  const { data } = useQuery(integrationsQuery)
  return useMemo(() => {
    const titles = alikeTitles(data ?? [])
    return ({ provider, integration = '' }) => titles.get(integration) ?? provider
  }, [data])
}

interface HopsProps extends Pick<Message, 'providers' | 'retry'> {
  nameOf: NameOf
}

export function Hops({ providers = [], retry, nameOf }: HopsProps) {
  const t = useTexts(hopTexts)
  const hops = hopsOf(providers, nameOf)
  if (retry) hops.push({ channel: retry.channel, name: nameOf(retry), hasFailed: false })
  if (hops.length === 0) return null
  // The last one counts: the message is there, ended there, or goes there next.
  const before = hops.length > SHOWN_MAX ? hops.slice(0, -1) : []
  const hasRoom = hops.length === 1
  return (
    <span className={styles.hops}>
      {before.length > 0 && <Before hops={before} />}
      {hops.slice(before.length).map(({ channel, name, hasFailed }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: hops stay in their order
        <span key={index} className={styles.hop} data-failed={hasFailed}>
          {index + before.length > 0 && <ArrowRightIcon role="img" aria-label={t.next} />}
          {hasRoom || name === undefined ? (
            <Channel channel={channel} detail={name} />
          ) : (
            <Way channel={channel} name={name} />
          )}
          {hasFailed && <XMarkIcon role="img" aria-label={t.failed} />}
        </span>
      ))}
    </span>
  )
}

/** Those before the last one as their number, with their names in the title. */
function Before({ hops }: { hops: readonly Hop[] }) {
  const t = useTexts(hopTexts)
  const channels: Record<string, string> = useTexts(channelNames)
  const words = hops.map(({ channel, name = channels[channel] ?? channel, hasFailed }) =>
    hasFailed ? `${name} ${t.failed}` : name,
  )
  const title = words.join(`, ${t.next} `)
  return (
    <span role="img" className={styles.before} aria-label={title} title={title}>
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

/** The devices of an integration are one hop, which failed where all of them did. */
function hopsOf(providers: NonNullable<Message['providers']>, nameOf: NameOf): Hop[] {
  const hops = new Map<string, Hop>()
  for (const { channel, provider, integration, status } of providers) {
    if (!channel) continue
    const key = `${channel.template} ${integration ?? provider}`
    const hasFailed = status === 'UNDELIVERABLE' && hops.get(key)?.hasFailed !== false
    hops.set(key, { channel: channel.template, name: nameOf({ provider, integration }), hasFailed })
  }
  return [...hops.values()]
}
