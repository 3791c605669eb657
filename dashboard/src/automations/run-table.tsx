/** Runs, newest first, of one automation or of all, with the filters of the address. */
import { Select } from '@mantine/core'
import type { ShortRun } from '@postrider/client'
import { Link, useNavigate } from '@tanstack/react-router'
import { serverUrl } from '../address.ts'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { SampleCode } from '../parts/code/code.tsx'
import { CopyableId } from '../parts/copyable.tsx'
import type { Changes } from '../parts/search-params.ts'
import { Empty } from '../parts/states.tsx'
import { type Column, PagedTable } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import styles from './automations.module.css'
import { RunSource, RunStatusTag } from './run-words.tsx'
import { type RunFilters, runPeriods, runStatuses } from './search.ts'

const PAGE = 50
const REFRESHED_MS = 10_000
const HOUR_MS = 3_600_000
const periods = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const

const tableTexts = texts({
  en: {
    runs: 'Runs',
    automation: 'Automation',
    inCall: 'Steps in the call',
    source: 'Started by',
    started: 'Started',
    run: 'Run',
    any: 'Any status',
    ever: 'Any time',
    hour: 'Started in the last hour',
    day: 'Started in the last day',
    week: 'Started in the last week',
    period: 'Time',
    parent: 'Started by run',
    empty: 'No runs yet',
    emptyText: 'A run starts by a call, an event, a schedule or another run:',
    none: 'No run matches the filters',
    clear: 'Show all runs',
  },
  de: {
    runs: 'Läufe',
    automation: 'Automation',
    inCall: 'Schritte im Aufruf',
    source: 'Gestartet durch',
    started: 'Begonnen',
    run: 'Lauf',
    any: 'Jeder Status',
    ever: 'Jede Zeit',
    hour: 'In der letzten Stunde begonnen',
    day: 'Am letzten Tag begonnen',
    week: 'In der letzten Woche begonnen',
    period: 'Zeit',
    parent: 'Gestartet von Lauf',
    empty: 'Noch keine Läufe',
    emptyText: 'Ein Lauf beginnt durch einen Aufruf, ein Ereignis, einen Zeitplan oder einen anderen Lauf:',
    none: 'Kein Lauf passt zu den Filtern',
    clear: 'Alle Läufe zeigen',
  },
})

export interface RunTableProps {
  filters: RunFilters
  setFilters(changes: Changes<RunFilters>): void
  /** Runs of one automation; of all of them without. */
  templateId?: string
}

export function RunTable({ filters, setFilters, templateId }: RunTableProps) {
  const t = useTexts(words)
  const labels = useTexts(tableTexts)
  const navigate = useNavigate()
  const { status, since, parent } = filters
  const columns: Column<ShortRun>[] = [
    { key: 'status', title: t.status, width: '150px', cell: (run) => <RunStatusTag status={run.status} /> },
    ...(templateId === undefined
      ? [
          {
            key: 'automation',
            title: labels.automation,
            cell: ({ template_id: id }: ShortRun) =>
              id === undefined ? (
                <span className={styles.dim}>{labels.inCall}</span>
              ) : (
                <Link to="/automations/$id" params={{ id }}>
                  {id}
                </Link>
              ),
          },
        ]
      : []),
    { key: 'source', title: labels.source, cell: ({ source }) => <RunSource source={source} /> },
    { key: 'id', title: labels.run, width: '230px', wideOnly: true, cell: ({ run_id: id }) => <CopyableId id={id} /> },
    {
      key: 'started',
      title: labels.started,
      width: '130px',
      align: 'end',
      cell: ({ created_at: at }) => <Time at={at} />,
    },
  ]
  const isFiltered = status !== undefined || since !== undefined || parent !== undefined
  return (
    <>
      <div className={styles.filters}>
        <Select
          aria-label={t.status}
          placeholder={labels.any}
          clearable
          w={200}
          data={[...runStatuses]}
          value={status ?? null}
          onChange={(next) => setFilters({ status: runStatuses.find((each) => each === next) })}
        />
        <Select
          aria-label={labels.period}
          placeholder={labels.ever}
          clearable
          w={260}
          data={runPeriods.map((value) => ({ value, label: labels[value] }))}
          value={since ?? null}
          onChange={(next) => setFilters({ since: runPeriods.find((each) => each === next) })}
        />
        {parent !== undefined && (
          <button type="button" className={styles.chip} onClick={() => setFilters({ parent: undefined })}>
            {labels.parent} <code>{parent.slice(-8)}</code> ×
          </button>
        )}
      </div>
      <PagedTable
        label={labels.runs}
        queryKey={['automations', 'runs', templateId, filters]}
        columns={columns}
        refetchMs={REFRESHED_MS}
        idOf={({ run_id: id }) => id}
        open={({ run_id: runId }) => void navigate({ to: '/runs/$runId', params: { runId } })}
        load={async (cursor, signal) => {
          const { runs, next_cursor: next } = await api.automations.runs(
            {
              limit: PAGE,
              ...(status && { status }),
              ...(templateId !== undefined && { template_id: templateId }),
              ...(parent !== undefined && { parent_run_id: parent }),
              ...(since && { start_date: new Date(Date.now() - periods[since]).toISOString() }),
              ...(cursor !== undefined && { cursor }),
            },
            { signal },
          )
          return { rows: runs, next }
        }}
        empty={
          isFiltered ? (
            <Empty
              title={labels.none}
              action={
                <button
                  type="button"
                  className={styles.chip}
                  onClick={() => setFilters({ status: undefined, since: undefined, parent: undefined })}
                >
                  {labels.clear}
                </button>
              }
            />
          ) : (
            <Empty title={labels.empty}>
              <p>{labels.emptyText}</p>
              <SampleCode
                label="curl"
                code={`curl -X POST ${serverUrl}/automations/${templateId ?? 'onboarding'}/invoke -H "Authorization: Bearer $POSTRIDER_API_KEY" -H "Content-Type: application/json" -d '{"recipient":"user-7","data":{}}'`}
              />
            </Empty>
          )
        }
      />
    </>
  )
}
