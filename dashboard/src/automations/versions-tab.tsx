/** The versions of an automation, newest first, each compared with the draft. */
import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useInfiniteQuery } from '@tanstack/react-query'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { CodeEditor } from '../parts/code/code.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import { nextCursor } from '../parts/table/paging.ts'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import styles from './automations.module.css'
import { comparable, type Draft, draftOf } from './draft.ts'
import type { DraftControl } from './use-draft.ts'

const PAGE = 20

const versionsTexts = texts({
  en: {
    versions: 'Versions',
    version: (version: number) => `Version ${version}`,
    current: 'in force',
    written: 'written',
    steps: (count: number) => (count === 1 ? '1 step' : `${count} steps`),
    compare: 'Compare with the draft',
    same: (version: number) => `The draft is the same as version ${version}`,
    diff: (version: number) => `Draft, compared with version ${version}`,
    restore: (version: number) => `Make version ${version} the draft`,
    restored: (version: number) => `Version ${version} is the draft now`,
  },
  de: {
    versions: 'Versionen',
    version: (version: number) => `Version ${version}`,
    current: 'gilt',
    written: 'geschrieben',
    steps: (count: number) => (count === 1 ? '1 Schritt' : `${count} Schritte`),
    compare: 'Mit dem Entwurf vergleichen',
    same: (version: number) => `Der Entwurf gleicht Version ${version}`,
    diff: (version: number) => `Entwurf, verglichen mit Version ${version}`,
    restore: (version: number) => `Version ${version} zum Entwurf machen`,
    restored: (version: number) => `Version ${version} ist jetzt der Entwurf`,
  },
})

export interface VersionsTabProps {
  id: string
  control: DraftControl
  isReadOnly: boolean
  chosen: number | undefined
  choose(version: number): void
}

export function VersionsTab({ id, control: { draft, base, edit }, isReadOnly, chosen, choose }: VersionsTabProps) {
  const t = useTexts(words)
  const labels = useTexts(versionsTexts)
  const versions = useInfiniteQuery({
    queryKey: ['automations', 'versions', id],
    queryFn: ({ signal, pageParam }) =>
      api.automations.versions(id, { limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursor,
  })
  if (versions.isPending) return <Loading />
  if (versions.isError) return <Failed error={versions.error} retry={versions.refetch} />
  const rows = versions.data.pages.flatMap((page) => page.results)
  const [newest] = rows
  const compared = rows.find(({ version }) => version === chosen) ?? newest
  const before = compared && comparable(draftOf(compared))
  const after = comparable(draft)
  return (
    <>
      <ul className={styles.versions} aria-label={labels.versions}>
        {rows.map((row) => (
          <li key={row.version} aria-current={row.version === compared?.version}>
            <span>
              <strong>{labels.version(row.version)}</strong>{' '}
              {row.version === newest?.version && <Tag tone="good">{labels.current}</Tag>}
            </span>
            <span className={styles.dim}>
              {labels.steps(row.automation.steps.length)}, {labels.written} <Time at={row.createdAt} />
            </span>
            <Button
              size="compact-sm"
              variant={row.version === compared?.version ? 'light' : 'subtle'}
              aria-pressed={row.version === compared?.version}
              aria-label={`${labels.compare}: ${labels.version(row.version)}`}
              onClick={() => choose(row.version)}
            >
              {labels.compare}
            </Button>
          </li>
        ))}
      </ul>
      {versions.hasNextPage && (
        <Button variant="subtle" loading={versions.isFetchingNextPage} onClick={() => void versions.fetchNextPage()}>
          {t.more}
        </Button>
      )}
      {compared && before !== undefined && (
        <div className={styles.comparison}>
          <div className={styles.comparisonHead}>
            <h2>{before === after ? labels.same(compared.version) : labels.diff(compared.version)}</h2>
            {!isReadOnly && before !== after && (
              <Button
                variant="default"
                onClick={() => {
                  const isBase = comparable(draftOf(base)) === before
                  edit(() => (isBase ? draftOf(base) : rekeyed(draftOf(compared))))
                  notifications.show({ message: labels.restored(compared.version) })
                }}
              >
                {labels.restore(compared.version)}
              </Button>
            )}
          </div>
          {before !== after && (
            <CodeEditor
              key={compared.version}
              label={labels.diff(compared.version)}
              readOnly
              value={after}
              original={before}
              maxHeight="60vh"
            />
          )}
        </div>
      )}
    </>
  )
}

/** Positions of another version are none of the version that runs are counted of. */
const rekeyed = (draft: Draft): Draft => ({
  ...draft,
  steps: draft.steps.map((step, index) => ({ ...step, key: `restored-${index}` })),
})
