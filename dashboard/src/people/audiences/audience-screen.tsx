/** One audience: its filter, and who matches it now with the reason. */
import { Button, TextInput } from '@mantine/core'
import type { AudienceFilter, AudienceFound, AudienceMember } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { useAction } from '../../parts/confirm.tsx'
import { CopyableId } from '../../parts/copyable.tsx'
import { DangerItem, MoreMenu } from '../../parts/more-menu.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { tablePage } from '../../parts/table/paging.ts'
import { type Column, PagedTable } from '../../parts/table/table.tsx'
import { Time } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import styles from '../people.module.css'
import { peopleTexts } from '../people-texts.ts'
import { filterOf, type Group, groupOf, isComplete } from './audience-filter.ts'
import { builderTexts, FilterBuilder } from './filter-builder.tsx'
import { LiveMatches } from './live-matches.tsx'
import { matchReason } from './match-reason.ts'

/** Members are recomputed after a change; the list follows. */
const MEMBERS_MS = 1_500

const audienceTexts = texts({
  en: {
    filter: 'Filter',
    filterText: 'Everyone whose profile matches is a member.',
    save: 'Save audience',
    saved: 'The audience is saved; its members follow',
    discard: 'Discard changes',
    incomplete: 'Each condition needs a field and a value.',
    noFilter: 'Without a condition no user matches.',
    members: 'Members',
    membersText: 'As of the saved filter, with the conditions that decided.',
    noMembers: 'No user matches',
    noMembersText: 'Members appear within seconds after a change of the filter or of a profile.',
    delete: 'Delete audience',
    deleteTitle: 'Delete this audience',
    deleteText:
      'The filter and the membership are deleted; users stay. Sends to this audience reach no user any more. This cannot be undone.',
    deleted: 'The audience is deleted',
  },
  de: {
    filter: 'Filter',
    filterText: 'Mitglied ist, wessen Profil passt.',
    save: 'Zielgruppe speichern',
    saved: 'Die Zielgruppe ist gespeichert, die Mitglieder folgen',
    discard: 'Änderungen verwerfen',
    incomplete: 'Jede Bedingung braucht ein Feld und einen Wert.',
    noFilter: 'Ohne Bedingung passt kein Nutzer.',
    members: 'Mitglieder',
    membersText: 'Nach dem gespeicherten Filter, mit den Bedingungen, die entschieden haben.',
    noMembers: 'Kein Nutzer passt',
    noMembersText: 'Mitglieder erscheinen wenige Sekunden nach einer Änderung des Filters oder eines Profils.',
    delete: 'Zielgruppe löschen',
    deleteTitle: 'Diese Zielgruppe löschen',
    deleteText:
      'Filter und Mitgliedschaft werden gelöscht, die Nutzer bleiben. Ein Versand an diese Zielgruppe erreicht keinen Nutzer mehr. Das lässt sich nicht rückgängig machen.',
    deleted: 'Die Zielgruppe ist gelöscht',
  },
})

export function AudienceScreen() {
  const labels = useTexts(audienceTexts)
  const { audienceId } = useParams({ from: '/audiences/$audienceId' })
  const navigate = useNavigate()
  const { canOperate } = usePermissions()
  const query = useQuery({
    queryKey: ['audiences', 'one', audienceId],
    queryFn: ({ signal }) => api.audiences.get(audienceId, { signal }),
  })
  const remove = useAction({
    act: () => api.audiences.delete(audienceId),
    done: labels.deleted,
    changes: [['audiences', 'list']],
    after: () => void navigate({ to: '/audiences' }),
  })
  return (
    <Page
      title={query.data?.name || audienceId}
      badge={<CopyableId id={audienceId} />}
      description={query.data?.description}
      actions={
        canOperate && (
          <MoreMenu>
            <DangerItem
              danger={{ title: labels.deleteTitle, text: labels.deleteText, action: labels.delete, typed: audienceId }}
              act={remove.mutate}
            />
          </MoreMenu>
        )
      }
    >
      {query.isPending ? (
        <Loading />
      ) : query.data ? (
        <div className={styles.split}>
          <AudienceEditor audience={query.data} />
          <Members audienceId={audienceId} hasFilter={query.data.filter !== null} />
        </div>
      ) : (
        <Failed error={query.error} retry={query.refetch} />
      )}
    </Page>
  )
}

function AudienceEditor({ audience }: { audience: AudienceFound }) {
  const t = useTexts(words)
  const labels = useTexts(audienceTexts)
  const people = useTexts(peopleTexts)
  const { canOperate } = usePermissions()
  const [edits, setEdits] = useState<{ name: string; description: string; group: Group }>()
  const base = useBase(audience)
  const { name, description, group } = edits ?? base
  const edit = (change: Partial<typeof base>) => setEdits({ name, description, group, ...change })
  const isReady = isComplete(group)
  const save = useAction({
    act: (write: { name: string; description: string; filter: AudienceFilter | null }) =>
      api.audiences.put(audience.id, write),
    done: labels.saved,
    undo: () =>
      api.audiences.put(audience.id, {
        ...{ name: audience.name, description: audience.description, filter: audience.filter },
        operator: audience.operator ?? null,
      }),
    changes: [['audiences']],
    after: () => setEdits(undefined),
  })
  return (
    <Section title={labels.filter} description={labels.filterText}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) save.mutate({ name, description, filter: filterOf(group) })
        }}
      >
        <FilterBuilder group={group} isReadOnly={!canOperate} change={(next) => edit({ group: next })} />
        {edits && isReady && group.parts.length > 0 && <LiveMatches filter={filterOf(group)} />}
        {group.parts.length === 0 && <p className={styles.small}>{labels.noFilter}</p>}
        <div className={styles.pairs}>
          <TextInput
            label={t.name}
            readOnly={!canOperate}
            value={name}
            onChange={(event) => edit({ name: event.currentTarget.value })}
          />
          <TextInput
            label={people.description}
            readOnly={!canOperate}
            value={description}
            onChange={(event) => edit({ description: event.currentTarget.value })}
          />
        </div>
        {canOperate ? (
          <div className={styles.foot} data-start="true">
            <Button type="submit" loading={save.isPending} disabled={!edits || !isReady}>
              {labels.save}
            </Button>
            {edits && (
              <Button variant="default" onClick={() => setEdits(undefined)}>
                {labels.discard}
              </Button>
            )}
            {!isReady && <span className={styles.small}>{labels.incomplete}</span>}
          </div>
        ) : (
          <p className={styles.small}>{people.noRole}</p>
        )}
      </form>
    </Section>
  )
}

/** The same group for the same version, so that its fields keep the focus when it is loaded again. */
function useBase({ name, description, filter, operator, updated_at }: AudienceFound) {
  const make = () => ({ updated_at, values: { name, description, group: groupOf(filter, operator) } })
  const [base, setBase] = useState(make)
  if (base.updated_at === updated_at) return base.values
  const next = make()
  setBase(next)
  return next.values
}

function Members({ audienceId, hasFilter }: { audienceId: string; hasFilter: boolean }) {
  const labels = useTexts(audienceTexts)
  const people = useTexts(peopleTexts)
  const operators = useTexts(builderTexts)
  const navigate = useNavigate()
  const columns: Column<AudienceMember>[] = [
    { key: 'member', title: people.user, cell: ({ member_id }) => member_id },
    {
      key: 'reason',
      title: people.reason,
      width: 'minmax(0, 1.6fr)',
      cell: ({ reason }) => <span title={reason}>{matchReason(reason, operators)}</span>,
    },
    { key: 'added', title: people.since, width: '90px', align: 'end', cell: ({ added_at }) => <Time at={added_at} /> },
  ]
  return (
    <Section title={labels.members} description={labels.membersText}>
      <PagedTable
        label={labels.members}
        queryKey={['audiences', 'members', audienceId]}
        refetchMs={MEMBERS_MS}
        columns={columns}
        idOf={({ member_id }) => member_id}
        open={({ member_id }) => void navigate({ to: '/users/$userId', params: { userId: member_id } })}
        load={async (cursor, signal) =>
          tablePage(
            await api.audiences.members(audienceId, cursor === undefined ? {} : { cursor }, {
              signal,
            }),
          )
        }
        empty={<Empty title={labels.noMembers}>{hasFilter ? labels.noMembersText : labels.noFilter}</Empty>}
      />
    </Section>
  )
}
