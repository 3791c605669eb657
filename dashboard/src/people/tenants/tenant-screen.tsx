/** One tenant: name, parent, brand, data, and its users. */
import { TextInput } from '@mantine/core'
import type { Membership, Tenant } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { CodeEditor } from '../../parts/code/code.tsx'
import { parseObject, printJson } from '../../parts/code/json.ts'
import { useAction } from '../../parts/confirm.tsx'
import { CopyableId } from '../../parts/copyable.tsx'
import { DangerItem, MoreMenu } from '../../parts/more-menu.tsx'
import { Card, Facts, Page, Section } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { tablePage } from '../../parts/table/paging.ts'
import { type Column, PagedTable } from '../../parts/table/table.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import { EditFoot } from '../edit-foot.tsx'
import styles from '../people.module.css'
import { peopleTexts } from '../people-texts.ts'

const tenantTexts = texts({
  en: {
    settings: 'Settings',
    parent: 'Parent tenant id',
    brand: 'Brand id',
    properties: 'Properties, for templates',
    userProfile: 'Profile, for every user of the tenant',
    save: 'Save tenant',
    saved: 'The tenant is saved',
    defaults: 'Defaults of topics',
    noDefaults: 'none: the defaults of the topics apply',
    users: 'Users',
    noUsers: 'No users in this tenant',
    profile: 'Profile in the tenant',
    delete: 'Delete tenant',
    deleteTitle: 'Delete this tenant',
    deleteText:
      'The tenant and its memberships are deleted, the users stay. A tenant with child tenants is refused. This cannot be undone.',
    deleted: 'The tenant is deleted',
  },
  de: {
    settings: 'Angaben',
    parent: 'Id des übergeordneten Mandanten',
    brand: 'Marken-Id',
    properties: 'Eigenschaften, für Vorlagen',
    userProfile: 'Profil, für alle Nutzer des Mandanten',
    save: 'Mandant speichern',
    saved: 'Der Mandant ist gespeichert',
    defaults: 'Vorgaben der Themen',
    noDefaults: 'keine: Es gelten die Vorgaben der Themen',
    users: 'Nutzer',
    noUsers: 'Keine Nutzer in diesem Mandanten',
    profile: 'Profil im Mandanten',
    delete: 'Mandant löschen',
    deleteTitle: 'Diesen Mandanten löschen',
    deleteText:
      'Der Mandant und seine Mitgliedschaften werden gelöscht, die Nutzer bleiben. Mit untergeordneten Mandanten wird es abgelehnt. Das lässt sich nicht rückgängig machen.',
    deleted: 'Der Mandant ist gelöscht',
  },
})

export function TenantScreen() {
  const labels = useTexts(tenantTexts)
  const { tenantId } = useParams({ from: '/tenants/$tenantId' })
  const navigate = useNavigate()
  const { canOperate } = usePermissions()
  const query = useQuery({
    queryKey: ['tenants', 'one', tenantId],
    queryFn: ({ signal }) => api.tenants.get(tenantId, { signal }),
  })
  const remove = useAction({
    act: () => api.tenants.delete(tenantId),
    done: labels.deleted,
    changes: [['tenants', 'list'], ['memberships']],
    after: () => void navigate({ to: '/tenants' }),
  })
  return (
    <Page
      title={query.data?.name ?? tenantId}
      badge={<CopyableId id={tenantId} />}
      actions={
        canOperate && (
          <MoreMenu>
            <DangerItem
              danger={{ title: labels.deleteTitle, text: labels.deleteText, action: labels.delete, typed: tenantId }}
              act={remove.mutate}
            />
          </MoreMenu>
        )
      }
    >
      {query.isPending ? (
        <Loading />
      ) : query.data ? (
        <>
          <TenantForm tenant={query.data} />
          <TenantUsers tenantId={tenantId} />
        </>
      ) : (
        <Failed error={query.error} retry={query.refetch} />
      )}
    </Page>
  )
}

function TenantForm({ tenant }: { tenant: Tenant }) {
  const t = useTexts(words)
  const labels = useTexts(tenantTexts)
  const people = useTexts(peopleTexts)
  const { canOperate } = usePermissions()
  const base = {
    name: tenant.name,
    parent: tenant.parent_tenant_id ?? '',
    brand: tenant.brand_id ?? '',
    properties: printJson(tenant.properties),
    userProfile: printJson(tenant.user_profile),
  }
  const [edits, setEdits] = useState<typeof base>()
  const values = edits ?? base
  const edit = (change: Partial<typeof base>) => setEdits({ ...values, ...change })
  const properties = parseObject(values.properties)
  const userProfile = parseObject(values.userProfile)
  const { name, brand_id, parent_tenant_id, default_preferences } = tenant
  const save = useAction({
    act: () =>
      api.tenants.put(tenant.id, {
        name: values.name,
        parent_tenant_id: values.parent.trim() || null,
        brand_id: values.brand.trim() || null,
        properties: properties ?? {},
        user_profile: userProfile ?? {},
        default_preferences: default_preferences as object,
      }),
    done: labels.saved,
    undo: () =>
      api.tenants.put(tenant.id, {
        ...{ name, brand_id, parent_tenant_id },
        ...{ properties: tenant.properties, user_profile: tenant.user_profile },
        default_preferences: default_preferences as object,
      }),
    changes: [['tenants'], ['merged']],
    after: () => setEdits(undefined),
  })
  const isReady =
    edits !== undefined && values.name.trim() !== '' && properties !== undefined && userProfile !== undefined
  const field = (key: 'name' | 'parent' | 'brand', label: string) => (
    <TextInput
      label={label}
      readOnly={!canOperate}
      value={values[key]}
      onChange={(event) => edit({ [key]: event.currentTarget.value })}
    />
  )
  const object = (key: 'properties' | 'userProfile', label: string, isValid: boolean) => (
    <div>
      <span className={styles.label}>{label}</span>
      <Card padded={false}>
        <CodeEditor
          label={label}
          readOnly={!canOperate}
          value={values[key]}
          maxHeight="240px"
          onChange={(text) => edit({ [key]: text })}
        />
      </Card>
      {!isValid && <p role="alert">{people.notJson}</p>}
    </div>
  )
  return (
    <Section title={labels.settings}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) save.mutate()
        }}
      >
        <div className={styles.pairs}>
          {field('name', t.name)}
          {field('parent', labels.parent)}
          {field('brand', labels.brand)}
        </div>
        <div className={styles.pairs}>
          {object('properties', labels.properties, properties !== undefined)}
          {object('userProfile', labels.userProfile, userProfile !== undefined)}
        </div>
        <Facts
          facts={[
            [
              labels.defaults,
              default_preferences.items.map(({ id, status }) => `${id}: ${status}`).join(', ') || labels.noDefaults,
            ],
          ]}
        />
        <EditFoot
          action={labels.save}
          isReady={isReady}
          isPending={save.isPending}
          discard={edits && (() => setEdits(undefined))}
        />
      </form>
    </Section>
  )
}

function TenantUsers({ tenantId }: { tenantId: string }) {
  const labels = useTexts(tenantTexts)
  const people = useTexts(peopleTexts)
  const navigate = useNavigate()
  const columns: Column<Membership>[] = [
    { key: 'user', title: people.user, cell: ({ user_id }) => user_id },
    {
      key: 'profile',
      title: labels.profile,
      cell: ({ profile }) => (Object.keys(profile).length > 0 ? <code>{JSON.stringify(profile)}</code> : '–'),
    },
  ]
  return (
    <Section title={labels.users}>
      <PagedTable
        label={labels.users}
        queryKey={['tenants', 'users', tenantId]}
        columns={columns}
        idOf={({ user_id }) => user_id}
        open={({ user_id }) => void navigate({ to: '/users/$userId', params: { userId: user_id } })}
        load={async (cursor, signal) =>
          tablePage(await api.tenants.users(tenantId, cursor === undefined ? {} : { cursor }, { signal }))
        }
        empty={<Empty title={labels.noUsers} />}
      />
    </Section>
  )
}
