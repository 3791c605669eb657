/** The first screen: whether it works, as a first message shows; today; the call from code; and what is next. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { docsPath, serverUrl } from '../address.ts'
import { Failures } from '../figures/failures.tsx'
import { integrationsQuery } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { Samples } from '../parts/code/code.tsx'
import { CodeText } from '../parts/code/code-text.tsx'
import { commandOf, curlOf, sdkOf, typescriptOf } from '../parts/code/send-samples.ts'
import { Page, Section } from '../parts/page.tsx'
import { Loading } from '../parts/states.tsx'
import { usePermissions, useSession } from '../session/session.tsx'
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
    sameText: 'this sends the same message',
    realText: 'this goes by your integrations',
    command: 'Command line',
    sdk: 'Courier SDK',
    languages: 'Language',
    testKey:
      '`$POSTRIDER_API_KEY` is a key of the test environment: `postrider keys create --name test --environment test` makes one.',
    key: '`$POSTRIDER_API_KEY` is the key that the first start printed. Lost? `postrider keys create --name second` makes another.',
  },
  de: {
    title: 'Start',
    guide: 'Die erste Nachricht, eine Anleitung',
    code: 'Aus eigenem Code',
    sameText: 'dies sendet dieselbe Nachricht',
    realText: 'dies geht über die eigenen Integrationen',
    command: 'Kommandozeile',
    sdk: 'Courier-SDK',
    languages: 'Sprache',
    testKey:
      '`$POSTRIDER_API_KEY` ist ein Schlüssel der Testumgebung: `postrider keys create --name test --environment test` legt einen an.',
    key: '`$POSTRIDER_API_KEY` ist der Schlüssel, den der erste Start ausgab. Verloren? `postrider keys create --name second` legt einen weiteren an.',
  },
})

export function StartScreen() {
  const t = useTexts(startTexts)
  const { canOperate, canConnect, onlyRenders } = usePermissions()
  const canSend = canOperate && !onlyRenders
  const steps = useSteps({ isEnabled: canSend, seesMachine: canConnect })
  const { records } = steps
  // A message that completes the steps while this screen is open stays on it.
  const [isNew, setNew] = useState(false)
  const isBeginning = canSend && records?.real?.isDone === false && !isNew
  if (isBeginning) setNew(true)
  const first = useFirstMessage({ isFollowed: isNew, isAwaited: records?.real?.isDone === false })
  const { id, status } = first.first?.message ?? {}
  const today = useToday([records?.message?.at, id, status].filter(Boolean).join(' '))
  const isNothingSent = records?.message?.isDone === false
  const isLatest = first.first !== undefined && first.first.message.enqueued >= (records?.message?.at ?? 0)
  const panel = records && <FirstMessagePanel isNothingSent={isNothingSent} {...first} />
  const sameness: Record<string, string> = { true: t.realText, false: t.sameText }
  const isAlone = !canSend || (steps.isDone && !isNew)
  const integrations = useQuery(integrationsQuery)
  const isReading =
    (canSend && !records && !steps.error) || (isNew && !first.isRead && !first.error) || integrations.isPending
  /** The parts above others appear together, so that none moves what is read, and stay. */
  const [isReady, setReady] = useState(false)
  if (!isReady && !isReading && !isBeginning && !today.isPending) setReady(true)
  /** They are the last part, whose width is that of the page once all steps are done. */
  const areColumnsReady = isNew || !canSend || steps.steps !== undefined || steps.error !== null
  const sentence = () => {
    if (isNew && (isNothingSent || isLatest)) return <Answer first={first.first} isAnother={first.isAnother} />
    const since = { enqueued_after: today.data?.from ?? '' }
    return <Failures summary={today.data?.summary} when="today" since={since} />
  }
  return (
    <Page
      title={t.title}
      sentence={<span className={styles.answer}>{!isReading && sentence()}</span>}
      actions={
        <a href={docsPath('first-message')} target="_blank" rel="noreferrer">
          {t.guide}
        </a>
      }
    >
      {isReady ? (
        <>
          <Outages />
          {isNew && panel}
          <TodayFigures today={today} />
          {!isNew && panel}
          {areColumnsReady && (
            <div className={styles.columns} data-alone={isAlone}>
              <FromCode sameness={sameness[String(records?.integration?.isDone)]} />
              {!isAlone && <NextSteps steps={steps} />}
            </div>
          )}
        </>
      ) : (
        <Loading rows={6} />
      )}
    </Page>
  )
}

function FromCode({ sameness }: { sameness: string | undefined }) {
  const t = useTexts(startTexts)
  const { environment } = useSession()
  return (
    <Section title={t.code} description={sameness}>
      <Samples
        label={t.languages}
        samples={[
          { title: 'curl', code: curlOf(serverUrl, welcome) },
          { title: 'TypeScript', code: typescriptOf(serverUrl, welcome) },
          { title: t.command, code: commandOf(serverUrl, welcome) },
          { title: t.sdk, code: sdkOf(serverUrl, welcome) },
        ]}
      />
      <p className={styles.hint}>
        <CodeText text={environment === 'test' ? t.testKey : t.key} />
      </p>
    </Section>
  )
}
