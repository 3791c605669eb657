/** The replies of the API about a message as JSON, and how it would be decided now. */
import { Button } from '@mantine/core'
import type { HistoryEvent, MessageDetail, MessageExplanation } from '@postrider/client'
import { useNavigate } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { JsonView } from '../parts/code/code.tsx'
import { Section } from '../parts/page.tsx'
import { AsOfNow } from './as-of-now.tsx'
import { type MessageSearch, type MessageView, messageViews } from './search.ts'

const rawTexts = texts({
  en: {
    title: 'Raw',
    description: 'the replies of the API, and how a resend would be decided now',
    now: 'As of now',
    message: 'Message',
    history: 'History',
    explanation: 'Explanation',
  },
  de: {
    title: 'Roh',
    description: 'die Antworten der API, und wie erneutes Senden jetzt entschieden würde',
    now: 'Stand jetzt',
    message: 'Nachricht',
    history: 'Verlauf',
    explanation: 'Erklärung',
  },
})

export interface RawProps {
  view: MessageView | undefined
  message: MessageDetail
  history: readonly HistoryEvent[]
  explanation: MessageExplanation
}

export function Raw({ view, ...replies }: RawProps) {
  const t = useTexts(rawTexts)
  const navigate = useNavigate({ from: '/messages/$messageId' })
  const toggle = (next: MessageView) =>
    void navigate({
      to: '.',
      search: ({ view: _, ...rest }: MessageSearch) => (next === view ? rest : { ...rest, view: next }),
      replace: true,
      resetScroll: false,
      state: true,
    })
  return (
    <Section
      title={t.title}
      description={t.description}
      actions={messageViews.map((name) => (
        <Button
          key={name}
          variant="default"
          size="compact-sm"
          aria-expanded={name === view}
          onClick={() => toggle(name)}
        >
          {t[name]}
        </Button>
      ))}
    >
      {view === 'now' && <AsOfNow id={replies.message.id} before={replies.explanation} />}
      {view !== undefined && view !== 'now' && <JsonView key={view} label={t[view]} value={replies[view]} />}
    </Section>
  )
}
