/** Checks the author's content and makes a template of it. Every error names the path. */
import { localePattern } from '@postrider/contract'
import { compileExpression, type Expression } from '../base/expression/expression.ts'
import { type Finding, hasRoom } from '../base/finding.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { isKnownLocale } from '../base/locale.ts'
import { didYouMean, quoted } from '../base/quote.ts'
import { nearestTimeZone } from '../base/time/time-zone.ts'
import { bracesIn, bracesMax } from './compile-bounds.ts'
import type { Element, Field, Node, Translation } from './element.ts'
import { COLUMNS_MAX, elements, isKnownSpan, suggestedElement, suggestedSpan } from './elements.ts'
import { ContentInvalid } from './failure.ts'
import { branchMistakes, channelMistakes, elementMistakes, localeMistake, spanMistakes } from './field-mistakes.ts'
import { handlebarsProblem, textsToTranslate, zoneProblems } from './handlebars/handlebars.ts'
import type { Control } from './program.ts'
import { usesLinks } from './recipient-urls.ts'
import { snippetNames, usesBrand } from './snippets.ts'
import { FINDINGS_MAX, type Template } from './template.ts'
import type { TranslationRequest } from './translations/catalog.ts'
import { isLeftOut, leftOutAddress } from './unfollowable.ts'

/** More than any mail that is read to its end; both bound the work of one rendering and the stack. */
const NODES_MAX = 1_000
const DEPTH_MAX = 20
/** As large as a whole send request may be. */
const TEXT_MAX = 262_144

interface Count {
  nodes: number
  braces: number
  locales: Set<string>
  namesBrand: boolean
  isTranslated: boolean
  textsToTranslate: Map<string, TranslationRequest>
  namesLinks: boolean
  snippets: Set<string>
  unknownElements: string[]
  findings: Finding[]
  problems: string[]
}

const fail = (at: string, problem: string, cause?: unknown): never => {
  throw new ContentInvalid(`${at}: ${problem}`, { cause })
}

/** Elemental `{version, elements}` or the short form `{title, body}`. Throws `ContentInvalid`. */
export function compile(content: unknown): Template {
  if (!isObject(content)) return fail('content', 'must be an object')
  const count: Count = {
    nodes: 0,
    braces: 0,
    locales: new Set(),
    namesBrand: false,
    isTranslated: false,
    textsToTranslate: new Map(),
    namesLinks: false,
    snippets: new Set(),
    unknownElements: [],
    findings: [],
    problems: [],
  }
  const nodes =
    content.elements === undefined
      ? fromSugar(content, count)
      : nodesOf(content.elements, 'elements', undefined, 0, count)
  const branched = nodes.some(({ element }) => element.type === 'channel')
  if (branched && nodes.some(({ element }) => element.type !== 'channel' && element.type !== 'comment'))
    fail('elements', 'beside a channel element only channel elements can stand')
  const { nodes: _, ...counts } = count
  return { ...counts, nodes, programs: new Map() }
}

function fromSugar({ title, body }: JsonObject, count: Count): Node[] {
  if (title !== undefined && title !== null && typeof title !== 'string') fail('title', 'must be a string')
  if (typeof body !== 'string') fail('body', 'must be a string (or give `elements`)')
  const heading = title ? [nodeOf({ type: 'meta', title }, 'title', undefined, 0, count)] : []
  return [...heading, nodeOf({ type: 'text', content: body }, 'body', undefined, 0, count)].flatMap(
    (node) => node ?? [],
  )
}

/** The short form has one text in each of its fields. */
const placeOf = (at: string, name: string) => (at === 'title' || at === 'body' ? at : `${at}.${name}`)

function nodesOf(value: unknown, at: string, parent: Element | undefined, depth: number, count: Count): Node[] {
  if (!Array.isArray(value)) return fail(at, 'must be a list')
  if (depth >= DEPTH_MAX) fail(at, `elements stand deeper than ${DEPTH_MAX}`)
  if (parent?.type === 'columns' && value.length > COLUMNS_MAX) fail(at, `at most ${COLUMNS_MAX} columns`)
  return value.flatMap((item, index) => nodeOf(item, `${at}.${index}`, parent, depth, count) ?? [])
}

/** Undefined for an unknown element: the others are shown without it. */
function nodeOf(item: unknown, at: string, parent: Element | undefined, depth: number, count: Count): Node | undefined {
  if (!isObject(item)) return fail(at, 'must be an object')
  count.nodes += 1
  if (count.nodes > NODES_MAX) fail(at, `more than ${NODES_MAX} elements`)
  const isText = isActionWithoutHref(item)
  const value = isText ? { ...item, type: 'text' } : item
  const element = elements.get(String(value.type))
  if (!element)
    return void noteUnknown(count, `${at}: ${label(value.type)} is not an element`, suggestedElement(value.type))
  if (isText) note(count, `${at}: an action without href is shown as text.`)
  checkParent(element, parent, at)
  checkFields(element, value, at, count)
  noteFields(elementMistakes(String(item.type), item, at), count)
  for (const name of element.required ?? [])
    if (value[name] === undefined || value[name] === null) fail(`${at}.${name}`, 'is missing')
  if (element.type === 'text' && value.content === undefined && value.elements === undefined)
    fail(`${at}.content`, 'is missing')
  const childrenOf = (source: JsonObject, from: string) =>
    element.children && source.elements !== undefined
      ? nodesOf(source.elements, `${from}.elements`, element, depth + 1, count)
      : undefined
  const control = controlOf(value, at, element)
  if (control?.channels) noteFields(channelMistakes(control.channels, `${at}.channels`), count)
  if (element.type === 'channel') noteFields(branchMistakes(value, at), count)
  count.namesBrand ||= usesBrand(`${control?.if?.source} ${control?.loop?.source}`)
  count.namesLinks ||= usesLinks(`${control?.if?.source} ${control?.loop?.source}`)
  return {
    element,
    at,
    fields: value,
    children: childrenOf(value, at) ?? [],
    locales: localesOf(value.locales, `${at}.locales`, element, childrenOf, count),
    ...(control ? { control } : {}),
  }
}

/** A button without an address still has a text. */
const isActionWithoutHref = ({ type, href }: JsonObject) => type === 'action' && (href ?? '') === ''

function note({ findings }: Count, text: string, code: Finding['code'] = 'content_altered'): void {
  if (hasRoom(findings, code, FINDINGS_MAX)) findings.push({ code, text })
}

/** As many as there is room for: a comparison of names takes some microseconds. */
function noteFields(mistakes: Iterable<string>, count: Count): void {
  for (const text of mistakes) {
    if (!hasRoom(count.findings, 'element_field_ignored', FINDINGS_MAX)) return
    note(count, text, 'element_field_ignored')
  }
}

/** It is left out: a finding, and in strict calls a reason against publishing. */
function noteUnknown(count: Count, problem: string, suggestion: string | undefined): void {
  if (count.unknownElements.length < FINDINGS_MAX) count.unknownElements.push(`${problem}.${didYouMean(suggestion)}`)
  note(count, `${problem}; it is left out.${didYouMean(suggestion)}`, 'element_unknown')
}

const label = (value: unknown) => JSON.stringify(value)?.slice(0, 60) ?? 'nothing'

function checkParent(element: Element, parent: Element | undefined, at: string): void {
  const { parent: required } = element
  if (required === 'top' && parent) fail(at, `a ${element.type} stands only at the top`)
  if (required && required !== 'top' && parent?.type !== required)
    fail(at, `a ${element.type} stands only in a ${required}`)
  const allowed = parent?.children
  if (Array.isArray(allowed) && !allowed.includes(element.type) && element.type !== 'comment')
    fail(at, `a ${parent?.type} holds only ${allowed.join(', ')}`)
}

const checks: Readonly<Record<Field, (value: unknown) => string | undefined>> = {
  text: (value) =>
    typeof value !== 'string' ? 'must be a string' : value.length > TEXT_MAX ? `is longer than ${TEXT_MAX}` : undefined,
  // A value that could leave the declaration or load something is an error; mail clients ignore other invalid ones.
  style: (value) =>
    typeof value === 'string' && /^[\w#%.,(){}$@ -]{1,100}$/.test(value) && !/url|expression/i.test(value)
      ? undefined
      : 'must be a color',
  size: (value) => (/^\d+(\.\d+)?(px|%)?$/.test(String(value)) ? undefined : 'must be pixels or per cent'),
  flag: (value) =>
    typeof value === 'boolean' || value === 'true' || value === 'false' ? undefined : 'must be true or false',
  object: (value) => (isObject(value) ? undefined : 'must be an object'),
  spans: (value) =>
    Array.isArray(value) && value.length <= NODES_MAX && value.every(isSpan)
      ? undefined
      : 'must be a list of string, link or img',
}

const isSpan = (value: unknown) =>
  isObject(value) &&
  (!isKnownSpan(value) ||
    ['content', 'href', 'src', 'alt_text'].every(
      (name) => value[name] === undefined || typeof value[name] === 'string',
    ))

function noteSpans(spans: unknown, at: string, count: Count): void {
  if (!Array.isArray(spans)) return
  for (const [index, span] of spans.entries())
    if (!isKnownSpan(span))
      noteUnknown(count, `${at}.${index}: ${label(span.type)} is not part of a text`, suggestedSpan(span.type))
    else noteFields(spanMistakes(span, `${at}.${index}`), count)
}

/** Addresses of an element, and of the parts of its text. */
function noteAddresses(name: string, value: unknown, at: string, count: Count): void {
  if (Array.isArray(value))
    for (const [index, span] of value.entries())
      for (const key of ADDRESSES) if (isObject(span)) noteAddresses(key, span[key], `${at}.${name}.${index}`, count)
  if (ADDRESSES.has(name) && typeof value === 'string' && isLeftOut(value)) note(count, leftOutAddress(value, at))
}

const ADDRESSES: ReadonlySet<string> = new Set(['href', 'src'])

function checkFields(element: Element, value: JsonObject, at: string, count: Count): void {
  for (const name in element.fields) {
    const field = element.fields[name]
    const fieldValue = value[name]
    if (!field || fieldValue === undefined || fieldValue === null || fieldValue === '') continue
    const problem = checks[field](fieldValue)
    const place = placeOf(at, name)
    if (problem) fail(place, problem)
    if (field === 'spans') noteSpans(fieldValue, place, count)
    noteAddresses(name, fieldValue, at, count)
    const text = typeof fieldValue === 'string' ? fieldValue : JSON.stringify(fieldValue)
    count.braces += bracesIn(text)
    if (count.braces > bracesMax) fail(place, `the content has more than ${bracesMax} \`{\``)
    count.namesBrand ||= usesBrand(text)
    count.namesLinks ||= usesLinks(text)
    for (const snippet of snippetNames(text)) count.snippets.add(snippet)
    findProblems(fieldValue, place, count)
  }
}

/** Enough to correct the content, and the list stays short. */
const PROBLEMS_MAX = 10

/** In texts, spans and everything that stands in `raw`. */
function findProblems(value: unknown, at: string, count: Count): void {
  if (typeof value === 'string')
    for (const { message, context } of textsToTranslate(value)) {
      count.isTranslated = true
      if (message !== '') count.textsToTranslate.set(`${context ?? ''}\u0004${message}`, { message, context })
    }
  if (typeof value === 'string' && count.problems.length < PROBLEMS_MAX) {
    const problem = handlebarsProblem(value)
    if (problem !== undefined) {
      count.problems.push(`${at}: ${problem}`)
      note(count, `${at}: ${problem}`)
    }
  }
  if (typeof value === 'string' && hasRoom(count.findings, 'time_zone_unknown', FINDINGS_MAX))
    for (const zone of zoneProblems(value)) {
      note(
        count,
        `${at}: ${quoted(zone)} is not a time zone; a message that shows this date fails.${didYouMean(nearestTimeZone(zone))}`,
        'time_zone_unknown',
      )
      // Each check makes a clock.
      if (!hasRoom(count.findings, 'time_zone_unknown', FINDINGS_MAX)) break
    }
  if (typeof value !== 'object' || value === null) return
  for (const [name, item] of Object.entries(value)) findProblems(item, `${at}.${name}`, count)
}

const LOCALE = new RegExp(localePattern)

function localesOf(
  value: unknown,
  at: string,
  element: Element,
  childrenOf: (source: JsonObject, at: string) => Node[] | undefined,
  count: Count,
): Map<string, Translation> {
  const locales = new Map<string, Translation>()
  if (value === undefined || value === null) return locales
  if (!isObject(value)) return fail(at, 'must be an object')
  for (const [locale, translation] of Object.entries(value)) {
    if (!LOCALE.test(locale)) fail(`${at}.${locale.slice(0, 40)}`, 'is not a locale')
    if (!isObject(translation)) return fail(`${at}.${locale}`, 'must be an object')
    checkFields(element, translation, `${at}.${locale}`, count)
    noteFields(elementMistakes(element.type, translation, `${at}.${locale}`), count)
    const children = childrenOf(translation, `${at}.${locale}`)
    if (!isKnownLocale(locale)) noteFields([localeMistake(locale, at)], count)
    locales.set(locale, { fields: translation, ...(children ? { children } : {}) })
    count.locales.add(locale)
  }
  return locales
}

function controlOf(value: JsonObject, at: string, element: Element): Control | undefined {
  const control: Control = {}
  if (value.if !== undefined && value.if !== null) control.if = expressionOf(value.if, `${at}.if`)
  if (value.loop !== undefined && value.loop !== null) {
    // The width of a column depends on their number, which is fixed when the content is compiled.
    if (element.type === 'column' || element.type === 'channel')
      fail(`${at}.loop`, `a ${element.type} cannot be repeated`)
    control.loop = expressionOf(value.loop, `${at}.loop`)
  }
  if (value.ref !== undefined && value.ref !== null)
    control.ref = typeof value.ref === 'string' ? value.ref : fail(`${at}.ref`, 'must be a string')
  const { channels } = value
  if (channels !== undefined && channels !== null) {
    if (!Array.isArray(channels) || !channels.every((name) => typeof name === 'string'))
      return fail(`${at}.channels`, 'must be a list of channels')
    control.channels = channels
  }
  return Object.keys(control).length > 0 ? control : undefined
}

function expressionOf(value: unknown, at: string): Expression {
  if (typeof value !== 'string') return fail(at, 'must be an expression')
  let source = value.trim()
  while (source.startsWith('{') && source.endsWith('}')) source = source.slice(1, -1).trim()
  try {
    return compileExpression(source)
  } catch (cause) {
    return fail(at, (cause as Error).message, cause)
  }
}
