/** The first screen: whether it works, as a first message shows; today; the call from code; and what is next. */
import { useState } from 'react'
import { Failures } from '../figures/failures.tsx'
import { texts, useTexts } from '../language/language.tsx'
import { Samples } from '../parts/code/code.tsx'
import { CodeText } from '../parts/code/code-text.tsx'
import { commandOf, curlOf, sdkOf, typescriptOf } from '../parts/code/send-samples.ts'
import { Page, Section } from '../parts/page.tsx'
import { Loading } from '../parts/states.tsx'
import { usePermissions } from '../session/session.tsx'
import { Answer } from './answer.tsx'
import { useFirstMessage } from './first-message.ts'
import { FirstMessagePanel } from './first-message-panel.tsx'
import { NextSteps } from './next-steps.tsx'
import { Outages } from './outages.tsx'
import styles from './start.module.css'
import { useSteps } from './steps-query.ts'
import { TodayFigures, useToday } from './today.tsx'
import { welcome } from './welcome.ts'

const startTexts = texts({
  en: {
    title: 'Start',
    guide: 'The first message, a guide',
    code: 'From your code',
    codeText: 'this sends the same message',
    command: 'Command line',
    sdk: 'Another SDK',
    languages: 'Language',
    key: '`$POSTRIDER_API_KEY` is the key that the first start printed. Lost? `postrider keys create --name second` makes another.',
  },
  de: {
    title: 'Start',
    guide: 'Die erste Nachricht, eine Anleitung',
    code: 'Aus eigenem Code',
    codeText: 'dies sendet dieselbe Nachricht',
    command: 'Kommandozeile',
    sdk: 'Anderes SDK',
    languages: 'Sprache',
    key: '`$POSTRIDER_API_KEY` ist der Schlüssel, den der erste Start ausgab. Verloren? `postrider keys create --name second` legt einen weiteren an.',
  },
})

export function StartScreen() {
  const t = useTexts(startTexts)
  const { canOperate, canConnect, onlyRenders } = usePermissions()
  const canSend = canOperate && !onlyRenders
  const steps = useSteps(canConnect)
  // A message that completes the steps while this screen is open stays on it.
  const [wasNew, setWasNew] = useState(false)
  if (canSend && steps.isInUse === false && !wasNew) setWasNew(true)
  const isNew = wasNew || (canSend && steps.error !== null && steps.isInUse === undefined)
  const isKnown = !canSend || isNew || steps.isInUse !== undefined
  const today = useToday()
  const first = useFirstMessage(isNew)
  const panel = canSend && <FirstMessagePanel isNew={isNew} {...first} />
  return (
    <Page
      title={t.title}
      sentence={
        isNew || first.first
          ? first.isRead && <Answer first={first.first} />
          : isKnown && (
              <Failures summary={today.data?.summary} when="today" since={{ enqueued_after: today.data?.from ?? '' }} />
            )
      }
      actions={
        <a href="/docs/first-message" target="_blank" rel="noreferrer">
          {t.guide}
        </a>
      }
    >
      <Outages />
      {!isKnown && <Loading rows={6} />}
      {isNew && panel}
      <TodayFigures today={today} />
      {!isNew && isKnown && panel}
      <div className={styles.columns} data-alone={!canSend || (steps.isDone && !wasNew)}>
        <Section title={t.code} description={t.codeText}>
          <Samples
            label={t.languages}
            samples={[
              { title: 'curl', code: curlOf(location.origin, welcome) },
              { title: 'TypeScript', code: typescriptOf(location.origin, welcome) },
              { title: t.command, code: commandOf(location.origin, welcome) },
              { title: t.sdk, code: sdkOf(location.origin, welcome) },
            ]}
          />
          <p className={styles.hint}>
            <CodeText text={t.key} />
          </p>
        </Section>
        {canSend && !(steps.isDone && !wasNew) && <NextSteps steps={steps} />}
      </div>
    </Page>
  )
}
