/** Fields of an element that it does not have, and values of its choices that do not exist: content is shown as if they were absent. */
import { channels, elementFields, elementShapes } from '@postrider/contract'
import type { TSchema } from 'typebox'
import type { JsonObject } from '../base/json/json.ts'
import { didYouMean, mustBeOneOf, nearestName, quoted } from '../base/quote.ts'
import { providerNamed, providers } from '../providers/catalog.ts'

interface FieldNames {
  /** With its article, for a sentence. */
  owner: string
  names: ReadonlySet<string>
  choices: ReadonlyMap<string, readonly unknown[]>
}

/** Written by `GET /notifications/:id/content`, and sent back. */
const LISTED = ['checksum']

function fieldNames(owner: string, properties: Readonly<Record<string, TSchema>>): FieldNames {
  const choices = Object.entries(properties).flatMap(([name, schema]) =>
    'enum' in schema && name !== 'type' ? [[name, schema.enum as unknown[]] as const] : [],
  )
  return { owner, names: new Set([...Object.keys(properties), ...LISTED]), choices: new Map(choices) }
}

const article = (type: string) => `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${quoted(type)} element`

const ofElements = new Map(
  elementShapes.map(({ properties }) => {
    const type = String((properties.type as { const?: unknown } | undefined)?.const)
    return [type, fieldNames(article(type), properties)]
  }),
)

const ofSpans = fieldNames('a part of a text', elementFields.text.elements.items.properties)

/** Each is made when it is taken: a caller with enough of them takes no more. */
export const elementMistakes = (type: string, fields: JsonObject, at: string): Iterable<string> =>
  mistakes(ofElements.get(type), fields, at)

export const spanMistakes = (span: JsonObject, at: string): Iterable<string> => mistakes(ofSpans, span, at)

/** Names that an element is limited to: those of a channel, and the key of a provider. */
const places: ReadonlySet<string> = new Set([...channels, ...providers.keys()])

export function* channelMistakes(names: readonly string[], at: string): Generator<string> {
  if (names.length === 0)
    yield `${at}: an empty list shows the element nowhere. Without the list every channel shows it.`
  for (const name of names) if (!places.has(name)) yield unknownPlace(name, at)
}

/** Names in a channel element, which may be the one for all others. */
export function* branchMistakes(element: JsonObject, at: string): Generator<string> {
  for (const field of ['channel', 'provider']) {
    const name = element[field]
    if (typeof name !== 'string' || name === '' || name === 'default' || places.has(name)) continue
    yield unknownPlace(name, `${at}.${field}`)
  }
}

function unknownPlace(name: string, at: string): string {
  const near = providerNamed(providers, name)?.key ?? nearestName(name, [...places])
  return `${at}: ${quoted(name)} is neither a channel nor a provider, and has no effect.${didYouMean(near)}`
}

export const localeMistake = (locale: string, at: string): string =>
  `${at}: ${quoted(locale)} is not a language, as \`de\` or \`de-AT\` is.`

function* mistakes(names: FieldNames | undefined, fields: JsonObject, at: string): Generator<string> {
  if (!names) return
  for (const name in fields) {
    const sentence = mistake(names, name, fields[name], at)
    if (sentence !== undefined) yield sentence
  }
}

function mistake({ owner, names, choices }: FieldNames, name: string, value: unknown, at: string): string | undefined {
  if (!names.has(name))
    return `${at}: ${quoted(name)} is not a field of ${owner}, and has no effect.${didYouMean(nearestName(name, [...names]))}`
  const values = choices.get(name)
  // A variable is not one of the values either, but was meant to become one.
  if (!values || value === null || value === '' || values.includes(value)) return undefined
  return `${at}.${name}: ${quoted(value)} has no effect; it ${mustBeOneOf(values)}.`
}
