/** What the main thread is doing, in memory that another thread reads while the main thread stands still. */

export interface Activity {
  /** `message`, `run`, `request`, `task`, … */
  kind: string
  id: string
  /** Ends the sentence "It was …". */
  what: string
}

export interface ActivitySample {
  /** How often the main thread has shown that its event loop turns. */
  turns: number
  /** Changes whenever an activity begins or ends. */
  sections: number
  activity: Activity | undefined
}

const CHARACTERS_MAX = 400
const TURNS = 0
const SECTIONS = 1
const LENGTH = 2
const TEXT_AT = 16

/** One for the process, as it has one main thread. */
export const activityMemory = new SharedArrayBuffer(TEXT_AT + 2 * CHARACTERS_MAX)
const counters = new Int32Array(activityMemory, 0, 3)
const characters = new Uint16Array(activityMemory, TEXT_AT)
const SEPARATOR = 0

let current: Activity | undefined

/** Names the work while it holds the thread. Of work that returns a promise, this is the part before its first wait. */
export function during<T>(kind: string, id: string, what: string, work: () => T): T {
  const outer = current
  publish({ kind, id, what })
  try {
    return work()
  } finally {
    publish(outer)
  }
}

/** Called from a timer: the event loop turns. */
export function countTurn(): void {
  Atomics.add(counters, TURNS, 1)
}

function publish(activity: Activity | undefined): void {
  current = activity
  let length = 0
  if (activity) {
    length = write(activity.kind, 0)
    length = write(activity.id, separate(length))
    length = write(activity.what, separate(length))
  }
  counters[LENGTH] = length
  // Atomic, so that it is not moved before what it announces.
  Atomics.add(counters, SECTIONS, 1)
}

function separate(at: number): number {
  if (at < CHARACTERS_MAX) characters[at] = SEPARATOR
  return at + 1
}

function write(text: string, from: number): number {
  const length = Math.min(text.length, Math.max(0, CHARACTERS_MAX - from))
  for (let at = 0; at < length; at += 1) characters[from + at] = text.charCodeAt(at)
  return from + length
}

/** For the other thread. */
export function readActivity(memory: SharedArrayBuffer): ActivitySample {
  const shared = new Int32Array(memory, 0, 3)
  const turns = Atomics.load(shared, TURNS)
  const sections = Atomics.load(shared, SECTIONS)
  const length = Math.min(Atomics.load(shared, LENGTH), CHARACTERS_MAX)
  const text = String.fromCharCode(...new Uint16Array(memory, TEXT_AT, length))
  const [kind = '', id = '', what = ''] = text.split(String.fromCharCode(SEPARATOR))
  return { turns, sections, activity: length > 0 ? { kind, id, what } : undefined }
}
