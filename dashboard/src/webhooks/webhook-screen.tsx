/** One webhook: its settings, and its deliveries with the reply of the receiver. */
import { Button, Menu, SegmentedControl } from '@mantine/core'
import type { Webhook, WebhookDelivery, WebhookType } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { CopyableId } from '../parts/copyable.tsx'
import { DangerItem, MoreMenu } from '../parts/more-menu.tsx'
import { Card, Page, Section } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import { tablePage } from '../parts/table/paging.ts'
import { type Column, PagedTable } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import type { DeliveryStatus } from './search.ts'
import { newSecret, SigningSecret } from './signing-secret.tsx'
import { WebhookForm } from './webhook-form.tsx'
import styles from './webhooks.module.css'

const PAGE = 50
const REFETCH_MS = 5_000

const webhookTexts = texts({
  en: {
    webhook: 'Webhook',
    enabled: 'Enabled',
    disabled: 'Disabled',
    enable: 'Enable',
    disable: 'Disable',
    nowEnabled: 'The webhook is enabled.',
    nowDisabled: 'The webhook is disabled: new changes are not recorded.',
    rotate: 'Replace signing secret',
    rotateText: 'Calls are signed with the new secret from the next attempt on. The receiver must know it by then.',
    remove: 'Delete webhook',
    removeText: 'Deliveries that wait are discarded. This cannot be undone.',
    removed: 'The webhook was deleted.',
    deliveries: 'Deliveries',
    all: 'All',
    WAITING: 'Waiting',
    DELIVERED: 'Delivered',
    FAILED: 'Failed',
    noDeliveries: 'No deliveries',
    type: 'Change',
    reply: 'Reply',
    attempts: 'Attempts',
    attempted: (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`),
    at: 'When',
    replay: 'Replay',
    replayed: 'The change is delivered once more.',
    settings: 'Settings',
    save: 'Save settings',
    saved: 'The settings are saved.',
    next: 'next',
    isReplay: 'replay',
  },
  de: {
    webhook: 'Webhook',
    enabled: 'Eingeschaltet',
    disabled: 'Ausgeschaltet',
    enable: 'Einschalten',
    disable: 'Ausschalten',
    nowEnabled: 'Der Webhook ist eingeschaltet.',
    nowDisabled: 'Der Webhook ist ausgeschaltet: Neue Änderungen werden nicht aufgezeichnet.',
    rotate: 'Geheimnis der Signatur ersetzen',
    rotateText: 'Ab dem nächsten Versuch gilt das neue Geheimnis. Bis dahin muss der Empfänger es kennen.',
    remove: 'Webhook löschen',
    removeText: 'Wartende Zustellungen entfallen. Das lässt sich nicht rückgängig machen.',
    removed: 'Der Webhook ist gelöscht.',
    deliveries: 'Zustellungen',
    all: 'Alle',
    WAITING: 'Wartet',
    DELIVERED: 'Zugestellt',
    FAILED: 'Gescheitert',
    noDeliveries: 'Keine Zustellungen',
    type: 'Änderung',
    reply: 'Antwort',
    attempts: 'Versuche',
    attempted: (count: number) => (count === 1 ? '1 Versuch' : `${count} Versuche`),
    at: 'Wann',
    replay: 'Wiederholen',
    replayed: 'Die Änderung wird noch einmal zugestellt.',
    settings: 'Einstellungen',
    save: 'Einstellungen speichern',
    saved: 'Die Einstellungen sind gespeichert.',
    next: 'nächster',
    isReplay: 'wiederholt',
  },
})

export function WebhookScreen() {
  const labels = useTexts(webhookTexts)
  const { id } = useParams({ from: '/webhooks/$id' })
  const { canConnect } = usePermissions()
  const { data: webhook, ...query } = useQuery({
    queryKey: ['webhooks', 'one', id],
    queryFn: ({ signal }) => api.webhooks.get(id, { signal }),
  })
  const save = useAction({
    act: (input: { url: string; types: WebhookType[] }) => api.webhooks.update(id, input),
    done: labels.saved,
    changes: [['webhooks']],
  })
  if (!webhook)
    return (
      <Page title={labels.webhook}>
        {query.isPending ? <Loading /> : <Failed error={query.error} retry={query.refetch} />}
      </Page>
    )
  return (
    <Page
      title={webhook.url}
      badge={
        <>
          <Tag tone={webhook.enabled ? 'good' : 'quiet'}>{webhook.enabled ? labels.enabled : labels.disabled}</Tag>
          <CopyableId id={id} />
        </>
      }
      actions={canConnect && <WebhookActions webhook={webhook} />}
    >
      <Deliveries id={id} />
      <Section title={labels.settings}>
        <Card>
          <WebhookForm
            key={webhook.updated}
            webhook={webhook}
            action={labels.save}
            isSaving={save.isPending}
            failure={save.error}
            isReadOnly={!canConnect}
            save={save.mutate}
          />
        </Card>
      </Section>
    </Page>
  )
}

function WebhookActions({ webhook: { id, enabled } }: { webhook: Webhook }) {
  const labels = useTexts(webhookTexts)
  const navigate = useNavigate()
  const confirm = useConfirm()
  const [secret, setSecret] = useState<string>()
  const switchTo = useAction({
    act: (isOn: boolean) => api.webhooks.update(id, { enabled: isOn }),
    done: (_result, isOn) => (isOn ? labels.nowEnabled : labels.nowDisabled),
    undo: (_result, isOn) => api.webhooks.update(id, { enabled: !isOn }),
    changes: [['webhooks']],
  })
  const rotate = useAction({
    act: (next: string) => api.webhooks.update(id, { secret: next }),
    changes: [['webhooks']],
    after: (_result, next) => setSecret(next),
  })
  const remove = useAction({
    act: () => api.webhooks.delete(id),
    done: labels.removed,
    changes: [['webhooks', 'list']],
    after: () => void navigate({ to: '/webhooks' }),
  })
  const confirmRotation = async () => {
    if (await confirm({ title: labels.rotate, text: labels.rotateText, action: labels.rotate }))
      rotate.mutate(newSecret())
  }
  return (
    <>
      <Button variant="default" loading={switchTo.isPending} onClick={() => switchTo.mutate(!enabled)}>
        {enabled ? labels.disable : labels.enable}
      </Button>
      <MoreMenu>
        <Menu.Item onClick={() => void confirmRotation()}>{labels.rotate}</Menu.Item>
        <DangerItem
          danger={{ title: labels.remove, text: labels.removeText, action: labels.remove }}
          act={remove.mutate}
        />
      </MoreMenu>
      <SigningSecret secret={secret} close={() => setSecret(undefined)} />
    </>
  )
}

const tones = { WAITING: 'quiet', DELIVERED: 'good', FAILED: 'bad' } as const

function Deliveries({ id }: { id: string }) {
  const t = useTexts(words)
  const labels = useTexts(webhookTexts)
  const { status } = useSearch({ from: '/webhooks/$id' })
  const navigate = useNavigate()
  const { canConnect } = usePermissions()
  const replay = useAction({
    act: (delivery: WebhookDelivery) => api.webhooks.replay(id, delivery.id, { retries: 0 }),
    done: labels.replayed,
    changes: [['webhooks', 'deliveries', id]],
  })
  const columns: Column<WebhookDelivery>[] = [
    {
      key: 'status',
      title: t.status,
      width: '130px',
      cell: (delivery) => <Tag tone={tones[delivery.status]}>{labels[delivery.status]}</Tag>,
    },
    { key: 'type', title: labels.type, width: '180px', cell: ({ type }) => <code>{type}</code> },
    {
      key: 'message',
      title: t.message,
      width: '150px',
      wideOnly: true,
      cell: ({ message_id }) => message_id && <MessageLink id={message_id} />,
    },
    { key: 'reply', title: labels.reply, cell: (delivery) => <Reply delivery={delivery} /> },
    {
      key: 'attempts',
      title: labels.attempts,
      width: '170px',
      cell: ({ attempts, next_attempt_at, replay_of }) => (
        <>
          {labels.attempted(attempts)}
          {replay_of && ` · ${labels.isReplay}`}
          {next_attempt_at !== undefined && (
            <span className={styles.dim}>
              {' '}
              · {labels.next} <Time at={next_attempt_at} />
            </span>
          )}
        </>
      ),
    },
    { key: 'at', title: labels.at, width: '90px', align: 'end', cell: ({ created }) => <Time at={created} /> },
    {
      key: 'replay',
      title: '',
      width: '100px',
      align: 'end',
      cell: (delivery) =>
        canConnect &&
        delivery.status !== 'WAITING' && (
          <Button
            size="compact-sm"
            variant="subtle"
            disabled={replay.isPending}
            onClick={() => replay.mutate(delivery)}
          >
            {labels.replay}
          </Button>
        ),
    },
  ]
  return (
    <Section title={labels.deliveries}>
      <div className={styles.filters}>
        <SegmentedControl
          aria-label={t.status}
          value={status ?? ''}
          onChange={(next) =>
            void navigate({
              to: '/webhooks/$id',
              params: { id },
              search: next === '' ? {} : { status: next as DeliveryStatus },
              replace: true,
            })
          }
          data={[
            { value: '', label: labels.all },
            ...(['WAITING', 'DELIVERED', 'FAILED'] as const).map((value) => ({ value, label: labels[value] })),
          ]}
        />
      </div>
      <PagedTable
        label={labels.deliveries}
        queryKey={['webhooks', 'deliveries', id, status]}
        columns={columns}
        idOf={(delivery) => delivery.id}
        refetchMs={REFETCH_MS}
        load={async (cursor, signal) => {
          const query = { ...(status && { status }), ...(cursor && { cursor }), limit: PAGE }
          return tablePage(await api.webhooks.deliveries(id, query, { signal }))
        }}
        empty={<Empty title={labels.noDeliveries} />}
      />
    </Section>
  )
}

function Reply({ delivery: { reply, error } }: { delivery: WebhookDelivery }) {
  const text = reply ? `${reply.status} ${reply.body}` : (error ?? '')
  return <span title={text}>{text}</span>
}

function MessageLink({ id }: { id: string }) {
  return (
    <Link to="/messages/$messageId" params={{ messageId: id }} title={id}>
      {id}
    </Link>
  )
}
