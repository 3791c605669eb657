/** A step and a digest of a simulation, each in one line; the contract has the summary of every step. */
import type { Simulation } from '@postrider/client'
import { type AutomationAction, automationSteps, type StepDefinition, type SummaryFormat } from '@postrider/contract'
import { bytes, plain, shorten } from '../../../plain.ts'
import { span } from '../../../span.ts'

export type Step = Simulation['timeline'][number]
type Message = NonNullable<Step['messages']>[number]

/** `nameOf` is how a run is called in the timeline. */
export function stepText(step: Step, nameOf: (runId: string) => string): string {
  const { action, status, reason, waited_ms: waited = 0 } = step
  const why = reason === undefined ? '' : `: ${reason}`
  switch (status) {
    case 'PROCESSED':
      return done(step, nameOf)
    case 'SKIPPED':
      return `${action} skipped${why}`
    case 'ERROR':
      return `${action} failed${why}`
    case 'THROTTLED':
      return `throttle reached${why}`
    case 'CANCELED':
      return `${action} canceled by another run while it waited`
    default:
      return `${action} ${status.toLowerCase()}${waited > 0 ? ` ${span(waited)}` : ''}${why}`
  }
}

function done(step: Step, nameOf: (runId: string) => string): string {
  const { action, messages, request, reason, result = {}, waited_ms: waitedMs = 0 } = step
  if (request) return `send to ${firstOf(request.to)}, ${manyText(request, messages ?? [])}`
  if (messages) return `send ${messages.map(messageText).join('; ')}`
  // A newer server can have steps that this version does not know.
  const definition: StepDefinition | undefined = Object.hasOwn(automationSteps, action)
    ? automationSteps[action as AutomationAction]
    : undefined
  const summary = definition?.summary({ result, waitedMs }, { ...format, run: nameOf }) ?? action
  // The summary of a step that waits says for how long and why.
  if (definition?.waits) return summary
  return `${summary}${reason === undefined ? '' : `: ${reason}`}${waitedMs > 0 ? `, after ${span(waitedMs)}` : ''}`
}

/** More would hide what comes behind them. */
const NAMED_MAX = 3

function firstOf(names: readonly string[]): string {
  const more = names.length - NAMED_MAX
  return more > 0 ? `${names.slice(0, NAMED_MAX).join(', ')} and ${more} more` : names.join(', ')
}

function manyText({ recipients, more }: NonNullable<Step['request']>, messages: readonly Message[]): string {
  const number = `${count(recipients, 'recipient')}${more ? ' or more' : ''}`
  return messages.length > 0 ? `${number}: ${messages.map(messageText).join('; ')}` : number
}

type Digest = Simulation['digests'][number]

export const digestText = ({ topic_id: topic, collected, message }: Digest): string =>
  `the digest of ${topic} with ${count(collected, 'event')}: send ${messageText(message)}`

const count = (number: unknown, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`

/** To the second where that is exact: `2026-03-04 09:00:00Z`. */
const utcTime = (iso: unknown) => String(iso).replace('T', ' ').replace('.000Z', 'Z')

function messageText({ recipient, event, channels, explanation, due_at: due }: Message): string {
  const what = event === '' ? 'a message' : event
  const when = due === undefined ? '' : ` at ${utcTime(due)}`
  if (explanation && channels.length === 0) {
    const { status, reason, error } = explanation.decision
    return `${what} to ${recipient}${when}, which would be ${[status, reason, error].filter(Boolean).join(': ')}`
  }
  const content = explanation?.rendered[0]?.content
  const said = content ? content.subject || content.title || content.body : ''
  const by = channels.length > 0 ? ` by ${channels.join(', ')}` : ''
  return `${what} to ${recipient}${by}${when}${said ? `: ${shorten(plain(said), 60)}` : ''}`
}

const format: Omit<SummaryFormat, 'run'> = { count, bytes, duration: span, time: utcTime }
