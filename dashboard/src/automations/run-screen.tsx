/** One run step by step: what each did, when, why it was skipped, and the messages that it made. */
import { NoSymbolIcon } from '@heroicons/react/20/solid'
import { Button } from '@mantine/core'
import type { AutomationRun, AutomationRunStep, Message } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useMessageTitle } from '../names/template-names.ts'
import { JsonView } from '../parts/code/code.tsx'
import { isObject } from '../parts/code/json.ts'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { CopyableId, useCopy } from '../parts/copyable.tsx'
import { Card, Facts, Page, Section } from '../parts/page.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { MessageStatusTag } from '../parts/status.tsx'
import { tablePage } from '../parts/table/paging.ts'
import { type Column, PagedTable } from '../parts/table/table.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import styles from './automations.module.css'
import type { Fields } from './draft.ts'
import { Graph } from './graph.tsx'
import { isUnfinished, Reason, RunSource, RunStatusTag, runTexts, stepTone } from './run-words.tsx'

const PAGE = 50
const POLL_MS = 2_000
/** Receipts change messages after their run. */
const MESSAGES_POLL_MS = 10_000

const screenTexts = texts({
  en: {
    run: 'Run',
    of: (name: string) => `Run of ${name}`,
    inCall: 'Run of steps in a call',
    startedBy: 'Started by',
    started: 'Started',
    lastProgress: 'Last progress',
    automation: 'Automation',
    inCallValue: 'Steps in the call',
    steps: 'Steps',
    stepsText: 'As they were when the run started; later versions do not change it.',
    result: 'Result',
    took: (time: string) => `took ${time}`,
    waiting: (time: string) => `for ${time} so far`,
    message: 'Message',
    messages: 'Messages',
    messagesText: 'Sent by its steps, and by runs that a list started for it.',
    noMessages: 'The run has sent no message',
    started_: 'Started runs',
    startedText: 'By its steps, for another automation or for each subscriber of a list.',
    startedAll: 'Show the runs that it started',
    data: 'Data and profile at its start',
    cancel: 'Cancel run',
    cancelTitle: 'Cancel this run',
    cancelText: (left: string) =>
      `No further step starts; ${left} are left. Messages that were sent are not taken back, and runs that it started by name go on. This cannot be undone.`,
    canceled: 'The run is canceled',
    to: 'For',
    copyId: 'Copy the run id',
    noRole: 'Your role reads only',
  },
  de: {
    run: 'Lauf',
    of: (name: string) => `Lauf von ${name}`,
    inCall: 'Lauf von Schritten im Aufruf',
    startedBy: 'Gestartet durch',
    started: 'Begonnen',
    lastProgress: 'Letzter Fortschritt',
    automation: 'Automation',
    inCallValue: 'Schritte im Aufruf',
    steps: 'Schritte',
    stepsText: 'So, wie sie beim Start des Laufs waren; spätere Versionen ändern ihn nicht.',
    result: 'Ergebnis',
    took: (time: string) => `dauerte ${time}`,
    waiting: (time: string) => `seit ${time}`,
    message: 'Nachricht',
    messages: 'Nachrichten',
    messagesText: 'Was seine Schritte gesendet haben, auch die Läufe, die eine Liste dafür gestartet hat.',
    noMessages: 'Der Lauf hat keine Nachricht gesendet',
    started_: 'Gestartete Läufe',
    startedText: 'Von seinen Schritten, für eine andere Automation oder für jeden Eingetragenen einer Liste.',
    startedAll: 'Die von ihm gestarteten Läufe zeigen',
    data: 'Daten und Profil beim Start',
    cancel: 'Lauf abbrechen',
    cancelTitle: 'Diesen Lauf abbrechen',
    cancelText: (left: string) =>
      `Kein weiterer Schritt beginnt; ${left} sind noch offen. Gesendete Nachrichten bleiben gesendet, und namentlich gestartete Läufe gehen weiter. Das lässt sich nicht zurücknehmen.`,
    canceled: 'Der Lauf ist abgebrochen',
    to: 'Für',
    copyId: 'Lauf-Id kopieren',
    noRole: 'Diese Rolle liest nur',
  },
})

export function RunScreen() {
  const { runId } = useParams({ from: '/runs/$runId' })
  const t = useTexts(screenTexts)
  const query = useQuery({
    queryKey: ['automations', 'run', runId],
    queryFn: async ({ signal }) => {
      const [run, { steps }] = await Promise.all([
        api.automations.run(runId, { signal }),
        api.automations.steps(runId, { signal }),
      ])
      return { run, steps }
    },
    refetchInterval: ({ state }) => (isUnfinished(state.data?.run.status) ? POLL_MS : false),
  })
  if (query.data) return <Run {...query.data} />
  return (
    <Page title={t.run} badge={<CopyableId id={runId} />}>
      {query.isError ? <Failed error={query.error} retry={query.refetch} /> : <Loading rows={10} />}
    </Page>
  )
}

const waitOf = (action: string) =>
  action === 'delay' ? 'waitsForTime' : /^add-to-(?:batch|digest)$/.test(action) ? 'waitsForBatch' : 'waitsForAttempt'

/** Steps whose action starts runs of its own. */
const STARTS = /^(?:invoke|send-list)$/

function Run({ run, steps }: { run: AutomationRun; steps: readonly AutomationRunStep[] }) {
  const t = useTexts(screenTexts)
  const meanings = useTexts(runTexts)
  const navigate = useNavigate()
  const confirm = useConfirm()
  const format = useFormat()
  const { copy } = useCopy()
  const { canOperate } = usePermissions()
  const { runId: id, status, template_id: templateId, recipient, source, error } = run
  const waiting = steps.find((step) => step.status === 'WAITING')
  const left = steps.filter((step) => ['NOT PROCESSED', 'WAITING', 'PROCESSING'].includes(step.status)).length
  const cancel = useAction({
    act: () => api.automations.cancelRun(id),
    done: t.canceled,
    changes: [['automations']],
  })
  useShortcuts([{ keys: 'c', label: t.copyId, act: () => void copy(id) }])
  const written: unknown = run.automation.steps
  const definitions = Array.isArray(written) ? written : []
  const shown = steps.map(({ step_id: key, action, ref }, position) => {
    const fields: unknown = definitions[position]
    return { key, fields: { ...(isObject(fields) ? fields : {}), action, ...(ref !== undefined && { ref }) } }
  })
  const stepAt = (position: number) => steps[position]
  const title = templateId === undefined ? t.inCall : t.of(templateId)
  const { data, profile, brand, template } = run
  return (
    <Page
      title={title}
      tabTitle={`${title}, ${status}`}
      badge={<RunStatusTag status={status} />}
      description={<CopyableId id={id} whole />}
      actions={
        isUnfinished(status) && (
          <Button
            variant="default"
            leftSection={<NoSymbolIcon width={14} aria-hidden />}
            disabled={!canOperate}
            title={canOperate ? undefined : t.noRole}
            loading={cancel.isPending}
            onClick={async () => {
              const text = t.cancelText(format.number(left))
              if (await confirm({ title: t.cancelTitle, text, action: t.cancel, isDangerous: true })) cancel.mutate()
            }}
          >
            {t.cancel}
          </Button>
        )
      }
    >
      <section className={styles.verdict} data-tone={stepTone(status)} aria-live="polite">
        <h2>{meanings[status === 'WAITING' && waiting ? waitOf(waiting.action) : status]}</h2>
        {error !== undefined && <p>{error}</p>}
      </section>
      <div className={styles.runFacts}>
        <Card>
          <Facts
            facts={[
              [
                t.automation,
                templateId === undefined ? (
                  t.inCallValue
                ) : (
                  <Link key="automation" to="/automations/$id" params={{ id: templateId }}>
                    {templateId}
                  </Link>
                ),
              ],
              recipient !== undefined && [
                t.to,
                <Link key="to" to="/users/$userId" params={{ userId: String(recipient) }}>
                  {String(recipient)}
                </Link>,
              ],
              [t.startedBy, <RunSource key="source" source={source} />],
              [t.started, <Time key="started" at={run.created_at} />],
              [t.lastProgress, <Time key="progress" at={run.updated_at} />],
            ]}
          />
        </Card>
      </div>
      <Section title={t.steps} description={t.stepsText}>
        <Graph
          steps={shown}
          start={<Time at={run.created_at} />}
          end={isUnfinished(status) ? undefined : <Time at={run.updated_at} />}
          toneOf={(position) => stepTone(stepAt(position)?.status ?? '')}
          isReached={(position) => stepAt(position)?.status !== 'NOT PROCESSED'}
          isCurrent={(position) => isUnfinished(stepAt(position)?.status)}
          aside={(position) => {
            const step = stepAt(position)
            return step && step.status !== 'NOT PROCESSED' && <RunStatusTag status={step.status} />
          }}
          body={(position) => {
            const step = stepAt(position)
            return step && <StepResult step={step} />
          }}
        />
      </Section>
      <Messages runId={id} isUnfinished={isUnfinished(status)} />
      {steps.some(({ action }) => STARTS.test(action)) && (
        <Section title={t.started_} description={t.startedText}>
          <Button
            variant="default"
            onClick={() => void navigate({ to: '/automations', search: { tab: 'runs', parent: id } })}
          >
            {t.startedAll}
          </Button>
        </Section>
      )}
      <Section title={t.data}>
        <JsonView label={t.data} value={{ recipient, template, brand, data, profile }} maxHeight="320px" />
      </Section>
    </Page>
  )
}

function StepResult({ step }: { step: AutomationRunStep }) {
  const t = useTexts(screenTexts)
  const format = useFormat()
  const { status, created_at: start, updated_at: end, error, reason, result, message_id: message } = step
  if (status === 'NOT PROCESSED') return null
  const took = Date.parse(end) - Date.parse(start)
  const more: Fields = result ?? {}
  const started = more.runId
  return (
    <div className={styles.result}>
      <p className={styles.facts}>
        <span>
          <Time at={start} />
        </span>
        {isUnfinished(status)
          ? Date.now() > Date.parse(start) && <span>{t.waiting(format.duration(Date.now() - Date.parse(start)))}</span>
          : took > 0 && <span>{t.took(format.duration(took))}</span>}
        {message !== undefined && (
          <span>
            {t.message}{' '}
            <Link to="/messages/$messageId" params={{ messageId: message }}>
              <code>{message.slice(-8)}</code>
            </Link>
          </span>
        )}
        {typeof started === 'string' && (
          <span>
            {t.run}{' '}
            <Link to="/runs/$runId" params={{ runId: started }}>
              <code>{started.slice(-8)}</code>
            </Link>
          </span>
        )}
      </p>
      {error !== undefined && <p className={styles.problem}>{error}</p>}
      {reason !== undefined && (
        <p>
          <Reason text={reason} />
        </p>
      )}
      {result && Object.keys(result).length > 0 && (
        <details>
          <summary>{t.result}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
          <pre tabIndex={0} role="region" aria-label={t.result}>
            {JSON.stringify(result, null, 2)}
          </pre>
        </details>
      )}
    </div>
  )
}

function Messages({ runId, isUnfinished: isOpen }: { runId: string; isUnfinished: boolean }) {
  const t = useTexts(words)
  const labels = useTexts(screenTexts)
  const titleOf = useMessageTitle()
  const navigate = useNavigate()
  const columns: Column<Message>[] = [
    { key: 'message', title: t.template, cell: titleOf },
    { key: 'recipient', title: t.recipient, cell: ({ recipient }) => recipient },
    { key: 'status', title: t.status, width: '170px', cell: ({ status }) => <MessageStatusTag status={status} /> },
    {
      key: 'created',
      title: t.created,
      width: '120px',
      align: 'end',
      cell: ({ enqueued }) => <Time at={enqueued} />,
    },
  ]
  return (
    <Section title={labels.messages} description={labels.messagesText}>
      <PagedTable
        label={labels.messages}
        // Read once more when the run has ended: its last step can have sent one.
        queryKey={['messages', 'of-run', runId, isOpen]}
        columns={columns}
        refetchMs={isOpen ? POLL_MS : MESSAGES_POLL_MS}
        idOf={({ id }) => id}
        open={({ id }) => void navigate({ to: '/messages/$messageId', params: { messageId: id } })}
        load={async (cursor, signal) =>
          tablePage(
            await api.messages.list({ runId, limit: PAGE, ...(cursor !== undefined && { cursor }) }, { signal }),
          )
        }
        empty={<p className={styles.dim}>{labels.noMessages}.</p>}
      />
    </Section>
  )
}
