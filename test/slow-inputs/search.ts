/** Searches for time: draws inputs, keeps those that take longest, grows them to the size that a caller may give. */
import { slowdown } from '@postrider/server/internal/base/processor-time.harness'
import { seededRandom } from '@postrider/server/internal/base/seeded-random.harness'

export interface Family {
  name: string
  /** The tokens of its grammar; inputs repeat drawn sequences of these. */
  words: readonly string[]
  /** The most that a caller can give of it. */
  charactersMax: number
  /** A call with it does not throw: what is refused at once takes no time. */
  example: string
  /** One call on the main thread. Its errors are ignored. */
  call(text: string): void
}

export interface Slow {
  family: string
  ms: number
  characters: number
  /** The sequences it repeats. */
  shape: Shape
}

export interface TimeOptions {
  /** Inputs drawn for each family. */
  draws: number
  seed: number
  /** The longest time of a call. */
  msMax: number
  progress?: (text: string) => void
}

/** Before, repeated, in the middle, repeated, behind. */
export type Shape = readonly [string, string, string, string, string]

/** The largest size; small enough that quadratic growth is found before it takes minutes. */
const SIZES = [1 / 256, 1 / 64, 1 / 16, 1 / 4, 1]
const GROWN = 6

/** The slowest of each family; those beyond the bound come first. */
export function searchForTime(families: readonly Family[], { draws, seed, msMax, progress }: TimeOptions): Slow[] {
  const slow = families.map((family) => {
    const shapes = shapesOf(family.words, draws, seed)
    const slowest = slowestOf(family, shapes, msMax)
    progress?.(
      `${Math.round(slowest.ms)} ms at most for ${family.name}: ${slowest.characters} of ${JSON.stringify(slowest.shape)}`,
    )
    return slowest
  })
  return slow.sort((a, b) => b.ms - a.ms)
}

function shapesOf(words: readonly string[], count: number, seed: number): Shape[] {
  const { between } = seededRandom(seed)
  const some = (max: number) =>
    Array.from({ length: between(0, max) }, () => words[between(0, words.length - 1)]).join('')
  // Mostly one run; with a second one, what is opened can be closed.
  const second = () => (between(1, 3) === 1 ? some(3) : '')
  return Array.from({ length: count }, () => [some(2), some(3), some(1), second(), some(2)])
}

/** Each generation of sizes keeps the slowest shapes. */
function slowestOf(family: Family, shapes: readonly Shape[], msMax: number): Slow {
  let alive = shapes
  let worst: Slow = { family: family.name, ms: 0, characters: 0, shape: ['', '', '', '', ''] }
  for (const size of SIZES) {
    const characters = Math.ceil(family.charactersMax * size)
    const measured = alive.map((shape) => ({ shape, ms: costOf(family, inputText(shape, characters), msMax) }))
    measured.sort((a, b) => b.ms - a.ms)
    const [first] = measured
    if (first && first.ms > worst.ms) worst = { family: family.name, characters, ...first }
    if (worst.ms > msMax) return worst
    // The first, small sizes show little: more shapes than are grown to the end.
    const kept = Math.max(GROWN, Math.ceil(alive.length / 3))
    alive = measured.slice(0, kept).map(({ shape }) => shape)
  }
  return worst
}

export function inputText([before, first, middle, second, behind]: Shape, characters: number): string {
  const room = Math.max(0, characters - before.length - middle.length - behind.length)
  const runs = Math.floor(room / Math.max(1, first.length + second.length))
  return `${before}${first.repeat(runs)}${middle}${second.repeat(runs)}${behind}`.slice(0, characters)
}

/** A call that takes too long is repeated: others run on this machine, and the first one compiles the code. */
function costOf({ call }: Family, text: string, msMax: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const before = process.cpuUsage()
    const began = performance.now()
    try {
      call(text)
    } catch (error) {
      if (isEngineError(error)) throw error
    }
    const wall = performance.now() - began
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, wall, (user + system) / 1_000)
    // Whatever takes this long is found; twice more would take as long again.
    if (least <= msMax || least > 8 * msMax) break
  }
  return least <= msMax ? least : least / slowdown()
}

/** An input that the engine gives up on, not one that is refused. */
const isEngineError = (error: unknown) =>
  error instanceof Error && /Maximum call stack|Invalid (?:string|array) length/.test(`${error.message} ${error.cause}`)

export const describeSlow = ({ family, ms, characters, shape }: Slow) =>
  `${Math.round(ms)} ms for ${family}: ${characters} characters of ${JSON.stringify(shape)}`
