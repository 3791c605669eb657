/** The values that a Handlebars tree reads from the data of a send, as expanding it would look them up. */
import type { DataPath, Uses } from '../data-usage.ts'
import { split, type Variable } from '../variables.ts'
import type { Block, Part } from './blocks.ts'
import { blockHelpers, valueHelpers } from './calls.ts'
import { type Path, pathOf, variableOf } from './paths.ts'
import type { Call, Expression } from './tags.ts'

/** The names inside one block, as in `expand.ts`. */
interface Frame {
  value: DataPath
  isMessage?: true
  outer?: Frame
  named?: ReadonlyMap<string, DataPath>
}

interface Reading extends Uses {
  frame: Frame
  /** Variables of `set`. */
  variables: Set<string>
  readVariable: (variable: Variable, uses: Uses) => void
}

export function blockVariables(
  parts: readonly Part[],
  uses: Uses,
  readVariable: (variable: Variable, uses: Uses) => void,
): void {
  readParts(parts, { ...uses, frame: { value: [], isMessage: true }, variables: new Set(), readVariable })
}

function readParts(parts: readonly Part[], reading: Reading): void {
  for (const part of parts) {
    if (typeof part === 'string') readWords(part, reading)
    else if (part.kind === 'block') readBlock(part, reading)
    else if (isName(part.call)) readPath(part.call.name, 'text', reading)
    else readCall(part.call, reading)
  }
}

const isName = ({ args, named }: Call) => args.length === 0 && named.size === 0

/** Variables in single braces between the tags: they are read after the text is expanded, as the message's. */
function readWords(text: string, reading: Reading): void {
  for (const part of split(text)) if (typeof part !== 'string') reading.readVariable(part, reading)
}

function readBlock({ call, params, body, inverse }: Block, reading: Reading): void {
  const name = call.name.source
  const conditional = { ...reading, optional: true }
  readParts(inverse, conditional)
  if (name === 'each' || name === 'with') {
    const [subject] = call.args
    const dataPath = subject?.kind === 'path' ? dataPathOf(subject.path, reading) : undefined
    if (subject && !dataPath) readArgument(subject, 'any', reading)
    const value = dataPath && name === 'each' ? [...dataPath, '[]'] : dataPath
    // Where something else is shown without it, it can be left out.
    if (value) reading.used.add(value, 'any', reading.optional || inverse.length > 0)
    const named = new Map<string, DataPath>(params.map((param, index) => [param, index === 0 ? value : undefined]))
    const optional = reading.optional || inverse.length > 0
    readParts(body, { ...reading, optional, frame: { value, outer: reading.frame, named } })
    return
  }
  if (isName(call) && !blockHelpers.has(name) && !valueHelpers.has(name)) {
    readPath(call.name, 'any', conditional)
    // A section repeats a list, enters an object, or is a mere condition: which one, only the data says.
    readParts(body, { ...conditional, frame: { value: undefined, outer: reading.frame } })
    return
  }
  readCall(call, conditional)
  readParts(body, conditional)
}

/** Helpers that answer whether something is so; what they ask for may be missing. */
const QUESTIONS: ReadonlySet<string> = new Set('if unless and or not condition conditional'.split(' '))

function readCall({ name: { source: name }, args, named }: Call, reading: Reading): void {
  const [first, second] = args
  if (name === 'path' || name === 'var') {
    readNamed(first, 'text', reading)
    return
  }
  if (name === 'filter') {
    const [object, key] = [literalText(first), literalText(second)]
    if (object === undefined || key === undefined) return
    const path = key.startsWith(`${object}.`) ? key : `${object}.${key}`
    readPath(pathOf(path), 'any', { ...reading, optional: true })
    return
  }
  if (name === 'set') {
    if (second) readArgument(second, 'any', reading)
    const variable = literalText(first)
    if (variable !== undefined) reading.variables.add(variable)
    return
  }
  const hasDefault = name === 'default'
  for (const [index, argument] of [...args, ...named.values()].entries()) {
    const optional = reading.optional || QUESTIONS.has(name) || (hasDefault && index === 0)
    readArgument(argument, QUESTIONS.has(name) || name === 'lookup' ? 'any' : 'text', { ...reading, optional })
  }
}

const literalText = (argument: Expression | undefined) =>
  argument?.kind === 'literal' && typeof argument.value === 'string' ? argument.value : undefined

/** A name that is written as a text: `"profile.email"`. */
function readNamed(argument: Expression | undefined, kind: 'text' | 'any', reading: Reading): void {
  const text = literalText(argument)
  if (text !== undefined) readPath(pathOf(text), kind, reading)
}

function readArgument(argument: Expression, kind: 'text' | 'any', reading: Reading): void {
  if (argument.kind === 'path') readPath(argument.path, kind, reading)
  else if (argument.kind === 'call') readCall(argument, reading)
}

function readPath(path: Path, kind: 'text' | 'any', reading: Reading): void {
  const { frame, variables, used, optional } = reading
  const isMessageName = path.from === 'name' && path.up === 0 && frame.isMessage && !variables.has(path.parts[0] ?? '')
  if (kind === 'text' && (isMessageName || path.from === 'message')) {
    const { source, parts } = path
    const variable = path.from === 'message' ? variableOf(path) : { source, from: 'name' as const, path: parts }
    reading.readVariable(variable, reading)
    return
  }
  const dataPath = dataPathOf(path, reading)
  if (dataPath) used.add(dataPath, kind, optional)
}

function dataPathOf(path: Path, { frame, variables, used, item }: Reading): DataPath {
  if (path.from === 'message') {
    const variable = variableOf(path)
    if (variable.from === 'item') return item && [...item, ...variable.path]
    return used.dataPathOf(['$', ...variable.path], item)
  }
  if (path.from === 'data')
    return path.parts[0] === 'root' ? used.dataPathOf(path.parts.slice(1), undefined) : undefined
  const own = outwards(frame, path.up)
  if (path.from === 'this') return own.value && [...own.value, ...path.parts]
  const [first = '', ...rest] = path.parts
  for (let at: Frame | undefined = path.up === 0 ? own : undefined; at; at = at.outer)
    if (at.named?.has(first)) {
      const dataPath = at.named.get(first)
      return dataPath && [...dataPath, ...rest]
    }
  if (variables.has(first)) return undefined
  const ofMessage = used.dataPathOf(path.parts, item)
  if (own.isMessage || !ofMessage || first === 'data') return ofMessage
  return own.value && [...own.value, ...path.parts]
}

function outwards(frame: Frame, blocks: number): Frame {
  let target = frame
  for (let count = 0; count < blocks && target.outer; count += 1) target = target.outer
  return target
}
