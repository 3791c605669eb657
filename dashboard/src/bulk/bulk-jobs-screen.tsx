/** All bulk jobs, newest first, by status; those in progress are followed. */
import { Button, Progress, Select } from '@mantine/core'
import type { BulkJobSummary } from '@postrider/client'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useMessageTitle } from '../names/template-names.ts'
import { CopyableId } from '../parts/copyable.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { tablePage } from '../parts/table/paging.ts'
import { type Column, PagedTable } from '../parts/table/table.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import styles from './bulk.module.css'
import { bulkTexts, JobStatusTag } from './bulk-texts.tsx'
import { jobStatuses } from './search.ts'

const FOLLOW_MS = 3_000

const jobsTexts = texts({
  en: {
    description: 'One message to many users, each with data of their own, from a file or through the API.',
    all: 'All statuses',
    progress: 'Progress',
    of: (done: string, total: string) => `${done} of ${total}`,
    empty: 'No bulk jobs yet',
    emptyText: 'Upload a CSV file with one user a line; every row is checked before anything is sent.',
    none: 'No bulk job has this status',
  },
  de: {
    description: 'Eine Nachricht an viele Nutzer, jeweils mit eigenen Daten, aus einer Datei oder über die API.',
    all: 'Alle Status',
    progress: 'Fortschritt',
    of: (done: string, total: string) => `${done} von ${total}`,
    empty: 'Noch kein Massenversand',
    emptyText:
      'Eine CSV-Datei mit einem Nutzer je Zeile hochladen; jede Zeile wird geprüft, bevor etwas gesendet wird.',
    none: 'Kein Massenversand hat diesen Status',
  },
})

export function BulkJobsScreen() {
  const t = useTexts(words)
  const labels = useTexts(jobsTexts)
  const bulk = useTexts(bulkTexts)
  const format = useFormat()
  const titleOf = useMessageTitle()
  const { status } = useSearch({ from: '/bulk' })
  const navigate = useNavigate({ from: '/bulk' })
  const { canOperate } = usePermissions()
  const add = canOperate ? (
    <Button component={Link} to="/bulk/new">
      {bulk.newJob}
    </Button>
  ) : (
    <Button disabled title={bulk.noRole}>
      {bulk.newJob}
    </Button>
  )
  const columns: Column<BulkJobSummary>[] = [
    {
      key: 'event',
      title: bulk.event,
      width: 'minmax(0, 1.4fr)',
      cell: ({ event }) => titleOf({ event }),
    },
    { key: 'status', title: t.status, width: '150px', cell: (job) => <JobStatusTag status={job.status} /> },
    {
      key: 'progress',
      title: labels.progress,
      width: 'minmax(0, 1.4fr)',
      cell: ({ enqueued, received }) => (
        <span className={styles.share}>
          <Progress
            size="sm"
            value={received === 0 ? 0 : (enqueued / received) * 100}
            aria-label={labels.progress}
            className={styles.shareBar}
          />
          {labels.of(format.number(enqueued), format.number(received))}
        </span>
      ),
    },
    { key: 'id', title: bulk.job, wideOnly: true, cell: ({ jobId }) => <CopyableId id={jobId} /> },
    { key: 'created', title: t.created, width: '110px', align: 'end', cell: ({ created }) => <Time at={created} /> },
  ]
  return (
    <Page
      title={bulk.bulkJobs}
      description={labels.description}
      actions={add}
      areActionsInEmpty
      bar={
        <Select
          w={220}
          aria-label={t.status}
          allowDeselect={false}
          value={status ?? ''}
          data={[
            { value: '', label: labels.all },
            ...jobStatuses.map((option) => ({ value: option as string, label: bulk[option] })),
          ]}
          onChange={(next) => {
            const chosen = jobStatuses.find((option) => option === next)
            void navigate({ search: chosen ? { status: chosen } : {} })
          }}
        />
      }
    >
      <PagedTable
        label={bulk.bulkJobs}
        queryKey={['bulk', 'list', status ?? '']}
        refetchMs={FOLLOW_MS}
        columns={columns}
        idOf={({ jobId }) => jobId}
        open={({ jobId }) => void navigate({ to: '/bulk/$jobId', params: { jobId }, search: {} })}
        load={async (cursor, signal) =>
          tablePage(
            await api.bulk.list(
              { ...(status && { status: [status] }), ...(cursor !== undefined && { cursor }) },
              { signal },
            ),
          )
        }
        empty={
          status ? (
            <Empty title={labels.none} />
          ) : (
            <Empty title={labels.empty} action={canOperate && add}>
              {labels.emptyText}
            </Empty>
          )
        }
      />
    </Page>
  )
}
