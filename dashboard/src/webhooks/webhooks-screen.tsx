/** All webhooks: URLs that are called for changes. */
import { Button, Modal } from '@mantine/core'
import type { Webhook, WebhookType } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useAction } from '../parts/confirm.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { WebhookForm } from './webhook-form.tsx'

const webhooksTexts = texts({
  en: {
    title: 'Webhooks',
    description: 'Your own systems are called for changes, with a signature and retries for three days.',
    add: 'Add webhook',
    empty: 'No webhooks yet',
    emptyText: 'A webhook notifies your systems when a message arrives, bounces or is opened.',
    types: 'Called for',
    enabled: 'Enabled',
    disabled: 'Disabled',
    unsigned: 'Unsigned',
  },
  de: {
    title: 'Webhooks',
    description: 'Ihre eigenen Systeme werden bei Änderungen aufgerufen, signiert und drei Tage lang wiederholt.',
    add: 'Webhook hinzufügen',
    empty: 'Noch keine Webhooks',
    emptyText: 'Ein Webhook meldet Ihren Systemen, dass eine Nachricht ankam, zurückkam oder geöffnet wurde.',
    types: 'Aufgerufen bei',
    enabled: 'Eingeschaltet',
    disabled: 'Ausgeschaltet',
    unsigned: 'Ohne Signatur',
  },
})

export function WebhooksScreen() {
  const t = useTexts(words)
  const labels = useTexts(webhooksTexts)
  const navigate = useNavigate()
  const { canConnect } = usePermissions()
  const [isAdding, setAdding] = useState(false)
  const [created, setCreated] = useState<{ id: string; secret: string }>()
  const query = useQuery({
    queryKey: ['webhooks', 'list'],
    queryFn: async ({ signal }) => (await api.webhooks.list({ signal })).results,
  })
  const open = (id: string) => void navigate({ to: '/webhooks/$id', params: { id } })
  const add = useAction({
    act: (input: { url: string; types: WebhookType[] }) => api.webhooks.create(input, { retries: 0 }),
    changes: [['webhooks', 'list']],
    after: ({ id, secret }) => {
      setAdding(false)
      if (secret) setCreated({ id, secret })
      else open(id)
    },
  })
  const columns: Column<Webhook>[] = [
    { key: 'url', title: 'URL', width: 'minmax(0, 2fr)', cell: ({ url }) => <span title={url}>{url}</span> },
    { key: 'types', title: labels.types, cell: ({ types }) => types.join(', ') },
    {
      key: 'state',
      title: t.status,
      width: '220px',
      cell: ({ enabled, signed }) => (
        <>
          <Tag tone={enabled ? 'good' : 'quiet'}>{enabled ? labels.enabled : labels.disabled}</Tag>{' '}
          {!signed && <Tag tone="warn">{labels.unsigned}</Tag>}
        </>
      ),
    },
    {
      key: 'updated',
      title: t.updated,
      width: '110px',
      align: 'end',
      cell: ({ updated }) => <Time at={updated} />,
    },
  ]
  const button = canConnect && <Button onClick={() => setAdding(true)}>{labels.add}</Button>
  return (
    <Page title={labels.title} description={labels.description} actions={query.data && query.data.length > 0 && button}>
      {query.isPending && <Loading />}
      {query.isError && <Failed error={query.error} retry={query.refetch} />}
      {query.data?.length === 0 && (
        <Empty title={labels.empty} action={button}>
          {labels.emptyText}
        </Empty>
      )}
      {query.data && query.data.length > 0 && (
        <Table
          label={labels.title}
          columns={columns}
          rows={query.data}
          idOf={({ id }) => id}
          open={({ id }) => open(id)}
        />
      )}
      <Modal
        opened={isAdding}
        onClose={() => setAdding(false)}
        title={labels.add}
        size="lg"
        closeButtonProps={{ 'aria-label': t.close }}
      >
        <WebhookForm action={labels.add} isSaving={add.isPending} failure={add.error} save={add.mutate} />
      </Modal>
      <SigningSecret
        secret={created?.secret}
        close={() => {
          if (created) open(created.id)
          setCreated(undefined)
        }}
      />
    </Page>
  )
}
