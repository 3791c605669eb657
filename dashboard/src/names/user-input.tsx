/** A user by the beginning of an id, a name, an address or a number. */
import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import styles from './names.module.css'
import { useUsers } from './users.ts'

const TYPED_MS = 300

export interface UserInputProps
  extends Pick<
    AutocompleteProps,
    'label' | 'placeholder' | 'size' | 'description' | 'comboboxProps' | 'rightSection' | 'rightSectionPointerEvents'
  > {
  value: string | undefined
  /** Called when a user is chosen, or the typing ends. */
  choose(user: string | undefined): void
  /** Called with each key. */
  type?(text: string): void
}

export function UserInput({ value, choose, type, ...input }: UserInputProps) {
  const [text, setText] = useState(value ?? '')
  useEffect(() => setText(value ?? ''), [value])
  const [search] = useDebouncedValue(text.trim(), TYPED_MS)
  const profiles = useUsers(search).data ?? []
  const end = () => choose(text.trim() === '' ? undefined : text.trim())
  return (
    <Autocomplete
      {...input}
      // The server has searched.
      filter={({ options }) => options}
      data={[...new Set(profiles.map(({ id }) => id))]}
      renderOption={({ option }) => {
        const user = profiles.find(({ id }) => id === option.value)
        return (
          <span>
            {option.value} <span className={styles.hint}>{user?.name ?? user?.email ?? user?.phone_number ?? ''}</span>
          </span>
        )
      }}
      value={text}
      onChange={(next) => {
        setText(next)
        type?.(next)
      }}
      onOptionSubmit={choose}
      onBlur={end}
      onKeyDown={(event) => event.key === 'Enter' && end()}
    />
  )
}
