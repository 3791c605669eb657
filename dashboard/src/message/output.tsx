/** The words that each candidate was given, as its recipient sees them. */
import { SegmentedControl } from '@mantine/core'
import type { MessageExplanation } from '@postrider/client'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { Channel } from '../parts/channel.tsx'
import { SampleCode } from '../parts/code/code.tsx'
import { PlainText, RenderedContent } from '../parts/content/rendered-content.tsx'
import { Section } from '../parts/page.tsx'
import styles from './message.module.css'
import { shownFirst } from './outcome.ts'

const outputTexts = texts({
  en: {
    title: 'Output',
    given: (integration: string) => `given to ${integration}`,
    rendered: (integration: string) => `rendered for ${integration}`,
    none: 'Nothing was rendered.',
    deleted: 'The integration that it was rendered for has been deleted.',
    candidate: 'Candidate',
    view: 'View',
    shown: 'As it is shown',
    text: 'Plain text',
    source: 'Source',
  },
  de: {
    title: 'Inhalt',
    given: (integration: string) => `an ${integration} übergeben`,
    rendered: (integration: string) => `dargestellt für ${integration}`,
    none: 'Nichts wurde dargestellt.',
    deleted: 'Die Integration, für die sie dargestellt wurde, ist gelöscht.',
    candidate: 'Weg',
    view: 'Ansicht',
    shown: 'Wie gezeigt',
    text: 'Reiner Text',
    source: 'Quelle',
  },
})

const forms = ['shown', 'text', 'source'] as const
type Form = (typeof forms)[number]

export function Output({ explanation: { rendered, deliveries } }: { explanation: MessageExplanation }) {
  const t = useTexts(outputTexts)
  const isTried = ({ channel, integration }: (typeof rendered)[number]) =>
    deliveries.some((delivery) => {
      const isSame = delivery.channel === channel && delivery.integration === integration
      return isSame && delivery.attempts_total > 0
    })
  const [chosen, setChosen] = useState<number>()
  const [form, setForm] = useState<Form>('shown')
  const at = Math.min(chosen ?? shownFirst(rendered, deliveries), rendered.length - 1)
  const candidate = rendered[at]
  if (!candidate)
    return (
      <Section title={t.title}>
        <p className={styles.quiet}>{deliveries.some((each) => each.attempts_total > 0) ? t.deleted : t.none}</p>
      </Section>
    )
  const { channel, content, error } = candidate
  const name = candidate.title ?? candidate.provider ?? channel
  const parts = forms.filter((each) => each !== 'source' || content.html)
  return (
    <Section title={t.title} description={isTried(candidate) ? t.given(name) : t.rendered(name)}>
      <div className={styles.controls}>
        {rendered.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label={t.candidate}
            value={String(at)}
            onChange={(value) => setChosen(Number(value))}
            data={rendered.map((each, index) => ({
              value: String(index),
              label: <Channel channel={each.channel} detail={each.title ?? each.provider} />,
            }))}
          />
        )}
        <SegmentedControl
          size="xs"
          aria-label={t.view}
          value={form}
          onChange={(value) => setForm(value as Form)}
          data={parts.map((value) => ({ value, label: t[value] }))}
        />
      </div>
      {error ? (
        <p className={styles.failed}>{error}</p>
      ) : form === 'source' && content.html ? (
        <SampleCode label={t.source} code={content.html} />
      ) : form === 'shown' ? (
        <RenderedContent message={{ channel, ...content }} />
      ) : (
        <PlainText text={content.text || content.body} />
      )}
    </Section>
  )
}
