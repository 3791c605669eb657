/** The message of the first user of a job as it would be now: nothing is stored and nothing is sent. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useReasonText } from '../decisions/decision-texts.ts'
import { texts, useTexts } from '../language/language.tsx'
import { CodeText } from '../parts/code/code-text.tsx'
import { RenderedContent } from '../parts/content/rendered-content.tsx'
import { Section } from '../parts/page.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { api } from '../session/api.ts'
import styles from './bulk.module.css'
import type { JobUser } from './columns.ts'

const firstTexts = texts({
  en: {
    title: 'The first message',
    text: (recipient: string) => `As ${recipient} would get it now.`,
    none: 'This user would get no message:',
  },
  de: {
    title: 'Die erste Nachricht',
    text: (recipient: string) => `Wie ${recipient} sie jetzt bekäme.`,
    none: 'Dieser Nutzer bekäme keine Nachricht:',
  },
})

interface FirstMessageProps {
  user: JobUser
  template: string
  /** For all users. */
  data: Record<string, unknown>
}

export function FirstMessage({ user, template, data }: FirstMessageProps) {
  const t = useTexts(firstTexts)
  const reasonText = useReasonText()
  const message = {
    to: { ...user.profile, user_id: user.recipient },
    template,
    data: { ...data, ...user.data },
  }
  const explanation = useQuery({
    queryKey: ['preview', message],
    queryFn: ({ signal }) => api.explain({ message }, { signal, retries: 0 }),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 30_000,
  })
  const candidate = explanation.data?.rendered[0]
  return (
    <Section title={t.title} description={t.text(user.recipient)}>
      {explanation.isPending && <Loading rows={6} />}
      {explanation.isError && <Failed error={explanation.error} retry={explanation.refetch} />}
      {candidate && !candidate.error && (
        <RenderedContent message={{ channel: candidate.channel, ...candidate.content }} />
      )}
      {explanation.data && (!candidate || candidate.error) && (
        <p className={styles.error} role="alert">
          {t.none} {candidate?.error ?? <CodeText text={reasonText(explanation.data)} />}
        </p>
      )}
    </Section>
  )
}
