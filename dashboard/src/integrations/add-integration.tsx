/** The form that adds an integration. Its sign-in is tested first: messages go to a new integration at once. */
import { Button } from '@mantine/core'
import type { CatalogEntry, Integration } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { integrationKey, integrationsQuery } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { CodeText } from '../parts/code/code-text.tsx'
import { useAction } from '../parts/confirm.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { useFormat } from '../parts/time.tsx'
import { usePermissions } from '../session/session.tsx'
import { changeIntegration, createIntegration, type IntegrationInput, testSettings } from './change.ts'
import styles from './integrations.module.css'
import { usePlace } from './place-field.tsx'
import { catalogQuery } from './queries.ts'
import { SettingsForm } from './settings-form.tsx'
import { isAtField } from './settings-problem.ts'
import { SignInOutcome } from './sign-in-outcome.tsx'
import { waitingQuery } from './waiting-query.ts'

const addTexts = texts({
  en: {
    title: (provider: string) => `Add ${provider}`,
    action: (provider: string) => `Test and add ${provider}`,
    actionText: 'Signs in with these settings first, and adds nothing when that fails.',
    switchedOff: 'Add it switched off',
    failed:
      'Nothing was added. Correct the settings and try again, or add it switched off: no message goes to it then.',
    added: (title: string, place: string) => `${title} was added. ${place}`,
    addedOff: (title: string) => `${title} was added, switched off.`,
    afterwards: 'Once it signs in',
    held: (count: string) =>
      count === '1'
        ? 'The held message is tried again, if its routing admits it.'
        : `The ${count} held messages are tried again, those whose routing admits it.`,
    callback: 'Its page has the callback URL, where the provider can report deliveries and bounces to one.',
    website: 'Website of the provider',
    unknown: 'This server has no such provider',
    toCatalog: 'Open the catalog',
    refused: 'This session cannot add integrations',
    refusedText: 'A published key of role full can.',
  },
  de: {
    title: (provider: string) => `${provider} hinzufügen`,
    action: (provider: string) => `${provider} testen und hinzufügen`,
    actionText: 'Meldet sich zuerst mit diesen Einstellungen an; scheitert das, wird nichts hinzugefügt.',
    switchedOff: 'Ausgeschaltet hinzufügen',
    failed:
      'Nichts wurde hinzugefügt. Die Einstellungen berichtigen und erneut versuchen, oder sie ausgeschaltet hinzufügen: Dann geht keine Nachricht an sie.',
    added: (title: string, place: string) => `${title} ist hinzugefügt. ${place}`,
    addedOff: (title: string) => `${title} ist hinzugefügt, ausgeschaltet.`,
    afterwards: 'Nach der Anmeldung',
    held: (count: string) =>
      count === '1'
        ? 'Die angehaltene Nachricht wird erneut versucht, wenn ihr Weg es zulässt.'
        : `Die ${count} angehaltenen Nachrichten werden erneut versucht, soweit ihr Weg es zulässt.`,
    callback: 'Auf ihrer Seite steht die Rückruf-URL, wenn der Anbieter Zustellungen und Rückläufer melden kann.',
    website: 'Website des Anbieters',
    unknown: 'Dieser Server kennt den Anbieter nicht',
    toCatalog: 'Katalog öffnen',
    refused: 'Diese Sitzung kann keine Integrationen hinzufügen',
    refusedText: 'Ein Schlüssel mit vollem Zugriff (published) kann es.',
  },
})

export function AddIntegration({ provider, leave }: { provider: string; leave(): void }) {
  const labels = useTexts(addTexts)
  const { canConnect } = usePermissions()
  const catalog = useQuery(catalogQuery)
  const integrations = useQuery(integrationsQuery)
  const entry = catalog.data?.find((candidate) => candidate.provider === provider)
  const back = (
    <Button variant="default" onClick={leave}>
      {labels.toCatalog}
    </Button>
  )
  const failed = [catalog, integrations].find(({ isError, data }) => isError && !data)
  return (
    <Page
      title={labels.title(entry?.name ?? provider)}
      description={
        entry && (
          <>
            <CodeText text={entry.description} />.{' '}
            {entry.website && (
              <a href={entry.website} target="_blank" rel="noreferrer">
                {labels.website}
              </a>
            )}
          </>
        )
      }
      width="column"
    >
      {(catalog.isPending || integrations.isPending) && <Loading />}
      {failed && <Failed error={failed.error} retry={failed.refetch} />}
      {catalog.data && !entry && <Empty title={labels.unknown} action={back} />}
      {entry && !canConnect && (
        <Empty title={labels.refused} action={back}>
          {labels.refusedText}
        </Empty>
      )}
      {entry && integrations.data && canConnect && (
        <Card>
          <AddForm entry={entry} integrations={integrations.data} leave={leave} />
        </Card>
      )}
    </Page>
  )
}

interface AddFormProps {
  entry: CatalogEntry
  integrations: readonly Integration[]
  leave(): void
}

function AddForm({ entry, integrations, leave }: AddFormProps) {
  const { provider } = entry
  const t = useTexts(words)
  const labels = useTexts(addTexts)
  const navigate = useNavigate()
  const place = usePlace(integrations, entry.channels)
  const add = useAction({
    act: async (input: IntegrationInput) => {
      // The list can have the new one before the reply is here.
      const sentence = place.sentence(input.weight)
      // One after the other, and first: no message meets another order than the chosen one.
      for (const { id, priority } of place.changes) {
        const other = integrations.find((integration) => integration.id === id)
        if (other) await changeIntegration(other, { priority })
      }
      return { ...(await createIntegration(provider, { ...input, priority: place.priority })), sentence }
    },
    done: ({ title, enabled, sentence }) => (enabled ? labels.added(title, sentence) : labels.addedOff(title)),
    changes: [integrationKey],
    isInSteps: place.changes.length > 0,
    isShown: isAtField,
    after: ({ id }) =>
      void navigate({ to: '/integrations/$id', params: { id }, search: { tab: 'test' }, ignoreBlocker: true }),
  })
  const test = useAction({
    act: (input: IntegrationInput) => testSettings(provider, input),
    isShown: isAtField,
    after: ({ ok }, input) => ok && add.mutate(input),
  })
  const rejected = test.data?.ok === false && !test.isPending ? test.data.sign_in : undefined
  const isAddingOff = add.isPending && add.variables?.enabled === false
  return (
    <SettingsForm
      entry={entry}
      action={labels.action(entry.name)}
      isSaving={test.isPending || (add.isPending && !isAddingOff)}
      failure={add.error ?? test.error}
      signIn={rejected}
      save={test.mutate}
      place={place.field}
      otherwise={{
        action: labels.switchedOff,
        isSaving: isAddingOff,
        save: (input) => add.mutate({ ...input, enabled: false }),
      }}
      outcome={
        <div aria-live="polite">
          {rejected ? (
            <>
              <SignInOutcome signIn={rejected} provider={provider} />
              <p>{labels.failed}</p>
            </>
          ) : (
            <>
              <p className={styles.dim}>{labels.actionText}</p>
              <Afterwards />
            </>
          )}
        </div>
      }
    >
      <Button variant="default" onClick={leave}>
        {t.cancel}
      </Button>
    </SettingsForm>
  )
}

/** A sign-in that goes well has these effects, beside the place. */
function Afterwards() {
  const labels = useTexts(addTexts)
  const { number } = useFormat()
  const { data: waiting } = useQuery(waitingQuery)
  const heldCount = waiting?.heldCount ?? 0
  return (
    <div className={styles.dim}>
      {labels.afterwards}:
      <ul>
        {heldCount > 0 && <li>{labels.held(`${number(heldCount)}${waiting?.hasMore.held ? '+' : ''}`)}</li>}
        <li>{labels.callback}</li>
      </ul>
    </div>
  )
}
