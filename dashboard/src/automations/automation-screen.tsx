/** One automation: its steps are edited and published, simulated, and their runs followed. */
import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { AutomationTemplate } from '@postrider/client'
import { isPostriderError } from '@postrider/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { CopyableId, useCopy } from '../parts/copyable.tsx'
import { Page } from '../parts/page.tsx'
import { type Changes, merged } from '../parts/search-params.ts'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import { TabBar } from '../parts/tab-bar.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import styles from './automations.module.css'
import { PublishDialog, StartDialog } from './dialogs.tsx'
import { type Draft, inputOf, type Problem, problemOf } from './draft.ts'
import { RunTable } from './run-table.tsx'
import { type AutomationSearch, automationTabs } from './search.ts'
import { SettingsTab } from './settings-tab.tsx'
import { type SimulationInput, SimulationTab } from './simulation-tab.tsx'
import { JsonPanel, Problems, StepsTab } from './steps-tab.tsx'
import { useDraft } from './use-draft.ts'
import { VersionsTab } from './versions-tab.tsx'

const READ_AGAIN_MS = 15_000
const TYPED_MS = 350

const automationTexts = texts({
  en: {
    automation: 'Automation',
    tabs: 'Parts of the automation',
    steps: 'Steps',
    simulation: 'Simulation',
    runs: 'Runs',
    versions: 'Versions',
    settings: 'Settings',
    inForce: (version: number) => `version ${version} in force`,
    draft: 'draft, not published',
    publish: 'Publish',
    start: 'Start run',
    discard: 'Discard draft',
    discarded: 'The draft is discarded',
    undo: 'Undo',
    redo: 'Redo',
    noRole: 'Your role reads only',
    same: 'The draft is the same as the version in force',
    conflict: (version: number) =>
      `Version ${version} was written since this draft began. Publishing shows what differs; discarding shows that version.`,
    copyId: 'Copy the id',
    removeTitle: 'Delete this automation',
    removeText: (name: string, versions: number) =>
      `${name} is deleted with ${versions === 1 ? 'its version' : `its ${versions} versions`}: no event, schedule or call starts it. Runs in progress go on. This cannot be undone.`,
    remove: 'Delete automation',
    removed: (name: string) => `${name} is deleted`,
    kept: 'The draft is kept in this tab until it is published.',
  },
  de: {
    automation: 'Automation',
    tabs: 'Teile der Automation',
    steps: 'Schritte',
    simulation: 'Simulation',
    runs: 'Läufe',
    versions: 'Versionen',
    settings: 'Einstellungen',
    inForce: (version: number) => `Version ${version} gilt`,
    draft: 'Entwurf, nicht veröffentlicht',
    publish: 'Veröffentlichen',
    start: 'Lauf starten',
    discard: 'Entwurf verwerfen',
    discarded: 'Der Entwurf ist verworfen',
    undo: 'Rückgängig',
    redo: 'Wiederholen',
    noRole: 'Diese Rolle liest nur',
    same: 'Der Entwurf gleicht der geltenden Version',
    conflict: (version: number) =>
      `Version ${version} wurde geschrieben, seit dieser Entwurf begann. Vor dem Veröffentlichen wird der Unterschied gezeigt, Verwerfen zeigt jene Version.`,
    copyId: 'Id kopieren',
    removeTitle: 'Diese Automation löschen',
    removeText: (name: string, versions: number) =>
      `${name} wird mit ${versions === 1 ? 'der einen Version' : `allen ${versions} Versionen`} gelöscht: Kein Ereignis, Zeitplan oder Aufruf startet sie mehr. Begonnene Läufe gehen weiter. Das lässt sich nicht zurücknehmen.`,
    remove: 'Automation löschen',
    removed: (name: string) => `${name} ist gelöscht`,
    kept: 'Der Entwurf bleibt in diesem Tab, bis er veröffentlicht ist.',
  },
})

export function AutomationScreen() {
  const { id } = useParams({ from: '/automations/$id' })
  const t = useTexts(automationTexts)
  const query = useQuery({
    queryKey: ['automations', 'one', id],
    queryFn: ({ signal }) => api.automations.template(id, { signal }),
    refetchOnWindowFocus: 'always',
    refetchInterval: READ_AGAIN_MS,
  })
  if (query.data) return <Automation key={query.data.id} loaded={query.data} />
  return (
    <Page title={t.automation} badge={<CopyableId id={id} />}>
      {query.isPending ? <Loading rows={12} /> : <Failed error={query.error} retry={query.refetch} />}
    </Page>
  )
}

function Automation({ loaded }: { loaded: AutomationTemplate }) {
  const { id } = loaded
  const t = useTexts(automationTexts)
  const search = useSearch({ from: '/automations/$id' })
  const navigate = useNavigate({ from: '/automations/$id' })
  const confirm = useConfirm()
  const { copy } = useCopy()
  const { canOperate, canEditContent, seesPersonalData } = usePermissions()
  const control = useDraft(loaded)
  const { draft, isDirty } = control
  const [input, setInput] = useState<SimulationInput>({ statuses: {} })
  const isReadOnly = !canOperate
  const problems = useProblems(id, draft, canEditContent)
  const { tab = 'steps', panel, step, version, status, since, parent } = search
  const setSearch = (changes: Changes<AutomationSearch>) =>
    void navigate({
      search: (before: AutomationSearch) => merged(before, changes),
      replace: true,
      resetScroll: false,
    })
  const closePanel = () => setSearch({ panel: undefined })
  const remove = useAction({
    act: () => api.automations.deleteTemplate(id),
    done: t.removed(loaded.name),
    changes: [['automations', 'list']],
    after: () => {
      control.reset(loaded)
      void navigate({ to: '/automations', search: {} })
    },
  })
  const discard = useAction({
    act: async () => {
      const before = draft
      control.reset(loaded)
      return before
    },
    done: t.discarded,
    undo: async (before) => control.edit(() => before),
  })
  useShortcuts([
    { keys: 'c', label: t.copyId, act: () => void copy(id) },
    { keys: 'mod+z', label: t.undo, act: control.undo },
    { keys: 'mod+shift+z', label: t.redo, act: control.redo },
    ...automationTabs.map((name, index) => ({
      keys: String(index + 1),
      label: t[name],
      act: () => setSearch({ tab: name }),
    })),
  ])
  return (
    <Page
      title={draft.name}
      badge={
        <>
          <CopyableId id={id} />
          <Tag tone="good">{t.inForce(loaded.version)}</Tag>
          {isDirty && <Tag tone="warn">{t.draft}</Tag>}
        </>
      }
      actions={
        <>
          {isDirty && (
            <Button variant="subtle" onClick={() => discard.mutate()} title={t.kept}>
              {t.discard}
            </Button>
          )}
          <Button
            variant="default"
            disabled={isReadOnly}
            title={isReadOnly ? t.noRole : undefined}
            onClick={() => setSearch({ panel: 'start' })}
          >
            {t.start}
          </Button>
          <Button
            disabled={isReadOnly || !isDirty}
            title={isReadOnly ? t.noRole : isDirty ? undefined : t.same}
            onClick={() => setSearch({ panel: 'publish' })}
          >
            {t.publish}
          </Button>
        </>
      }
      bar={
        <TabBar
          label={t.tabs}
          tabs={automationTabs.map((name) => ({ name, title: t[name] }))}
          value={tab}
          choose={(next) => setSearch({ tab: next === 'steps' ? undefined : next })}
        />
      }
      {...(tab === 'steps' && seesPersonalData && { panel: <JsonPanel {...{ control, isReadOnly }} /> })}
    >
      {control.hasConflict && (
        <p role="alert" className={styles.conflict}>
          {t.conflict(loaded.version)}
        </p>
      )}
      {tab !== 'steps' && problems.length > 0 && tab !== 'runs' && tab !== 'simulation' && (
        <Problems problems={problems} />
      )}
      {tab === 'steps' && (
        <StepsTab
          {...{ control, problems, isReadOnly }}
          isMasked={!seesPersonalData}
          open={step !== undefined && step < draft.steps.length ? step : undefined}
          setOpen={(position) => setSearch({ step: position })}
        />
      )}
      {tab === 'simulation' && (
        <SimulationTab {...{ id, draft, search, setSearch, input, setInput }} canSimulate={canEditContent} />
      )}
      {tab === 'runs' && (
        <RunTable
          templateId={id}
          filters={{ ...(status && { status }), ...(since && { since }), ...(parent !== undefined && { parent }) }}
          setFilters={setSearch}
        />
      )}
      {tab === 'versions' && (
        <VersionsTab
          {...{ id, control, isReadOnly }}
          chosen={version}
          choose={(next) => setSearch({ version: next })}
        />
      )}
      {tab === 'settings' && (
        <SettingsTab
          {...{ control, isReadOnly }}
          remove={async () => {
            const text = t.removeText(loaded.name, loaded.version)
            const question = { title: t.removeTitle, text, action: t.remove, isDangerous: true }
            if (await confirm({ ...question, typed: id })) remove.mutate()
          }}
        />
      )}
      {canOperate && <PublishDialog control={control} isOpen={panel === 'publish'} close={closePanel} />}
      {canOperate && <StartDialog control={control} isOpen={panel === 'start'} close={closePanel} />}
    </Page>
  )
}

/** Parts of the draft that the server would refuse or ignore, each with the step that it names. */
function useProblems(id: string, draft: Draft, canCheck: boolean): readonly Problem[] {
  const [typed] = useDebouncedValue(draft, TYPED_MS)
  const input = inputOf(typed)
  const { data } = useQuery({
    queryKey: ['automation-problems', id, input],
    queryFn: async ({ signal }): Promise<Problem[]> => {
      try {
        const { warnings } = await api.automations.inspect({ ...input, id }, { signal, retries: 0 })
        return warnings.map((warning) => problemOf('warning', warning))
      } catch (error) {
        if (isPostriderError(error) && error.status === 400) return [problemOf('error', error.message, error.param)]
        throw error
      }
    },
    enabled: canCheck,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
  })
  return data ?? []
}
