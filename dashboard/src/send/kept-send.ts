/** A form of *Send* as it stands in the history of the browser: a reload, the way back and a second press find it. */
import type { SendForm } from './form.ts'

export interface KeptSend {
  /** The environment and the key that it was typed with: who signs in after another one may see less. */
  by: string
  form: SendForm
  /** A body that was sent and whose reply is not known, with its idempotency key. */
  sent?: SentBody | undefined
}

export interface SentBody {
  json: string
  idempotencyKey: string
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    send?: KeptSend | undefined
  }
}

/** Browsers keep little for each entry of their history. */
const LENGTH_MAX = 100_000

/** Undefined for one that is too large. */
export const kept = (send: KeptSend): KeptSend | undefined =>
  JSON.stringify(send).length <= LENGTH_MAX ? send : undefined
