/** The steps until real messages go out safely; each ticks itself, and says by what. */
import { CheckCircleIcon } from '@heroicons/react/20/solid'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { docsPath } from '../address.ts'
import { texts, useTexts } from '../language/language.tsx'
import { CodeText } from '../parts/code/code-text.tsx'
import { Section } from '../parts/page.tsx'
import { Failed } from '../parts/states.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import styles from './start.module.css'
import { type Step, type StepName, stepNames } from './steps.ts'
import type { useSteps } from './steps-query.ts'

const stepTexts = texts({
  en: {
    title: 'Next',
    count: (done: string, all: string) => `${done} of ${all}`,
    message: 'A first message',
    messageHint: 'By the button above, or from your code.',
    messageTo: (event: string, recipient: string) => `Latest: ${event && `${event} `}to ${recipient}, `,
    integration: 'Add an integration',
    integrationHint: 'SMTP, Twilio, Slack and others. Its channel then leaves the mailbox.',
    template: 'Write a template',
    templateHint: 'One text for mail, SMS, push and chat.',
    real: 'A first real delivery',
    realHint: 'Ticks itself when an integration of yours accepts one.',
    realBy: (integration: string) => `By ${integration}, `,
    backup: 'Take a backup',
    backupHint: '`postrider backup postrider.tar.gz`. Keep `secret.key` apart from it.',
    publicUrl: 'Set a public URL',
    publicUrlHint: 'With `POSTRIDER_PUBLIC_URL` providers report receipts, and links in mails lead here.',
    done: 'Done',
    open: 'Not done yet',
  },
  de: {
    title: 'Als Nächstes',
    count: (done: string, all: string) => `${done} von ${all}`,
    message: 'Eine erste Nachricht',
    messageHint: 'Mit dem Knopf oben, oder aus eigenem Code.',
    messageTo: (event: string, recipient: string) => `Zuletzt: ${event && `${event} `}an ${recipient}, `,
    integration: 'Eine Integration hinzufügen',
    integrationHint: 'SMTP, Twilio, Slack und andere. Ihr Kanal verlässt dann das Postfach.',
    template: 'Eine Vorlage schreiben',
    templateHint: 'Ein Text für Mail, SMS, Push und Chat.',
    real: 'Eine erste echte Zustellung',
    realHint: 'Erledigt, sobald eine eigene Integration eine annimmt.',
    realBy: (integration: string) => `Über ${integration}, `,
    backup: 'Eine Sicherung anlegen',
    backupHint: '`postrider backup postrider.tar.gz`. `secret.key` getrennt davon aufbewahren.',
    publicUrl: 'Eine öffentliche Adresse setzen',
    publicUrlHint: 'Mit `POSTRIDER_PUBLIC_URL` melden Anbieter Quittungen, und Links in Mails führen hierher.',
    done: 'Erledigt',
    open: 'Noch nicht erledigt',
  },
})

export function NextSteps({ steps: { steps, error, retry } }: { steps: ReturnType<typeof useSteps> }) {
  const t = useTexts(stepTexts)
  const { number } = useFormat()
  if (error)
    return (
      <Section title={t.title}>
        <Failed error={error} retry={retry} />
      </Section>
    )
  if (!steps) return <div />
  const shown = stepNames.filter((name) => steps[name] !== undefined)
  const done = shown.filter((name) => steps[name]?.isDone)
  return (
    <Section title={t.title} description={t.count(number(done.length), number(shown.length))}>
      <ol className={styles.steps}>
        {shown.map((name) => (
          <NextStep key={name} name={name} step={steps[name] ?? { isDone: false }} />
        ))}
      </ol>
    </Section>
  )
}

function NextStep({ name, step }: { name: StepName; step: Step }) {
  const t = useTexts(stepTexts)
  return (
    <li data-done={step.isDone}>
      <span className={styles.tick}>{step.isDone && <CheckCircleIcon aria-hidden />}</span>
      <div>
        {step.isDone ? <b>{t[name]}</b> : <Title name={name} />}{' '}
        <span className="visually-hidden">{step.isDone ? t.done : t.open}</span>
        <p>{step.isDone ? <Proof name={name} step={step} /> : <CodeText text={t[`${name}Hint`]} />}</p>
      </div>
    </li>
  )
}

/** Where the step is done, if that is a screen or a page. */
function Title({ name }: { name: StepName }) {
  const t = useTexts(stepTexts)
  if (name === 'integration')
    return (
      <Link to="/integrations" search={{ tab: 'catalog' }}>
        {t.integration}
      </Link>
    )
  if (name === 'template') return <Link to="/templates">{t.template}</Link>
  const page = pages[name]
  if (page === undefined) return <b>{t[name]}</b>
  return (
    <a href={page} target="_blank" rel="noreferrer">
      {t[name]}
    </a>
  )
}

const pages: Partial<Record<StepName, string>> = {
  backup: docsPath('running#backup-and-restore'),
  publicUrl: docsPath('production'),
}

function Proof({ name, step }: { name: StepName; step: Step }): ReactNode {
  const t = useTexts(stepTexts)
  const time = step.at !== undefined && <Time at={step.at} />
  if (name === 'message')
    return (
      <>
        {t.messageTo(step.name ?? '', step.recipient ?? '')}
        {time}
      </>
    )
  if (name === 'real')
    return (
      <>
        {t.realBy(step.name ?? '')}
        {time}
      </>
    )
  return time || step.name
}
