/** The address of a webhook and the changes for which it is called. */
import { Button, Checkbox, TextInput } from '@mantine/core'
import type { Webhook, WebhookType } from '@postrider/client'
import { type FormEvent, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { messageOf } from '../parts/states.tsx'
import styles from './webhooks.module.css'

const formTexts = texts({
  en: {
    url: 'URL',
    urlHint:
      'Gets a POST request for each change. It answers 2xx within 10 seconds, or is called again for three days.',
    types: 'Called for',
  },
  de: {
    url: 'URL',
    urlHint: 'Erhält je Änderung eine POST-Anfrage. Ohne Antwort 2xx wird sie drei Tage lang wiederholt.',
    types: 'Aufgerufen bei',
  },
})

const types: readonly WebhookType[] = [
  ...(['message:updated', 'notification:published', 'notification:submitted'] as const),
  ...(['notification:submission_canceled', 'audiences:created', 'audiences:updated', 'audiences:deleted'] as const),
  ...(['audiences:calculated', 'audiences:user:matched', 'audiences:user:unmatched'] as const),
  ...(['preferences:user:updated', 'sms:received'] as const),
]

interface WebhookFormProps {
  webhook?: Webhook
  action: string
  isSaving: boolean
  failure: unknown
  isReadOnly?: boolean
  save(input: { url: string; types: WebhookType[] }): void
}

export function WebhookForm({ webhook, action, isSaving, failure, isReadOnly = false, save }: WebhookFormProps) {
  const t = useTexts(formTexts)
  const [url, setUrl] = useState(webhook?.url ?? 'https://')
  const [selectedTypes, setSelectedTypes] = useState<WebhookType[]>(webhook ? [...webhook.types] : ['message:updated'])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save({ url: url.trim(), types: selectedTypes })
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextInput
        label={t.url}
        description={t.urlHint}
        data-autofocus
        disabled={isReadOnly}
        spellCheck={false}
        value={url}
        error={failure ? messageOf(failure) : undefined}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <Checkbox.Group
        label={t.types}
        value={selectedTypes}
        onChange={(next) => setSelectedTypes(next as WebhookType[])}
      >
        <div className={styles.types}>
          {types.map((type) => (
            <Checkbox key={type} value={type} label={type} disabled={isReadOnly} />
          ))}
        </div>
      </Checkbox.Group>
      {!isReadOnly && (
        <div>
          <Button type="submit" loading={isSaving} disabled={selectedTypes.length === 0 || url.trim() === ''}>
            {action}
          </Button>
        </div>
      )}
    </form>
  )
}
