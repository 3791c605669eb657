/** All automations with what starts them and their latest run, and the runs of all of them. */
import { Autocomplete, Button, Modal, TextInput } from '@mantine/core'
import type { ShortAutomationTemplate } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { docsPath, serverUrl } from '../address.ts'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { namesQuery } from '../names/names-query.ts'
import { SampleCode } from '../parts/code/code.tsx'
import { useAction } from '../parts/confirm.tsx'
import { CopyableId } from '../parts/copyable.tsx'
import { DialogForm } from '../parts/dialog-form.tsx'
import { Page } from '../parts/page.tsx'
import { type Changes, merged } from '../parts/search-params.ts'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Empty } from '../parts/states.tsx'
import { TabBar } from '../parts/tab-bar.tsx'
import { type Column, PagedTable } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { api, isTaken } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import styles from './automations.module.css'
import { RunTable } from './run-table.tsx'
import { RunStatusTag } from './run-words.tsx'
import { type AutomationsSearch, listTabs } from './search.ts'
import { Triggers } from './triggers.tsx'

const PAGE = 50

const automationsTexts = texts({
  en: {
    title: 'Automations',
    description: 'Steps over time: send, wait, look something up, decide. A run goes through them for one recipient.',
    tabs: 'Automations and runs',
    automations: 'Automations',
    runs: 'Runs',
    triggers: 'Started',
    latest: 'Latest run',
    noRun: 'no run',
    add: 'Create automation',
    added: (id: string) => `${id} is created`,
    id: 'Id',
    idHint: 'Calls and other automations name it by this id; it cannot be changed.',
    first: 'Template of its first message',
    firstHint: 'Everything else follows in the editor. Without an event or a schedule, only calls start it.',
    empty: 'No automations yet',
    emptyText:
      'A welcome that goes on for a week, a reminder that stops when the user acts, one mail about much activity.',
    guide: 'The guide builds these three',
    noRole: 'Your role reads only',
  },
  de: {
    title: 'Automationen',
    description:
      'Schritte über die Zeit: senden, warten, nachsehen, entscheiden. Ein Lauf geht sie für einen Empfänger durch.',
    tabs: 'Automationen und Läufe',
    automations: 'Automationen',
    runs: 'Läufe',
    triggers: 'Gestartet',
    latest: 'Letzter Lauf',
    noRun: 'kein Lauf',
    add: 'Automation anlegen',
    added: (id: string) => `${id} ist angelegt`,
    id: 'Id',
    idHint: 'Aufrufe und andere Automationen nennen sie bei dieser Id; sie lässt sich nicht ändern.',
    first: 'Vorlage der ersten Nachricht',
    firstHint: 'Alles Weitere folgt im Editor. Ohne Ereignis oder Zeitplan starten sie nur Aufrufe.',
    empty: 'Noch keine Automationen',
    emptyText:
      'Eine Begrüßung über eine Woche, eine Erinnerung, die von selbst aufhört, eine Mail über viele Ereignisse.',
    guide: 'Der Leitfaden baut diese drei',
    noRole: 'Diese Rolle liest nur',
  },
})

export function AutomationsScreen() {
  const t = useTexts(words)
  const labels = useTexts(automationsTexts)
  const search = useSearch({ from: '/automations' })
  const { tab = 'automations', panel, ...filters } = search
  const navigate = useNavigate({ from: '/automations' })
  const { canOperate } = usePermissions()
  const setSearch = (changes: Changes<AutomationsSearch>) =>
    void navigate({ search: (before: AutomationsSearch) => merged(before, changes), replace: true })
  useShortcuts([
    ...(canOperate ? [{ keys: 'n', label: labels.add, act: () => setSearch({ panel: 'new' }) }] : []),
    ...listTabs.map((name, index) => ({
      keys: String(index + 1),
      label: labels[name],
      act: () => setSearch({ tab: name }),
    })),
  ])
  const columns: Column<ShortAutomationTemplate>[] = [
    { key: 'name', title: t.name, cell: ({ name }) => name },
    { key: 'id', title: labels.id, width: 'minmax(0, 0.8fr)', cell: ({ id }) => <CopyableId id={id} /> },
    {
      key: 'triggers',
      title: labels.triggers,
      width: 'minmax(0, 1.4fr)',
      cell: ({ triggers }) => <Triggers triggers={triggers} />,
    },
    {
      key: 'latest',
      title: labels.latest,
      width: '220px',
      cell: ({ latest_run: run }) =>
        run ? (
          <>
            <RunStatusTag status={run.status} /> <Time at={run.created_at} />
          </>
        ) : (
          <span className={styles.dim}>{labels.noRun}</span>
        ),
    },
    {
      key: 'updated',
      title: t.updated,
      width: '110px',
      align: 'end',
      wideOnly: true,
      cell: ({ updatedAt }) => <Time at={updatedAt} />,
    },
  ]
  const add = (
    <Button
      disabled={!canOperate}
      title={canOperate ? undefined : labels.noRole}
      onClick={() => setSearch({ panel: 'new' })}
    >
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
        <TabBar
          label={labels.tabs}
          tabs={listTabs.map((name) => ({ name, title: labels[name] }))}
          value={tab}
          choose={(next) => void navigate({ search: next === 'runs' ? { tab: next } : {} })}
        />
      }
    >
      {tab === 'runs' ? (
        <RunTable filters={filters} setFilters={setSearch} />
      ) : (
        <PagedTable
          label={labels.title}
          queryKey={['automations', 'list']}
          columns={columns}
          idOf={({ id }) => id}
          open={({ id }) => void navigate({ to: '/automations/$id', params: { id } })}
          load={async (cursor, signal) => {
            const { templates, cursor: next } = await api.automations.templates(
              { limit: PAGE, ...(cursor !== undefined && { cursor }) },
              { signal },
            )
            return { rows: templates, next }
          }}
          empty={
            <Empty title={labels.empty} action={canOperate && add}>
              <p>{labels.emptyText}</p>
              <p>
                <a href={docsPath('automations')} target="_blank" rel="noreferrer">
                  {labels.guide}
                </a>
              </p>
              <SampleCode
                label="curl"
                code={`curl -X PUT ${serverUrl}/automations/templates/onboarding -H "Authorization: Bearer $POSTRIDER_API_KEY" -H "Content-Type: application/json" -d '{"name":"Onboarding","automation":{"steps":[{"action":"send","template":"welcome"},{"action":"delay","duration":"2 days"},{"action":"send","template":"welcome"}]}}'`}
              />
            </Empty>
          }
        />
      )}
      <Modal
        opened={panel === 'new' && canOperate}
        onClose={() => setSearch({ panel: undefined })}
        title={labels.add}
        closeButtonProps={{ 'aria-label': t.close }}
      >
        <Creation close={() => setSearch({ panel: undefined })} />
      </Modal>
    </Page>
  )
}

function Creation({ close }: { close(): void }) {
  const t = useTexts(words)
  const labels = useTexts(automationsTexts)
  const navigate = useNavigate()
  const [id, setId] = useState('')
  const [name, setName] = useState('')
  const [template, setTemplate] = useState('')
  const templates = useQuery(namesQuery('template'))
  const isReady = id.trim() !== '' && template.trim() !== ''
  const save = useAction({
    act: () =>
      api.automations.putTemplate(
        id.trim(),
        {
          name: name.trim() === '' ? id.trim() : name.trim(),
          automation: { steps: [{ action: 'send', template: template.trim() }] },
        },
        { ifAbsent: true },
      ),
    done: ({ id: added }) => labels.added(added),
    changes: [['automations', 'list']],
    after: ({ id: added }) => void navigate({ to: '/automations/$id', params: { id: added } }),
  })
  return (
    <DialogForm action={labels.add} isReady={isReady} isPending={save.isPending} submit={save.mutate} close={close}>
      <TextInput label={t.name} value={name} data-autofocus onChange={(event) => setName(event.currentTarget.value)} />
      <TextInput
        required
        label={labels.id}
        description={labels.idHint}
        spellCheck={false}
        error={isTaken(save.error) && t.idTaken}
        value={id}
        onChange={(event) => {
          save.reset()
          setId(event.currentTarget.value)
        }}
      />
      <Autocomplete
        required
        label={labels.first}
        description={labels.firstHint}
        data={templates.data ?? []}
        value={template}
        onChange={setTemplate}
      />
    </DialogForm>
  )
}
