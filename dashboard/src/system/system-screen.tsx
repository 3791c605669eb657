/** The page of the person on call: whether everything works, what is not, the figures behind it, and dead letters. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { pauseQuery, useIsOperator } from '../health/pause.ts'
import { usePauseChange } from '../health/pause-change.ts'
import { texts, useTexts } from '../language/language.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { TabBar } from '../parts/tab-bar.tsx'
import { useFormat } from '../parts/time.tsx'
import { usePermissions } from '../session/session.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { systemQuery } from './queries.ts'
import { SystemState } from './system-state.tsx'

const screenTexts = texts({
  en: {
    title: 'System',
    description:
      'The whole installation: every node and environment; integrations and dead letters of this environment.',
    label: 'Parts of the system',
    state: 'State',
    letters: (open: number, shown: string) => (open === 0 ? 'Dead letters' : `Dead letters (${shown})`),
    denied: 'Only for operators',
    deniedText: 'The state of the installation is shown to a published key with the role full.',
  },
  de: {
    title: 'System',
    description: 'Die ganze Installation: alle Knoten und Umgebungen; Integrationen und Aufgegebenes dieser Umgebung.',
    label: 'Teile des Systems',
    state: 'Zustand',
    letters: (open: number, shown: string) => (open === 0 ? 'Aufgegebenes' : `Aufgegebenes (${shown})`),
    denied: 'Nur für den Betrieb',
    deniedText: 'Den Zustand der Installation sieht ein Schlüssel mit vollem Zugriff (published) und der Rolle full.',
  },
})

export function SystemScreen() {
  const t = useTexts(screenTexts)
  const { tab } = useSearch({ from: '/system' })
  const { canConnect } = usePermissions()
  const navigate = useNavigate()
  const isOperator = useIsOperator()
  const { data: pausedSince } = useQuery(pauseQuery)
  const { data: letters = 0 } = useQuery({
    ...systemQuery,
    enabled: canConnect,
    select: ({ dead_letters }) => dead_letters?.open ?? 0,
  })
  const { number } = useFormat()
  return (
    <Page
      title={t.title}
      description={t.description}
      actions={isOperator && pausedSince === null && <PauseButton />}
      bar={
        <TabBar
          label={t.label}
          tabs={[
            { name: 'state', title: t.state },
            { name: 'dead-letters', title: t.letters(letters, number(letters)) },
          ]}
          value={tab ?? 'state'}
          choose={(name) => void navigate({ to: '/system', search: name === 'dead-letters' ? { tab: name } : {} })}
        />
      }
    >
      {tab === 'dead-letters' ? (
        <DeadLetters />
      ) : canConnect ? (
        <SystemState />
      ) : (
        <Empty title={t.denied}>{t.deniedText}</Empty>
      )}
    </Page>
  )
}

/** The way back is on every screen. */
function PauseButton() {
  const pause = usePauseChange('pause')
  return (
    <Button variant="default" disabled={pause.isPending} onClick={() => void pause.start()}>
      {pause.label}
    </Button>
  )
}
