/** A simulation as frames of a film: one for each step that starts, each message that goes later, and the end. */
import type { SimulatedDigest, SimulatedMessage, SimulatedStep, Simulation } from '@postrider/client'
import type { StepStatus } from './run-words.tsx'

export interface Frame {
  /** Milliseconds since the Unix epoch, in simulated time. */
  at: number
  kind: 'step' | 'message' | 'digest' | 'end'
  /** The step that starts, or the digest that is released. */
  step?: SimulatedStep
  digest?: SimulatedDigest
  messages: readonly SentMessage[]
}

export interface SentMessage {
  at: number
  message: SimulatedMessage
  runId: string | undefined
  /** The position of the step that sent it. */
  position: number | undefined
  isDigest: boolean
}

const ORDER = { step: 0, message: 1, digest: 2, end: 3 } as const

export function framesOf({ timeline, digests, end }: Simulation): Frame[] {
  const steps = timeline.map((step): Frame => {
    const at = Date.parse(step.at)
    return { at, kind: 'step', step, messages: sentBy(step).filter((sent) => sent.at <= at) }
  })
  const later = timeline.flatMap((step): Frame[] =>
    sentBy(step)
      .filter(({ at }) => at > Date.parse(step.at))
      .map((sent) => ({ at: sent.at, kind: 'message', messages: [sent] })),
  )
  const released = digests.map((digest): Frame => {
    const at = Date.parse(digest.released_at)
    const sent = { at, message: digest.message, runId: undefined, position: undefined, isDigest: true }
    return { at, kind: 'digest', digest, messages: [sent] }
  })
  const all = [...steps, ...later, ...released]
  const last = Math.max(Date.parse(end), ...all.map(({ at }) => at))
  // Sorting is stable: steps of one time stay in the order of the server.
  return [...all, { at: last, kind: 'end' as const, messages: [] }].sort(
    (a, b) => a.at - b.at || ORDER[a.kind] - ORDER[b.kind],
  )
}

const sentBy = (step: SimulatedStep): SentMessage[] =>
  (step.messages ?? []).map((message) => ({
    at: message.due_at === undefined ? Date.parse(step.at) : Date.parse(message.due_at),
    message,
    runId: step.run_id,
    position: step.position,
    isDigest: false,
  }))

export interface StepState {
  status: StepStatus
  step: SimulatedStep
  isCurrent: boolean
}

/** The steps of a run as they are in a frame, by position; those that have not started are left out. */
export function stepsAt(frames: readonly Frame[], index: number, runId: string): Map<number, StepState> {
  const now = frames[index]
  const states = new Map<number, StepState>()
  if (!now) return states
  for (const frame of frames.slice(0, index + 1)) {
    const { step } = frame
    if (step?.run_id !== runId) continue
    const isOver = step.ended_at !== undefined && (Date.parse(step.ended_at) <= now.at || now.kind === 'end')
    const status = isOver || step.waited_ms === undefined ? step.status : 'WAITING'
    states.set(step.position, { status, step, isCurrent: frame === now })
  }
  return states
}

/** Messages up to a frame, the latest first. */
export const messagesAt = (frames: readonly Frame[], index: number): SentMessage[] =>
  frames
    .slice(0, index + 1)
    .flatMap(({ messages }) => messages)
    .reverse()
