/** One integration: its health, its settings, a test, and the messages that wait for it. */
import { Button } from '@mantine/core'
import type { Integration } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { integrationKey, integrationsQuery } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { CopyableId } from '../parts/copyable.tsx'
import { channelNames } from '../parts/meanings.ts'
import { DangerItem, MoreMenu } from '../parts/more-menu.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { TabBar } from '../parts/tab-bar.tsx'
import { useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import { changeIntegration, type IntegrationInput, testChange } from './change.ts'
import { breakerReasons, ConditionTag } from './condition.tsx'
import { IntegrationHealth } from './integration-health.tsx'
import styles from './integrations.module.css'
import { lossOf } from './loss.ts'
import { catalogQuery, healthQuery, integrationQuery } from './queries.ts'
import { repairOf } from './repair.ts'
import { RepairNote } from './repair-note.tsx'
import type { IntegrationSearch } from './search.ts'
import { SettingsForm } from './settings-form.tsx'
import { isAtField } from './settings-problem.ts'
import { SignInOutcome } from './sign-in-outcome.tsx'
import { TestIntegration } from './test-integration.tsx'

const screenTexts = texts({
  en: {
    health: 'Health',
    settings: 'Settings',
    test: 'Test',
    switchOff: 'Switch off',
    switchOn: 'Switch on',
    switchOffTitle: (title: string) => `Switch off ${title}`,
    switchedOff: (title: string) => `${title} is switched off.`,
    switchedOn: (title: string) => `${title} is switched on.`,
    remove: (title: string) => `Delete ${title}`,
    removed: (title: string) => `${title} was deleted.`,
    removeText: 'Its credentials are erased. This cannot be undone.',
    alone: (channels: string) =>
      `Nothing else delivers ${channels} then: messages to it fail, or wait where the environment holds them.`,
    covered: (channels: string, next: string, count: number) =>
      `${channels} ${count === 1 ? 'goes' : 'go'} by ${next} from then on.`,
    notCalled: (title: string, reason: string) =>
      `${title} is not called now, because ${reason}: messages to it wait or fail until it works again.`,
    saved: 'The settings are saved, and held messages are tried again.',
    save: 'Test and save settings',
    saveText: 'Signs in with these settings first, and saves nothing when that fails.',
    notSaved: 'Nothing was saved. Correct the settings and try again.',
    saveAnyway: 'Save anyway',
    stillOff: (title: string) => `${title} is still switched off: it could not sign in.`,
    onAnyway: 'Switch on anyway',
  },
  de: {
    health: 'Zustand',
    settings: 'Einstellungen',
    test: 'Test',
    switchOff: 'Ausschalten',
    switchOn: 'Einschalten',
    switchOffTitle: (title: string) => `${title} ausschalten`,
    switchedOff: (title: string) => `${title} ist ausgeschaltet.`,
    switchedOn: (title: string) => `${title} ist eingeschaltet.`,
    remove: (title: string) => `${title} löschen`,
    removed: (title: string) => `${title} ist gelöscht.`,
    removeText: 'Die Zugangsdaten werden gelöscht. Das lässt sich nicht rückgängig machen.',
    alone: (channels: string) =>
      `Dann stellt nichts anderes ${channels} zu: Solche Nachrichten scheitern oder warten, wo die Umgebung sie zurückhält.`,
    covered: (channels: string, next: string, count: number) =>
      `${channels} ${count === 1 ? 'geht' : 'gehen'} dann über ${next}.`,
    notCalled: (title: string, reason: string) =>
      `${title} wird gerade nicht aufgerufen; Grund: ${reason}. Nachrichten an sie warten oder scheitern, bis sie wieder geht.`,
    saved: 'Die Einstellungen sind gespeichert, wartende Nachrichten werden erneut versucht.',
    save: 'Einstellungen testen und speichern',
    saveText: 'Meldet sich zuerst mit diesen Einstellungen an; scheitert das, wird nichts gespeichert.',
    notSaved: 'Nichts wurde gespeichert. Die Einstellungen berichtigen und erneut versuchen.',
    saveAnyway: 'Trotzdem speichern',
    stillOff: (title: string) => `${title} ist weiter ausgeschaltet: Die Anmeldung ist gescheitert.`,
    onAnyway: 'Trotzdem einschalten',
  },
})

export function IntegrationScreen() {
  const { id } = useParams({ from: '/integrations/$id' })
  const { data: integration, ...query } = useQuery(integrationQuery(id))
  const { integration: word } = useTexts(words)
  if (integration) return <LoadedIntegration key={id} integration={integration} />
  return (
    <Page title={word}>{query.isPending ? <Loading /> : <Failed error={query.error} retry={query.refetch} />}</Page>
  )
}

function LoadedIntegration({ integration }: { integration: Integration }) {
  const { id } = useParams({ from: '/integrations/$id' })
  const { tab = 'health' } = useSearch({ from: '/integrations/$id' })
  const labels = useTexts(screenTexts)
  const names = useTexts(channelNames)
  const navigate = useNavigate()
  const { canConnect } = usePermissions()
  const { integration: word } = useTexts(words)
  const power = usePower(integration)
  // The form stays with what was typed while another tab is open.
  const [hasFocus] = useState(tab === 'settings')
  const [hasForm, setForm] = useState(hasFocus)
  if (tab === 'settings' && !hasForm) setForm(true)
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
      actions={canConnect && <IntegrationActions integration={integration} power={power} />}
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
      <div aria-live="polite">
        {power.rejected && !integration.enabled && (
          <div>
            <SignInOutcome signIn={power.rejected} provider={integration.provider} settingsOf={id} />
            <p className={`${styles.secret} ${styles.anyway}`}>
              {labels.stillOff(integration.title)}
              <Button variant="default" loading={power.isPending} onClick={() => power.switchTo(true)}>
                {labels.onAnyway}
              </Button>
            </p>
          </div>
        )}
      </div>
      {tab === 'health' && <IntegrationHealth integration={integration} />}
      {hasForm && (
        <div hidden={tab !== 'settings'}>
          <IntegrationSettings key={id} integration={integration} hasFocus={hasFocus} />
        </div>
      )}
      {tab === 'test' && <TestIntegration integration={integration} />}
    </Page>
  )
}

/** Switches an integration on, once a sign-in went well, and off. */
function usePower(integration: Integration) {
  const labels = useTexts(screenTexts)
  const { title } = integration
  const change = useAction({
    act: (isOn: boolean) => changeIntegration(integration, { enabled: isOn }),
    done: (_result, isOn) => (isOn ? labels.switchedOn(title) : labels.switchedOff(title)),
    undo: (_result, isOn) => changeIntegration(integration, { enabled: !isOn }),
    changes: [integrationKey, ['messages']],
    after: () => signIn.reset(),
  })
  const signIn = useAction({
    act: () => testChange(integration),
    after: ({ ok }) => ok && change.mutate(true),
  })
  return {
    isPending: change.isPending || signIn.isPending,
    rejected: signIn.data?.ok === false && !signIn.isPending ? signIn.data.sign_in : undefined,
    signIn: signIn.mutate,
    switchTo: change.mutate,
  }
}

interface IntegrationActionsProps {
  integration: Integration
  power: ReturnType<typeof usePower>
}

function IntegrationActions({ integration, power }: IntegrationActionsProps) {
  const labels = useTexts(screenTexts)
  const navigate = useNavigate()
  const confirm = useConfirm()
  const effects = useEffectsOfLoss(integration)
  const { id, title, enabled } = integration
  const remove = useAction({
    act: () => api.providers.delete(id),
    done: labels.removed(title),
    changes: [[...integrationKey, 'list']],
    after: () => void navigate({ to: '/integrations', ignoreBlocker: true }),
  })
  const switchOff = async () => {
    const action = labels.switchOffTitle(title)
    // With another one behind it, an undo is enough.
    if (!effects.isAlone || (await confirm({ title: action, text: effects.text, action }))) power.switchTo(false)
  }
  return (
    <>
      <Button variant="default" loading={power.isPending} onClick={() => (enabled ? void switchOff() : power.signIn())}>
        {enabled ? labels.switchOff : labels.switchOn}
      </Button>
      <MoreMenu>
        <DangerItem
          danger={{
            title: labels.remove(title),
            text: `${labels.removeText} ${effects.text}`.trim(),
            action: labels.remove(title),
          }}
          act={remove.mutate}
        />
      </MoreMenu>
    </>
  )
}

/** Which of its channels have no other integration, and by which the others go on; nothing changes while it is off. */
function useEffectsOfLoss({ id, enabled, channels }: Integration): { isAlone: boolean; text: string } {
  const labels = useTexts(screenTexts)
  const names = useTexts(channelNames)
  const reasons = useTexts(breakerReasons)
  const { list } = useFormat()
  const { data: all = [] } = useQuery(integrationsQuery)
  if (!enabled) return { isAlone: false, text: '' }
  const { alone, covered } = lossOf(all, id, channels)
  const nameAll = (lost: readonly Integration['channel'][]) => list(lost.map((channel) => names[channel]))
  const sentences = [
    alone.length > 0 && labels.alone(nameAll(alone)),
    ...covered.flatMap(({ channels: served, next, broken }) => [
      labels.covered(nameAll(served), list(next.map(({ title }) => title)), served.length),
      ...broken.map(({ title, circuit_breaker: breaker }) =>
        labels.notCalled(title, reasons[breaker?.reason ?? 'unknown']),
      ),
    ]),
  ]
  return { isAlone: alone.length > 0, text: sentences.filter(Boolean).join(' ') }
}

interface IntegrationSettingsProps {
  integration: Integration
  /** The page was opened for its settings. */
  hasFocus: boolean
}

function IntegrationSettings({ integration, hasFocus }: IntegrationSettingsProps) {
  const labels = useTexts(screenTexts)
  const catalog = useQuery(catalogQuery)
  const { data: health } = useQuery(healthQuery(integration.id, '24h'))
  const repair = repairOf(integration, health)
  const { canConnect } = usePermissions()
  const [isDirty, setDirty] = useState(false)
  // A change from elsewhere does not replace what is being typed.
  const [shown, setShown] = useState(integration)
  if (!isDirty && shown.updated !== integration.updated) setShown(integration)
  const save = useAction({
    act: (input: IntegrationInput) => changeIntegration(integration, input),
    done: labels.saved,
    changes: [integrationKey, ['messages']],
    isShown: isAtField,
    after: () => {
      setDirty(false)
      test.reset()
    },
  })
  const test = useAction({
    act: (input: IntegrationInput) => testChange(integration, input.settings),
    isShown: isAtField,
    after: ({ ok }, input) => ok && save.mutate(input),
  })
  if (catalog.isPending) return <Loading />
  const entry = catalog.data?.find(({ provider }) => provider === integration.provider)
  if (!entry) return <Failed error={catalog.error} retry={catalog.refetch} />
  const rejected = test.data?.ok === false && !test.isPending ? test.data.sign_in : undefined
  // No answer of the provider: the test itself failed, or there were too many.
  const isUntested = test.error !== null && !isAtField(test.error)
  return (
    <Card>
      {repair && <RepairNote repair={repair} integration={integration} />}
      <SettingsForm
        // A saved form begins anew with what the server has: its secrets are set.
        key={shown.updated ?? shown.created}
        entry={entry}
        integration={shown}
        action={labels.save}
        isSaving={test.isPending || save.isPending}
        failure={save.error ?? test.error}
        signIn={rejected}
        repair={repair}
        hasFocus={hasFocus}
        report={setDirty}
        save={test.mutate}
        otherwise={
          rejected || isUntested
            ? { action: labels.saveAnyway, isSaving: save.isPending, save: save.mutate }
            : undefined
        }
        outcome={
          canConnect && (
            <div aria-live="polite">
              {rejected ? (
                <>
                  <SignInOutcome signIn={rejected} provider={integration.provider} />
                  <p>{labels.notSaved}</p>
                </>
              ) : (
                <p className={styles.dim}>{labels.saveText}</p>
              )}
            </div>
          )
        }
        isReadOnly={!canConnect}
      />
    </Card>
  )
}
