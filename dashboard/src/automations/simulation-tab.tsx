/** The draft under a simulated clock: the input of a simulation, and its result as a film. */
import { Autocomplete, Button, NativeSelect, TextInput } from '@mantine/core'
import type { MessageStatus, SimulationBody } from '@postrider/client'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { namesQuery } from '../names/names-query.ts'
import { isObject } from '../parts/code/json.ts'
import { JsonInput } from '../parts/code/json-input.tsx'
import type { Changes } from '../parts/search-params.ts'
import { messageOf } from '../parts/states.tsx'
import { api } from '../session/api.ts'
import styles from './automations.module.css'
import { automationOf, type Draft, type Fields, problemOf } from './draft.ts'
import type { AutomationSearch } from './search.ts'
import { Film } from './simulation-film.tsx'

const simulationTexts = texts({
  en: {
    input: 'Simulate the draft',
    inputText: 'Nothing is sent, stored or called, and delays take no time. It uses the code of a real run.',
    recipient: 'For the user',
    start: 'Starts at',
    startHint: 'Now, unless a time is given.',
    data: 'Data of the run',
    outcome: (ref: string) => `Result of ${ref}`,
    asIs: 'as it would be',
    further: 'Replies, profiles, lists and further runs',
    furtherHint: 'Fields of the call: fetched, fetched_status, profiles, lists, templates, statuses, further.',
    showFurther: 'More input',
    hideFurther: 'Less input',
    run: 'Simulate',
    again: 'Simulate again',
    changed: 'The draft or the input has changed since.',
    refused: 'The simulation was refused:',
    atStep: (number: number) => `Open step ${number}`,
    limited: 'Four simulations are in progress on this node, the most at a time. Try again in a few seconds.',
    noRole: 'Simulating needs the role editor.',
    asLatest: (recipient: string) => (recipient === '' ? 'As the latest run' : `As the latest run, of ${recipient}`),
  },
  de: {
    input: 'Entwurf simulieren',
    inputText: 'Nichts wird gesendet, gespeichert oder aufgerufen, Warten dauert nicht. Es läuft wie ein echter Lauf.',
    recipient: 'Für den Nutzer',
    start: 'Beginnt am',
    startHint: 'Jetzt, wenn nichts angegeben ist.',
    data: 'Daten des Laufs',
    outcome: (ref: string) => `Ergebnis von ${ref}`,
    asIs: 'wie es käme',
    further: 'Antworten, Profile, Listen und weitere Läufe',
    furtherHint: 'Felder des Aufrufs: fetched, fetched_status, profiles, lists, templates, statuses, further.',
    showFurther: 'Mehr Eingaben',
    hideFurther: 'Weniger Eingaben',
    run: 'Simulieren',
    again: 'Erneut simulieren',
    changed: 'Entwurf oder Eingaben haben sich seither geändert.',
    refused: 'Die Simulation wurde abgelehnt:',
    atStep: (number: number) => `Schritt ${number} öffnen`,
    limited:
      'Auf diesem Knoten laufen vier Simulationen, mehr auf einmal gehen nicht. In ein paar Sekunden noch einmal.',
    noRole: 'Simulieren verlangt die Rolle editor.',
    asLatest: (recipient: string) =>
      recipient === '' ? 'Wie der letzte Lauf' : `Wie der letzte Lauf, von ${recipient}`,
  },
})

/** Recipient and data of the latest run, which can be simulated once more; null before the first one. */
const latestRunQuery = (id: string) =>
  queryOptions({
    queryKey: ['automation-runs', id, 'latest'],
    queryFn: async ({ signal }) => {
      const [latest] = (await api.automations.runs({ template_id: id, limit: 1 }, { signal })).runs
      if (!latest) return null
      const { recipient = '', data = {} } = await api.automations.run(latest.run_id, { signal })
      return { recipient, data }
    },
    staleTime: 30_000,
  })

/** Usual results; the API takes every status. */
const outcomes: readonly MessageStatus[] = ['SENT', 'DELIVERED', 'OPENED', 'CLICKED', 'UNDELIVERABLE']

export interface SimulationInput {
  data?: Fields
  statuses: Readonly<Record<string, MessageStatus>>
  further?: Fields
  /** It has been simulated since the screen was opened. */
  wasRun?: boolean
}

export interface SimulationTabProps {
  id: string
  draft: Draft
  search: AutomationSearch
  setSearch(changes: Changes<AutomationSearch>): void
  /** Kept while another tab is open. */
  input: SimulationInput
  setInput(input: SimulationInput): void
  canSimulate: boolean
}

export function SimulationTab({ id, draft, search, setSearch, input, setInput, canSimulate }: SimulationTabProps) {
  const t = useTexts(simulationTexts)
  const { recipient = '', start = '' } = search
  const users = useQuery(namesQuery('user'))
  const latestRun = useQuery({ ...latestRunQuery(id), enabled: canSimulate }).data
  const [hasFurther, setFurther] = useState(false)
  const automation = automationOf(draft)
  const body: SimulationBody = {
    ...(input.further as Partial<SimulationBody> | undefined),
    automation,
    context: { ...(recipient !== '' && { recipient }), ...(input.data && { data: { ...input.data } }) },
    ...(start !== '' && { start: startOf(start) }),
    ...(Object.keys(input.statuses).length > 0 && { statuses: { ...input.statuses } }),
  }
  const simulate = useMutation({
    mutationFn: async (request: SimulationBody) => ({
      request: JSON.stringify(request),
      simulation: await api.simulate(request, { retries: 0 }),
    }),
  })
  const { mutate } = simulate
  const onOpen = useRef(() => {
    if (canSimulate && (recipient !== '' || input.wasRun)) mutate(body)
  })
  // A link shows what its sender saw, and who comes back from the editor what a change changed.
  useEffect(() => onOpen.current(), [])
  const refs = draft.steps.flatMap(({ fields: { action, ref } }) =>
    action === 'send' && typeof ref === 'string' && ref !== '' ? [ref] : [],
  )
  const isStale = simulate.data !== undefined && simulate.data.request !== JSON.stringify(body)
  const failure = simulate.error ? problemOf('error', messageOf(simulate.error)) : undefined
  const isLimited = simulate.error instanceof Error && 'status' in simulate.error && simulate.error.status === 503
  return (
    <>
      <form
        className={styles.input}
        aria-label={t.input}
        onSubmit={(event) => {
          event.preventDefault()
          if (!canSimulate) return
          setSearch({ at: undefined })
          setInput({ ...input, wasRun: true })
          mutate(body)
        }}
      >
        <p className={styles.dim}>{canSimulate ? t.inputText : t.noRole}</p>
        <div className={styles.inputParts}>
          <div className={styles.pairs}>
            <Autocomplete
              label={t.recipient}
              data={users.data ?? []}
              limit={20}
              spellCheck={false}
              value={recipient}
              onChange={(next) => setSearch({ recipient: next === '' ? undefined : next })}
            />
            <TextInput
              type="datetime-local"
              label={t.start}
              description={t.startHint}
              inputWrapperOrder={['label', 'input', 'description']}
              value={start}
              onChange={({ currentTarget: { value } }) => setSearch({ start: value === '' ? undefined : value })}
            />
            {refs.map((ref) => (
              <NativeSelect
                key={ref}
                label={t.outcome(ref)}
                value={input.statuses[ref] ?? ''}
                data={[{ value: '', label: t.asIs }, ...outcomes]}
                onChange={({ currentTarget: { value } }) => {
                  const status = outcomes.find((each) => each === value)
                  const { [ref]: _removed, ...others } = input.statuses
                  setInput({ ...input, statuses: status ? { ...others, [ref]: status } : others })
                }}
              />
            ))}
          </div>
          <JsonInput
            label={t.data}
            value={input.data}
            isValid={(value) => value === undefined || isObject(value)}
            set={(value) => setInput(withPart(input, 'data', value))}
          />
        </div>
        {hasFurther && (
          <JsonInput
            label={t.further}
            description={t.furtherHint}
            value={input.further}
            isValid={(value) => value === undefined || isObject(value)}
            set={(value) => setInput(withPart(input, 'further', value))}
          />
        )}
        <div className={styles.formFoot}>
          <Button type="submit" loading={simulate.isPending} disabled={!canSimulate}>
            {simulate.data ? t.again : t.run}
          </Button>
          {latestRun && (
            <Button
              variant="subtle"
              onClick={() => {
                setSearch({ recipient: latestRun.recipient === '' ? undefined : latestRun.recipient })
                setInput({ ...input, data: latestRun.data })
              }}
            >
              {t.asLatest(latestRun.recipient)}
            </Button>
          )}
          <Button variant="subtle" aria-expanded={hasFurther} onClick={() => setFurther(!hasFurther)}>
            {hasFurther ? t.hideFurther : t.showFurther}
          </Button>
          {isStale && <span className={styles.warning}>{t.changed}</span>}
        </div>
      </form>
      {failure && (
        <div className={styles.verdict} data-tone="bad" role="alert">
          <h2>{t.refused}</h2>
          <p>{isLimited ? t.limited : failure.text}</p>
          {failure.step !== undefined && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => setSearch({ tab: undefined, step: failure.step })}
            >
              {t.atStep(failure.step + 1)}
            </Button>
          )}
        </div>
      )}
      {simulate.data && !failure && (
        <Film
          key={simulate.submittedAt}
          simulation={simulate.data.simulation}
          steps={stepsOf(simulate.data.request)}
          at={search.at}
          setAt={(at) => setSearch({ at })}
        />
      )}
    </>
  )
}

/** Local time of the field as an instant. */
const startOf = (local: string) => {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? local : at.toISOString()
}

function withPart(input: SimulationInput, part: 'data' | 'further', value: unknown): SimulationInput {
  const { [part]: _removed, ...others } = input
  return isObject(value) ? { ...others, [part]: value } : others
}

/** The steps as they were simulated; the draft can have moved on. */
const stepsOf = (request: string): readonly Fields[] =>
  (JSON.parse(request) as { automation: { steps: Fields[] } }).automation.steps
