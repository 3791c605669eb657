/** The sign-in of each integration, on request: a few at a time, with the words of its provider and the remedy. */
import { Button } from '@mantine/core'
import type { System } from '@postrider/client'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { integrationKey } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { Card, Section } from '../parts/page.tsx'
import { messageOf } from '../parts/states.tsx'
import { Tag, type Tone } from '../parts/status.tsx'
import { api } from '../session/api.ts'
import styles from './system.module.css'

const signInTexts = texts({
  en: {
    title: 'Sign-ins of integrations',
    description:
      'Each that is switched on signs in, or makes an authorized call; nothing is sent. One that succeeds is used again at once, and messages held for it go on.',
    start: 'Sign in to each integration',
    again: 'Sign in again',
    waits: 'Waiting',
    runs: 'Signing in',
    ok: 'Accepted',
    fail: 'Failed',
    skip: 'Not checked',
    unknown: 'Not known',
    counts: (ok: number, failed: number) => `Accepted: ${ok}. Failed: ${failed}.`,
  },
  de: {
    title: 'Anmeldungen der Integrationen',
    description:
      'Jede eingeschaltete meldet sich an oder macht einen berechtigten Aufruf; versendet wird nichts. Gelingt es, wird sie sofort wieder benutzt, und angehaltene Nachrichten gehen weiter.',
    start: 'Bei jeder Integration anmelden',
    again: 'Erneut anmelden',
    waits: 'Wartet',
    runs: 'Meldet sich an',
    ok: 'Angenommen',
    fail: 'Gescheitert',
    skip: 'Nicht geprüft',
    unknown: 'Unbekannt',
    counts: (ok: number, failed: number) => `Angenommen: ${ok}. Gescheitert: ${failed}.`,
  },
})

type Integration = Pick<NonNullable<System['providers']>[number], 'id' | 'provider' | 'title'>

interface SignIn {
  state: 'waits' | 'runs' | 'ok' | 'fail' | 'skip' | 'unknown'
  detail?: string
  hint?: string | undefined
}

const tones: Record<SignIn['state'], Tone> = {
  ...{ waits: 'quiet', runs: 'wait', ok: 'good', fail: 'bad', skip: 'quiet', unknown: 'warn' },
}

const AT_ONCE = 3
/** The server waits for a provider longer than the client does otherwise. */
const TIMEOUT_MS = 60_000

async function signIn({ id }: Integration, signal: AbortSignal): Promise<SignIn> {
  try {
    return (await api.providers.test(id, undefined, { timeoutMs: TIMEOUT_MS, retries: 0, signal })).sign_in
  } catch (error) {
    return { state: 'unknown', detail: messageOf(error) }
  }
}

interface SignInsProps {
  /** Those that sign in. */
  integrations: readonly Integration[]
}

export function SignIns({ integrations }: SignInsProps) {
  const t = useTexts(signInTexts)
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<readonly Integration[]>([])
  const [results, setResults] = useState<ReadonlyMap<string, SignIn>>(new Map())
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const stateOf = (id: string): SignIn => results.get(id) ?? { state: 'waits' }
  const count = (state: SignIn['state']) => chosen.filter(({ id }) => stateOf(id).state === state).length
  const isRunning = count('waits') + count('runs') > 0
  const start = async () => {
    const { signal } = (stop.current = new AbortController())
    setChosen(integrations)
    setResults(new Map())
    const note = (id: string, result: SignIn) => {
      if (!signal.aborted) setResults((before) => new Map(before).set(id, result))
    }
    const waiting = [...integrations]
    const work = async () => {
      for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
        note(next.id, { state: 'runs' })
        note(next.id, await signIn(next, signal))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    for (const queryKey of [integrationKey, ['system']]) void queries.invalidateQueries({ queryKey })
  }
  return (
    <Section title={t.title} description={t.description}>
      <p className={styles.start}>
        <Button size="compact-sm" variant="default" loading={isRunning} onClick={() => void start()}>
          {chosen.length === 0 ? t.start : t.again}
        </Button>
        <span role="status">
          {chosen.length > 0 && !isRunning && t.counts(count('ok'), count('fail') + count('unknown'))}
        </span>
      </p>
      {chosen.length > 0 && <SignInList integrations={chosen} stateOf={stateOf} />}
    </Section>
  )
}

function SignInList({ integrations, stateOf }: SignInsProps & { stateOf(id: string): SignIn }) {
  const t = useTexts(signInTexts)
  return (
    <Card padded={false}>
      <ul className={styles.checks} aria-label={t.title}>
        {integrations.map(({ id, provider, title }) => {
          const { state, detail, hint } = stateOf(id)
          return (
            <li key={id} data-sign-in={state}>
              <Tag tone={tones[state]}>{t[state]}</Tag>
              <span>
                <Link to="/integrations/$id" params={{ id }}>
                  {title}
                </Link>{' '}
                <span className={styles.dim}>{provider}</span>
                {detail !== undefined && <p>{detail}</p>}
                {hint !== undefined && <p className={styles.dim}>{hint}</p>}
              </span>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
