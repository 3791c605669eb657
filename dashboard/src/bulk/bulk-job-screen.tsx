/** One bulk job: how far it is, what failed and why, its messages and its users; sending it, and stopping it. */

import { NoSymbolIcon } from '@heroicons/react/16/solid'
import { Button, Checkbox, Progress } from '@mantine/core'
import type { BulkJob, BulkUserRecord, Message, MessageFilter } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { CancelDialog, useAmount, useCanceledText } from '../messages/cancel-dialog.tsx'
import { type CancelChoice, cancelWaiting, useCancelable } from '../messages/cancel-waiting.ts'
import { useMessageTitle } from '../names/template-names.ts'
import { JsonView } from '../parts/code/code.tsx'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { CopyableId } from '../parts/copyable.tsx'
import { Card, Page, Section } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { MessageStatusTag, Tag } from '../parts/status.tsx'
import { failures } from '../parts/status-groups.ts'
import { TabBar } from '../parts/tab-bar.tsx'
import { tablePage } from '../parts/table/paging.ts'
import { type Column, PagedTable } from '../parts/table/table.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { Why } from '../parts/why.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import styles from './bulk.module.css'
import { bulkTexts, JobStatusTag } from './bulk-texts.tsx'
import { Download } from './download.tsx'
import { useRunJob } from './run-job.ts'
import { type JobTab, jobTabs } from './search.ts'

const FOLLOW_MS = 1_000
const PAGE = 50
/** As many as a page can have: a file is read page by page. */
const FILE_PAGE = 100
/** A failure of one of many pages would lose the file. */
const RETRIES = 3

const jobTexts = texts({
  en: {
    stop: 'Stop job',
    stopTitle: 'Stop this bulk job',
    stopText: (created: string, rest: string) =>
      `${created} messages are created so far and are sent. The other ${rest} users get none, but for messages that are created until it stops. This cannot be undone.`,
    stopAllText: (created: string, waiting: string, rest: string) =>
      `${created} messages are created so far; ${waiting} of them wait and are canceled, the others are sent. The other ${rest} users get none. This cannot be undone.`,
    alsoCancel: (waiting: string) => `Also cancel the ${waiting} messages that wait`,
    alsoCancelOne: 'Also cancel the message that waits',
    stopEnded: 'The job has ended meanwhile: all its messages are created.',
    stopped: 'The job is stopped',
    cancelWaiting: (waiting: string) => `Cancel ${waiting} waiting`,
    discard: 'Discard job',
    discardText: (users: string) => `Nothing was sent. The ${users} users of the job get no message from it.`,
    addUsers: 'Add users from a file',
    waiting: (users: string) => `${users} users are added, and nothing is sent yet.`,
    done: (created: string, users: string) =>
      `${created} of ${users} ${users === '1' ? 'message' : 'messages'} created`,
    rest: (rest: string) => `${rest} to go`,
    dropped: (rest: string) => `${rest} users get no message`,
    notCreated: (count: string) => `${count} could not be created`,
    messages: 'Messages',
    failed: 'Failed',
    users: 'Users',
    noMessages: 'No messages yet',
    noFailed: 'No message failed',
    noFailedText: 'A message that cannot be delivered appears here with its reason.',
    noUsers: 'No users yet',
    definition: 'Message of the job',
    views: 'Views of the job',
    PENDING: 'Waits',
    ENQUEUED: 'Message created',
    CANCELED: 'Stopped before',
    ERROR: 'Could not be created',
  },
  de: {
    stop: 'Versand stoppen',
    stopTitle: 'Diesen Massenversand stoppen',
    stopText: (created: string, rest: string) =>
      `${created} Nachrichten sind bisher erzeugt und werden gesendet. Die anderen ${rest} Nutzer bekommen keine, außer denen, deren Nachricht bis zum Stopp noch entsteht. Das lässt sich nicht rückgängig machen.`,
    stopAllText: (created: string, waiting: string, rest: string) =>
      `${created} Nachrichten sind bisher erzeugt; ${waiting} davon warten und werden abgebrochen, die übrigen werden gesendet. Die anderen ${rest} Nutzer bekommen keine. Das lässt sich nicht rückgängig machen.`,
    alsoCancel: (waiting: string) => `Auch die ${waiting} wartenden Nachrichten abbrechen`,
    alsoCancelOne: 'Auch die wartende Nachricht abbrechen',
    stopEnded: 'Der Versand ist inzwischen zu Ende: Alle Nachrichten sind erzeugt.',
    stopped: 'Der Versand ist gestoppt',
    cancelWaiting: (waiting: string) => `${waiting} wartende abbrechen`,
    discard: 'Versand verwerfen',
    discardText: (users: string) => `Es wurde nichts gesendet. Die ${users} Nutzer bekommen daraus keine Nachricht.`,
    addUsers: 'Nutzer aus einer Datei hinzufügen',
    waiting: (users: string) => `${users} Nutzer sind hinzugefügt, und noch ist nichts gesendet.`,
    done: (created: string, users: string) =>
      `${created} von ${users} ${users === '1' ? 'Nachricht' : 'Nachrichten'} erzeugt`,
    rest: (rest: string) => `${rest} fehlen noch`,
    dropped: (rest: string) => `${rest} Nutzer bekommen keine Nachricht`,
    notCreated: (count: string) => `${count} ließen sich nicht erzeugen`,
    messages: 'Nachrichten',
    failed: 'Fehlgeschlagen',
    users: 'Nutzer',
    noMessages: 'Noch keine Nachrichten',
    noFailed: 'Keine Nachricht ist fehlgeschlagen',
    noFailedText: 'Was sich nicht zustellen lässt, steht hier mit seinem Grund.',
    noUsers: 'Noch keine Nutzer',
    definition: 'Nachricht des Versands',
    views: 'Ansichten des Versands',
    PENDING: 'Wartet',
    ENQUEUED: 'Nachricht erzeugt',
    CANCELED: 'Vorher gestoppt',
    ERROR: 'Nicht erzeugbar',
  },
})

export function BulkJobScreen() {
  const labels = useTexts(jobTexts)
  const bulk = useTexts(bulkTexts)
  const { jobId } = useParams({ from: '/bulk/$jobId' })
  const { tab = 'messages' } = useSearch({ from: '/bulk/$jobId' })
  const navigate = useNavigate({ from: '/bulk/$jobId' })
  const query = useJob(jobId)
  const job = query.data
  const event = job && eventOf(job)
  const titleOf = useMessageTitle()
  const follows = job?.status === 'PROCESSING'
  return (
    <Page
      title={job ? titleOf({ event }) : bulk.bulkJobs}
      badge={
        <>
          {job && <JobStatusTag status={job.status} />}
          <CopyableId id={jobId} />
        </>
      }
      actions={job && <JobActions jobId={jobId} job={job} />}
    >
      {query.isPending ? (
        <Loading />
      ) : job ? (
        <>
          <div className={styles.job}>
            <JobProgress jobId={jobId} job={job} />
            <div>
              <TabBar
                label={labels.views}
                tabs={jobTabs.map((name) => ({ name, title: labels[name] }))}
                value={tab}
                choose={(next) => void navigate({ search: next === 'messages' ? {} : { tab: next } })}
              />
              <JobBody jobId={jobId} tab={tab} follows={follows} />
            </div>
          </div>
          <Section title={labels.definition}>
            <JsonView label={labels.definition} value={job.definition} maxHeight="320px" />
          </Section>
        </>
      ) : (
        <Failed error={query.error} retry={query.refetch} />
      )}
    </Page>
  )
}

const useJob = (jobId: string) =>
  useQuery({
    queryKey: ['bulk', 'one', jobId],
    queryFn: async ({ signal }) => (await api.bulk.get(jobId, { signal })).job,
    // One that is not run yet may be run by a call of the API.
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'PROCESSING' ? FOLLOW_MS : data?.status === 'CREATED' ? FOLLOW_MS * 5 : false,
  })

export function eventOf({ definition }: BulkJob): string | undefined {
  const { event, template, message } = definition as Record<'event' | 'template' | 'message', unknown>
  const inner =
    typeof message === 'object' && message !== null ? (message as { template?: unknown }).template : undefined
  return [event, template, inner].find((name): name is string => typeof name === 'string' && name !== '')
}

interface JobProps {
  jobId: string
  job: BulkJob
}

const waitingOf = (jobId: string): CancelChoice => ({ filter: { messageId: jobId, archived: true } })

function JobActions({ jobId, job }: JobProps) {
  const labels = useTexts(jobTexts)
  const bulk = useTexts(bulkTexts)
  const format = useFormat()
  const confirm = useConfirm()
  const canceledText = useCanceledText()
  const { canOperate } = usePermissions()
  const send = useRunJob(jobId)
  const isAlsoCanceled = useRef(false)
  const stop = useAction({
    async act() {
      await api.bulk.cancel(jobId)
      if (!isAlsoCanceled.current) return undefined
      // Messages were created until the job stopped.
      const { cancelable } = await api.messages.cancelMany({ ...waitingOf(jobId), dry_run: true })
      return cancelable === 0 ? undefined : await cancelWaiting(waitingOf(jobId), cancelable)
    },
    done: (canceled) => (canceled ? `${labels.stopped}: ${canceledText(canceled)}` : labels.stopped),
    changes: [['bulk'], ['messages']],
    isInSteps: true,
  })
  const { status, received } = job
  if (status !== 'CREATED' && status !== 'PROCESSING')
    return canOperate ? <CancelWaiting jobId={jobId} isStopping={stop.isPending} /> : null
  if (!canOperate) return <span className={styles.small}>{bulk.noRole}</span>
  const isNew = status === 'CREATED'
  const confirmStop = async () => {
    isAlsoCanceled.current = false
    const isConfirmed = await confirm({
      title: isNew ? labels.discard : labels.stopTitle,
      text: isNew ? (
        labels.discardText(format.number(received))
      ) : (
        <StopText
          jobId={jobId}
          job={job}
          choose={(isChosen) => {
            isAlsoCanceled.current = isChosen
          }}
        />
      ),
      action: isNew ? labels.discard : labels.stop,
      isDangerous: true,
    })
    if (isConfirmed) stop.mutate()
  }
  return (
    <>
      <Button variant="default" loading={stop.isPending} onClick={() => void confirmStop()}>
        {isNew ? labels.discard : labels.stop}
      </Button>
      {isNew && (
        <Button variant="default" component={Link} to={`/bulk/new?job=${encodeURIComponent(jobId)}`}>
          {labels.addUsers}
        </Button>
      )}
      {isNew && received > 0 && (
        <Button loading={send.isPending} onClick={() => void send.start(received)}>
          {send.label(received)}
        </Button>
      )}
    </>
  )
}

/** For a job that makes no more messages, while any waits. */
function CancelWaiting({ jobId, isStopping }: { jobId: string; isStopping: boolean }) {
  const labels = useTexts(jobTexts)
  const amount = useAmount()
  const [chosen, setChosen] = useState<CancelChoice>()
  const count = useCancelable(waitingOf(jobId), FOLLOW_MS * 3).data?.cancelable ?? 0
  return (
    <>
      {count > 0 && (
        <Button
          variant="default"
          leftSection={<NoSymbolIcon width={14} aria-hidden />}
          loading={isStopping}
          onClick={() => setChosen(waitingOf(jobId))}
        >
          {labels.cancelWaiting(amount(count))}
        </Button>
      )}
      <CancelDialog chosen={chosen} close={() => setChosen(undefined)} />
    </>
  )
}

/** Messages are created, and sent, while the dialog is open. */
function StopText({ jobId, job, choose }: JobProps & { choose(isChosen: boolean): void }) {
  const labels = useTexts(jobTexts)
  const format = useFormat()
  const amount = useAmount()
  const [isChosen, setIsChosen] = useState(false)
  const { status, received, enqueued, failures } = useJob(jobId).data ?? job
  const { data } = useCancelable(waitingOf(jobId), FOLLOW_MS)
  const rest = format.number(received - enqueued - failures)
  const waiting = amount(data?.cancelable ?? 0)
  return (
    <>
      <span>
        {status !== 'PROCESSING'
          ? labels.stopEnded
          : isChosen
            ? labels.stopAllText(format.number(enqueued), waiting, rest)
            : labels.stopText(format.number(enqueued), rest)}
      </span>
      {data && (
        <Checkbox
          mt="md"
          label={data.cancelable === 1 ? labels.alsoCancelOne : labels.alsoCancel(waiting)}
          checked={isChosen}
          onChange={({ currentTarget: { checked } }) => {
            setIsChosen(checked)
            choose(checked)
          }}
        />
      )}
    </>
  )
}

function JobProgress({ jobId, job }: JobProps) {
  const t = useTexts(words)
  const labels = useTexts(jobTexts)
  const bulk = useTexts(bulkTexts)
  const format = useFormat()
  // A job shows no error; its request does.
  const { data: request } = useQuery({
    queryKey: ['bulk', 'request', jobId],
    queryFn: ({ signal }) => api.requests.get(jobId, { signal }),
  })
  const { status, received, enqueued, failures } = job
  const rest = Math.max(0, received - enqueued - failures)
  const share = received === 0 ? 0 : (enqueued / received) * 100
  return (
    <Card>
      <div className={styles.progress} role="status">
        <div className={styles.figures}>
          <strong>
            {status === 'CREATED'
              ? labels.waiting(format.number(received))
              : labels.done(format.number(enqueued), format.number(received))}
          </strong>
          <span className={styles.dim}>
            {status === 'PROCESSING' && labels.rest(format.number(rest))}
            {status === 'CANCELED' && labels.dropped(format.number(rest))}
          </span>
        </div>
        <Progress.Root size="lg">
          <Progress.Section value={share} aria-label={bulk.created} animated={status === 'PROCESSING'} />
        </Progress.Root>
        <div className={styles.figures}>
          <span className={styles.error}>{failures > 0 && labels.notCreated(format.number(failures))}</span>
          <span className={styles.small}>
            {request && t.created} <Time at={request?.created} />
          </span>
        </div>
        {request?.error && <p className={styles.error}>{request.error}</p>}
      </div>
    </Card>
  )
}

function JobBody({ jobId, tab, follows }: { jobId: string; tab: JobTab; follows: boolean }) {
  if (tab === 'users') return <Users jobId={jobId} follows={follows} />
  return <Messages key={tab} jobId={jobId} onlyFailed={tab === 'failed'} />
}

function Messages({ jobId, onlyFailed }: { jobId: string; onlyFailed: boolean }) {
  const t = useTexts(words)
  const labels = useTexts(jobTexts)
  const bulk = useTexts(bulkTexts)
  const navigate = useNavigate()
  const { seesPersonalData } = usePermissions()
  const filter = { messageId: jobId, archived: true, ...(onlyFailed && failures) } as MessageFilter
  const columns: Column<Message>[] = [
    { key: 'recipient', title: t.recipient, cell: ({ recipient, address }) => address ?? recipient },
    {
      key: 'status',
      title: t.status,
      width: '160px',
      cell: ({ status, reason }) => <MessageStatusTag status={status} reason={reason} />,
    },
    {
      key: 'why',
      title: bulk.reason,
      width: 'minmax(0, 1.6fr)',
      cell: (message) => <Why message={message} />,
    },
    { key: 'at', title: t.created, width: '110px', align: 'end', cell: ({ enqueued }) => <Time at={enqueued} /> },
  ]
  return (
    <>
      {onlyFailed && seesPersonalData ? (
        <Download
          name={`${jobId}-failed.csv`}
          head={['recipient', 'status', 'reason', 'error', 'message']}
          rows={async function* (signal) {
            for await (const message of api.messages.list(
              { ...filter, limit: FILE_PAGE },
              { signal, retries: RETRIES },
            ))
              yield [message.recipient, message.status, message.reason ?? '', message.error ?? '', message.id]
          }}
        />
      ) : (
        <div className={styles.tools} />
      )}
      <PagedTable
        label={onlyFailed ? labels.failed : labels.messages}
        queryKey={['messages', 'bulk', jobId, onlyFailed]}
        refetchMs={FOLLOW_MS * 3}
        columns={columns}
        idOf={({ id }) => id}
        open={({ id }) => void navigate({ to: '/messages/$messageId', params: { messageId: id } })}
        load={async (cursor, signal) =>
          tablePage(
            await api.messages.list(
              { ...filter, include: 'providers', limit: PAGE, ...(cursor !== undefined && { cursor }) },
              { signal },
            ),
          )
        }
        empty={
          onlyFailed ? (
            <Empty title={labels.noFailed}>{labels.noFailedText}</Empty>
          ) : (
            <Empty title={labels.noMessages} />
          )
        }
      />
    </>
  )
}

function Users({ jobId, follows }: { jobId: string; follows: boolean }) {
  const t = useTexts(words)
  const labels = useTexts(jobTexts)
  const navigate = useNavigate()
  const { seesPersonalData } = usePermissions()
  const tones = { PENDING: 'quiet', ENQUEUED: 'good', CANCELED: 'quiet', ERROR: 'bad' } as const
  const columns: Column<BulkUserRecord>[] = [
    { key: 'recipient', title: t.recipient, cell: ({ recipient }) => recipient },
    {
      key: 'status',
      title: t.status,
      width: '180px',
      cell: ({ status }) => <Tag tone={tones[status]}>{labels[status]}</Tag>,
    },
    {
      key: 'message',
      title: t.message,
      cell: ({ messageId }) => messageId && <CopyableId id={messageId} />,
    },
  ]
  return (
    <>
      {seesPersonalData ? (
        <Download
          name={`${jobId}-users.csv`}
          head={['recipient', 'status', 'message']}
          rows={async function* (signal) {
            for await (const user of api.bulk.users(jobId, { limit: FILE_PAGE }, { signal, retries: RETRIES }))
              yield [user.recipient, user.status, user.messageId ?? '']
          }}
        />
      ) : (
        <div className={styles.tools} />
      )}
      <PagedTable
        label={labels.users}
        queryKey={['bulk', 'users', jobId]}
        {...(follows && { refetchMs: FOLLOW_MS * 3 })}
        columns={columns}
        idOf={({ recipient }) => recipient}
        open={({ messageId }) => messageId && void navigate({ to: '/messages/$messageId', params: { messageId } })}
        load={async (cursor, signal) =>
          tablePage(await api.bulk.users(jobId, cursor === undefined ? {} : { cursor }, { signal }))
        }
        empty={<Empty title={labels.noUsers} />}
      />
    </>
  )
}
