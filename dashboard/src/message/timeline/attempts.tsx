/** The attempts of a message on an axis of their own, for a place that is too narrow for the timeline. */
import { useMemo } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { Section } from '../../parts/page.tsx'
import { useFormat } from '../../parts/time.tsx'
import type { MessageReplies } from '../message-query.ts'
import { axisOf } from './axis.ts'
import { useRowTexts } from './row-texts.tsx'
import { spansOf, timelineRows } from './rows.ts'
import { foldsStyle, Signs } from './signs.tsx'
import styles from './timeline.module.css'

const attemptTexts = texts({ en: { attempts: 'Attempts' }, de: { attempts: 'Versuche' } })

export function Attempts(replies: MessageReplies) {
  const t = useTexts(attemptTexts)
  const format = useFormat()
  const { message, explanation, events } = replies
  const rows = useMemo(
    () =>
      timelineRows({ message, explanation, events }).flatMap((row) =>
        row.kind === 'attempt' || row.kind === 'next' ? [row] : [],
      ),
    [message, explanation, events],
  )
  const axis = useMemo(() => axisOf(spansOf(rows)), [rows])
  const folds = useMemo(() => foldsStyle(axis), [axis])
  const textsOf = useRowTexts(replies)
  if (rows.length === 0) return null
  return (
    <Section title={t.attempts}>
      <ol className={styles.attempts}>
        {rows.map((row) => {
          const rowTexts = textsOf(row)
          const { title: integration = row.delivery.provider } = row.delivery
          return (
            <li key={row.id}>
              <span className={styles.offset}>+{format.duration(row.at, row.at < 10_000 ? 2 : undefined)}</span>
              <span className={styles.what} title={rowTexts.title}>
                {rowTexts.mark}
                <span>{integration}</span>
              </span>
              <Signs row={row} axis={axis} folds={folds} texts={rowTexts} />
            </li>
          )
        })}
      </ol>
    </Section>
  )
}
