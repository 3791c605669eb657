/** The sentence above the mailbox: what its messages are, and which channels it serves. */
import type { Channel } from '@postrider/client'
import type { ReactNode } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { channelNames, channels } from '../parts/meanings.ts'
import { useFormat } from '../parts/time.tsx'
import { useSession } from '../session/session.tsx'
import styles from './mailbox.module.css'

const sentenceTexts = texts({
  en: {
    seen: 'People would have seen this, had it been sent.',
    nothingLeft: 'None of it left this server:',
    empty: 'Nothing was caught yet.',
    every: (environment: string) => `the mailbox serves every channel of ${environment}.`,
    some: (served: string, environment: string) =>
      `the mailbox serves ${served} in ${environment}, and no other channel.`,
    none: (environment: string) => `Nothing new comes in: the mailbox serves no channel of ${environment}.`,
    production: 'production',
    test: 'the test environment',
  },
  de: {
    seen: 'Das hätten Menschen gesehen, wäre es gesendet worden.',
    nothingLeft: 'Nichts davon hat diesen Server verlassen:',
    empty: 'Noch wurde nichts aufgefangen.',
    every: (environment: string) => `Das Postfach bedient jeden Kanal ${environment}.`,
    some: (served: string, environment: string) =>
      `Von den Kanälen ${environment} bedient das Postfach ${served} und keinen anderen.`,
    none: (environment: string) => `Nichts Neues kommt an: Das Postfach bedient keinen Kanal ${environment}.`,
    production: 'der Produktion',
    test: 'der Testumgebung',
  },
})

interface MailboxSentenceProps {
  /** The list has items, nothing was ever caught, or nothing matches its filters. */
  holds: 'items' | 'nothing' | 'no match'
  /** Channels that the mailbox serves. */
  served: readonly Channel[]
}

export function MailboxSentence({ holds, served }: MailboxSentenceProps): ReactNode {
  const t = useTexts(sentenceTexts)
  const names = useTexts(channelNames)
  const { environment } = useSession()
  const { list } = useFormat()
  const where = t[environment]
  const shown = list(served.map((channel) => names[channel]))
  const which = served.length === channels.length ? t.every(where) : t.some(shown, where)
  return (
    <>
      {holds !== 'no match' && <strong>{holds === 'nothing' ? t.empty : t.seen}</strong>}{' '}
      <span className={styles.rest}>
        {served.length === 0
          ? t.none(where)
          : holds === 'items'
            ? `${t.nothingLeft} ${which}`
            : which.charAt(0).toUpperCase() + which.slice(1)}
      </span>
    </>
  )
}
