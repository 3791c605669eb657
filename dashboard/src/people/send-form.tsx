/** The form that sends a template or an event with data, to a user or a list. */
import { TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTexts } from '../language/language.tsx'
import { CodeEditor } from '../parts/code/code.tsx'
import { parseObject } from '../parts/code/json.ts'
import { DialogForm } from '../parts/dialog-form.tsx'
import { peopleTexts } from './people-texts.ts'

export interface SendInput {
  /** The id or alias of a template, or an event. */
  event: string
  data: Record<string, unknown>
}

export interface SendFormProps {
  action: string
  /** False while there is no recipient. */
  hasRecipients?: boolean
  isPending: boolean
  send(input: SendInput): void
  close(): void
  /** The recipients, in words. */
  children: ReactNode
}

export function SendForm({ action, hasRecipients = true, isPending, send, close, children }: SendFormProps) {
  const people = useTexts(peopleTexts)
  const [event, setEvent] = useState('')
  const [json, setJson] = useState('{}')
  const data = parseObject(json)
  return (
    <DialogForm
      action={action}
      isReady={hasRecipients && event.trim() !== '' && data !== undefined}
      isPending={isPending}
      submit={() => data && send({ event: event.trim(), data })}
      close={close}
    >
      {children}
      <TextInput
        data-autofocus
        required
        label={people.event}
        description={people.templateHint}
        value={event}
        onChange={({ currentTarget }) => setEvent(currentTarget.value)}
      />
      <div>
        <CodeEditor label={people.data} value={json} onChange={setJson} maxHeight="240px" />
        {data === undefined && <p role="alert">{people.notJson}</p>}
      </div>
    </DialogForm>
  )
}
