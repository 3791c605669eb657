/** All tenants. */
import type { Tenant } from '@postrider/client'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { CopyableId } from '../../parts/copyable.tsx'
import { tablePage } from '../../parts/table/paging.ts'
import type { Column } from '../../parts/table/table.tsx'
import { api } from '../../session/api.ts'
import { CreationForm } from '../creation-form.tsx'
import { Listing } from '../listing.tsx'

const PAGE = 50

const tenantsTexts = texts({
  en: {
    title: 'Tenants',
    description: 'Your customers: their users, brand, data and defaults.',
    id: 'Tenant id',
    parent: 'Parent',
    brand: 'Brand',
    add: 'Create tenant',
    added: 'The tenant is created',
    empty: 'No tenants yet',
    emptyText: 'A message in a tenant has its brand and data, and the defaults of its topics.',
  },
  de: {
    title: 'Mandanten',
    description: 'Ihre Kunden: deren Nutzer, Marke, Daten und Vorgaben.',
    id: 'Mandanten-Id',
    parent: 'Übergeordnet',
    brand: 'Marke',
    add: 'Mandant anlegen',
    added: 'Der Mandant ist angelegt',
    empty: 'Noch keine Mandanten',
    emptyText: 'Eine Nachricht in einem Mandanten hat seine Marke, seine Daten und seine Vorgaben für Themen.',
  },
})

export function TenantsScreen() {
  const t = useTexts(words)
  const labels = useTexts(tenantsTexts)
  const state = useSearch({ from: '/tenants' })
  const navigate = useNavigate({ from: '/tenants' })
  const open = (id: string) => void navigate({ to: '/tenants/$tenantId', params: { tenantId: id } })
  const columns: Column<Tenant>[] = [
    { key: 'name', title: t.name, cell: ({ name }) => name },
    { key: 'id', title: labels.id, cell: ({ id }) => <CopyableId id={id} /> },
    { key: 'parent', title: labels.parent, cell: ({ parent_tenant_id }) => parent_tenant_id ?? '–' },
    { key: 'brand', title: labels.brand, wideOnly: true, cell: ({ brand_id }) => brand_id ?? '–' },
  ]
  return (
    <Listing
      labels={labels}
      emptyText={labels.emptyText}
      state={state}
      change={(search, options) => void navigate({ search, ...options })}
      open={open}
      queryKey={['tenants', 'list']}
      columns={columns}
      load={async (cursor, signal) =>
        tablePage(await api.tenants.list({ limit: PAGE, ...(cursor !== undefined && { cursor }) }, { signal }))
      }
      form={(close) => (
        <CreationForm
          idLabel={labels.id}
          action={labels.add}
          done={labels.added}
          changes={[['tenants']]}
          create={(id, name) => api.tenants.put(id, { name }, { ifAbsent: true })}
          open={open}
          close={close}
        />
      )}
    />
  )
}
