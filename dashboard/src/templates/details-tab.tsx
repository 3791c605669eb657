/** The properties of a template besides its content: names, brand, topic, routing, settings. */
import { Button, NativeSelect, Select, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { CopyableId } from '../parts/copyable.tsx'
import { Facts, Section } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { Choice } from './blocks/block-form.tsx'
import type { Draft, DraftSnapshot } from './draft/draft-store.ts'
import styles from './editor.module.css'
import { brandsQuery } from './preview.tsx'
import { usesQuery } from './uses-tab.tsx'

const missingChoices = ['workspace', 'keep', 'fail', 'empty'] as const

const routableChannels = ['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook']

const detailTexts = texts({
  en: {
    alias: 'Alias',
    aliasHint: 'A second name for sends, such as order-shipped',
    tags: 'Tags',
    tagsHint: 'Enter adds one',
    brand: 'Brand',
    defaultBrand: 'the default of the environment',
    topic: 'Topic',
    topicHint: 'Recipients can opt out of it',
    noTopic: 'none',
    routing: 'Routing',
    content: 'by content',
    single: 'first that works',
    all: 'all channels',
    strategy: 'a stored strategy',
    channels: 'Channels, in order',
    settings: 'Sending',
    policy: 'After an interrupted attempt',
    policyDefault: 'try again',
    policyOnce: 'do not try again (one-time codes)',
    missing: 'A variable without a value',
    missing_workspace: 'as set for the environment',
    missing_keep: 'is shown as {name}',
    missing_fail: 'stops the message',
    missing_empty: 'is left out',
    condition: 'Sent only if',
    conditionHint: 'An expression: profile.plan === "pro"',
    facts: 'Facts',
    createdBy: 'By',
    changedBy: 'Changed by',
    archive: 'Archive template',
    archiveText: (events: number) =>
      `Sends by its id and alias fail from now on${events > 0 ? `, and so do its ${events} ${events === 1 ? 'event' : 'events'}` : ''}. Accepted messages are still sent. This cannot be undone here.`,
    archived: 'The template is archived',
  },
  de: {
    alias: 'Alias',
    aliasHint: 'Ein zweiter Name für Sendungen, etwa order-shipped',
    tags: 'Schlagworte',
    tagsHint: 'Enter fügt eines hinzu',
    brand: 'Marke',
    defaultBrand: 'die Vorgabe der Umgebung',
    topic: 'Thema',
    topicHint: 'Empfänger können es abbestellen',
    noTopic: 'keines',
    routing: 'Kanäle',
    content: 'nach dem Inhalt',
    single: 'der erste, der geht',
    all: 'alle Kanäle',
    strategy: 'eine gespeicherte Strategie',
    channels: 'Kanäle, der Reihe nach',
    settings: 'Versand',
    policy: 'Nach einem unterbrochenen Versuch',
    policyDefault: 'noch einmal versuchen',
    policyOnce: 'nicht noch einmal (Einmalcodes)',
    missing: 'Eine Variable ohne Wert',
    missing_workspace: 'wie für die Umgebung eingestellt',
    missing_keep: 'erscheint als {name}',
    missing_fail: 'hält die Nachricht an',
    missing_empty: 'wird weggelassen',
    condition: 'Nur gesendet, wenn',
    conditionHint: 'Ein Ausdruck: profile.plan === "pro"',
    facts: 'Angaben',
    createdBy: 'Von',
    changedBy: 'Geändert von',
    archive: 'Vorlage archivieren',
    archiveText: (events: number) =>
      `Sendungen mit ihrer Id und ihrem Alias schlagen ab jetzt fehl${events > 0 ? `, ebenso ${events === 1 ? 'ihr Ereignis' : `ihre ${events} Ereignisse`}` : ''}. Angenommene Nachrichten werden noch gesendet. Hier ist das nicht rückgängig zu machen.`,
    archived: 'Die Vorlage ist archiviert',
  },
})

interface DetailsTabProps {
  snapshot: DraftSnapshot
  edit(change: (draft: Draft) => Draft, name?: string): void
  isReadOnly: boolean
}

export function DetailsTab({ snapshot, edit, isReadOnly }: DetailsTabProps) {
  const t = useTexts(words)
  const labels = useTexts(detailTexts)
  const navigate = useNavigate()
  const confirm = useConfirm()
  const { base, history } = snapshot
  const draft = history.present
  const brands = useQuery(brandsQuery)
  const topics = useQuery(topicsQuery)
  const uses = useQuery(usesQuery(snapshot.base.id))
  const set = (changes: Partial<Draft>, name?: string) => edit((before) => ({ ...before, ...changes }), name)
  const setting = (changes: Record<string, unknown>) => {
    const entries = Object.entries({ ...draft.settings, ...changes }).filter(([, value]) => value !== undefined)
    set({ settings: Object.fromEntries(entries) as Draft['settings'] }, 'settings')
  }
  const archive = useAction({
    act: () => api.notifications.archive(base.id),
    done: labels.archived,
    changes: [['notifications']],
    after: () => void navigate({ to: '/templates' }),
  })
  return (
    <div className={styles.details}>
      <Section title={t.template}>
        <div className={styles.stack}>
          <TextInput
            label={t.name}
            readOnly={isReadOnly}
            value={draft.name}
            maxLength={200}
            error={draft.name.trim() === ''}
            onChange={(event) => event.currentTarget.value !== '' && set({ name: event.currentTarget.value }, 'name')}
          />
          <TextInput
            label={labels.alias}
            description={labels.aliasHint}
            readOnly={isReadOnly}
            value={draft.alias ?? ''}
            onChange={(event) => set({ alias: event.currentTarget.value.trim() || undefined }, 'alias')}
          />
          <TagsInput
            label={labels.tags}
            description={labels.tagsHint}
            readOnly={isReadOnly}
            value={[...draft.tags]}
            onChange={(tags) => set({ tags })}
          />
          <Select
            label={labels.brand}
            placeholder={labels.defaultBrand}
            clearable={!isReadOnly}
            readOnly={isReadOnly}
            data={(brands.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={draft.brand?.id ?? null}
            onChange={(id) => set({ brand: id === null ? null : { id } })}
          />
          <Select
            label={labels.topic}
            description={labels.topicHint}
            placeholder={labels.noTopic}
            clearable={!isReadOnly}
            readOnly={isReadOnly}
            data={topics.data ?? []}
            value={draft.subscription?.topic_id ?? null}
            onChange={(id) => set({ subscription: id === null ? null : { topic_id: id } })}
          />
        </div>
      </Section>
      <Section title={labels.routing}>
        <RoutingForm draft={draft} set={set} isReadOnly={isReadOnly} />
      </Section>
      <Section title={labels.settings}>
        <div className={styles.stack}>
          <NativeSelect
            label={labels.policy}
            disabled={isReadOnly}
            value={draft.settings.delivery_policy ?? 'default'}
            onChange={({ currentTarget: { value } }) =>
              setting({ delivery_policy: value === 'default' ? undefined : value })
            }
            data={[
              { value: 'default', label: labels.policyDefault },
              { value: 'at_most_once', label: labels.policyOnce },
            ]}
          />
          <NativeSelect
            label={labels.missing}
            disabled={isReadOnly}
            value={draft.settings.on_missing_variable ?? 'workspace'}
            onChange={({ currentTarget: { value } }) =>
              setting({ on_missing_variable: value === 'workspace' ? undefined : value })
            }
            data={missingChoices.map((value) => ({ value, label: labels[`missing_${value}`] }))}
          />
          <TextInput
            label={labels.condition}
            description={labels.conditionHint}
            readOnly={isReadOnly}
            classNames={{ input: styles.code ?? '' }}
            value={draft.settings.if ?? ''}
            onChange={(event) => setting({ if: event.currentTarget.value || undefined })}
          />
        </div>
      </Section>
      <Section title={labels.facts}>
        <Facts
          facts={[
            ['Id', <CopyableId key="id" id={base.id} whole />],
            [t.created, <Time key="created" at={base.created} />],
            [labels.createdBy, base.creator],
            [t.updated, <Time key="updated" at={base.updated ?? base.created} />],
            base.updater !== undefined && [labels.changedBy, base.updater],
          ]}
        />
      </Section>
      {!isReadOnly && (
        <Button
          variant="light"
          color="bad"
          loading={archive.isPending}
          onClick={async () => {
            const isConfirmed = await confirm({
              title: labels.archive,
              text: labels.archiveText(uses.data?.events.length ?? 0),
              action: labels.archive,
              isDangerous: true,
            })
            if (isConfirmed) archive.mutate()
          }}
        >
          {labels.archive}
        </Button>
      )}
    </div>
  )
}

const topicsQuery = {
  queryKey: ['topics', 'choices'],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const { results } = await api.sections.list({ signal })
    return results.flatMap(({ topics }) => topics.map(({ id, name }) => ({ value: id, label: name })))
  },
  staleTime: 60_000,
}

type Routing = Draft['routing']
const methodOf = (routing: Routing) =>
  routing === null ? 'content' : 'strategy_id' in routing ? 'strategy' : routing.method

function RoutingForm({
  draft,
  set,
  isReadOnly,
}: {
  draft: Draft
  set(changes: Partial<Draft>): void
  isReadOnly: boolean
}) {
  const labels = useTexts(detailTexts)
  const strategies = useQuery({
    queryKey: ['routing-strategies', 'choices'],
    queryFn: async ({ signal }) => (await api.routingStrategies.list({ limit: 100 }, { signal })).results,
    staleTime: 60_000,
  })
  const { routing } = draft
  const method = methodOf(routing)
  const inline = routing !== null && 'method' in routing ? routing : undefined
  const channels = inline?.channels.filter((channel) => typeof channel === 'string') ?? []
  const isNested = inline !== undefined && channels.length < inline.channels.length
  const choose = (next: ReturnType<typeof methodOf>) => {
    const [first] = strategies.data ?? []
    if (isReadOnly) return
    if (next === 'content') set({ routing: null })
    else if (next !== 'strategy') set({ routing: { method: next, channels: inline?.channels ?? ['email'] } })
    else if (first) set({ routing: { strategy_id: first.id } })
  }
  return (
    <div className={styles.stack}>
      <Choice
        label={labels.routing}
        value={method}
        options={[
          ['content', labels.content],
          ['single', labels.single],
          ['all', labels.all],
          ...((strategies.data ?? []).length > 0 || method === 'strategy'
            ? ([['strategy', labels.strategy]] as const)
            : []),
        ]}
        choose={choose}
      />
      {inline && (
        <TagsInput
          label={labels.channels}
          data={routableChannels}
          readOnly={isReadOnly || isNested}
          value={channels}
          onChange={(next) =>
            next.length > 0 && set({ routing: { ...inline, channels: next as typeof inline.channels } })
          }
        />
      )}
      {routing !== null && 'strategy_id' in routing && (
        <Select
          aria-label={labels.strategy}
          readOnly={isReadOnly}
          data={(strategies.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={routing.strategy_id}
          onChange={(id) => id !== null && set({ routing: { strategy_id: id } })}
        />
      )}
    </div>
  )
}
