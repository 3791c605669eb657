/** Calls, replies, arrivals and crashes of a campaign, recorded as they happen and checked afterwards. */
import type { Standstill } from './standstills.ts'

/** One call of `POST /send`; a send that is retried with its Idempotency-Key has several. */
export interface Call {
  send: number
  sent: number
  /** Absent: no reply came, and it is unknown whether it was accepted. */
  answered?: number
  status?: number
  messageId?: string
  /** The send was delayed until this time. */
  notBefore?: number
}

/** One arrival at the recording provider. */
export interface Receipt {
  send: number
  messageId: string
  at: number
  /** The reply of the provider: 200 takes it, anything else demands another attempt. */
  status: number
  /** When the reply was given, where it was not at once. */
  replied?: number
}

export interface Kill {
  node: number
  /** `SIGKILL` at a random time, or the name of a failpoint. */
  how: string
  /** When it was ordered; for a failpoint, when its end was seen. */
  at: number
  /** When the end was seen. */
  gone: number
}

/** The database was killed under a service that lived on. */
export interface Outage {
  at: number
  /** When the service was ready again. */
  back: number
}

export interface Ledger {
  calls: Call[]
  receipts: Receipt[]
  kills: Kill[]
  outages: Outage[]
  /** When the process that writes all this down stood still. */
  standstills: Standstill[]
}

export const emptyLedger = (): Ledger => ({ calls: [], receipts: [], kills: [], outages: [], standstills: [] })

export const isAccepted = ({ status }: Call) => status !== undefined && status >= 200 && status < 300
