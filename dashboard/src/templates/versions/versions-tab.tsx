/** The published versions, what differs from the draft, and the ways back. */
import { Button } from '@mantine/core'
import type { Notification } from '@postrider/client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { useAction, useConfirm } from '../../parts/confirm.tsx'
import type { Changes } from '../../parts/search-params.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Tag } from '../../parts/status.tsx'
import { nextCursor } from '../../parts/table/paging.ts'
import { Time } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'
import { type Draft, draftOf } from '../draft/draft-store.ts'
import styles from '../editor.module.css'
import type { EditorSearch } from '../search.ts'
import { areSame, Differences } from './differences.tsx'

const versionTexts = texts({
  en: {
    version: 'Version',
    published: 'Published',
    by: 'By',
    current: 'in use',
    none: 'No version yet',
    noneHint: 'Each publication makes a version, which never changes.',
    compare: 'Compare',
    restore: 'Take into the draft',
    restored: (version: string) => `${version} is the draft now`,
    publish: (version: string) => `Publish ${version}`,
    publishText: (version: string) =>
      `Messages from now on use ${version}. Accepted messages keep the version they were decided with. The draft stays as it is.`,
    publishDone: (version: string) => `${version} is published`,
    diff: (version: string) => `From ${version} to the draft`,
    same: (version: string) => `The draft is the same as ${version}.`,
  },
  de: {
    version: 'Version',
    published: 'Veröffentlicht',
    by: 'Von',
    current: 'in Gebrauch',
    none: 'Noch keine Version',
    noneHint: 'Jede Veröffentlichung macht eine Version, die sich nie ändert.',
    compare: 'Vergleichen',
    restore: 'In den Entwurf nehmen',
    restored: (version: string) => `${version} ist jetzt der Entwurf`,
    publish: (version: string) => `${version} veröffentlichen`,
    publishText: (version: string) =>
      `Nachrichten nehmen ab jetzt ${version}. Angenommene behalten die Version ihrer Entscheidung. Der Entwurf bleibt, wie er ist.`,
    publishDone: (version: string) => `${version} ist veröffentlicht`,
    diff: (version: string) => `Von ${version} zum Entwurf`,
    same: (version: string) => `Der Entwurf gleicht ${version}.`,
  },
})

interface VersionsTabProps {
  id: string
  draft: Draft
  /** The published version; undefined before the first one. */
  current: string | undefined
  search: EditorSearch
  setSearch(changes: Changes<EditorSearch>): void
  restore(version: Notification): void
  isReadOnly: boolean
}

export function VersionsTab({ id, draft, current, search, setSearch, restore, isReadOnly }: VersionsTabProps) {
  const t = useTexts(words)
  const labels = useTexts(versionTexts)
  const confirm = useConfirm()
  const versions = useInfiniteQuery({
    queryKey: ['notification', id, 'versions'],
    queryFn: ({ pageParam, signal }) =>
      api.notifications.versions(id, pageParam === undefined ? {} : { cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursor,
  })
  const selectedVersion = search.version ?? current
  const comparison = useQuery({
    queryKey: ['notification', id, 'version', selectedVersion],
    queryFn: ({ signal }) => api.notifications.get(id, { version: selectedVersion }, { signal }),
    enabled: selectedVersion !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const publish = useAction({
    act: (version: string) => api.notifications.publish(id, { version }),
    done: (_, version) => labels.publishDone(version),
    ...(current !== undefined && { undo: () => api.notifications.publish(id, { version: current }) }),
    changes: [['notification', id], ['notifications']],
  })
  if (versions.isPending) return <Loading />
  if (versions.isError) return <Failed error={versions.error} retry={versions.refetch} />
  const rows = versions.data.pages.flatMap((page) => page.versions).filter(({ version }) => version !== 'draft')
  if (rows.length === 0) return <Empty title={labels.none}>{labels.noneHint}</Empty>
  const before = comparison.data && draftOf(comparison.data)
  const isSame = before !== undefined && areSame(before, draft)
  return (
    <div className={styles.stack}>
      <div className={styles.scroll}>
        <table>
          <thead>
            <tr>
              <th>{labels.version}</th>
              <th>{labels.published}</th>
              <th>{labels.by}</th>
              <th aria-label={t.more} />
            </tr>
          </thead>
          <tbody>
            {rows.map(({ version, created, creator }) => (
              <tr key={version} aria-current={version === selectedVersion}>
                <td>
                  <strong>{version}</strong> {version === current && <Tag tone="good">{labels.current}</Tag>}
                </td>
                <td>
                  <Time at={created} />
                </td>
                <td>{creator}</td>
                <td>
                  <div className={styles.controls}>
                    <Button
                      size="compact-xs"
                      variant={version === selectedVersion ? 'light' : 'subtle'}
                      aria-pressed={version === selectedVersion}
                      onClick={() => setSearch({ version })}
                    >
                      {labels.compare}
                    </Button>
                    {!isReadOnly && version !== current && (
                      <Button
                        size="compact-xs"
                        variant="subtle"
                        loading={publish.isPending && publish.variables === version}
                        onClick={async () => {
                          const isConfirmed = await confirm({
                            title: labels.publish(version),
                            text: labels.publishText(version),
                            action: labels.publish(version),
                          })
                          if (isConfirmed) publish.mutate(version)
                        }}
                      >
                        {labels.publish(version)}
                      </Button>
                    )}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {versions.hasNextPage && (
        <Button variant="subtle" loading={versions.isFetchingNextPage} onClick={() => void versions.fetchNextPage()}>
          {t.more}
        </Button>
      )}
      {selectedVersion !== undefined && before !== undefined && (
        <>
          <div className={styles.controls}>
            <h3>{isSame ? labels.same(selectedVersion) : labels.diff(selectedVersion)}</h3>
            {!isReadOnly && !isSame && (
              <Button size="compact-sm" variant="default" onClick={() => comparison.data && restore(comparison.data)}>
                {labels.restore}
              </Button>
            )}
          </div>
          {!isSame && (
            <Differences
              key={selectedVersion}
              label={labels.diff(selectedVersion)}
              before={before}
              after={draft}
              maxHeight="60vh"
            />
          )}
        </>
      )}
    </div>
  )
}
