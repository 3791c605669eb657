/** The candidates of a decision in their order: a number is tried, or would be; a dash is not used, with its reason. */
import type { Candidate } from '@postrider/client'
import type { ReactNode } from 'react'
import { Channel } from '../parts/channel.tsx'
import { Tag, type Tone } from '../parts/status.tsx'
import styles from './decisions.module.css'

export interface CandidateRow {
  candidate: Candidate
  /** `skipped` has no place in the order. */
  kind: 'accepted' | 'failed' | 'inDoubt' | 'trying' | 'first' | 'next' | 'notCalled' | 'notNeeded' | 'skipped'
  /** The kind in a word; of a skipped one its reason is shown, as it stands in the API. */
  word: string | undefined
  text?: ReactNode
}

const tones: Record<CandidateRow['kind'], Tone> = {
  accepted: 'good',
  failed: 'bad',
  inDoubt: 'bad',
  trying: 'warn',
  first: 'wait',
  next: 'quiet',
  notCalled: 'warn',
  notNeeded: 'quiet',
  skipped: 'quiet',
}

/** Those that are not used come last. */
export function Candidates({ rows }: { rows: readonly CandidateRow[] }) {
  const places = [...new Set(rows.flatMap(({ kind, candidate }) => (kind === 'skipped' ? [] : [candidate.order])))]
  const inOrder = [...rows.filter(({ kind }) => kind !== 'skipped'), ...rows.filter(({ kind }) => kind === 'skipped')]
  return (
    <ol className={styles.candidates}>
      {inOrder.map(({ candidate, kind, word, text }) => (
        <li key={`${candidate.channel} ${candidate.integration} ${candidate.device?.id}`} data-kind={kind}>
          <span className={styles.place}>{kind === 'skipped' ? '–' : places.indexOf(candidate.order) + 1}</span>
          <div>
            <div className={styles.name}>
              <Channel channel={candidate.channel} detail={candidate.title ?? candidate.provider} />
              {kind === 'skipped' ? (
                <code>{candidate.reason}</code>
              ) : (
                <Tag tone={tones[kind]} mark={false}>
                  {word}
                </Tag>
              )}
            </div>
            {text && <p>{text}</p>}
          </div>
        </li>
      ))}
    </ol>
  )
}
