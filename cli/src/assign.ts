/** `key=value` on the command line: text as it stands, `key:=json` for anything else. */
import { InvalidArgumentError } from 'commander'

export type Fields = Record<string, unknown>

/** Collects one more pair; of a key given twice the last one counts. */
export function assign(text: string, before: Fields | undefined): Fields {
  const match = /^([^=:]+)(:?=)(.*)$/s.exec(text)
  const [, key = '', mark, value = ''] = match ?? []
  if (!match) throw new InvalidArgumentError('It is written key=value, or key:=json.')
  // Copying by entries keeps a key like __proto__ a plain key.
  return Object.fromEntries([...Object.entries(before ?? {}), [key.trim(), mark === ':=' ? parsed(value) : value]])
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('The value after := must be JSON: a number, true, ["a list"], {"an": "object"}.')
  }
}
