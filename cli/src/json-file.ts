/** A JSON object from a file, or from standard input. */
import { exitCodes, Failure } from './failure.ts'
import { readText, sourceName } from './text-file.ts'

/** `-` is standard input. Throws a `Failure`. */
export function readObject(file: string): Record<string, unknown> {
  const body = parsed(file)
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  throw new Failure(`${sourceName(file)} is not a JSON object`, { exitCode: exitCodes.wrong })
}

function parsed(file: string): unknown {
  const text = readText(file)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure(`${sourceName(file)} is not JSON`, { exitCode: exitCodes.wrong, cause })
  }
}
