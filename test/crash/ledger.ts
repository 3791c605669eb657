/** What was asked and answered, what arrived, who died when: written down as it happens, judged afterwards. */

/** One call of `POST /send`; a send that is tried again with its Idempotency-Key has several. */
export interface Call {
  send: number
  asked: number
  /** Absent: no answer came, and nobody knows whether it was accepted. */
  answered?: number
  status?: number
  messageId?: string
  /** The moment the sender asked to wait for. */
  notBefore?: number
}

/** One arrival at the recording provider. */
export interface Receipt {
  send: number
  messageId: string
  at: number
  /** What the provider answered: 200 takes it, anything else asks for another attempt. */
  status: number
}

export interface Kill {
  node: number
  /** `SIGKILL` at some moment, or the name of a failpoint. */
  how: string
  /** When it was ordered; for a failpoint, when its death was seen. */
  at: number
  /** When the death was seen. */
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
}

export const emptyLedger = (): Ledger => ({ calls: [], receipts: [], kills: [], outages: [] })

export const isAccepted = ({ status }: Call) => status !== undefined && status >= 200 && status < 300
