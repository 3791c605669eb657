/** What a step of a simulation does, and what a digest tells, in words. */
import type { Simulation } from '@postrider/client'
import { bytes, plain, shorten } from '../../plain.ts'

export type Step = Simulation['timeline'][number]
type Message = NonNullable<Step['messages']>[number]
type Result = NonNullable<Step['result']>

/** `nameOf` is how a run is called in the timeline. */
export function stepWords(step: Step, nameOf: (runId: string) => string): string {
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
  const { action, messages, request, reason, result = {}, waited_ms: waited = 0 } = step
  if (request) return `send to ${firstOf(request.to)}, ${manyWords(request, messages ?? [])}`
  if (messages) return `send ${messages.map(messageWords).join('; ')}`
  switch (action) {
    case 'delay':
      return waited > 0 ? `wait ${span(waited)} until ${moment(result.until)}` : 'wait no longer: the moment is past'
    case 'add-to-batch':
      if (result.count === undefined) return 'add to the open batch, and end'
      return `wait ${span(waited)} for the batch, and go on with ${items(result)}`
    case 'invoke':
      return `start ${nameOf(String(result.runId))}`
    default:
      return `${plainWords(action, result)}${reason === undefined ? '' : `: ${reason}`}${waited > 0 ? `, after ${span(waited)}` : ''}`
  }
}

function plainWords(action: string, result: Result): string {
  switch (action) {
    case 'send':
      return 'send nothing'
    case 'send-list':
      return result.runs === undefined ? 'send nothing' : `start ${count(result.runs, 'run')}, one for each subscriber`
    case 'cancel':
      return `cancel ${count(result.canceled, 'run')} that hold${result.canceled === 1 ? 's' : ''} ${result.cancelation_token}`
    case 'fetch-data':
      return `fetch ${bytes(Number(result.bytes))}${Number(result.tries) > 1 ? ` in ${result.tries} tries` : ''}`
    case 'update-profile':
      return `write the profile of ${result.recipient_id} (${result.merge})`
    case 'get-profile':
      return `read the profile of ${result.user_id}${result.found ? '' : ', which is not there'}`
    case 'throttle':
      return `pass the throttle of ${result.max_allowed} in ${result.period}`
    case 'add-to-digest':
      return `keep the data for the digest of ${result.subscription_topic_id}`
    default:
      return action
  }
}

/** More would hide what comes behind them. */
const NAMED_MAX = 3

function firstOf(names: readonly string[]): string {
  const more = names.length - NAMED_MAX
  return more > 0 ? `${names.slice(0, NAMED_MAX).join(', ')} and ${more} more` : names.join(', ')
}

function manyWords({ recipients, more }: NonNullable<Step['request']>, messages: readonly Message[]): string {
  const number = `${count(recipients, 'recipient')}${more ? ' or more' : ''}`
  return messages.length > 0 ? `${number}: ${messages.map(messageWords).join('; ')}` : number
}

type Digest = Simulation['digests'][number]

export const digestWords = ({ topic_id: topic, collected, message }: Digest): string =>
  `the digest of ${topic} with ${count(collected, 'event')}: send ${messageWords(message)}`

const items = ({ count: all, items: kept }: Result) =>
  `${count(all, 'item')}${kept === all ? '' : `, of which ${kept} are kept`}`

const count = (number: unknown, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`

/** To the second where that is exact: `2026-03-04 09:00:00Z`. */
const moment = (iso: unknown) => String(iso).replace('T', ' ').replace('.000Z', 'Z')

function messageWords({ recipient, event, channels, explanation, due_at: due }: Message): string {
  const what = event === '' ? 'a message' : event
  const when = due === undefined ? '' : ` at ${moment(due)}`
  if (explanation && channels.length === 0) {
    const { status, reason, error } = explanation.decision
    return `${what} to ${recipient}${when}, which would be ${[status, reason, error].filter(Boolean).join(': ')}`
  }
  const content = explanation?.rendered[0]?.content
  const said = content ? content.subject || content.title || content.body : ''
  const by = channels.length > 0 ? ` by ${channels.join(', ')}` : ''
  return `${what} to ${recipient}${by}${when}${said ? `: ${shorten(plain(said), 60)}` : ''}`
}

const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
]

/** The two largest units: `2 days 3 hours`. */
export function span(ms: number): string {
  const parts: string[] = []
  let rest = ms
  for (const [length, name] of UNITS) {
    const number = Math.floor(rest / length)
    rest -= number * length
    if (number > 0 && parts.length < 2) parts.push(count(number, name))
  }
  return parts.length > 0 ? parts.join(' ') : ms === 0 ? 'no time' : `${ms} ms`
}
