/** The sentence above the mailbox: what its messages are, and which channels it serves. */
import type { Channel } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { channelNames, channels } from '../parts/meanings.ts'
import { useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { useSession } from '../session/session.tsx'
import { mailboxChannels } from './mailbox-channels.ts'

const sentenceTexts = texts({
  en: {
    seen: 'People would have seen this, had it been sent.',
    nothingLeft: 'None of it left this server:',
    empty: 'Nothing was caught yet.',
    every: (environment: string) => `the mailbox serves every channel of ${environment}.`,
    some: (served: string, environment: string) =>
      `the mailbox serves ${served} in ${environment}; other channels have an integration.`,
    none: (environment: string) => `Nothing new comes in: every channel of ${environment} has an integration.`,
    off: (environment: string) => `Nothing new comes in: the mailbox of ${environment} is switched off.`,
    production: 'production',
    test: 'the test environment',
  },
  de: {
    seen: 'Das hätten Menschen gesehen, wäre es gesendet worden.',
    nothingLeft: 'Nichts davon hat diesen Server verlassen:',
    empty: 'Noch wurde nichts aufgefangen.',
    every: (environment: string) => `Das Postfach bedient jeden Kanal ${environment}.`,
    some: (served: string, environment: string) =>
      `Von den Kanälen ${environment} bedient das Postfach ${served}; andere haben eine Integration.`,
    none: (environment: string) => `Nichts Neues kommt an: Jeder Kanal ${environment} hat eine Integration.`,
    off: (environment: string) => `Nichts Neues kommt an: Das Postfach ${environment} ist abgeschaltet.`,
    production: 'der Produktion',
    test: 'der Testumgebung',
  },
})

export function MailboxSentence({ isEmpty }: { isEmpty: boolean }): ReactNode {
  const t = useTexts(sentenceTexts)
  const names = useTexts(channelNames)
  const { environment } = useSession()
  const { list } = useFormat()
  const { data } = useQuery({
    queryKey: ['mailbox', 'served'],
    queryFn: async ({ signal }) => {
      const { results } = await api.providers.list({}, { signal })
      return { served: mailboxChannels(results), isOn: results.some(isOn) }
    },
  })
  return (
    <>
      <strong>{isEmpty ? t.empty : t.seen}</strong> {data && rest(data)}
    </>
  )

  function rest({ served, isOn }: { served: Channel[]; isOn: boolean }): string {
    const where = t[environment]
    if (!isOn) return t.off(where)
    if (served.length === 0) return t.none(where)
    const shown = list(served.map((channel) => names[channel]))
    const which = served.length === channels.length ? t.every(where) : t.some(shown, where)
    return isEmpty ? which.charAt(0).toUpperCase() + which.slice(1) : `${t.nothingLeft} ${which}`
  }
}

const isOn = ({ provider, enabled }: { provider: string; enabled: boolean }) => provider === 'mailbox' && enabled
