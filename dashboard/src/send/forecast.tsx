/** The proof of the sentence: the six steps, the candidates in their order, and the words on each channel. */
import { Tabs } from '@mantine/core'
import type { Explanation } from '@postrider/client'
import { saying } from '@postrider/client/sentence'
import { useState } from 'react'
import { type CandidateRow, Candidates } from '../decisions/candidates.tsx'
import { useCandidateReason } from '../decisions/decision-texts.ts'
import { DecisionSteps } from '../decisions/steps.tsx'
import { texts, useTexts } from '../language/language.tsx'
import { Channel } from '../parts/channel.tsx'
import { CodeText } from '../parts/code/code-text.tsx'
import { RenderedContent } from '../parts/content/rendered-content.tsx'
import { serverTexts } from '../parts/server-texts.ts'
import { useFormat } from '../parts/time.tsx'
import styles from './send.module.css'
import { turnOf } from './turn.ts'
import { sortWarnings } from './warnings.ts'

const forecastTexts = texts({
  en: {
    steps: 'Six steps',
    order: 'Tried in this order',
    first: 'at once',
    next: 'if that fails',
    failed: 'not rendered',
    notCalled: 'not now',
    toRepair: 'to be repaired',
    breaker: (at: string) => `Its latest calls failed: not called before ${at}.`,
    repair: (error: string) => `Its latest calls failed${saying(error)}. The message would wait for its repair.`,
    limit: (at: string) => `A limit of it is reached: not called before ${at}.`,
    probe: 'Its latest calls failed: the next call tests whether it works again.',
    none: 'No candidate: the decision ended before.',
    words: 'As the recipient would see it',
    warnings: 'Warnings',
    misspelled: (name: string, meant: string) =>
      `The profile of this message has \`${name}\`. Did you mean \`${meant}\`?`,
  },
  de: {
    steps: 'Sechs Schritte',
    order: 'In dieser Reihenfolge versucht',
    first: 'sofort',
    next: 'wenn das scheitert',
    failed: 'nicht dargestellt',
    notCalled: 'jetzt nicht',
    toRepair: 'zu reparieren',
    breaker: (at: string) => `Die letzten Aufrufe scheiterten: kein Aufruf vor ${at}.`,
    repair: (error: string) =>
      `Die letzten Aufrufe scheiterten${saying(error)}. Die Nachricht würde auf die Reparatur warten.`,
    limit: (at: string) => `Ein Limit ist erreicht: kein Aufruf vor ${at}.`,
    probe: 'Die letzten Aufrufe scheiterten: Der nächste Aufruf prüft, ob die Integration wieder geht.',
    none: 'Kein Weg: Die Entscheidung endete vorher.',
    words: 'Wie der Empfänger sie sähe',
    warnings: 'Hinweise',
    misspelled: (name: string, meant: string) =>
      `Das Profil dieser Nachricht hat \`${name}\`. Ist \`${meant}\` gemeint?`,
  },
})

export function Forecast({ explanation }: { explanation: Explanation }) {
  const t = useTexts(forecastTexts)
  const { steps, rendered } = explanation
  const { error: textOf } = useTexts(serverTexts)
  const { misspelled, others: warnings } = sortWarnings(explanation.warnings ?? [])
  const rows = useRows(explanation)
  return (
    <>
      <h3>{t.steps}</h3>
      <DecisionSteps
        steps={steps}
        notes={{ profile: misspelled.map(({ name, meant }) => t.misspelled(name, meant)) }}
      />
      {warnings.length > 0 && (
        <ul className={styles.warnings} aria-label={t.warnings}>
          {warnings.map((warning) => (
            <li key={warning}>
              <CodeText text={textOf(warning)} />
            </li>
          ))}
        </ul>
      )}
      <div className={styles.split}>
        <div>
          <h3>{t.order}</h3>
          {rows.length === 0 ? <p className={styles.hint}>{t.none}</p> : <Candidates rows={rows} />}
        </div>
        {rendered.length > 0 && (
          <div>
            <h3>{t.words}</h3>
            <Words rendered={rendered} />
          </div>
        )}
      </div>
    </>
  )
}

function useRows({ decision, candidates, rendered, steps }: Explanation): CandidateRow[] {
  const t = useTexts(forecastTexts)
  const { error: errorOf } = useTexts(serverTexts)
  const whyNotUsed = useCandidateReason()
  const format = useFormat()
  const whyNotNow = (shown: Rendered) => {
    const { held_back: by, next_attempt_at: at = 0, circuit_breaker: breaker } = shown
    if (turnOf(shown, decision) === 'toRepair') return t.repair(errorOf(breaker?.error ?? ''))
    if (by) return by === 'limit' ? t.limit(format.timeOfDay(at)) : t.breaker(format.timeOfDay(at))
    return breaker ? t.probe : undefined
  }
  // The mailbox steps back where a channel has a real integration: nothing to repair, unless nothing else is left.
  const hasWay = candidates.some(({ selected }) => selected)
  return candidates
    .filter(({ reason }) => !hasWay || reason !== 'SANDBOX')
    .map((candidate) => {
      const { selected, error, channel, integration } = candidate
      const content = rendered.find((each) => each.channel === channel && each.integration === integration)
      const turn = turnOf(content, decision)
      const kind = !selected ? 'skipped' : turn === 'toRepair' ? 'notCalled' : turn
      const why = [whyNotUsed(candidate, steps), error, content?.error, content && whyNotNow(content)]
        .filter(Boolean)
        .join(' ')
      return { candidate, kind, word: selected ? t[turn] : undefined, text: why && <CodeText text={why} /> }
    })
}

type Rendered = Explanation['rendered'][number]

/** One tab for each channel, and for each integration of it that would send other words; the chosen one stays. */
function Words({ rendered }: Pick<Explanation, 'rendered'>) {
  const [chosen, setChosen] = useState<string>()
  const keyOf = ({ channel, integration }: Rendered) => `${channel} ${integration}`
  const contentOf = ({ channel, content, error }: Rendered) => JSON.stringify([channel, content, error])
  const different = rendered.filter(
    (each, at) => rendered.findIndex((other) => contentOf(other) === contentOf(each)) === at,
  )
  const isAlone = ({ channel }: Rendered) => different.filter((other) => other.channel === channel).length === 1
  const shown = different.find((each) => keyOf(each) === chosen) ?? different[0]
  if (!shown) return null
  return (
    <>
      {different.length > 1 && (
        <Tabs value={keyOf(shown)} onChange={(next) => setChosen(next ?? undefined)}>
          <Tabs.List className={styles.tabs}>
            {different.map((each) => (
              <Tabs.Tab key={keyOf(each)} value={keyOf(each)}>
                <Channel channel={each.channel} detail={isAlone(each) ? undefined : (each.title ?? each.provider)} />
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
      )}
      {shown.error === undefined ? (
        <RenderedContent message={{ channel: shown.channel, ...shown.content }} />
      ) : (
        <p role="alert" className={styles.error}>
          <CodeText text={shown.error} />
        </p>
      )}
    </>
  )
}
