/** The form that creates a list, an audience or a tenant: an id and a name. */
import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useAction } from '../parts/confirm.tsx'
import { DialogForm } from '../parts/dialog-form.tsx'
import { isTaken } from '../session/api.ts'

export interface CreationFormProps {
  idLabel: string
  idHint?: string
  action: string
  done: string
  changes: readonly (readonly unknown[])[]
  create(id: string, name: string): Promise<unknown>
  open(id: string): void
  close(): void
}

export function CreationForm({ idLabel, idHint, action, done, changes, create, open, close }: CreationFormProps) {
  const t = useTexts(words)
  const [id, setId] = useState('')
  const [name, setName] = useState('')
  const isReady = id.trim() !== '' && name.trim() !== ''
  const save = useAction({
    act: () => create(id.trim(), name.trim()),
    done,
    changes,
    after: () => open(id.trim()),
  })
  return (
    <DialogForm action={action} isReady={isReady} isPending={save.isPending} submit={save.mutate} close={close}>
      <TextInput
        data-autofocus
        required
        label={idLabel}
        description={idHint}
        error={isTaken(save.error) && t.idTaken}
        value={id}
        onChange={(event) => {
          save.reset()
          setId(event.currentTarget.value)
        }}
      />
      <TextInput required label={t.name} value={name} onChange={(event) => setName(event.currentTarget.value)} />
    </DialogForm>
  )
}
