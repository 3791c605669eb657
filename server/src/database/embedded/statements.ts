/** Runs statements on PGlite; named ones are parsed once and cost one round trip instead of five. */
import { type PGlite, parse, protocol } from '@electric-sql/pglite'
import { checkTouch, type Result, type Statement } from '../engine.ts'

const { serialize } = protocol

type Fields = Awaited<ReturnType<PGlite['execProtocol']>>['messages'][number]

export interface Statements {
  run(statement: Statement): Promise<Result>
  runAtomically(statements: readonly Statement[]): Promise<Result[]>
}

const nothing: Result = { rows: [], affected: 0 }

export function createStatements(database: PGlite): Statements {
  /** What a named statement returns; null when it returns no rows. */
  const prepared = new Map<string, Fields | null>()

  const prepare = async (name: string, text: string): Promise<Fields | null> => {
    const { messages } = await database.execProtocol(
      joined(serialize.parse({ name, text }), serialize.describe({ type: 'S', name }), serialize.sync()),
    )
    const fields = messages.find((message) => message.name === 'rowDescription') ?? null
    prepared.set(name, fields)
    return fields
  }

  const runNamed = async (name: string, text: string, values: readonly unknown[]): Promise<Result> => {
    const fields = prepared.get(name) ?? (prepared.has(name) ? null : await prepare(name, text))
    const { messages } = await database.execProtocol(
      joined(serialize.bind({ statement: name, values: values.map(textOf) }), serialize.execute({}), serialize.sync()),
    )
    const [result] = parse.parseResults(fields ? [fields, ...messages] : messages, database.parsers)
    return { rows: (result?.rows ?? []) as Result['rows'], affected: result?.affectedRows ?? 0 }
  }

  const run = async ({ name, text, values }: Statement): Promise<Result> => {
    if (!values) {
      await database.exec(text)
      return nothing
    }
    if (name !== undefined) return runNamed(name, text, values)
    const { rows, affectedRows } = await database.query<Record<string, unknown>>(text, [...values])
    return { rows, affected: affectedRows ?? 0 }
  }

  return {
    run,
    async runAtomically(statements) {
      const [first, ...rest] = statements
      // A script at the beginning shares the round trip of `begin`.
      const script = first && !first.values
      try {
        await database.exec(script ? `begin; ${first.text}` : 'begin')
        const results: Result[] = script ? [nothing] : []
        for (const statement of script ? rest : statements) {
          const result = await run(statement)
          checkTouch(statement, result, results.length)
          results.push(result)
        }
        await database.exec('commit')
        return results
      } catch (error) {
        await database.exec('rollback')
        throw error
      }
    },
  }
}

/** PostgreSQL's text form; objects and arrays come as JSON text already. */
function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
