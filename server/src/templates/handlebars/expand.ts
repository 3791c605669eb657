/** Runs a tree against one message: a text without tags, in which a variable stands for each value. */

import { itemsOf, keysOf, type Machine, read, step } from '../../base/expression/machine.ts'
import { ownProperty } from '../../base/json/json.ts'
import { sourceText, type TranslationRequest, translate } from '../translations/catalog.ts'
import { lookUp, MissingValue, split, VALUE, type Variable, type VariableScope } from '../variables.ts'
import { Argument, isTruthy } from './argument.ts'
import { type Block, type Part, translatedText } from './blocks.ts'
import { blockHelpers, type HelperCall, HelperFailed, TRANSLATION, valueHelpers } from './calls.ts'
import { type Call, type Path, pathOf, type TagExpression, variableOf } from './tags.ts'

export interface Expanded {
  text: string
  /** The values of its variables, in their order. */
  values: readonly unknown[]
}

/** As long as one field of an element may be. */
const LENGTH_MAX = 262_144

/** An expanded text is longer than a text may be. */
export class ExpansionTooLong extends Error {
  override readonly name = 'ExpansionTooLong'
}

/** Shared with the other texts of a rendering. */
interface Shared {
  /** The time zones whose clocks are paid for; those that are used are added. */
  zones: Set<string>
  /**
   * The text in the place of a variable without a value. Throws where the message cannot be sent without one, unless it
   * is the argument of a helper, such as a comparison.
   */
  withoutValue: (source: string, isShown: boolean) => string
}

export function expand(
  parts: readonly Part[],
  message: VariableScope,
  machine: Machine,
  { zones, withoutValue }: Shared,
): Expanded {
  const state: State = Object.assign(machine, {
    message,
    frame: { value: message.data, isMessage: true as const },
    variables: new Map<string, unknown>(),
    pieces: [],
    length: 0,
    values: [],
    zones,
    withoutValue,
  })
  write(parts, state)
  return { text: state.pieces.join(''), values: state.values }
}

interface State extends Machine {
  message: VariableScope
  frame: Frame
  /** Variables of `set`. */
  variables: Map<string, unknown>
  /** The text so far, in pieces: reading the end of one long string would copy all of it, each time. */
  pieces: string[]
  /** The length of all pieces. */
  length: number
  values: unknown[]
  zones: Set<string>
  withoutValue: Shared['withoutValue']
}

/** The names inside one block. */
interface Frame {
  value: unknown
  /** Outside of every block: names are those of the message. */
  isMessage?: true
  outer?: Frame
  /** Names that the block gives to what it shows: `as |item index|`. */
  named?: ReadonlyMap<string, unknown>
  /** `@index` and its like. */
  loop?: Readonly<Record<string, unknown>>
}

function write(parts: readonly Part[], state: State): void {
  for (const part of parts) {
    step(state)
    if (typeof part === 'string') append(part, state)
    else if (part.kind === 'block') writeBlock(part, state)
    else writeValue(part.call, part.source, state)
  }
}

function append(text: string, state: State): void {
  read(state, text.length)
  if (text === '') return
  if (state.length + text.length > LENGTH_MAX)
    throw new ExpansionTooLong(`With its blocks a text is longer than ${LENGTH_MAX} characters`)
  state.pieces.push(text)
  state.length += text.length
}

function writeValue(call: Call, source: string, state: State): void {
  if (!isName(call) && call.name.source === TRANSLATION) writeTranslation(translationOf(call, state), state)
  else if (!isName(call)) writeText(evaluate(call, state, true), state)
  // A variable of the message is read like those of every other text.
  else if (isOfMessage(call.name, state) && isVariable(source)) appendVariable(source, state)
  else {
    const value = resolve(call.name, state)
    const isMissing = (value === undefined || value === null) && isKeptWithoutValue(call.name, state)
    writeText(isMissing ? new MissingValue(source) : value, state)
  }
}

/** As other variables of the message are; in a block a name without a value is nothing. */
const isKeptWithoutValue = ({ from, parts: [first = ''] }: Path, { frame, variables }: State) =>
  frame.isMessage === true && !variables.has(first) && (from !== 'data' || first === 'root')

const isOfMessage = ({ from, parts }: Path, { frame, variables }: State) =>
  from === 'message' || (from === 'name' && frame.isMessage === true && !variables.has(parts[0] ?? ''))

const isName = ({ args, named }: Call) => args.length === 0 && named.size === 0

const isVariable = (source: string) => typeof split(source)[0] === 'object'

function writeText(value: unknown, state: State): void {
  if (value === undefined || value === null || value === '') return
  appendVariable(variableFor(value, state), state)
}

const variableFor = (value: unknown, { values }: State) => `{${VALUE}${values.push(value) - 1}}`

/** After a backslash of the author's it would be no variable: the backslash becomes a value of its own. */
function appendVariable(source: string, state: State): void {
  const last = state.pieces.at(-1)
  if (last?.endsWith('\\')) {
    state.pieces[state.pieces.length - 1] = last.slice(0, -1)
    state.length -= 1
    append(variableFor('\\', state), state)
  }
  append(source, state)
}

/** A text in the language of the message, before its variables are filled in. */
interface Translation {
  text: string
  /** False: it came with the data, and no catalog has it. */
  isAuthored: boolean
  /** The values that the tag gives by name. */
  named: ReadonlyMap<string, unknown>
}

/** Named arguments that are no variables of the text. */
const TRANSLATION_OPTIONS: ReadonlySet<string> = new Set(['context', 'plural', 'default'])

function translationOf({ args: [first], named }: Call, state: State, block?: Block): Translation {
  step(state)
  const textOf = (name: string) => {
    const value = new Argument(state, argument(named.get(name), state))
    return value.isNothing ? undefined : value.text()
  }
  const count = named.has('count') ? countOf(new Argument(state, argument(named.get('count'), state))) : undefined
  const written = block ? translatedText(block.body) : new Argument(state, argument(first, state)).text()
  const inverse = block && block.inverse.length > 0 ? translatedText(block.inverse) : undefined
  const request: TranslationRequest = {
    message: written,
    context: textOf('context'),
    plural: inverse ?? textOf('plural'),
    count,
  }
  const { translator } = state.message
  const translated = translator && translate(translator.catalogs, request)
  if (translated === undefined && written !== '') translator?.missing.add(written)
  const values = [...named].filter(([name]) => !TRANSLATION_OPTIONS.has(name))
  return {
    text: translated ?? textOf('default') ?? sourceText(request),
    isAuthored: translated !== undefined || block !== undefined || first?.kind === 'literal',
    named: new Map(values.map(([name, value]) => [name, argument(value, state)])),
  }
}

function countOf(value: Argument): number {
  const count = value.number()
  if (Number.isFinite(count)) return count
  throw new HelperFailed(`t: count must be a number; it is ${value.describe()}`)
}

/** Its variables are those of the tag, then those of every other text at this place. */
function writeTranslation({ text, isAuthored, named }: Translation, state: State): void {
  if (!isAuthored) {
    writeText(text, state)
    return
  }
  for (const part of split(text.replaceAll(VALUE, '\uFFFD'))) {
    // Escaped as before it was split: it is read once more after the expansion.
    if (typeof part === 'string') append(part.replaceAll('{', '\\{'), state)
    else if (part.from === 'name' && named.has(part.path[0] ?? ''))
      writeText(follow(named.get(part.path[0] ?? ''), part.path.slice(1)), state)
    else writeValue(nameCall(part), part.source, state)
  }
}

/** The same as one value: for an argument of another helper. */
function translatedValue(translation: Translation, state: State): string {
  if (!translation.isAuthored) return translation.text
  const parts = split(translation.text).map((part) => {
    if (typeof part === 'string') return part
    const [first = '', ...rest] = part.path
    const isNamed = part.from === 'name' && translation.named.has(first)
    const value = isNamed ? follow(translation.named.get(first), rest) : resolve(nameCall(part).name, state)
    return new Argument(state, value ?? state.withoutValue(part.source, true)).text()
  })
  const text = parts.join('')
  read(state, text.length)
  return text
}

const noArguments: ReadonlyMap<string, TagExpression> = new Map()
const nameCall = ({ source }: Variable): Call => ({
  kind: 'call',
  name: pathOf(source.replace(/^\{+\s*|\s*\}+$/g, '')),
  args: [],
  named: noArguments,
})

function writeBlock(block: Block, state: State): void {
  const { call, body, inverse } = block
  const name = call.name.source
  if (name === TRANSLATION) writeTranslation(translationOf(call, state, block), state)
  else if (!blockHelpers.has(name) && isName(call) && !valueHelpers.has(name)) writeSection(block, state)
  else if (!blockHelpers.has(name)) write(isTruthy(evaluate(call, state)) ? body : inverse, state)
  else if (name === 'each') writeEach(block, argument(call.args[0], state), state)
  else if (name === 'with') writeWith(block, argument(call.args[0], state), state)
  else write(counts(call, state) === (name === 'if') ? body : inverse, state)
}

function counts({ args: [condition], named }: Call, state: State): boolean {
  const value = argument(condition, state)
  return isTruthy(value) || (value === 0 && argument(named.get('includeZero'), state) === true)
}

/** `{{#order}}`: once for each of a list, once for any other value, and the other branch for nothing. */
function writeSection(block: Block, state: State): void {
  const value = resolve(block.call.name, state)
  if (Array.isArray(value)) writeEach(block, value, state)
  else if (value === true) write(block.body, state)
  else if (value === false || value === undefined || value === null) write(block.inverse, state)
  else enter({ value, outer: state.frame }, block.body, state)
}

function writeWith({ body, inverse, params }: Block, value: unknown, state: State): void {
  if (isTruthy(value) || value === 0) enter({ value, outer: state.frame, named: namesOf(params, [value]) }, body, state)
  else write(inverse, state)
}

function enter(frame: Frame, body: readonly Part[], state: State): void {
  const outer = state.frame
  state.frame = frame
  write(body, state)
  state.frame = outer
}

function writeEach(block: Block, list: unknown, state: State): void {
  const { body, inverse, params } = block
  const isList = Array.isArray(list)
  const items = isList ? itemsOf(state, list) : undefined
  const keys = !isList && typeof list === 'object' && list !== null ? keysOf(state, list) : []
  const count = items?.length ?? keys.length
  if (count === 0) write(inverse, state)
  for (let index = 0; index < count; index += 1) {
    step(state)
    const key = keys[index] ?? index
    const value = items ? items[index] : ownProperty(list, key)
    const loop = { index, key, first: index === 0, last: index === count - 1 }
    enter({ value, outer: state.frame, named: namesOf(params, [value, key]), loop }, body, state)
  }
}

/** The names that a block gives to its values: `as |item index|`. */
const namesOf = (params: readonly string[], values: readonly unknown[]) =>
  new Map(params.slice(0, values.length).map((name, index) => [name, values[index]]))

function argument(expression: TagExpression | undefined, state: State): unknown {
  if (!expression) return undefined
  step(state)
  if (expression.kind === 'literal') return expression.value
  return expression.kind === 'path' ? resolve(expression.path, state) : evaluate(expression, state)
}

/** `isShown`: its result is, and not that of another helper around it. */
function evaluate({ name, args, named }: Call, state: State, isShown = false): unknown {
  const helper = valueHelpers.get(name.source)
  if (!helper) throw new Error(`No helper ${name.source}: the tree is checked`)
  const values = args.map((expression) => new Argument(state, argument(expression, state)))
  const options = new Map([...named].map(([key, value]) => [key, new Argument(state, argument(value, state))]))
  const translation = () => translatedValue(translationOf({ kind: 'call', name, args, named }, state), state)
  return Argument.unwrap(helper(helperCall({ args: values, options, isShown }, state, translation)))
}

/** Making the clock of a zone takes as long as so many steps. */
const ZONE_STEPS = 2_000

interface EvaluatedCall {
  args: readonly Argument[]
  options: ReadonlyMap<string, Argument>
  isShown: boolean
}

function helperCall({ args, options, isShown }: EvaluatedCall, state: State, translation: () => string): HelperCall {
  const nothing = new Argument(state, undefined)
  return {
    args,
    machine: state,
    argument: (index) => args[index] ?? nothing,
    option: (name) => options.get(name) ?? nothing,
    withoutValue: (name) => state.withoutValue(`{${name}}`, isShown),
    valueOf: (path) => new Argument(state, resolve(pathOf(path), state)),
    set: (name, value) => void state.variables.set(name, Argument.unwrap(value)),
    prepareZone: (zone) => {
      if (!state.zones.has(zone)) step(state, ZONE_STEPS)
      state.zones.add(zone)
    },
    translation,
  }
}

function resolve(path: Path, state: State): unknown {
  step(state, 1 + path.parts.length)
  if (path.from === 'message') return lookUp(variableOf(path), state.message)
  if (path.from === 'data') return loopValue(path, state)
  const frame = outwards(state.frame, path.up)
  if (!frame) return undefined
  if (path.from === 'this')
    return frame.isMessage ? follow(state.message.data, path.parts) : follow(frame.value, path.parts)
  return path.up === 0 ? nameIn(path, frame, state) : nameOf(path, frame, state)
}

/** Undefined: there are not so many. A block on the value of the block around it is not counted. */
function outwards(frame: Frame, blocks: number): Frame | undefined {
  let target: Frame | undefined = frame
  for (let count = 0; count < blocks && target; count += 1) {
    const { value } = target
    while (target && target.value === value) target = target.outer
  }
  return target
}

/** Names defined by enclosing blocks come first. */
function nameIn(path: Path, frame: Frame, state: State): unknown {
  const [first = '', ...rest] = path.parts
  for (let at: Frame | undefined = frame; at; at = at.outer)
    if (at.named?.has(first)) return follow(at.named.get(first), rest)
  return nameOf(path, frame, state)
}

/** Inside a block a name is one of its value; the message's own roots, such as `profile`, are visible everywhere. */
function nameOf({ source, parts }: Path, frame: Frame, { message, variables }: State): unknown {
  const [first = '', ...rest] = parts
  if (!frame.isMessage) {
    const value = follow(frame.value, parts)
    if (value !== undefined) return value
  }
  if (variables.has(first)) return follow(variables.get(first), rest)
  if (frame.isMessage) return lookUp(nameVariable(source, parts), message)
  return Object.hasOwn(message.roots, first) ? follow(message.roots, parts) : undefined
}

const nameVariable = (source: string, path: readonly string[]): Variable => ({ source, from: 'name', path })

function loopValue({ source, up, parts: [first = '', ...rest] }: Path, { frame, message }: State): unknown {
  if (first === 'root') return rest.length === 0 ? message.data : lookUp(nameVariable(source, rest), message)
  let skipped = 0
  for (let at: Frame | undefined = frame; at; at = at.outer) {
    if (!at.loop) continue
    if (skipped === up) return follow(at.loop, [first, ...rest])
    skipped += 1
  }
  return undefined
}

const follow = (start: unknown, parts: readonly string[]): unknown =>
  parts.reduce<unknown>((value, part) => ownProperty(value, part), start)
