/** A field for a name of this workspace, which offers those that there are; another text is taken as it is. */
import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import styles from './names.module.css'
import { type NameKind, namesQuery } from './names-query.ts'

const OFFERED_MAX = 20

export interface NameInputProps extends Omit<AutocompleteProps, 'data' | 'limit' | 'filter' | 'renderOption'> {
  kind: NameKind
  /** The names of what is written as an id. */
  titles?: ReadonlyMap<string, string>
}

export function NameInput({ kind, titles, ...input }: NameInputProps) {
  const { data = [] } = useQuery({ ...namesQuery(kind), enabled: titles === undefined })
  if (!titles) return <Autocomplete {...input} data={data} limit={OFFERED_MAX} />
  return (
    <Autocomplete
      {...input}
      data={[...titles.keys()]}
      limit={OFFERED_MAX}
      filter={({ options, search, limit }) => {
        const text = search.trim().toLowerCase()
        const has = (value: string) => `${titles.get(value)} ${value}`.toLowerCase().includes(text)
        return options.filter((option) => 'value' in option && has(option.value)).slice(0, limit)
      }}
      renderOption={({ option: { value } }) => (
        <span>
          {titles.get(value)} <span className={styles.hint}>{value}</span>
        </span>
      )}
    />
  )
}
