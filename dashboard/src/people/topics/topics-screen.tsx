/** The topics that people may choose: their sections, defaults and channels. */
import { Button, Checkbox, Modal, Select, Switch, TextInput } from '@mantine/core'
import type { Channel, PreferenceStatus, Topic, Section as TopicSection } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { useAction, useConfirm } from '../../parts/confirm.tsx'
import { CopyableId } from '../../parts/copyable.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Tag } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table/table.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import styles from '../people.module.css'
import { peopleTexts } from '../people-texts.ts'

const channels = ['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook'] as const satisfies readonly Channel[]
const statuses = ['OPTED_IN', 'OPTED_OUT', 'REQUIRED'] as const satisfies readonly PreferenceStatus[]

const topicsTexts = texts({
  en: {
    title: 'Topics',
    description: 'The choices of people, as the page of preferences shows them: sections with their topics.',
    topic: 'Topic',
    id: 'Topic id',
    byDefault: 'Without a choice',
    channels: 'Channels',
    allChannels: 'those of the template',
    digest: 'Digest',
    yes: 'yes',
    header: 'Emails have a List-Unsubscribe header',
    addSection: 'Create section',
    addTopic: 'Create topic',
    editTopic: 'Edit topic',
    sectionAdded: 'The section is created',
    saved: 'The topic is saved',
    saveTopic: 'Save topic',
    archiveTopic: 'Archive topic',
    archiveTitle: 'Archive this topic',
    archiveText:
      'The topic is hidden and its default no longer applies. Users who opted out still receive no messages on it. This cannot be undone.',
    archived: 'The topic is archived',
    archiveSection: 'Archive section',
    archiveSectionText: 'The section has no topics and is hidden. This cannot be undone.',
    sectionArchived: 'The section is archived',
    noTopics: 'No topics in this section yet.',
    empty: 'No topics yet',
    emptyText: 'A topic is a subject such as “Product news” that people opt in to or out of. Topics stand in sections.',
  },
  de: {
    title: 'Themen',
    description: 'Was Menschen wählen können, wie es die Seite der Einstellungen zeigt: Abschnitte mit ihren Themen.',
    topic: 'Thema',
    id: 'Themen-Id',
    byDefault: 'Ohne Wahl',
    channels: 'Kanäle',
    allChannels: 'die der Vorlage',
    digest: 'Sammelnachricht',
    yes: 'ja',
    header: 'Mails haben einen List-Unsubscribe-Kopf',
    addSection: 'Abschnitt anlegen',
    addTopic: 'Thema anlegen',
    editTopic: 'Thema bearbeiten',
    sectionAdded: 'Der Abschnitt ist angelegt',
    saved: 'Das Thema ist gespeichert',
    saveTopic: 'Thema speichern',
    archiveTopic: 'Thema archivieren',
    archiveTitle: 'Dieses Thema archivieren',
    archiveText:
      'Das Thema wird verborgen, seine Vorgabe gilt nicht mehr. Wer es abgelehnt hat, bekommt dazu weiterhin keine Nachrichten. Das lässt sich nicht rückgängig machen.',
    archived: 'Das Thema ist archiviert',
    archiveSection: 'Abschnitt archivieren',
    archiveSectionText: 'Der Abschnitt hat keine Themen und wird verborgen. Das lässt sich nicht rückgängig machen.',
    sectionArchived: 'Der Abschnitt ist archiviert',
    noTopics: 'Noch keine Themen in diesem Abschnitt.',
    empty: 'Noch keine Themen',
    emptyText:
      'Ein Thema ist ein Gegenstand wie „Produktneuigkeiten“, den Menschen annehmen oder ablehnen. Themen stehen in Abschnitten.',
  },
})

export function TopicsScreen() {
  const t = useTexts(words)
  const screenLabels = useTexts(topicsTexts)
  const people = useTexts(peopleTexts)
  const { panel, section: sectionId, topic: topicId } = useSearch({ from: '/topics' })
  const navigate = useNavigate({ from: '/topics' })
  const { canOperate } = usePermissions()
  const query = useQuery({
    queryKey: ['sections'],
    queryFn: async ({ signal }) => (await api.sections.list({ signal })).results,
  })
  const close = () => void navigate({ search: {} })
  const closeButtonProps = { 'aria-label': t.close }
  const section = query.data?.find(({ id }) => id === sectionId)
  const topic = section?.topics.find(({ id }) => id === topicId)
  const add = (
    <Button
      onClick={() => void navigate({ search: { panel: 'new' } })}
      disabled={!canOperate}
      title={canOperate ? undefined : people.noRole}
    >
      {screenLabels.addSection}
    </Button>
  )
  return (
    <Page title={screenLabels.title} description={screenLabels.description} actions={add} areActionsInEmpty>
      {query.isPending ? (
        <Loading />
      ) : !query.data ? (
        <Failed error={query.error} retry={query.refetch} />
      ) : query.data.length === 0 ? (
        <Empty title={screenLabels.empty} action={canOperate && add}>
          {screenLabels.emptyText}
        </Empty>
      ) : (
        query.data.map((each) => <SectionTopics key={each.id} section={each} />)
      )}
      <Modal
        opened={panel === 'new' && !section && canOperate}
        onClose={close}
        title={screenLabels.addSection}
        {...{ closeButtonProps }}
      >
        <SectionForm close={close} />
      </Modal>
      <Modal
        opened={section !== undefined && (topic !== undefined || panel === 'new') && canOperate}
        onClose={close}
        title={topic ? screenLabels.editTopic : screenLabels.addTopic}
        {...{ closeButtonProps }}
      >
        {section && <TopicForm key={topic?.id} section={section} topic={topic} close={close} />}
      </Modal>
    </Page>
  )
}

function SectionTopics({ section }: { section: TopicSection }) {
  const screenLabels = useTexts(topicsTexts)
  const people = useTexts(peopleTexts)
  const navigate = useNavigate({ from: '/topics' })
  const confirm = useConfirm()
  const { canOperate } = usePermissions()
  const labels = { OPTED_IN: people.optedIn, OPTED_OUT: people.optedOut, REQUIRED: people.required }
  const archive = useAction({
    act: () => api.sections.archive(section.id),
    done: screenLabels.sectionArchived,
    changes: [['sections']],
  })
  const columns: Column<Topic>[] = [
    { key: 'name', title: screenLabels.topic, cell: ({ name }) => name },
    { key: 'id', title: screenLabels.id, wideOnly: true, cell: ({ id }) => <CopyableId id={id} /> },
    {
      key: 'default',
      title: screenLabels.byDefault,
      width: '150px',
      cell: ({ default_status: status }) => (
        <Tag tone={status === 'OPTED_IN' ? 'good' : status === 'REQUIRED' ? 'wait' : 'quiet'}>{labels[status]}</Tag>
      ),
    },
    {
      key: 'channels',
      title: screenLabels.channels,
      cell: ({ routing_options }) => routing_options.join(', ') || screenLabels.allChannels,
    },
    {
      key: 'digest',
      title: screenLabels.digest,
      width: '140px',
      wideOnly: true,
      cell: ({ digest }) => (digest ? screenLabels.yes : '–'),
    },
  ]
  return (
    <Section
      title={section.name}
      actions={
        canOperate && (
          <>
            {section.topics.length === 0 && (
              <Button
                variant="subtle"
                size="compact-sm"
                onClick={async () => {
                  const isConfirmed = await confirm({
                    title: section.name,
                    text: screenLabels.archiveSectionText,
                    action: screenLabels.archiveSection,
                  })
                  if (isConfirmed) archive.mutate()
                }}
              >
                {screenLabels.archiveSection}
              </Button>
            )}
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => void navigate({ search: { section: section.id, panel: 'new' } })}
            >
              {screenLabels.addTopic}
            </Button>
          </>
        )
      }
    >
      {section.topics.length === 0 ? (
        <p className={styles.dim}>{screenLabels.noTopics}</p>
      ) : (
        <Table
          label={section.name}
          columns={columns}
          rows={section.topics}
          idOf={({ id }) => id}
          {...(canOperate && {
            open: ({ id }: Topic) => void navigate({ search: { section: section.id, topic: id } }),
          })}
        />
      )}
    </Section>
  )
}

function SectionForm({ close }: { close(): void }) {
  const t = useTexts(words)
  const screenLabels = useTexts(topicsTexts)
  const [name, setName] = useState('')
  const create = useAction({
    act: () => api.sections.create({ name: name.trim() }),
    done: screenLabels.sectionAdded,
    changes: [['sections']],
    after: close,
  })
  return (
    <DialogForm
      action={screenLabels.addSection}
      isReady={name.trim() !== ''}
      isPending={create.isPending}
      submit={create.mutate}
      close={close}
    >
      <TextInput
        data-autofocus
        required
        label={t.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </DialogForm>
  )
}

interface TopicFormProps {
  section: TopicSection
  topic: Topic | undefined
  close(): void
}

function TopicForm({ section, topic, close }: TopicFormProps) {
  const t = useTexts(words)
  const screenLabels = useTexts(topicsTexts)
  const people = useTexts(peopleTexts)
  const confirm = useConfirm()
  const labels = { OPTED_IN: people.optedIn, OPTED_OUT: people.optedOut, REQUIRED: people.required }
  const [name, setName] = useState(topic?.name ?? '')
  const [status, setStatus] = useState<PreferenceStatus>(topic?.default_status ?? 'OPTED_IN')
  const [routing, setRouting] = useState<readonly Channel[]>(topic?.routing_options ?? [])
  const [hasHeader, setHasHeader] = useState(topic?.include_unsubscribe_header ?? true)
  const fields = {
    ...{ name: name.trim(), default_status: status, routing_options: [...routing] },
    include_unsubscribe_header: hasHeader,
    // A replacement clears what it omits; the digest stays.
    ...(topic && { allowed_preferences: topic.allowed_preferences, topic_data: topic.topic_data }),
  }
  const changes = [['sections'], ['preferences']]
  const save = useAction({
    act: () => (topic ? api.topics.replace(section.id, topic.id, fields) : api.topics.create(section.id, fields)),
    done: screenLabels.saved,
    changes,
    after: close,
  })
  const archive = useAction({
    act: (id: string) => api.topics.archive(section.id, id),
    done: screenLabels.archived,
    changes,
    after: close,
  })
  return (
    <DialogForm
      action={screenLabels.saveTopic}
      isReady={name.trim() !== ''}
      isPending={save.isPending}
      submit={save.mutate}
      close={close}
      buttons={
        topic && (
          <Button
            variant="subtle"
            color="bad"
            onClick={async () => {
              const isConfirmed = await confirm({
                ...{
                  title: screenLabels.archiveTitle,
                  text: screenLabels.archiveText,
                  action: screenLabels.archiveTopic,
                  isDangerous: true,
                },
              })
              if (isConfirmed) archive.mutate(topic.id)
            }}
          >
            {screenLabels.archiveTopic}
          </Button>
        )
      }
    >
      <TextInput
        data-autofocus
        required
        label={t.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label={screenLabels.byDefault}
        allowDeselect={false}
        value={status}
        data={statuses.map((value) => ({ value, label: labels[value] }))}
        onChange={(next) => setStatus(statuses.find((value) => value === next) ?? 'OPTED_IN')}
      />
      <Checkbox.Group
        label={screenLabels.channels}
        description={routing.length === 0 ? screenLabels.allChannels : undefined}
        value={[...routing]}
        onChange={(next) => setRouting(channels.filter((channel) => next.includes(channel)))}
      >
        <div className={styles.filters}>
          {channels.map((channel) => (
            <Checkbox key={channel} value={channel} label={channel} />
          ))}
        </div>
      </Checkbox.Group>
      <Switch label={screenLabels.header} checked={hasHeader} onChange={() => setHasHeader(!hasHeader)} />
    </DialogForm>
  )
}
