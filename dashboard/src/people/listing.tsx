/** The list of all records of one kind: found by a text, added in a dialog. */
import { Button, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { Page } from '../parts/page.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Empty } from '../parts/states.tsx'
import { FilterField } from '../parts/table/filter-field.tsx'
import { PagedTable, type PagedTableProps } from '../parts/table/table.tsx'
import { usePermissions } from '../session/session.tsx'
import { peopleTexts } from './people-texts.ts'
import type { ListingSearch } from './search.ts'

export interface ListingProps<Row> extends Pick<PagedTableProps<Row>, 'queryKey' | 'columns' | 'load'> {
  labels: { title: string; description: string; add: string; empty: string }
  /** Under `labels.empty`. */
  emptyText: ReactNode
  /** The field that finds rows, and the result without any. */
  filter?: { label: string; none: string; noneText: string }
  state: Partial<ListingSearch>
  /** Writes the state into the address. */
  change(state: Partial<ListingSearch>, options?: { replace: boolean }): void
  open(id: string): void
  /** The form of the dialog that adds one. */
  form(close: () => void): ReactNode
}

export function Listing<Row extends { id: string }>({
  labels,
  emptyText,
  filter,
  state,
  change,
  open,
  form,
  ...table
}: ListingProps<Row>) {
  const t = useTexts(words)
  const people = useTexts(peopleTexts)
  const { canOperate } = usePermissions()
  const { panel, ...filters } = state
  const openForm = () => change({ ...filters, panel: 'new' })
  const close = () => change(filters)
  useShortcuts(canOperate ? [{ keys: 'n', label: labels.add, act: openForm }] : [])
  const add = (
    <Button onClick={openForm} disabled={!canOperate} title={canOperate ? undefined : people.noRole}>
      {labels.add}
    </Button>
  )
  return (
    <Page
      title={labels.title}
      description={labels.description}
      actions={add}
      areActionsInEmpty
      bar={
        filter && (
          <FilterField
            label={filter.label}
            value={filters.search ?? ''}
            change={(search) =>
              change({ ...(panel && { panel }), ...(search !== '' && { search }) }, { replace: true })
            }
          />
        )
      }
    >
      <PagedTable
        label={labels.title}
        idOf={({ id }) => id}
        open={({ id }) => open(id)}
        empty={
          filter && filters.search !== undefined ? (
            <Empty title={filter.none}>{filter.noneText}</Empty>
          ) : (
            <Empty title={labels.empty} action={canOperate && add}>
              {emptyText}
            </Empty>
          )
        }
        {...table}
      />
      <Modal
        opened={panel === 'new' && canOperate}
        onClose={close}
        title={labels.add}
        closeButtonProps={{ 'aria-label': t.close }}
      >
        {form(close)}
      </Modal>
    </Page>
  )
}
