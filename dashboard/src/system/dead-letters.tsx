/** Dead letters: rows of the queues that were given up, with the reason and their release. */
import { Button, SegmentedControl, Select } from '@mantine/core'
import type { DeadLetter } from '@postrider/client'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { docsPath } from '../address.ts'
import { useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { CopyableId, shorten } from '../parts/copyable.tsx'
import { Empty } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import { tablePage } from '../parts/table/paging.ts'
import { type Column, PagedTable } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import { useLetterActions } from './letter-actions.ts'
import { letterTexts } from './letter-texts.ts'
import { type LetterState, letterKinds, type SystemSearch } from './search.ts'
import styles from './system.module.css'

const PAGE = 50
const REFRESH_MS = 5_000
const NONE: ReadonlySet<string> = new Set()

export function DeadLetters() {
  const t = useTexts(letterTexts)
  const shared = useTexts(words)
  const { state, kind } = useSearch({ from: '/system' })
  const navigate = useNavigate()
  const { canConnect } = usePermissions()
  const letters = useRef(new Map<string, DeadLetter>())
  // Another list has other rows.
  const list = `${state} ${kind}`
  const [choice, setChoice] = useState<{ of: string; ids: ReadonlySet<string> }>({ of: '', ids: new Set() })
  const selected = choice.of === list ? choice.ids : NONE
  const select = (ids: ReadonlySet<string>) => setChoice({ of: list, ids })
  const { release, dismiss, isPending } = useLetterActions(() => select(NONE))
  const chosen = [...selected].flatMap((id) => letters.current.get(id) ?? [])
  const releasable = chosen.filter((letter) => letter.state !== 'released')
  const dismissible = chosen.filter((letter) => letter.state === 'open')
  const filter = (change: SystemSearch) =>
    void navigate({ to: '/system', search: { tab: 'dead-letters', ...change }, replace: true })
  const columns: Column<DeadLetter>[] = [
    {
      key: 'state',
      title: shared.status,
      width: '96px',
      cell: (letter) => <Tag tone={letter.state === 'open' ? 'warn' : 'quiet'}>{t[letter.state]}</Tag>,
    },
    {
      key: 'kind',
      title: t.kind,
      width: '168px',
      cell: (letter) => (
        <>
          <div>{t[letter.kind]}</div>
          <Subject letter={letter} />
        </>
      ),
    },
    {
      key: 'reason',
      title: t.reason,
      cell: ({ error }) => (
        <span className={styles.reason} title={error}>
          {error}
        </span>
      ),
    },
    {
      key: 'at',
      title: t.at,
      width: '96px',
      align: 'end',
      cell: ({ created, node }) => (
        <>
          <Time at={created} />
          <div className={styles.node} title={t.node}>
            <code>{node}</code>
          </div>
        </>
      ),
    },
    {
      key: 'actions',
      title: '',
      width: '164px',
      align: 'end',
      cell: (letter) =>
        canConnect &&
        letter.state !== 'released' && (
          <>
            {letter.state === 'open' && (
              <Button
                size="compact-sm"
                variant="subtle"
                color="gray"
                disabled={isPending}
                onClick={() => void dismiss([letter])}
              >
                {t.dismiss}
              </Button>
            )}
            <Button size="compact-sm" variant="subtle" disabled={isPending} onClick={() => void release([letter])}>
              {t.release}
            </Button>
          </>
        ),
    },
  ]
  const isFiltered = state !== undefined || kind !== undefined
  return (
    <>
      <p className={styles.explanation}>
        {t.explanation}{' '}
        <a href={docsPath('running#dead-letters')} target="_blank" rel="noreferrer">
          {t.guide}
        </a>
      </p>
      <div className={styles.filters}>
        <SegmentedControl
          aria-label={t.states}
          size="xs"
          data={[
            { value: 'open', label: t.open },
            { value: 'released', label: t.released },
            { value: 'dismissed', label: t.dismissed },
            { value: 'all', label: t.all },
          ]}
          value={state ?? 'open'}
          onChange={(value) =>
            filter({ ...(kind && { kind }), ...(value !== 'open' && { state: value as LetterState }) })
          }
        />
        <Select
          aria-label={t.kind}
          size="xs"
          placeholder={t.anyKind}
          clearable
          data={letterKinds.map((value) => ({ value, label: t[value] }))}
          value={kind ?? null}
          onChange={(value) => filter({ ...(state && { state }), ...(value && { kind: value as DeadLetter['kind'] }) })}
        />
        {dismissible.length > 0 && (
          <Button size="xs" variant="default" loading={isPending} onClick={() => void dismiss(dismissible)}>
            {t.dismissMany(dismissible.length)}
          </Button>
        )}
        {releasable.length > 0 && (
          <Button size="xs" variant="default" loading={isPending} onClick={() => void release(releasable)}>
            {t.releaseMany(releasable.length)}
          </Button>
        )}
      </div>
      <PagedTable
        label={t.title}
        queryKey={['system', 'dead-letters', state, kind]}
        refetchMs={REFRESH_MS}
        columns={columns}
        idOf={({ id }) => id}
        {...(canConnect && state !== 'released' && { selected, onSelect: select })}
        load={async (cursor, signal) => {
          const page = await api.deadLetters.list(
            {
              ...(cursor && { cursor }),
              ...(state !== 'all' && { state: state ?? 'open' }),
              ...(kind && { kind }),
              limit: PAGE,
            },
            { signal },
          )
          for (const letter of page.results) letters.current.set(letter.id, letter)
          return tablePage(page)
        }}
        empty={isFiltered ? <Empty title={t.emptyFiltered} /> : <Empty title={t.empty}>{t.emptyText}</Empty>}
      />
    </>
  )
}

/** A message has a page of its own, as has the one that reports a digest. */
function Subject({ letter: { kind, subject_id, message_id } }: { letter: DeadLetter }) {
  const messageId = kind === 'message' ? subject_id : message_id
  if (messageId === null) return <CopyableId id={subject_id} />
  return (
    <Link to="/messages/$messageId" params={{ messageId }} title={subject_id}>
      <code>{shorten(messageId)}</code>
    </Link>
  )
}
