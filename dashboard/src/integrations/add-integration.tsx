/** The form that adds an integration. Its sign-in is tested first: messages go to a new integration at once. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { integrationKey } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { CodeText } from '../parts/code/code-text.tsx'
import { useAction } from '../parts/confirm.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { usePermissions } from '../session/session.tsx'
import { createIntegration, type IntegrationInput, testSettings } from './change.ts'
import styles from './integrations.module.css'
import { catalogQuery } from './queries.ts'
import { SettingsForm } from './settings-form.tsx'
import { isAtField } from './settings-problem.ts'
import { SignInOutcome } from './sign-in-outcome.tsx'

const addTexts = texts({
  en: {
    title: (provider: string) => `Add ${provider}`,
    action: (provider: string) => `Test and add ${provider}`,
    actionText: 'Signs in with these settings first, and adds nothing when that fails.',
    switchedOff: 'Add it switched off',
    failed:
      'Nothing was added. Correct the settings and try again, or add it switched off: no message goes to it then.',
    added: (title: string) => `${title} was added, and messages go to it from now on.`,
    addedOff: (title: string) => `${title} was added, switched off.`,
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
    added: (title: string) => `${title} ist hinzugefügt, ab jetzt gehen Nachrichten an sie.`,
    addedOff: (title: string) => `${title} ist hinzugefügt, ausgeschaltet.`,
    website: 'Website des Anbieters',
    unknown: 'Dieser Server kennt den Anbieter nicht',
    toCatalog: 'Katalog öffnen',
    refused: 'Diese Sitzung kann keine Integrationen hinzufügen',
    refusedText: 'Ein Schlüssel mit vollem Zugriff (published) kann es.',
  },
})

export function AddIntegration({ provider, leave }: { provider: string; leave(): void }) {
  const t = useTexts(words)
  const labels = useTexts(addTexts)
  const navigate = useNavigate()
  const { canConnect } = usePermissions()
  const catalog = useQuery(catalogQuery)
  const add = useAction({
    act: (input: IntegrationInput) => createIntegration(provider, input),
    done: ({ title, enabled }) => (enabled ? labels.added(title) : labels.addedOff(title)),
    changes: [integrationKey],
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
  const entry = catalog.data?.find((candidate) => candidate.provider === provider)
  const back = (
    <Button variant="default" onClick={leave}>
      {labels.toCatalog}
    </Button>
  )
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
      {catalog.isPending && <Loading />}
      {catalog.isError && <Failed error={catalog.error} retry={catalog.refetch} />}
      {catalog.data && !entry && <Empty title={labels.unknown} action={back} />}
      {entry && !canConnect && (
        <Empty title={labels.refused} action={back}>
          {labels.refusedText}
        </Empty>
      )}
      {entry && canConnect && (
        <Card>
          <SettingsForm
            entry={entry}
            action={labels.action(entry.name)}
            isSaving={test.isPending || (add.isPending && !isAddingOff)}
            failure={add.error ?? test.error}
            signIn={rejected}
            save={test.mutate}
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
                  <p className={styles.dim}>{labels.actionText}</p>
                )}
              </div>
            }
          >
            <Button variant="default" onClick={leave}>
              {t.cancel}
            </Button>
          </SettingsForm>
        </Card>
      )}
    </Page>
  )
}
