/** The first screen: a first message that arrives before the reader's eyes, what to do next, and the last hour. */
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { Samples } from '../parts/code/code.tsx'
import { curlOf, typescriptOf } from '../parts/code/send-samples.ts'
import { Page, Section } from '../parts/page.tsx'
import { Loading } from '../parts/states.tsx'
import { usePermissions } from '../session/session.tsx'
import { Checklist, useFirstSteps } from './checklist.tsx'
import { LastHour } from './last-hour.tsx'
import { Outages } from './outages.tsx'
import { SendWelcome } from './send-welcome.tsx'
import styles from './start.module.css'

const startTexts = texts({
  en: {
    title: 'Start',
    description: 'It runs. Send a message, see it arrive, and call it from your own code.',
    readDescription: 'It runs. The last hour, and how your own code calls it.',
    samples: 'From your own code',
    samplesText: 'The same call at the address of this server. POSTRIDER_API_KEY is your key.',
  },
  de: {
    title: 'Start',
    description: 'Es läuft. Eine Nachricht senden, sie ankommen sehen, und sie aus eigenem Code aufrufen.',
    readDescription: 'Es läuft. Die letzte Stunde, und der Aufruf aus eigenem Code.',
    samples: 'Aus eigenem Code',
    samplesText: 'Derselbe Aufruf an der Adresse dieses Servers. POSTRIDER_API_KEY ist Ihr Schlüssel.',
  },
})

const welcome = {
  event: 'welcome',
  recipient: 'ada',
  profile: { email: 'ada@example.com' },
  data: { name: 'Ada' },
}

const samples = (origin: string) => [
  { title: 'curl', code: curlOf(origin, welcome) },
  { title: 'TypeScript', code: typescriptOf(origin, welcome) },
]

export function StartScreen() {
  const t = useTexts(startTexts)
  const steps = useFirstSteps()
  // A send of this visit stays on the screen when it completes the list.
  const [wasOpen, setWasOpen] = useState(false)
  const { canOperate, onlyRenders } = usePermissions()
  const canSend = canOperate && !onlyRenders
  const isOpen = steps === 'nothing sent' || steps === 'sent'
  if (isOpen && !wasOpen) setWasOpen(true)
  return (
    <Page title={t.title} description={canSend ? t.description : t.readDescription} width="column">
      <Outages />
      {steps === 'unknown' && <Loading rows={6} />}
      {(isOpen || wasOpen) && canSend && (
        <>
          <div className={styles.first}>
            <SendWelcome isFirst={steps === 'nothing sent'} />
          </div>
          <Checklist />
        </>
      )}
      <LastHour />
      {steps === 'done' && !wasOpen && canSend && (
        <div className={styles.first}>
          <SendWelcome isFirst={false} isFolded />
        </div>
      )}
      <Section title={t.samples} description={t.samplesText}>
        <Samples samples={samples(location.origin)} />
      </Section>
    </Page>
  )
}
