/** The steps as a graph with a form at each, in step with their JSON; errors and counts of runs stand at their step. */
import { ArrowDownIcon, ArrowUpIcon, PlusIcon, TrashIcon } from '@heroicons/react/20/solid'
import { ActionIcon, Button, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { AutomationProgress } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { JsonDocument } from '../parts/code/json-document.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import styles from './automations.module.css'
import {
  automationOf,
  type Draft,
  insertStep,
  moveStep,
  type Problem,
  readAutomation,
  removeStep,
  replaceStep,
  storedPosition,
} from './draft.ts'
import { Graph } from './graph.tsx'
import { RunStatusTag } from './run-words.tsx'
import { actions, stepTexts } from './step-fields.ts'
import { StepForm } from './step-form.tsx'
import { Triggers } from './triggers.tsx'
import type { DraftControl } from './use-draft.ts'

const COUNTED_AGAIN_MS = 10_000

const tabTexts = texts({
  en: {
    insert: (number: number) => `Insert a step at ${number}`,
    remove: (name: string) => `Delete step ${name}`,
    removed: (name: string) => `Step ${name} is deleted`,
    up: (number: number) => `Move step ${number} up`,
    down: (number: number) => `Move step ${number} down`,
    json: 'Automation as JSON',
    jsonHint: 'In step with the graph.',
    syntax: 'Not valid JSON yet; the graph shows the last valid steps.',
    steps: 'This is JSON, but no automation: it needs "steps", a list of objects.',
    counted: (version: number, runs: string) => `Version ${version}: ${runs}`,
    oneRun: '1 run',
    manyRuns: (count: string) => `${count} runs`,
    newest: (count: string) => `the newest ${count} runs`,
    noRuns: 'no run yet',
    error: 'Error',
    warning: 'Ignored',
    full: 'An automation has at most 100 steps.',
    nextStep: 'Open the next step',
    previousStep: 'Open the previous step',
    move: 'Move the open step',
    masked: 'Your role sees the steps masked.',
  },
  de: {
    insert: (number: number) => `Schritt an Stelle ${number} einfügen`,
    remove: (name: string) => `Schritt ${name} löschen`,
    removed: (name: string) => `Schritt ${name} ist gelöscht`,
    up: (number: number) => `Schritt ${number} nach oben`,
    down: (number: number) => `Schritt ${number} nach unten`,
    json: 'Automation als JSON',
    jsonHint: 'Im Gleichschritt mit dem Bild.',
    syntax: 'Noch kein gültiges JSON; das Bild zeigt die letzten gültigen Schritte.',
    steps: 'Das ist JSON, aber keine Automation: Es braucht "steps", eine Liste von Objekten.',
    counted: (version: number, runs: string) => `Version ${version}: ${runs}`,
    oneRun: '1 Lauf',
    manyRuns: (count: string) => `${count} Läufe`,
    newest: (count: string) => `die neuesten ${count} Läufe`,
    noRuns: 'noch kein Lauf',
    error: 'Fehler',
    warning: 'Ohne Wirkung',
    full: 'Eine Automation hat höchstens 100 Schritte.',
    nextStep: 'Nächsten Schritt öffnen',
    previousStep: 'Vorherigen Schritt öffnen',
    move: 'Offenen Schritt verschieben',
    masked: 'Diese Rolle sieht die Schritte verdeckt.',
  },
})

const STEPS_MAX = 100

export interface StepsTabProps {
  control: DraftControl
  problems: readonly Problem[]
  isReadOnly: boolean
  isMasked: boolean
  open: number | undefined
  setOpen(position: number | undefined): void
}

export function StepsTab({ control, problems, isReadOnly, isMasked, open, setOpen }: StepsTabProps) {
  const t = useTexts(tabTexts)
  const shared = useTexts(words)
  const names = useTexts(stepTexts)
  const { draft, edit, base } = control
  const { steps } = draft
  const progress = useQuery({
    queryKey: ['automations', 'progress', base.id, base.version],
    queryFn: ({ signal }) => api.automations.progress(base.id, { version: base.version }, { signal }),
    refetchInterval: COUNTED_AGAIN_MS,
  })
  const move = (from: number, to: number) => {
    if (to < 0 || to >= steps.length) return
    edit((before) => moveStep(before, from, to))
    if (open === from) setOpen(to)
  }
  const remove = (position: number) => {
    edit((before) => removeStep(before, position))
    setOpen(undefined)
    const id = notifications.show({
      message: (
        <span className={styles.toast}>
          {t.removed(String(position + 1))}
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => {
              control.undo()
              notifications.hide(id)
            }}
          >
            {shared.undo}
          </Button>
        </span>
      ),
    })
  }
  useShortcuts([
    { keys: 'j', label: t.nextStep, act: () => setOpen(Math.min(steps.length - 1, (open ?? -1) + 1)) },
    { keys: 'k', label: t.previousStep, act: () => setOpen(Math.max(0, (open ?? steps.length) - 1)) },
    ...(isReadOnly || open === undefined
      ? []
      : [
          { keys: 'J', label: `${t.move} ↓`, act: () => move(open, open + 1) },
          { keys: 'K', label: `${t.move} ↑`, act: () => move(open, open - 1) },
        ]),
  ])
  const whole = problems.filter(({ step }) => step === undefined)
  return (
    <>
      <Counts progress={progress.data} id={base.id} />
      {isMasked && <p className={styles.dim}>{t.masked}</p>}
      <Problems problems={whole} />
      <Graph
        steps={steps}
        start={<Triggers triggers={draft.triggers} />}
        open={open}
        onOpen={setOpen}
        toneOf={(position) =>
          problems.some(({ step, kind }) => step === position && kind === 'error') ? 'bad' : undefined
        }
        aside={(position) => (
          <StepCounts progress={progress.data} position={storedPosition(steps[position]?.key ?? '')} />
        )}
        {...(!isReadOnly && {
          between: (position: number) => (
            <Menu position="bottom-start" withinPortal>
              <Menu.Target>
                <button
                  type="button"
                  className={styles.insert}
                  aria-label={t.insert(position + 1)}
                  disabled={steps.length >= STEPS_MAX}
                  title={steps.length >= STEPS_MAX ? t.full : t.insert(position + 1)}
                >
                  <PlusIcon aria-hidden />
                </button>
              </Menu.Target>
              <Menu.Dropdown>
                {actions.map((action) => (
                  <Menu.Item
                    key={action}
                    onClick={() => {
                      edit((before) => insertStep(before, position, action))
                      setOpen(position)
                    }}
                  >
                    {names[`action_${action}`]}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          ),
        })}
        body={(position) => {
          const fields = steps[position]?.fields ?? {}
          const here = problems.filter(({ step }) => step === position)
          return (
            <>
              {here.length > 0 && (
                <div className={styles.problems}>
                  <Problems problems={here} />
                </div>
              )}
              {open === position && (
                <div className={styles.body}>
                  {!isReadOnly && (
                    <div className={styles.tools}>
                      <ActionIcon
                        variant="default"
                        aria-label={t.up(position + 1)}
                        disabled={position === 0}
                        onClick={() => move(position, position - 1)}
                      >
                        <ArrowUpIcon width={16} aria-hidden />
                      </ActionIcon>
                      <ActionIcon
                        variant="default"
                        aria-label={t.down(position + 1)}
                        disabled={position === steps.length - 1}
                        onClick={() => move(position, position + 1)}
                      >
                        <ArrowDownIcon width={16} aria-hidden />
                      </ActionIcon>
                      <ActionIcon
                        variant="default"
                        aria-label={t.remove(String(position + 1))}
                        disabled={steps.length === 1}
                        onClick={() => remove(position)}
                      >
                        <TrashIcon width={16} aria-hidden />
                      </ActionIcon>
                    </div>
                  )}
                  <StepForm
                    key={steps[position]?.key}
                    fields={fields}
                    isReadOnly={isReadOnly}
                    change={(next, name) =>
                      edit((before) => replaceStep(before, position, next), `${steps[position]?.key} ${name}`)
                    }
                  />
                </div>
              )}
            </>
          )
        }}
      />
    </>
  )
}

export function Problems({ problems }: { problems: readonly Problem[] }) {
  const t = useTexts(tabTexts)
  return problems.map(({ kind, text }) => (
    <p key={`${kind} ${text}`} className={kind === 'error' ? styles.problem : styles.warning} role="alert">
      <strong>{t[kind]}:</strong> {text}
    </p>
  ))
}

function Counts({ progress, id }: { progress: AutomationProgress | undefined; id: string }) {
  const t = useTexts(tabTexts)
  const format = useFormat()
  if (!progress) return null
  const { version, counted, more, runs } = progress
  const number = format.number(counted)
  const many = counted === 1 ? t.oneRun : t.manyRuns(number)
  return (
    <p className={styles.counts}>
      <span>{t.counted(version, counted === 0 ? t.noRuns : more ? t.newest(number) : many)}</span>
      {runs.map(({ status, count }) => (
        <Link
          key={status}
          to="/automations/$id"
          params={{ id }}
          search={{ tab: 'runs', status }}
          className={styles.countLink}
        >
          <RunStatusTag status={status} text={format.number(count)} />
        </Link>
      ))}
    </p>
  )
}

function StepCounts({
  progress,
  position,
}: {
  progress: AutomationProgress | undefined
  position: number | undefined
}) {
  const format = useFormat()
  if (!progress || position === undefined) return null
  return progress.steps
    .filter((step) => step.position === position)
    .map(({ status, count }) => <RunStatusTag key={status} status={status} text={format.number(count)} />)
}

export function JsonPanel({ control, isReadOnly }: Pick<StepsTabProps, 'control' | 'isReadOnly'>) {
  const t = useTexts(tabTexts)
  const { draft, edit } = control
  return (
    <div className={styles.json}>
      <h2>{t.json}</h2>
      <p className={styles.small}>{t.jsonHint}</p>
      <JsonDocument
        label={t.json}
        json={jsonOf(draft)}
        isReadOnly={isReadOnly}
        minHeight="240px"
        maxHeight="calc(100vh - 180px)"
        read={(text) => {
          const next = readAutomation(text, draft)
          if (typeof next === 'string') return { error: t[next] }
          return {
            json: jsonOf({ ...draft, ...next }),
            apply: () => edit((before) => ({ ...before, ...next }), 'json'),
          }
        }}
      />
    </div>
  )
}

const jsonOf = (draft: Draft) => JSON.stringify(automationOf(draft), null, 2)
