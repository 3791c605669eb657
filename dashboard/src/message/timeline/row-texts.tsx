/** A row of the timeline in words: its title, one line about it, and the word behind its sign. */
import type { DeliveryRecord, HistoryEvent, MessageExplanation } from '@postrider/client'
import type { ReactNode } from 'react'
import { useStepText } from '../../decisions/decision-texts.ts'
import { stepNames } from '../../decisions/steps.tsx'
import { texts, useTexts } from '../../language/language.tsx'
import { useTemplateNames } from '../../names/template-names.ts'
import { ChannelMark } from '../../parts/channel.tsx'
import { channelNames, reasonMeanings } from '../../parts/meanings.ts'
import { serverTexts } from '../../parts/server-texts.ts'
import { isWish, StatusMark, type Tone } from '../../parts/status.tsx'
import { suppressionTexts } from '../../parts/suppression-reasons.ts'
import { useFormat } from '../../parts/time.tsx'
import {
  type EventFormat,
  eventFacts,
  eventLook,
  eventTexts,
  factsWithoutWay,
  reasonOf,
  stopOf,
} from './event-words.ts'
import type { TimelineInput, TimelineRow } from './rows.ts'

const wordings = texts({
  en: {
    onDisk: 'on disk before the reply',
    decided: 'Decided',
    passed: (count: number) => (count === 1 ? '1 step passed' : `${count} steps passed`),
    stoppedAt: (step: string) => `stopped at: ${step}`,
    attempt: (integration: string, number: string) => `${integration}, attempt ${number}`,
    accepted: 'accepted',
    running: 'in progress',
    due: (time: string) => `due ${time}`,
    sent: 'sent',
    retry: 'retry',
    rejected: 'rejected',
    in_doubt: 'in doubt',
    failed: 'Undeliverable',
  },
  de: {
    onDisk: 'gespeichert vor der Antwort',
    decided: 'Entschieden',
    passed: (count: number) => (count === 1 ? '1 Schritt bestanden' : `${count} Schritte bestanden`),
    stoppedAt: (step: string) => `gestoppt bei: ${step}`,
    attempt: (integration: string, number: string) => `${integration}, Versuch ${number}`,
    accepted: 'angenommen',
    running: 'läuft',
    due: (time: string) => `fällig ${time}`,
    sent: 'gesendet',
    retry: 'neuer Versuch',
    rejected: 'abgelehnt',
    in_doubt: 'ungewiss',
    failed: 'Unzustellbar',
  },
})

export interface RowTexts {
  title: string
  detail?: string | undefined
  /** The outcome of an attempt in a word, and the code of the reply. */
  outcome?: string | undefined
  code?: string | undefined
  tone: Tone
  mark: ReactNode
}

const tones = { sent: 'good', retry: 'warn', rejected: 'bad', in_doubt: 'bad' } as const

export function useRowTexts(input: TimelineInput & { explanation: Explained }): (row: TimelineRow) => RowTexts {
  const t = useTexts(wordings)
  const titles = useTexts(eventTexts)
  const steps: Record<string, string> = useTexts(stepNames)
  const format = useFormat()
  const eventFormat = useEventFormat(input.explanation)
  const decided = (): Pick<RowTexts, 'title' | 'detail'> => {
    const stop = input.explanation.steps.find(({ outcome }) => outcome === 'stopped')
    if (!stop) return { title: t.decided, detail: t.passed(input.explanation.steps.length) }
    // A decision between two attempts stopped it, not the one that began them.
    const wasTried = input.explanation.deliveries.some(({ attempts_total: total }) => total > 0)
    return { title: t.decided, ...(!wasTried && { detail: t.stoppedAt(steps[stop.step] ?? stop.step) }) }
  }
  return (row) => {
    switch (row.kind) {
      case 'decided':
        return { ...decided(), tone: 'quiet', mark: <StatusMark status="ROUTED" tone="quiet" /> }
      case 'attempt': {
        const { outcome, error, reply, number } = row.attempt
        const detail = error === undefined ? (outcome === undefined ? t.running : t.accepted) : eventFormat.error(error)
        return {
          title: t.attempt(nameOf(row.delivery), String(number)),
          detail: [deviceOf(row.delivery), detail].filter(Boolean).join(': '),
          outcome: outcome && t[outcome],
          code: reply?.status === undefined ? undefined : String(reply.status),
          tone: outcome ? tones[outcome] : 'quiet',
          mark: <ChannelMark channel={row.delivery.channel} />,
        }
      }
      case 'next':
        return {
          title: t.attempt(nameOf(row.delivery), String(row.delivery.attempts_total + 1)),
          detail: [deviceOf(row.delivery), t.due(format.timeOfDay(row.delivery.next_attempt_at ?? 0))]
            .filter(Boolean)
            .join(': '),
          tone: 'wait',
          mark: <ChannelMark channel={row.delivery.channel} />,
        }
      case 'failed': {
        const [failure] = row.events
        const { reason, suppressed } = failure?.type === 'UNDELIVERABLE' ? failure : {}
        const meaning = (failure && eventFormat.stop(failure)) ?? (reason && eventFormat.reason(reason))
        const tone = isWish(reason) ? 'quiet' : 'bad'
        return {
          title: t.failed,
          detail: suppressed ? titles.suppressed(eventFormat.suppression(suppressed)) : meaning,
          tone,
          mark: <StatusMark status="UNDELIVERABLE" reason={reason} tone={tone} />,
        }
      }
      case 'event': {
        const { title, tone, also } = eventLook(row.event, input.events)
        const facts = [...eventFacts(row.event, titles, eventFormat), ...(also ? [titles[also]] : [])]
        return {
          title: titles[title],
          detail: row.event.type === 'ENQUEUED' ? t.onDisk : facts.join(', '),
          tone,
          mark: <StatusMark status={row.event.type} reason={reasonOf(row.event)} tone={tone} />,
        }
      }
    }
  }
}

type Explained = Pick<MessageExplanation, 'decision' | 'steps' | 'candidates' | 'deliveries'>

const deviceOf = ({ device }: Pick<DeliveryRecord, 'device'>) => device?.name ?? device?.id
const nameOf = ({ title, provider }: Pick<DeliveryRecord, 'title' | 'provider'>): string => title ?? provider

/** The facts of an event, without its channel and integration. */
export function useEventFacts(explanation: Explained) {
  const titles = useTexts(eventTexts)
  const format = useEventFormat(explanation)
  return (event: HistoryEvent) => factsWithoutWay(event, titles, format)
}

function useEventFormat(explanation: Explained): EventFormat {
  const channels: Record<string, string> = useTexts(channelNames)
  const { dayAndTime } = useFormat()
  const meanings: Record<string, string> = useTexts(reasonMeanings)
  const suppressions: Record<string, string> = useTexts(suppressionTexts)
  const { error } = useTexts(serverTexts)
  const templates = useTemplateNames()
  const stepText = useStepText(explanation.steps)
  const titles = new Map<string | undefined, string | undefined>(
    [...explanation.candidates, ...explanation.deliveries].map(({ integration, title }) => [integration, title]),
  )
  return {
    time: dayAndTime,
    channel: (channel) => channels[channel] ?? channel,
    template: (id) => templates.get(id) ?? id,
    reason: (reason) => meanings[reason] ?? reason,
    suppression: (reason) => suppressions[reason] ?? reason,
    error,
    stop: (event) => {
      const step = stopOf(event, explanation)
      return step && stepText(step).replace(/\.$/, '')
    },
    integration: ({ id, provider }) => titles.get(id) ?? provider,
  }
}
