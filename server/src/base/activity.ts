/** The activity of the main thread, in shared memory, so that another thread can read it while the main thread is blocked. */

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

const TURNS = 0
const SECTIONS = 1
const KIND = 2
const WHAT = 3
const ID_LENGTH = 4
const COUNTERS = 5
const ID_CHARACTERS_MAX = 256
/** Kinds and sentences are few and come again and again: each is written once, so that an activity costs its id only. */
const LABELS_MAX = 512
const LABEL_CHARACTERS_MAX = 63
const LABEL_SIZE = LABEL_CHARACTERS_MAX + 1

const layout = (memory: SharedArrayBuffer) => {
  const idAt = COUNTERS * Int32Array.BYTES_PER_ELEMENT
  return {
    counters: new Int32Array(memory, 0, COUNTERS),
    id: new Uint16Array(memory, idAt, ID_CHARACTERS_MAX),
    /** For each text its length, then its characters. */
    labels: new Uint16Array(memory, idAt + 2 * ID_CHARACTERS_MAX, LABELS_MAX * LABEL_SIZE),
  }
}

/** One for the process, as it has one main thread. */
export const activityMemory = new SharedArrayBuffer(
  COUNTERS * Int32Array.BYTES_PER_ELEMENT + 2 * (ID_CHARACTERS_MAX + LABELS_MAX * LABEL_SIZE),
)
const { counters, id: idCharacters, labels } = layout(activityMemory)
const labelNumbers = new Map<string, number>()
/** The label of nothing, and of what has no room. */
const NO_LABEL = 0

/** Labels by their numbers: those of the activity around are published again without a look-up. */
let kindNow = NO_LABEL
let idNow = ''
let whatNow = NO_LABEL
/** In memory, also when no activity has it now: the next one is often of the same message. */
let writtenId = ''

/**
 * Names the work while it holds the thread. For work that returns a promise, this is the part before its first wait.
 */
export function during<T>(kind: string, id: string, what: string, work: () => T): T {
  const outerKind = kindNow
  const outerId = idNow
  const outerWhat = whatNow
  publish(labelNumber(kind), id, labelNumber(what))
  try {
    return work()
  } finally {
    publish(outerKind, outerId, outerWhat)
  }
}

/** Called from a timer: the event loop turns. */
export function countTurn(): void {
  Atomics.add(counters, TURNS, 1)
}

function publish(kind: number, id: string, what: number): void {
  if (id !== '' && id !== writtenId) writeId(id)
  kindNow = kind
  idNow = id
  whatNow = what
  counters[KIND] = kind
  counters[WHAT] = what
  // Atomic, so that it is not moved before the writes that it publishes.
  Atomics.add(counters, SECTIONS, 1)
}

function writeId(id: string): void {
  const length = Math.min(id.length, ID_CHARACTERS_MAX)
  for (let at = 0; at < length; at += 1) idCharacters[at] = id.charCodeAt(at)
  counters[ID_LENGTH] = length
  writtenId = id
}

function labelNumber(text: string): number {
  const earlierNumber = labelNumbers.get(text)
  if (earlierNumber !== undefined) return earlierNumber
  const number = labelNumbers.size + 1
  if (number >= LABELS_MAX) return NO_LABEL
  const length = Math.min(text.length, LABEL_CHARACTERS_MAX)
  const start = number * LABEL_SIZE
  for (let at = 0; at < length; at += 1) labels[start + 1 + at] = text.charCodeAt(at)
  labels[start] = length
  labelNumbers.set(text, number)
  return number
}

/** For the other thread. */
export function readActivity(memory: SharedArrayBuffer): ActivitySample {
  const shared = layout(memory)
  const counter = (at: number) => Atomics.load(shared.counters, at)
  const label = (number: number) => {
    const start = number * LABEL_SIZE
    return String.fromCharCode(...shared.labels.subarray(start + 1, start + 1 + (shared.labels[start] ?? 0)))
  }
  const [turns, sections, kind, what] = [counter(TURNS), counter(SECTIONS), counter(KIND), counter(WHAT)]
  if (kind === NO_LABEL) return { turns, sections, activity: undefined }
  const id = String.fromCharCode(...shared.id.subarray(0, counter(ID_LENGTH)))
  return { turns, sections, activity: { kind: label(kind), id, what: label(what) } }
}
