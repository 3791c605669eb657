/** Undo and redo: the states before and after the present one. Typing in one field within a second is one change. */

export interface History<State> {
  past: readonly State[]
  present: State
  future: readonly State[]
  /** Name and time of the latest change, which the next one may join. */
  mark: { name: string; at: number } | undefined
}

const STEPS_MAX = 200
const JOINED_MS = 1_000

export const newHistory = <State>(present: State): History<State> => ({
  past: [],
  present,
  future: [],
  mark: undefined,
})

/** Changes of one name that follow each other quickly are one step; without a name each is a step. */
export function recordChange<State>(
  history: History<State>,
  next: State,
  name?: string,
  at = Date.now(),
): History<State> {
  const { mark, past, present } = history
  if (next === present) return history
  const isJoined = name !== undefined && mark?.name === name && at - mark.at < JOINED_MS
  return {
    past: isJoined ? past : [...past, present].slice(-STEPS_MAX),
    present: next,
    future: [],
    mark: name === undefined ? undefined : { name, at },
  }
}

export function undo<State>({ past, present, future }: History<State>): History<State> | undefined {
  const before = past.at(-1)
  if (before === undefined) return undefined
  return { past: past.slice(0, -1), present: before, future: [present, ...future], mark: undefined }
}

export function redo<State>({ past, present, future }: History<State>): History<State> | undefined {
  const [next, ...rest] = future
  if (next === undefined) return undefined
  return { past: [...past, present], present: next, future: rest, mark: undefined }
}
