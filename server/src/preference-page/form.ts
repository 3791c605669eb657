/** The forms of the page: what was submitted, and the token that proves that the page was shown before. */
import { hash } from 'node:crypto'
import type { SecretKey } from '../base/secret.ts'
import { readLink, signLink } from '../base/signed-link.ts'
import { DAY } from '../base/time/duration.ts'
import type { TopicChoiceRow } from '../database/tables/preferences/preferences.ts'
import type { SubmittedChoice } from './choices.ts'

const KIND = 'preferences-form'
/** A page that is left open overnight can still be saved. */
const VALID_MS = DAY

const digestOf = (link: string, before: readonly string[]) =>
  hash('sha256', JSON.stringify([link, ...before]), 'base64url')

/** Bound to the link and to what an undo restores, so that only forms of the page are accepted. */
export const formToken = (key: SecretKey, link: string, now: number, earlier: readonly EarlierChoice[] = []): string =>
  signLink(key, KIND, [digestOf(link, earlier.map(earlierText)), String(now + VALID_MS)])

const isValid = (key: SecretKey, digest: string, token: string, now: number): boolean => {
  const [signed, end] = readLink(key, KIND, token) ?? []
  return signed === digest && Number(end) > now
}

/** A choice as it was before the last change; a status of null: none was stored. */
export interface EarlierChoice {
  topicId: string
  status: 'OPTED_IN' | 'OPTED_OUT' | null
  hasCustomRouting: boolean
  customRouting: string[]
}

export type Submission =
  /** By a mail program or service: RFC 8058 §3.1. */
  | { kind: 'one_click' }
  | { kind: 'save'; choices: ReadonlyMap<string, SubmittedChoice> }
  | { kind: 'unsubscribe' }
  | { kind: 'unsubscribe_all' }
  | { kind: 'undo'; earlier: readonly EarlierChoice[] }
  /** Its token is too old, of another page, or of another undo. */
  | { kind: 'expired' }
  /** Nothing that the page or a mail service submits. */
  | { kind: 'unknown' }

interface SubmittedForm {
  link: string
  body: Buffer
  contentType: string
  now: number
}

/** RFC 8058 allows both encodings; the fields of a multipart body are found by their names. */
const ONE_CLICK_PART = /name="?List-Unsubscribe"?[\s\S]*?\r?\n\r?\nOne-Click\s/i
/** A mail service sends one field; searching more would take long. */
const ONE_CLICK_CHARACTERS_MAX = 4_096
/** Twice the topics of a workspace with all of their channels. */
const FIELDS_MAX = 10_000

export function readSubmission(key: SecretKey, { link, body, contentType, now }: SubmittedForm): Submission {
  const text = body.toString('utf8')
  if (contentType.startsWith('multipart/form-data'))
    return ONE_CLICK_PART.test(text.slice(0, ONE_CLICK_CHARACTERS_MAX)) ? { kind: 'one_click' } : { kind: 'unknown' }
  if (text.split('&', FIELDS_MAX + 1).length > FIELDS_MAX) return { kind: 'unknown' }
  const fields = new URLSearchParams(text)
  if (fields.get('List-Unsubscribe') === 'One-Click') return { kind: 'one_click' }
  const action = fields.get('action')
  if (action === null) return { kind: 'unknown' }
  const before = action === 'undo' ? fields.getAll('before') : []
  if (!isValid(key, digestOf(link, before), fields.get('form') ?? '', now)) return { kind: 'expired' }
  if (action === 'save') return { kind: 'save', choices: submittedChoices(fields) }
  if (action === 'undo') return { kind: 'undo', earlier: before.flatMap(readEarlier) }
  if (action === 'unsubscribe' || action === 'unsubscribe_all') return { kind: action }
  return { kind: 'unknown' }
}

/** A browser submits no field for a box that is not checked: `topic` names those that were shown. */
function submittedChoices(fields: URLSearchParams): Map<string, SubmittedChoice> {
  const on = new Set(fields.getAll('on'))
  const channels = new Map<string, string[]>()
  for (const value of fields.getAll('channel')) {
    const at = value.lastIndexOf(' ')
    const topic = value.slice(0, at)
    const names = channels.get(topic) ?? []
    names.push(value.slice(at + 1))
    channels.set(topic, names)
  }
  return new Map(fields.getAll('topic').map((id) => [id, { isOn: on.has(id), channels: channels.get(id) ?? [] }]))
}

/** For the field `before`, which is signed; read again by `readEarlier`. */
export const earlierText = ({ topicId, status, hasCustomRouting, customRouting }: EarlierChoice): string =>
  [status ?? '', hasCustomRouting ? customRouting.join(',') : '-', topicId].join(' ')

function readEarlier(text: string): EarlierChoice[] {
  const [, status, routing, topicId] = /^(OPTED_IN|OPTED_OUT)? ([a-z_,]*|-) (.+)$/s.exec(text) ?? []
  if (topicId === undefined || routing === undefined) return []
  const hasCustomRouting = routing !== '-'
  return [
    {
      topicId,
      status: (status as 'OPTED_IN' | 'OPTED_OUT' | undefined) ?? null,
      hasCustomRouting,
      customRouting: hasCustomRouting && routing !== '' ? routing.split(',') : [],
    },
  ]
}

export const earlierRow = (
  { topicId, hasCustomRouting, customRouting }: EarlierChoice,
  status: string,
): TopicChoiceRow => ({
  topicId,
  status,
  hasCustomRouting,
  customRouting,
})
