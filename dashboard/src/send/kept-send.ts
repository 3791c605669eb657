/** A form of *Send* as it stands in the history of the browser: a reload, the way back and a second press find it. */
import { useEffect, useRef } from 'react'
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

/** The last form that was left before it was written, with its entry of the history, which is written no more then. */
const LEFT = 'postrider-send-left'

/** Storage can be turned off; then the last key that was typed before the screen was left is lost. */
export function leftSend(entry: string | undefined): KeptSend | undefined {
  try {
    const left = JSON.parse(sessionStorage.getItem(LEFT) ?? 'null') as { entry: string; send: KeptSend } | null
    return left !== null && left.entry === entry ? left.send : undefined
  } catch {
    return undefined
  }
}

/** `unwritten`: the form as typed, where the history does not have it yet. */
export function useLeaving(unwritten: KeptSend | undefined): void {
  const entry = useRef<string>(undefined)
  const latest = useRef(unwritten)
  useEffect(() => {
    latest.current = unwritten
    // While the screen is left the history may be at another entry.
    if (unwritten && location.pathname.endsWith('/send')) entry.current = history.state?.__TSR_key
  })
  useEffect(() => {
    const leave = () => {
      if (latest.current === undefined || entry.current === undefined) return
      try {
        sessionStorage.setItem(LEFT, JSON.stringify({ entry: entry.current, send: latest.current }))
      } catch {
        // See above.
      }
    }
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [])
}
