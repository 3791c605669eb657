/** The context of a run as callers write it: defaults for the fields of every step. */
import { idCharactersMax } from '@postrider/contract'
import { invalidField } from '../base/errors.ts'
import { isObject, type JsonObject, merge } from '../base/json/json.ts'
import type { RunContext } from './run.ts'

/** Reads the context among other fields; `at` is its place in the body. Throws a 400 that names the field. */
export function readContext(given: JsonObject, at = ''): RunContext {
  const place = (key: string) => (at === '' ? key : `${at}.${key}`)
  const text = (key: 'brand' | 'template' | 'recipient') => {
    const value = given[key] === '' ? undefined : (given[key] ?? undefined)
    if (value === undefined) return undefined
    // Numeric ids are read as strings, as in a send.
    if (key === 'recipient' && Number.isSafeInteger(value)) return String(value)
    if (typeof value !== 'string' || value === '' || value.length > idCharactersMax)
      throw invalidField(place(key), `must be a string of 1 to ${idCharactersMax} characters`)
    return value
  }
  const object = (key: 'data' | 'profile') => {
    const value = given[key] ?? undefined
    // PHP serializes an empty object as an empty list.
    if (value === '' || (Array.isArray(value) && value.length === 0)) return undefined
    if (value !== undefined && !isObject(value)) throw invalidField(place(key), 'must be an object')
    return value
  }
  const [brand, template, recipient] = [text('brand'), text('template'), text('recipient')]
  const [data, profile] = [object('data'), object('profile')]
  return {
    ...(brand !== undefined && { brand }),
    ...(template !== undefined && { template }),
    ...(recipient !== undefined && { recipient }),
    ...(data && { data }),
    ...(profile && { profile }),
  }
}

/** The user id in a profile: callers send it there instead of in `recipient`. */
export function ownRecipient(profile: unknown): string | undefined {
  const id = isObject(profile) ? profile.user_id : undefined
  if (Number.isSafeInteger(id)) return String(id)
  return typeof id === 'string' && id !== '' && id.length <= idCharactersMax ? id : undefined
}

/** Merges data and profile; other fields of `above` take precedence. */
export function contextOver(below: RunContext, above: RunContext): RunContext {
  const merged = (key: 'data' | 'profile') => {
    const [base, over] = [below[key], above[key]]
    return (base || over) && { [key]: merge(base ?? {}, over) }
  }
  return { ...below, ...above, ...merged('data'), ...merged('profile') }
}
