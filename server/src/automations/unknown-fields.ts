/** Fields that a step, or what it stands in, does not have: most are misspelt, so the nearest that it has is named. */
import type { TSchema } from 'typebox'
import { invalidRequest } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/merge.ts'
import { propertiesOf } from './literals.ts'

/** Throws a 400. Objects of any content are not looked into; null is the same as nothing. `at` may be empty. */
export function checkFieldNames(schema: TSchema, fields: JsonObject, at: string, what: string): void {
  const known = namedIn(schema)
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue
    const place = at === '' ? shown(name) : `${at}.${shown(name)}`
    const field = Object.hasOwn(known, name) ? known[name] : undefined
    if (!field) throw invalidRequest(`${place} is not known here; ${advice(name, known, what)}`)
    const isOpen = 'additionalProperties' in field && field.additionalProperties === true
    if (isObject(value) && !Object.hasOwn(value, '$ref') && !isOpen && Object.keys(namedIn(field)).length > 0)
      checkFieldNames(field, value, place, name)
  }
}

/** Where several schemas would do, the names of all of them. */
function namedIn(schema: TSchema): Record<string, TSchema> {
  if (!('anyOf' in schema) || !Array.isArray(schema.anyOf)) return propertiesOf(schema)
  return Object.assign({}, ...(schema.anyOf as TSchema[]).map(namedIn))
}

/** Names are the caller's, of any length and with any character. */
export const shown = (name: string) => JSON.stringify(name.slice(0, 64)).slice(1, -1)

function advice(name: string, known: Record<string, TSchema>, what: string): string {
  const names = Object.keys(known)
  const inside = Object.entries(known).find(([, field]) => Object.hasOwn(namedIn(field), name))
  const near = nearest(name, names) ?? (inside && `${inside[0]}.${name}`)
  return near === undefined ? `${what} has ${names.join(', ')}` : `\`${near}\` is meant?`
}

/** Of these names the one that was probably meant. */
function nearest(name: string, known: readonly string[]): string | undefined {
  return known
    .map((other) => ({ other, distance: distance(plain(name.slice(0, 64)), plain(other)) }))
    .filter(({ other, distance }) => distance <= Math.max(1, Math.floor(other.length / 3)))
    .sort((one, two) => one.distance - two.distance)[0]?.other
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')

/** How many letters are to be put in, taken out, changed or exchanged with their neighbour. */
function distance(from: string, to: string): number {
  const rows: number[][] = [[...to, ''].map((_, column) => column)]
  for (let row = 1; row <= from.length; row += 1) {
    const [before = [], earlier = []] = [rows[row - 1], rows[row - 2]]
    const line = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      line[column] = Math.min(
        at(before, column) + 1,
        at(line, column - 1) + 1,
        at(before, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(earlier, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    rows.push(line)
  }
  return at(rows.at(-1) ?? [], to.length)
}

const at = (line: readonly number[], column: number) => line[column] ?? Number.POSITIVE_INFINITY
