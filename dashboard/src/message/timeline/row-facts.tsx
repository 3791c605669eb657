/** The part of a row of the timeline that it opens to: the steps of the decision, the facts of an attempt or an event, and its JSON. */
import type { HistoryEvent, MessageExplanation } from '@postrider/client'
import { DecisionSteps } from '../../decisions/steps.tsx'
import { texts, useTexts } from '../../language/language.tsx'
import { JsonView } from '../../parts/code/code.tsx'
import { CodeText } from '../../parts/code/code-text.tsx'
import { serverTexts } from '../../parts/server-texts.ts'
import { Time, useFormat } from '../../parts/time.tsx'
import { Exchange } from './exchange.tsx'
import { useEventFacts } from './row-texts.tsx'
import type { TimelineRow } from './rows.ts'

const factTexts = texts({
  en: {
    started: 'Started',
    duration: 'Duration',
    earlier: (count: string) => `${count} earlier attempts are not kept.`,
    reference: 'Reference of the provider',
    data: 'Data of the send',
    override: 'Override of the send',
    json: 'JSON',
  },
  de: {
    started: 'Begonnen',
    duration: 'Dauer',
    earlier: (count: string) => `${count} frühere Versuche sind nicht aufbewahrt.`,
    reference: 'Referenz des Anbieters',
    data: 'Daten des Aufrufs',
    override: 'Überschreibungen des Aufrufs',
    json: 'JSON',
  },
})

export interface RowFactsProps {
  row: TimelineRow
  rows: readonly TimelineRow[]
  explanation: MessageExplanation
}

export function RowFacts({ row, rows, explanation }: RowFactsProps) {
  const t = useTexts(factTexts)
  const say = useTexts(serverTexts)
  const factsOf = useEventFacts(explanation)
  const isLastDecision = row.kind === 'decided' && rows.findLast(({ kind }) => kind === 'decided') === row
  const facts = row.events.flatMap((event) => factsBeside(row, event, { factsOf, errorOf: say.error }))
  const accepted = row.events.find((event) => event.type === 'ENQUEUED')
  return (
    <>
      {row.kind === 'attempt' ? (
        <AttemptFacts row={row} />
      ) : (
        <Time at={row.kind === 'next' ? row.delivery.next_attempt_at : row.events.at(-1)?.ts} exact />
      )}
      {isLastDecision && <DecisionSteps steps={explanation.steps} />}
      {row.kind === 'next' && row.delivery.error && <p>{say.error(row.delivery.error)}</p>}
      {facts.map((fact, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: facts are only appended, and masked ones are alike
        <p key={index}>
          <CodeText text={fact} />
        </p>
      ))}
      {row.kind === 'attempt' && <Exchange attempt={row.attempt} draft={draftOf(row, explanation)} />}
      {accepted && <Values label={t.data} value={accepted.data} />}
      {accepted && <Values label={t.override} value={accepted.override} />}
      {row.events.length > 0 && (
        <details>
          <summary>{t.json}</summary>
          <pre>{JSON.stringify(row.events.length === 1 ? row.events[0] : row.events, null, 2)}</pre>
        </details>
      )}
    </>
  )
}

type AttemptRow = Extract<TimelineRow, { kind: 'attempt' }>

/** Those that the row does not say by itself. */
function factsBeside(
  row: TimelineRow,
  event: HistoryEvent,
  { factsOf, errorOf }: { factsOf: ReturnType<typeof useEventFacts>; errorOf(error: string): string },
): string[] {
  if (event.type === 'ENQUEUED' || event.type === 'RENDERED') return factsOf(event)
  if (row.kind === 'decided') return 'findings' in event ? (event.findings ?? []) : []
  if (row.kind !== 'attempt') return []
  const { error } = row.attempt
  return factsOf(event).filter((fact) => error === undefined || !fact.endsWith(errorOf(error)))
}

/** Requests are kept for failed attempts; of another one it is shown how it would be composed today. */
const draftOf = ({ delivery, attempt }: AttemptRow, { rendered }: MessageExplanation) =>
  attempt.request || delivery.attempts.at(-1) !== attempt
    ? undefined
    : rendered.find(({ channel, integration }) => channel === delivery.channel && integration === delivery.integration)
        ?.draft

function AttemptFacts({ row: { delivery, attempt } }: { row: AttemptRow }) {
  const t = useTexts(factTexts)
  const format = useFormat()
  const { number, started, ended } = attempt
  const earlier = number === delivery.attempts[0]?.number ? number - 1 : 0
  return (
    <>
      <p>
        {t.started} <Time at={started} exact />
        {ended !== undefined && `, ${t.duration} ${format.duration(ended - started)}`}
      </p>
      {earlier > 0 && <p>{t.earlier(format.number(earlier))}</p>}
    </>
  )
}

const Values = ({ label, value }: { label: string; value: Record<string, unknown> }) =>
  Object.keys(value).length > 0 && (
    <section>
      <h3>{label}</h3>
      <JsonView label={label} value={value} maxHeight="320px" />
    </section>
  )
