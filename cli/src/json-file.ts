/** A JSON object from a file, or from standard input. */
import { readFileSync } from 'node:fs'
import { exitCodes, Failure } from './failure.ts'

/** `-` is standard input. Throws a `Failure`. */
export function readObject(file: string): Record<string, unknown> {
  try {
    // 0 is standard input.
    const body: unknown = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'))
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read'
    throw new Failure(`${file === '-' ? 'Standard input' : file} ${why}`, { exitCode: exitCodes.wrong, cause })
  }
  throw new Failure(`${file === '-' ? 'Standard input' : file} is not a JSON object`, { exitCode: exitCodes.wrong })
}
