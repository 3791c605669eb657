/** The tenants of a user, each with the profile of the membership. */
import { Button, TextInput } from '@mantine/core'
import type { Membership } from '@postrider/client'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { useAction } from '../../parts/confirm.tsx'
import { CopyableId } from '../../parts/copyable.tsx'
import { Empty } from '../../parts/states.tsx'
import { tablePage } from '../../parts/table/paging.ts'
import { type Column, PagedTable } from '../../parts/table/table.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import styles from '../people.module.css'
import { peopleTexts } from '../people-texts.ts'
import type { UserProps } from './user-profile.tsx'

const tenantsTexts = texts({
  en: {
    title: 'Tenants',
    tenantId: 'Tenant id',
    profile: 'Profile in the tenant',
    added: (id: string) => `Added to ${id}`,
    removed: (id: string) => `Removed from ${id}`,
    empty: 'In no tenant',
  },
  de: {
    title: 'Mandanten',
    tenantId: 'Mandanten-Id',
    profile: 'Profil im Mandanten',
    added: (id: string) => `Zu ${id} hinzugefügt`,
    removed: (id: string) => `Aus ${id} entfernt`,
    empty: 'In keinem Mandanten',
  },
})

export function UserTenants({ userId }: UserProps) {
  const labels = useTexts(tenantsTexts)
  const people = useTexts(peopleTexts)
  const navigate = useNavigate()
  const { canOperate } = usePermissions()
  const [tenantId, setTenantId] = useState('')
  const changes = [['memberships', userId], ['tenants'], ['merged', userId]]
  const add = useAction({
    act: (id: string) => api.memberships.put(userId, id),
    done: (_, id) => labels.added(id),
    after: () => setTenantId(''),
    changes,
  })
  const remove = useAction({
    act: ({ tenant_id }: Membership) => api.memberships.remove(userId, tenant_id),
    done: (_, { tenant_id }) => labels.removed(tenant_id),
    undo: (_, { tenant_id, profile }) => api.memberships.put(userId, tenant_id, { profile }),
    changes,
  })
  const columns: Column<Membership>[] = [
    { key: 'tenant', title: labels.tenantId, cell: ({ tenant_id }) => <CopyableId id={tenant_id} /> },
    {
      key: 'profile',
      title: labels.profile,
      wideOnly: true,
      cell: ({ profile }) => (Object.keys(profile).length > 0 ? <code>{JSON.stringify(profile)}</code> : '–'),
    },
    {
      key: 'remove',
      title: '',
      width: '120px',
      align: 'end',
      cell: (membership) =>
        canOperate && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={(event) => {
              event.stopPropagation()
              remove.mutate(membership)
            }}
          >
            {people.remove}
          </Button>
        ),
    },
  ]
  return (
    <>
      {canOperate ? (
        <form
          className={styles.add}
          onSubmit={(event) => {
            event.preventDefault()
            if (tenantId.trim() !== '') add.mutate(tenantId.trim())
          }}
        >
          <TextInput
            label={labels.tenantId}
            value={tenantId}
            onChange={(event) => setTenantId(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={add.isPending} disabled={tenantId.trim() === ''}>
            {people.add}
          </Button>
        </form>
      ) : (
        <p className={styles.small}>{people.noRole}</p>
      )}
      <PagedTable
        label={labels.title}
        queryKey={['memberships', userId]}
        columns={columns}
        idOf={({ tenant_id }) => tenant_id}
        open={({ tenant_id }) => void navigate({ to: '/tenants/$tenantId', params: { tenantId: tenant_id } })}
        load={async (cursor, signal) =>
          tablePage(await api.memberships.list(userId, cursor === undefined ? {} : { cursor }, { signal }))
        }
        empty={<Empty title={labels.empty} />}
      />
    </>
  )
}
