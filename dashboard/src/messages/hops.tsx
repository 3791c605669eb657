/** The way of a message in a row: each delivery with its outcome, in the order of their attempts. */
import { ArrowRightIcon, XMarkIcon } from '@heroicons/react/16/solid'
import type { Message } from '@postrider/client'
import { texts, useTexts } from '../language/language.tsx'
import { Channel } from '../parts/channel.tsx'
import styles from './messages.module.css'

const hopTexts = texts({
  en: { failed: 'failed', next: 'then', more: (count: number) => `${count} more` },
  de: { failed: 'fehlgeschlagen', next: 'dann', more: (count: number) => `${count} weitere` },
})

const SHOWN_MAX = 3

interface Hop {
  channel: string
  provider: string | undefined
  hasFailed: boolean
}

export function Hops({ providers = [], retry }: Pick<Message, 'providers' | 'retry'>) {
  const t = useTexts(hopTexts)
  const hops = hopsOf(providers)
  if (retry) hops.push({ channel: retry.channel, provider: retry.provider, hasFailed: false })
  if (hops.length === 0) return null
  // The last one counts: the message is there, ended there, or goes there next.
  const shown = hops.slice(-SHOWN_MAX)
  return (
    <span className={styles.hops}>
      {shown.length < hops.length && <span>{t.more(hops.length - shown.length)}</span>}
      {shown.map(({ channel, provider, hasFailed }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: hops stay in their order
        <span key={index} className={styles.hop} data-failed={hasFailed}>
          {(index > 0 || shown.length < hops.length) && <ArrowRightIcon role="img" aria-label={t.next} />}
          <Channel channel={channel} detail={provider} />
          {hasFailed && <XMarkIcon role="img" aria-label={t.failed} />}
        </span>
      ))}
    </span>
  )
}

/** The devices of an integration are one hop, which failed where all of them did. */
function hopsOf(providers: NonNullable<Message['providers']>): Hop[] {
  const hops = new Map<string, Hop>()
  for (const { channel, provider, integration, status } of providers) {
    if (!channel) continue
    const key = `${channel.template} ${integration ?? provider}`
    const hasFailed = status === 'UNDELIVERABLE' && hops.get(key)?.hasFailed !== false
    hops.set(key, { channel: channel.template, provider, hasFailed })
  }
  return [...hops.values()]
}
