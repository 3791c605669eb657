/** A message on its way: what was asked, what it is as a job, and what has been done about it. */
import type { Channel, DeliveryRecord, HistoryEvent, MessageStatus, RenderedContent } from '@postrider/contract'
import type { JsonObject } from '../base/merge.ts'

/** Chosen by the key: published templates, drafts, or no provider call at all. */
export type Mode = 'live' | 'draft' | 'mock'

/** The order in which claims prefer messages; each lane has its share of every claim. */
export const lanes = { transactional: 0, automation: 1, bulk: 2 } as const

/** What the caller said, as stored. Absent parts are absent, never null. */
export interface SendInput {
  event: string
  recipient: string
  profile?: JsonObject
  data?: JsonObject
  override?: JsonObject
  preferences?: JsonObject
  brand?: string
}

/** One message to be accepted. */
export interface Send {
  workspaceId: number
  mode: Mode
  input: SendInput
  /** Nothing is sent before this moment. */
  notBefore?: number
  idempotency?: Idempotency
}

export interface Idempotency {
  /** The operation and what its path names: the same key there is another key. */
  route: string
  key: string
  /** When the stored reply may be forgotten; milliseconds since the epoch. */
  expires: number
}

export type Accepted =
  | { kind: 'accepted'; messageId: string }
  /** The key was used before: the reply of then, word for word. */
  | { kind: 'replayed'; status: number; reply: string }
  /** The same key is being processed at this moment. */
  | { kind: 'in_flight' }

export type Canceled = 'canceled' | 'too_late' | 'missing'

export interface MessageOutput {
  channel: Channel
  channelId: string
  renderId: string
  content: RenderedContent
}

export type { DeliveryRecord, HistoryEvent, MessageStatus }
