/** A load request: what loading needs to know of a message. */
import type { Pinned } from '../leased-message.ts'
import type { SendInput } from '../send.ts'

export interface Subject {
  message: {
    id: string
    workspace_id: number
    mode: string
    first_due: number
    recipient: string
    list_id?: string | null
  }
  input: SendInput
  pinned: Pinned | undefined
  /** What was decided is told again: with the preferences of then. */
  asThen?: boolean
}
