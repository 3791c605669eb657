/** A simulation as a film: every step and message of days in a second, and a scrubber through the time. */
import { PauseIcon, PlayIcon } from '@heroicons/react/20/solid'
import { ActionIcon, NativeSelect } from '@mantine/core'
import type { Simulation } from '@postrider/client'
import { useEffect, useRef, useState } from 'react'
import { texts, useLanguage, useTexts } from '../language/language.tsx'
import { Channel } from '../parts/channel.tsx'
import { RenderedContent } from '../parts/content/rendered-content.tsx'
import { reasonMeanings } from '../parts/meanings.ts'
import { MessageStatusTag } from '../parts/status.tsx'
import { useFormat } from '../parts/time.tsx'
import styles from './automations.module.css'
import type { Fields } from './draft.ts'
import { Graph } from './graph.tsx'
import { Reason, RunStatusTag, stepTone } from './run-words.tsx'
import { type Frame, framesOf, messagesAt, type SentMessage, stepsAt } from './simulation-frames.ts'
import { isAction, stepTexts } from './step-fields.ts'

const filmTexts = texts({
  en: {
    over: (runs: string, time: string) => `${runs}, over after ${time}`,
    overAtOnce: (runs: string) => `${runs}, over at once`,
    oneRun: '1 run',
    manyRuns: (count: string) => `${count} runs`,
    bounded:
      'Stopped at a bound: a simulation has at most 1,000 runs, 10,000 turns and five seconds of work. What is shown is its beginning.',
    ignored: 'Ignored parts',
    time: 'Simulated time',
    play: 'Play',
    pause: 'Pause',
    atStart: 'at the start',
    after: (time: string) => `after ${time}`,
    shownRun: 'Steps of run',
    firstRuns: (count: string) => `The first ${count} runs can be chosen.`,
    earlier: (count: string) => `${count} earlier messages are left out here.`,
    messages: (count: string) => `Messages until then: ${count}`,
    noMessages: 'No message until then.',
    noneAtAll: 'It would send no message.',
    to: (recipient: string) => `to ${recipient}`,
    digest: 'digest',
    notExplained: 'Beyond the first 100 messages, content is not rendered.',
    wouldNotGo: 'It would not be sent.',
    ofRun: (number: number) => `run ${number}`,
    recipients: (count: string, more: string) => `${count}${more} recipients`,
    waited: (time: string) => `waits ${time}`,
    ends: 'The simulation ends',
    channel: 'Channel',
  },
  de: {
    over: (runs: string, time: string) => `${runs}, zu Ende nach ${time}`,
    overAtOnce: (runs: string) => `${runs}, sofort zu Ende`,
    oneRun: '1 Lauf',
    manyRuns: (count: string) => `${count} Läufe`,
    bounded:
      'An einer Grenze gestoppt: Eine Simulation hat höchstens 1.000 Läufe, 10.000 Runden und fünf Sekunden Arbeit. Gezeigt ist ihr Anfang.',
    ignored: 'Ohne Wirkung',
    time: 'Simulierte Zeit',
    play: 'Abspielen',
    pause: 'Anhalten',
    atStart: 'am Anfang',
    after: (time: string) => `nach ${time}`,
    shownRun: 'Schritte von Lauf',
    firstRuns: (count: string) => `Zur Wahl stehen die ersten ${count} Läufe.`,
    earlier: (count: string) => `${count} frühere Nachrichten fehlen hier.`,
    messages: (count: string) => `Nachrichten bis dahin: ${count}`,
    noMessages: 'Bis dahin keine Nachricht.',
    noneAtAll: 'Es würde keine Nachricht gesendet.',
    to: (recipient: string) => `an ${recipient}`,
    digest: 'Sammelnachricht',
    notExplained: 'Nach den ersten 100 Nachrichten wird kein Inhalt dargestellt.',
    wouldNotGo: 'Sie würde nicht gesendet.',
    ofRun: (number: number) => `Lauf ${number}`,
    recipients: (count: string, more: string) => `${count}${more} Empfänger`,
    waited: (time: string) => `wartet ${time}`,
    ends: 'Ende der Simulation',
    channel: 'Kanal',
  },
})

const FRAME_MS = 900
/** More points than these cannot be distinguished. */
const POINTS_MAX = 60
const RUNS_SHOWN_MAX = 100
const MESSAGES_SHOWN_MAX = 60

export interface FilmProps {
  simulation: Simulation
  steps: readonly Fields[]
  at: number | undefined
  setAt(at: number | undefined): void
}

export function Film({ simulation, steps, at, setAt }: FilmProps) {
  const t = useTexts(filmTexts)
  const format = useFormat()
  const [frames] = useState(() => framesOf(simulation))
  const last = frames.length - 1
  const index = Math.min(at ?? last, last)
  const frame = frames[index] as Frame
  const start = Date.parse(simulation.start)
  const shownRuns = simulation.runs.slice(0, RUNS_SHOWN_MAX)
  const [runId, setRunId] = useState(simulation.runs[0]?.run_id ?? '')
  const states = stepsAt(frames, index, runId)
  const numberOf = (id: string | undefined) => simulation.runs.findIndex(({ run_id }) => run_id === id) + 1
  const messages = messagesAt(frames, index)
  const total = messagesAt(frames, last).length
  const count = simulation.runs.length
  const runs = count === 1 ? t.oneRun : t.manyRuns(format.number(count))
  const length = (frames[last]?.at ?? start) - start
  const failed = simulation.runs.find(({ error }) => error !== undefined)
  const results = new Map<string, number>()
  for (const { status } of simulation.runs) results.set(status, (results.get(status) ?? 0) + 1)
  return (
    <>
      <section
        className={styles.verdict}
        data-tone={!simulation.complete ? 'warn' : failed ? 'bad' : 'good'}
        aria-live="polite"
      >
        <h2>{length > 0 ? t.over(runs, format.duration(length)) : t.overAtOnce(runs)}</h2>
        <p className={styles.counts}>
          {[...results].map(([status, number]) => (
            <RunStatusTag
              key={status}
              status={status as Simulation['runs'][number]['status']}
              {...(count > 1 && { text: format.number(number) })}
            />
          ))}
        </p>
        {failed?.error !== undefined && <p>{failed.error}</p>}
        {!simulation.complete && <p>{t.bounded}</p>}
        {total === 0 && <p>{t.noneAtAll}</p>}
        {(simulation.warnings ?? []).map((warning) => (
          <p key={warning} className={styles.warning}>
            {t.ignored}: {warning}
          </p>
        ))}
      </section>
      <Scrubber {...{ frames, index, start }} choose={(next) => setAt(next === last ? undefined : next)} />
      <div className={styles.film}>
        <div>
          {count > 1 && (
            <NativeSelect
              className={styles.runChoice}
              label={t.shownRun}
              {...(count > RUNS_SHOWN_MAX && { description: t.firstRuns(format.number(RUNS_SHOWN_MAX)) })}
              value={runId}
              data={shownRuns.map(({ run_id, status }, position) => ({
                value: run_id,
                label: `${position + 1} · ${status}`,
              }))}
              onChange={({ currentTarget: { value } }) => setRunId(value)}
            />
          )}
          <Graph
            steps={steps.map((fields, position) => ({ key: String(position), fields }))}
            toneOf={(position) => stepTone(states.get(position)?.status ?? '')}
            isReached={(position) => states.has(position)}
            isCurrent={(position) => states.get(position)?.isCurrent ?? false}
            aside={(position) => {
              const state = states.get(position)
              return state && <RunStatusTag status={state.status} />
            }}
            body={(position) => {
              const state = states.get(position)
              if (!state) return null
              const { reason, waited_ms: waited, request } = state.step
              if (reason === undefined && waited === undefined && request === undefined) return null
              return (
                <div className={styles.result}>
                  {waited !== undefined && waited > 0 && (
                    <p className={styles.facts}>{t.waited(format.duration(waited))}</p>
                  )}
                  {request && (
                    <p className={styles.facts}>
                      {request.to.join(', ')}:{' '}
                      {t.recipients(format.number(request.recipients), request.more ? '+' : '')}
                    </p>
                  )}
                  {reason !== undefined && state.status !== 'WAITING' && (
                    <p className={state.status === 'ERROR' ? styles.problem : undefined}>
                      <Reason text={reason} />
                    </p>
                  )}
                </div>
              )
            }}
          />
        </div>
        <section className={styles.sent} aria-label={t.messages(format.number(messages.length))}>
          <h2>{t.messages(format.number(messages.length))}</h2>
          {messages.length === 0 && <p className={styles.dim}>{t.noMessages}</p>}
          {messages.slice(0, MESSAGES_SHOWN_MAX).map((sent, position) => (
            <Sent
              key={sent.message.message_id}
              sent={sent}
              start={start}
              run={count > 1 ? numberOf(sent.runId) : undefined}
              isNew={frame.messages.includes(sent)}
              isLatest={position === 0}
            />
          ))}
          {messages.length > MESSAGES_SHOWN_MAX && (
            <p className={styles.dim}>{t.earlier(format.number(messages.length - MESSAGES_SHOWN_MAX))}</p>
          )}
        </section>
      </div>
    </>
  )
}

interface ScrubberProps {
  frames: readonly Frame[]
  index: number
  start: number
  choose(index: number): void
}

function Scrubber({ frames, index, start, choose }: ScrubberProps) {
  const t = useTexts(filmTexts)
  const names = useTexts(stepTexts)
  const { locale } = useLanguage()
  const format = useFormat()
  const [isPlaying, setPlaying] = useState(false)
  const last = frames.length - 1
  const latest = useRef({ index, choose })
  latest.current = { index, choose }
  useEffect(() => {
    if (!isPlaying) return
    const timer = setInterval(() => {
      const next = latest.current.index + 1
      if (next <= last) latest.current.choose(next)
      if (next >= last) setPlaying(false)
    }, FRAME_MS)
    return () => clearInterval(timer)
  }, [isPlaying, last])
  const nameOf = ({ kind, step, messages: [sent] }: Frame) => {
    if (kind === 'end') return t.ends
    if (kind === 'digest') return `${t.digest}: ${sent?.message.event ?? ''}`
    const action = step?.action
    if (step && isAction(action)) return `${step.position + 1}. ${names[`action_${action}`]}`
    return sent ? `${sent.message.event} ${t.to(sent.message.recipient)}` : (action ?? '')
  }
  const elapsed = ({ at }: Frame) => (at > start ? t.after(format.duration(at - start)) : t.atStart)
  const frame = frames[index] as Frame
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'medium' }).format(frame.at)
  return (
    <div className={styles.scrubber}>
      <div className={styles.clock}>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={isPlaying ? t.pause : t.play}
          onClick={() => {
            if (!isPlaying && index === last) choose(0)
            setPlaying(!isPlaying)
          }}
        >
          {isPlaying ? <PauseIcon width={18} aria-hidden /> : <PlayIcon width={18} aria-hidden />}
        </ActionIcon>
        <div>
          <strong>{exact}</strong>
          <div className={styles.dim}>
            {elapsed(frame)} · {nameOf(frame)}
          </div>
        </div>
      </div>
      <input
        type="range"
        className={styles.range}
        aria-label={t.time}
        aria-valuetext={`${elapsed(frame)}: ${nameOf(frame)}`}
        min={0}
        max={last}
        value={index}
        onChange={({ currentTarget: { value } }) => {
          setPlaying(false)
          choose(Number(value))
        }}
      />
      {frames.length <= POINTS_MAX && (
        <ol className={styles.points} aria-hidden>
          {frames.map((each, position) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: the frames of a simulation do not change
              key={position}
              data-tone={pointTone(each)}
              data-sends={each.messages.length > 0}
              data-reached={position <= index}
              data-current={position === index}
            >
              {each.at > (frames[position - 1]?.at ?? start) && <span>+{format.duration(each.at - start)}</span>}
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

const pointTone = ({ kind, step }: Frame) => (kind === 'step' ? stepTone(step?.status ?? '') : 'quiet')

interface SentProps {
  sent: SentMessage
  start: number
  /** Among several runs: which. */
  run: number | undefined
  isNew: boolean
  isLatest: boolean
}

function Sent({ sent: { at, message, isDigest, position }, start, run, isNew, isLatest }: SentProps) {
  const t = useTexts(filmTexts)
  const reasons: Record<string, string> = useTexts(reasonMeanings)
  const format = useFormat()
  const { event, recipient, channels, explanation } = message
  const rendered = explanation?.rendered ?? []
  const [chosen, setChosen] = useState(0)
  const [toggled, setToggled] = useState<boolean>()
  const isOpen = toggled ?? isLatest
  const shown = rendered[Math.min(chosen, rendered.length - 1)]
  const decision = explanation?.decision
  const isStopped = decision !== undefined && decision.status !== 'ROUTED'
  const title = shown?.content.subject || shown?.content.title || event
  return (
    <details
      className={styles.message}
      data-new={isNew}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => open !== isOpen && setToggled(open)}
    >
      <summary>
        <span className={styles.messageTitle}>
          <strong>{title}</strong>
          {isStopped && decision && <MessageStatusTag status={decision.status} />}
        </span>
        <span className={styles.facts}>
          <span>{at > start ? t.after(format.duration(at - start)) : t.atStart}</span>
          <span>{t.to(recipient)}</span>
          {position !== undefined && event !== '' && event !== title && <code>{event}</code>}
          {isDigest && <span>{t.digest}</span>}
          {run !== undefined && run > 0 && <span>{t.ofRun(run)}</span>}
          {channels.map((channel) => (
            <Channel key={channel} channel={channel} />
          ))}
        </span>
      </summary>
      {isOpen && (
        <div className={styles.messageBody}>
          {isStopped && (
            <p>
              {t.wouldNotGo} {decision.reason && (reasons[decision.reason] ?? decision.reason)} {decision.error}
            </p>
          )}
          {!explanation && <p className={styles.dim}>{t.notExplained}</p>}
          {rendered.length > 1 && (
            <NativeSelect
              label={t.channel}
              value={String(chosen)}
              data={rendered.map(({ channel, provider, title: name }, index) => ({
                value: String(index),
                label: `${channel} · ${name ?? provider}`,
              }))}
              onChange={({ currentTarget: { value } }) => setChosen(Number(value))}
            />
          )}
          {shown?.error && <p className={styles.problem}>{shown.error}</p>}
          {shown && !shown.error && <RenderedContent message={{ channel: shown.channel, ...shown.content }} />}
        </div>
      )}
    </details>
  )
}
