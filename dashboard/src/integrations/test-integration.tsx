/** Tests an integration: its sign-in and, on request, a message; the outcome is explained. */
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core'
import type { Integration, ProviderTest } from '@postrider/client'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { integrationKey } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { useAction } from '../parts/confirm.tsx'
import { channelNames } from '../parts/meanings.ts'
import { Card, Section } from '../parts/page.tsx'
import { messageOf } from '../parts/states.tsx'
import { MessageStatusTag } from '../parts/status.tsx'
import { useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import { testLimits } from './change.ts'
import styles from './integrations.module.css'
import { SignInOutcome } from './sign-in-outcome.tsx'

const testTexts = texts({
  en: {
    signIn: 'Sign-in',
    signInHint: 'Signs in, or makes an authorized call without side effects. Nothing is sent.',
    testSignIn: 'Test the sign-in',
    message: 'Test message',
    messageHint: 'Goes out through this integration only: no failover, no retries, within its limits.',
    to: 'Send to',
    toHint: 'An email address, a phone number, a channel, a token of a device, or a web address.',
    channel: 'Channel',
    subject: 'Subject or title',
    text: 'Text',
    send: 'Send test message',
    sent: 'The provider accepted the message',
    retry: 'A temporary failure, which a test does not repeat',
    rejected: 'The provider rejected the message',
    in_doubt: 'No answer came after the message was handed over: it may have arrived',
    not_called: 'Nothing was sent',
    no_answer: 'The time of the test is over',
    configuration: 'The cause is the integration.',
    recipient: 'The cause is the address.',
    content: 'The cause is the content.',
    open: 'Open the message',
    readOnly: 'A published key of role full can test integrations.',
  },
  de: {
    signIn: 'Anmeldung',
    signInHint: 'Meldet sich an oder macht einen berechtigten Aufruf ohne Folgen. Versendet wird nichts.',
    testSignIn: 'Anmeldung testen',
    message: 'Testnachricht',
    messageHint: 'Geht nur über diese Integration: kein Ausweichen, keine Wiederholung, innerhalb ihrer Grenzen.',
    to: 'Senden an',
    toHint: 'Eine E-Mail-Adresse, eine Telefonnummer, ein Kanal, ein Token eines Geräts oder eine Webadresse.',
    channel: 'Kanal',
    subject: 'Betreff oder Titel',
    text: 'Text',
    send: 'Testnachricht senden',
    sent: 'Der Anbieter hat die Nachricht angenommen',
    retry: 'Ein vorübergehender Fehler, den ein Test nicht wiederholt',
    rejected: 'Der Anbieter hat die Nachricht abgelehnt',
    in_doubt: 'Nach der Übergabe kam keine Antwort: Sie kann angekommen sein',
    not_called: 'Es wurde nichts gesendet',
    no_answer: 'Die Zeit des Tests ist um',
    configuration: 'Die Ursache ist die Integration.',
    recipient: 'Die Ursache ist die Adresse.',
    content: 'Die Ursache ist der Inhalt.',
    open: 'Nachricht öffnen',
    readOnly: 'Testen kann Integrationen ein Schlüssel mit vollem Zugriff (published).',
  },
})

interface TestInput {
  to: string
  channel: Integration['channel']
  subject: string
  text: string
}

export function TestIntegration({ integration }: { integration: Integration }) {
  const t = useTexts(testTexts)
  const names = useTexts(channelNames)
  const { canConnect } = usePermissions()
  const [input, setInput] = useState<TestInput>({ to: '', channel: integration.channel, subject: '', text: '' })
  const test = useAction({
    act: (message: TestInput | undefined) =>
      api.providers.test(
        integration.id,
        message && {
          ...{ to: message.to.trim(), channel: message.channel },
          ...(message.subject && { subject: message.subject }),
          ...(message.text && { text: message.text }),
        },
        testLimits,
      ),
    changes: [integrationKey],
  })
  if (!canConnect) return <p className={styles.dim}>{t.readOnly}</p>
  const change = (next: Partial<TestInput>) => setInput((before) => ({ ...before, ...next }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (input.to.trim() !== '') test.mutate(input)
  }
  return (
    <>
      <div aria-live="polite">
        {test.data && <TestOutcome integration={integration} result={test.data} />}
        {test.error && (
          <div className={styles.note} data-tone="bad">
            {messageOf(test.error)}
          </div>
        )}
      </div>
      <Section title={t.signIn} description={t.signInHint}>
        <Button
          variant="default"
          loading={test.isPending && test.variables === undefined}
          disabled={test.isPending}
          onClick={() => test.mutate(undefined)}
        >
          {t.testSignIn}
        </Button>
      </Section>
      <Section title={t.message} description={t.messageHint}>
        <Card>
          <form className={styles.form} onSubmit={submit}>
            <TextInput
              label={t.to}
              description={t.toHint}
              value={input.to}
              spellCheck={false}
              onChange={(event) => change({ to: event.currentTarget.value })}
            />
            {integration.channels.length > 1 && (
              <NativeSelect
                label={t.channel}
                value={input.channel}
                data={integration.channels.map((value) => ({ value, label: names[value] }))}
                onChange={(event) => change({ channel: event.currentTarget.value as Integration['channel'] })}
              />
            )}
            <TextInput
              label={t.subject}
              value={input.subject}
              onChange={(event) => change({ subject: event.currentTarget.value })}
            />
            <Textarea
              label={t.text}
              rows={3}
              value={input.text}
              onChange={(event) => change({ text: event.currentTarget.value })}
            />
            <div className={styles.formActions}>
              <Button
                type="submit"
                loading={test.isPending && test.variables !== undefined}
                disabled={input.to.trim() === '' || test.isPending}
              >
                {t.send}
              </Button>
            </div>
          </form>
        </Card>
      </Section>
    </>
  )
}

interface TestOutcomeProps {
  integration: Integration
  result: ProviderTest
}

function TestOutcome({ integration: { id, provider }, result: { sign_in, message } }: TestOutcomeProps) {
  const t = useTexts(testTexts)
  const { duration } = useFormat()
  const took = (ms: number | undefined) => ms !== undefined && ` · ${duration(ms)}`
  const address: string = message ? `/messages/${encodeURIComponent(message.id)}` : ''
  return (
    <div className={styles.stack}>
      <SignInOutcome signIn={sign_in} provider={provider} settingsOf={id} />
      {message && (
        <div
          className={styles.note}
          data-tone={message.outcome === 'sent' ? 'good' : message.outcome === 'rejected' ? 'bad' : 'warn'}
          data-test-message={message.outcome}
        >
          <p>
            <MessageStatusTag status={message.status} /> <strong>{t[message.outcome]}</strong>
            {took(message.took_ms)}
          </p>
          {message.error && <p>{message.error}</p>}
          {message.cause && <p>{t[message.cause]}</p>}
          {message.hint && <p>{message.hint}</p>}
          <p>
            <Link to={address}>{t.open}</Link>
          </p>
        </div>
      )}
    </div>
  )
}
