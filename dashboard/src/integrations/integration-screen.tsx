/** One integration: its health, its settings, a test, and the messages that wait for it. */
import { Button } from '@mantine/core'
import type { Integration } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { integrationKey, integrationsQuery } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useAction } from '../parts/confirm.tsx'
import { CopyableId } from '../parts/copyable.tsx'
import { channelNames } from '../parts/meanings.ts'
import { DangerItem, MoreMenu } from '../parts/more-menu.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { TabBar } from '../parts/tab-bar.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import { changeIntegration, type IntegrationInput } from './change.ts'
import { ConditionTag } from './condition.tsx'
import { IntegrationHealth } from './integration-health.tsx'
import { placesOf } from './order.ts'
import { catalogQuery, integrationQuery } from './queries.ts'
import type { IntegrationSearch } from './search.ts'
import { SettingsForm } from './settings-form.tsx'
import { TestIntegration } from './test-integration.tsx'

const screenTexts = texts({
  en: {
    health: 'Health',
    settings: 'Settings',
    test: 'Test',
    switchOff: 'Switch off',
    switchOn: 'Switch on',
    switchedOff: (title: string) => `${title} is switched off.`,
    switchedOn: (title: string) => `${title} is switched on.`,
    remove: (title: string) => `Delete ${title}`,
    removed: (title: string) => `${title} was deleted.`,
    removeText: 'Its credentials are erased. This cannot be undone.',
    alone: (channels: string) =>
      `Nothing else delivers ${channels} then: messages to it fail, or wait where the environment holds them.`,
    covered: (channels: string) => `${channels} goes to the next integration from then on.`,
    saved: 'The settings are saved, and held messages are tried again.',
    save: 'Save settings',
  },
  de: {
    health: 'Zustand',
    settings: 'Einstellungen',
    test: 'Test',
    switchOff: 'Ausschalten',
    switchOn: 'Einschalten',
    switchedOff: (title: string) => `${title} ist ausgeschaltet.`,
    switchedOn: (title: string) => `${title} ist eingeschaltet.`,
    remove: (title: string) => `${title} löschen`,
    removed: (title: string) => `${title} ist gelöscht.`,
    removeText: 'Die Zugangsdaten werden gelöscht. Das lässt sich nicht rückgängig machen.',
    alone: (channels: string) =>
      `Dann stellt nichts anderes ${channels} zu: Solche Nachrichten scheitern oder warten, wo die Umgebung sie zurückhält.`,
    covered: (channels: string) => `${channels} geht dann an die nächste Integration.`,
    saved: 'Die Einstellungen sind gespeichert, wartende Nachrichten werden erneut versucht.',
    save: 'Einstellungen speichern',
  },
})

export function IntegrationScreen() {
  const { id } = useParams({ from: '/integrations/$id' })
  const { tab = 'health' } = useSearch({ from: '/integrations/$id' })
  const labels = useTexts(screenTexts)
  const names = useTexts(channelNames)
  const navigate = useNavigate()
  const { data: integration, ...query } = useQuery(integrationQuery(id))
  const { canConnect } = usePermissions()
  const { integration: word } = useTexts(words)
  if (!integration)
    return (
      <Page title={word}>{query.isPending ? <Loading /> : <Failed error={query.error} retry={query.refetch} />}</Page>
    )
  const go = (next: IntegrationSearch) =>
    void navigate({ to: '/integrations/$id', params: { id }, search: next, replace: true })
  return (
    <Page
      title={integration.title}
      badge={
        <>
          <ConditionTag integration={integration} />
          <CopyableId id={integration.alias ?? integration.id} />
        </>
      }
      description={`${integration.provider} · ${integration.channels.map((channel) => names[channel]).join(', ')}`}
      actions={canConnect && <IntegrationActions integration={integration} />}
      bar={
        <TabBar
          label={word}
          tabs={(['health', 'settings', 'test'] as const).map((name) => ({ name, title: labels[name] }))}
          value={tab}
          choose={(next) => go({ tab: next })}
        />
      }
      width="column"
    >
      {tab === 'health' && <IntegrationHealth integration={integration} />}
      {tab === 'settings' && <IntegrationSettings integration={integration} />}
      {tab === 'test' && <TestIntegration integration={integration} />}
    </Page>
  )
}

function IntegrationActions({ integration }: { integration: Integration }) {
  const labels = useTexts(screenTexts)
  const names = useTexts(channelNames)
  const navigate = useNavigate()
  const { data: all = [] } = useQuery(integrationsQuery)
  const { id, title, enabled } = integration
  const switchTo = useAction({
    act: (isOn: boolean) => changeIntegration(integration, { enabled: isOn }),
    done: (_result, isOn) => (isOn ? labels.switchedOn(title) : labels.switchedOff(title)),
    undo: (_result, isOn) => changeIntegration(integration, { enabled: !isOn }),
    changes: [integrationKey],
  })
  const remove = useAction({
    act: () => api.providers.delete(id),
    done: labels.removed(title),
    changes: [[...integrationKey, 'list']],
    after: () => void navigate({ to: '/integrations' }),
  })
  const others = all.filter((other) => other.id !== id)
  const isAlone = (channel: Integration['channel']) =>
    !placesOf(others, channel).some(({ turn, integration: other }) => turn === 'tried' && other.provider !== 'mailbox')
  const alone = integration.channels.filter(isAlone).map((channel) => names[channel])
  const covered = integration.channels.filter((channel) => !isAlone(channel)).map((channel) => names[channel])
  const removalText = [
    labels.removeText,
    enabled && alone.length > 0 && labels.alone(alone.join(', ')),
    enabled && covered.length > 0 && labels.covered(covered.join(', ')),
  ]
    .filter(Boolean)
    .join(' ')
  return (
    <>
      <Button variant="default" loading={switchTo.isPending} onClick={() => switchTo.mutate(!enabled)}>
        {enabled ? labels.switchOff : labels.switchOn}
      </Button>
      <MoreMenu>
        <DangerItem
          danger={{ title: labels.remove(title), text: removalText, action: labels.remove(title) }}
          act={remove.mutate}
        />
      </MoreMenu>
    </>
  )
}

function IntegrationSettings({ integration }: { integration: Integration }) {
  const labels = useTexts(screenTexts)
  const catalog = useQuery(catalogQuery)
  const { canConnect } = usePermissions()
  const save = useAction({
    act: (input: IntegrationInput) => changeIntegration(integration, input),
    done: labels.saved,
    changes: [integrationKey],
  })
  if (catalog.isPending) return <Loading />
  const entry = catalog.data?.find(({ provider }) => provider === integration.provider)
  if (!entry) return <Failed error={catalog.error} retry={catalog.refetch} />
  return (
    <Card>
      <SettingsForm
        // A saved form begins anew with what the server has: its secrets are set.
        key={integration.updated ?? integration.created}
        entry={entry}
        integration={integration}
        action={labels.save}
        isSaving={save.isPending}
        failure={save.error}
        save={save.mutate}
        isReadOnly={!canConnect}
      />
    </Card>
  )
}
