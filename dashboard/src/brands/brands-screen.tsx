/** All brands: how the mails of the environment look. */
import { Button, ColorSwatch, Modal, TextInput } from '@mantine/core'
import type { Brand } from '@postrider/client'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useAction } from '../parts/confirm.tsx'
import { DialogForm } from '../parts/dialog-form.tsx'
import { Page } from '../parts/page.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Empty } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import { tablePage } from '../parts/table/paging.ts'
import { type Column, PagedTable } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import styles from './brands.module.css'

const brandsTexts = texts({
  en: {
    title: 'Brands',
    description: 'Colors, logo, font and footer that templates share. A change takes effect for the next message.',
    create: 'Create brand',
    empty: 'No brands yet',
    default: 'default',
    colors: 'Colors',
    id: 'Id',
    idHint: 'Sends and templates name the brand by it; it cannot be changed later.',
  },
  de: {
    title: 'Marken',
    description: 'Farben, Logo, Schrift und Fuß, die Vorlagen teilen. Eine Änderung gilt ab der nächsten Nachricht.',
    create: 'Marke anlegen',
    empty: 'Noch keine Marken',
    default: 'Vorgabe',
    colors: 'Farben',
    id: 'Id',
    idHint: 'Sendungen und Vorlagen nennen die Marke so; sie ist später nicht zu ändern.',
  },
})

const colorsOf = ({ settings }: Brand) => [
  ...new Set(Object.values(settings.colors ?? {}).filter((color): color is string => typeof color === 'string')),
]

export function BrandsScreen() {
  const t = useTexts(words)
  const labels = useTexts(brandsTexts)
  const navigate = useNavigate()
  const { canEditContent } = usePermissions()
  const [isCreating, setCreating] = useState(false)
  const open = (id: string) => void navigate({ to: '/brands/$id', params: { id } })
  useShortcuts(canEditContent ? [{ keys: 'n', label: labels.create, act: () => setCreating(true) }] : [])
  const columns: Column<Brand>[] = [
    { key: 'name', title: t.name, width: 'minmax(0, 2fr)', cell: ({ name }) => <strong title={name}>{name}</strong> },
    {
      key: 'default',
      title: t.status,
      width: '120px',
      cell: ({ default: isDefault }) => isDefault && <Tag tone="good">{labels.default}</Tag>,
    },
    {
      key: 'colors',
      title: labels.colors,
      width: '120px',
      cell: (brand) => (
        <span className={styles.swatches}>
          {colorsOf(brand).map((color) => (
            <ColorSwatch
              key={color}
              color={CSS.supports('color', color) ? color : 'transparent'}
              size={16}
              title={color}
            />
          ))}
        </span>
      ),
    },
    { key: 'id', title: labels.id, wideOnly: true, cell: ({ id }) => <code title={id}>{id}</code> },
    { key: 'updated', title: t.updated, width: '120px', align: 'end', cell: ({ updated }) => <Time at={updated} /> },
  ]
  const createButton = canEditContent && <Button onClick={() => setCreating(true)}>{labels.create}</Button>
  return (
    <Page title={labels.title} description={labels.description} actions={createButton} areActionsInEmpty>
      <PagedTable
        label={labels.title}
        queryKey={['brands', 'list']}
        columns={columns}
        idOf={({ id }) => id}
        open={({ id }) => open(id)}
        load={async (cursor, signal) => tablePage(await api.brands.list({ ...(cursor && { cursor }) }, { signal }))}
        empty={<Empty title={labels.empty} action={createButton} />}
      />
      <CreateBrand isOpen={isCreating} close={() => setCreating(false)} open={open} />
    </Page>
  )
}

function CreateBrand({ isOpen, close, open }: { isOpen: boolean; close(): void; open(id: string): void }) {
  const t = useTexts(words)
  const labels = useTexts(brandsTexts)
  const [name, setName] = useState('')
  const [id, setId] = useState('')
  const create = useAction({
    act: () => api.brands.create({ name: name.trim(), settings: {}, ...(id.trim() !== '' && { id: id.trim() }) }),
    changes: [['brands']],
    after: (brand) => {
      close()
      open(brand.id)
    },
  })
  return (
    <Modal opened={isOpen} onClose={close} title={labels.create} closeButtonProps={{ 'aria-label': t.close }}>
      <DialogForm
        action={labels.create}
        isReady={name.trim() !== ''}
        isPending={create.isPending}
        submit={create.mutate}
        close={close}
      >
        <TextInput
          data-autofocus
          label={t.name}
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label={labels.id}
          description={labels.idHint}
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
        />
      </DialogForm>
    </Modal>
  )
}
