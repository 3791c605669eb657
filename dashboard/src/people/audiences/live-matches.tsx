/** The users who match a filter that is not saved, a short while after each change of it. */
import type { AudienceFilter } from '@postrider/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { messageOf } from '../../parts/states.tsx'
import { useFormat } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'
import styles from '../people.module.css'

const TYPING_MS = 400
const SHOWN = 5

const matchTexts = texts({
  en: {
    matches: (matched: string, evaluated: string) =>
      `${matched} of ${evaluated} ${evaluated === '1' ? 'user matches' : 'users match'}, before saving.`,
    atLeast: (matched: string, evaluated: string) =>
      `${matched} of the first ${evaluated} users match, before saving; the others are evaluated when it is saved.`,
    such: 'Such as',
    looking: 'Looking for users who match …',
  },
  de: {
    matches: (matched: string, evaluated: string) =>
      `${matched} von ${evaluated} ${evaluated === '1' ? 'Nutzer passt' : 'Nutzern passen'}, noch nicht gespeichert.`,
    atLeast: (matched: string, evaluated: string) =>
      `${matched} der ersten ${evaluated} Nutzer passen; die übrigen werden nach dem Speichern geprüft.`,
    such: 'Etwa',
    looking: 'Passende Nutzer werden gesucht …',
  },
})

export function LiveMatches({ filter }: { filter: AudienceFilter | null }) {
  const t = useTexts(matchTexts)
  const format = useFormat()
  const key = JSON.stringify(filter)
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(key), TYPING_MS)
    return () => clearTimeout(timer)
  }, [key])
  const query = useQuery({
    queryKey: ['audiences', 'preview', settled],
    queryFn: ({ signal }) =>
      api.audiences.preview({ filter: JSON.parse(settled) as AudienceFilter, limit: SHOWN }, { signal }),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  })
  if (query.isError && settled === key) return <p role="alert">{messageOf(query.error)}</p>
  const isCurrent = settled === key && !query.isPlaceholderData
  if (!query.data) return <p className={styles.small}>{t.looking}</p>
  const { matched, evaluated, complete, items } = query.data
  const text = (complete ? t.matches : t.atLeast)(format.number(matched), format.number(evaluated))
  return (
    <div role="status" aria-busy={!isCurrent}>
      <strong>{isCurrent ? text : t.looking}</strong>
      {isCurrent && items.length > 0 && (
        <p className={styles.why}>
          {t.such}{' '}
          {items.map(({ member_id, reason }, index) => (
            <span key={member_id}>
              {index > 0 && ', '}
              <Link to="/users/$userId" params={{ userId: member_id }} title={reason}>
                {member_id}
              </Link>
            </span>
          ))}
        </p>
      )}
    </div>
  )
}
