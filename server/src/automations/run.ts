/** A run of an automation: its start, its context as callers write it, its state, and the record of a step. */

import { idCharactersMax } from '@postrider/contract'
import { invalidField } from '../base/errors.ts'
import { isObject, type JsonObject, merge } from '../base/json/json.ts'
import type { Marks, Mode } from '../messages/send.ts'

export type RunStatus = 'PROCESSING' | 'WAITING' | 'PROCESSED' | 'CANCELED' | 'ERROR' | 'THROTTLED'
type StepStatus = RunStatus | 'SKIPPED'

/** Defaults for the fields of every step. Absent parts are absent, never null. */
export interface RunContext {
  brand?: string
  template?: string
  recipient?: string
  data?: JsonObject
  profile?: JsonObject
}

/** The part of a run that never changes. */
export interface RunStart {
  id: string
  workspaceId: number
  mode: Mode
  /** The automation as written; parsed by `readAutomation` whenever the run is executed. */
  automation: JsonObject
  context: RunContext
  cancelationToken?: string
  templateId?: string
  /** `api`, `event/order.paid`, `schedule`, `invoke/<run id>`, `send-list/<run id>`. */
  source: readonly string[]
  /** 0, or one more than the run that started it. */
  depth: number
  /** The first run of a chain of invokes; this one if no run started it. */
  root: string
  created: number
  /** Marks of every message it sends, besides the run id. */
  marks?: Marks
}

/** The part of a run that every commit replaces, as JSON. */
export interface RunState {
  /** The next step. */
  position: number
  /** When that step became due: the time in the ids of what it creates, the same whenever it is executed again. */
  since: number
  data: JsonObject
  /** Results by the `ref` of their step. A send has `{messageId}`: its status is read when a step refers to it. */
  refs: Record<string, JsonObject>
  /** Set while the step at `position` waits. */
  waiting?: StepWait
  /** Executed steps, repetitions included. */
  taken: number
  /** Bytes of all replies of `fetch-data`. */
  fetched: number
}

export type StepWait =
  | { kind: 'delay'; until: number }
  | { kind: 'batch'; batchId: string }
  /** After a failed attempt. */
  | { kind: 'fetch'; tries: number }
  /** Between two pages of a list. */
  | { kind: 'list'; after: string; started: number }

/** The record of a step; replaced when the step continues. */
export interface StepRecord {
  position: number
  action: string
  status: StepStatus
  started: number
  ended?: number
  result?: JsonObject
  /** Why it was skipped, failed or waits. */
  reason?: string
  messageIds?: readonly string[]
}

/** Reads the context among other fields; `at` is its place in the body. Throws a 400 that names the field. */
export function readContext(body: JsonObject, at = ''): RunContext {
  const place = (key: string) => (at === '' ? key : `${at}.${key}`)
  const text = (key: 'brand' | 'template' | 'recipient') => {
    const value = body[key] === '' ? undefined : (body[key] ?? undefined)
    if (value === undefined) return undefined
    // Numeric ids are read as strings, as in a send.
    if (key === 'recipient' && Number.isSafeInteger(value)) return String(value)
    if (typeof value !== 'string' || value === '' || value.length > idCharactersMax)
      throw invalidField(place(key), `must be a string of 1 to ${idCharactersMax} characters`)
    return value
  }
  const object = (key: 'data' | 'profile') => {
    const value = body[key] ?? undefined
    // PHP serializes an empty object as an empty list.
    if (value === '' || (Array.isArray(value) && value.length === 0)) return undefined
    if (value !== undefined && !isObject(value)) throw invalidField(place(key), 'must be an object')
    return value
  }
  const [brand, template, recipient] = [text('brand'), text('template'), text('recipient')]
  const [data, profile] = [object('data'), object('profile')]
  return {
    ...(brand !== undefined && { brand }),
    ...(template !== undefined && { template }),
    ...(recipient !== undefined && { recipient }),
    ...(data && { data }),
    ...(profile && { profile }),
  }
}

/** The user id in a profile: callers send it there instead of in `recipient`. */
export function ownRecipient(profile: unknown): string | undefined {
  const id = isObject(profile) ? profile.user_id : undefined
  if (Number.isSafeInteger(id)) return String(id)
  return typeof id === 'string' && id !== '' && id.length <= idCharactersMax ? id : undefined
}

/** Merges data and profile; other fields of `above` take precedence. */
export function contextOver(below: RunContext, above: RunContext): RunContext {
  const merged = (key: 'data' | 'profile') => {
    const [base, over] = [below[key], above[key]]
    return (base || over) && { [key]: merge(base ?? {}, over) }
  }
  return { ...below, ...above, ...merged('data'), ...merged('profile') }
}
