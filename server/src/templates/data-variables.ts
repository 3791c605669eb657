/** Lists the values that a template reads from the data of a send: their paths, their kinds, whether they are required. */
import { type TemplateVariable, templateVariablesMax } from '@postrider/contract'
import { pathsIn } from '../base/expression/expression.ts'
import { isObject } from '../base/json/json.ts'
import type { Node } from './element.ts'
import type { Block, Part } from './handlebars/blocks.ts'
import { blockHelpers, TRANSLATION, valueHelpers } from './handlebars/calls.ts'
import { treeOfText } from './handlebars/handlebars.ts'
import { type Call, type Path, pathOf, type TagExpression, variableOf } from './handlebars/tags.ts'
import { RECIPIENT_URLS } from './recipient-urls.ts'
import type { Template } from './template.ts'
import { split, type Variable } from './variables.ts'

/** `condition`: the `settings.if` of the notification. */
export function variablesRead({ nodes }: Template, condition?: string): TemplateVariable[] {
  const used = new UsedData(templateVariablesMax)
  if (condition !== undefined) readExpression(condition, { used, optional: true })
  for (const node of nodes) readNode(node, { used, optional: false })
  return used.list()
}

function readNode(node: Node, around: Uses): void {
  const { control, element, fields, locales, children } = node
  let uses = around
  if (control?.loop) uses = { ...uses, item: readLoop(control.loop.source, uses) }
  if (control?.if) {
    readExpression(control.if.source, uses)
    uses = { ...uses, optional: true }
  }
  for (const read of [fields, ...[...locales.values()].map((translation) => translation.fields)])
    for (const name of Object.keys(element.fields)) readTexts(read[name], uses)
  for (const child of [...children, ...[...locales.values()].flatMap((translation) => translation.children ?? [])])
    readNode(child, uses)
}

/** Undefined: the items come from an expression, so that nothing is known of them. */
function readLoop(source: string, uses: Uses): DataPath {
  const paths = pathsIn(source)
  const [path] = paths
  const isPath = path !== undefined && paths.length === 1 && source.replaceAll('?.', '.') === path.join('.')
  const list = isPath ? uses.used.dataPathOf(path, uses.item) : undefined
  if (!list) {
    readExpression(source, uses)
    return undefined
  }
  uses.used.add([...list, '[]'], 'any', uses.optional)
  return [...list, '[]']
}

function readExpression(source: string, { used, item }: Uses): void {
  for (const path of pathsIn(source)) {
    const dataPath = path[0] === 'refs' ? undefined : used.dataPathOf(withoutMethod(path), item)
    if (dataPath) used.add(dataPath, 'any', true)
  }
}

/** The calls of an expression, and the length of a list or a text. */
const METHODS = new Set(
  'includes indexOf startsWith endsWith toLowerCase toUpperCase trim slice join length'.split(' '),
)
const withoutMethod = (path: readonly string[]) =>
  path.length > 1 && METHODS.has(path.at(-1) ?? '') ? path.slice(0, -1) : path

function readTexts(value: unknown, uses: Uses): void {
  if (typeof value === 'string') readText(value, uses)
  else if (Array.isArray(value) || isObject(value)) for (const part of Object.values(value)) readTexts(part, uses)
}

function readText(text: string, uses: Uses): void {
  const tree = treeOfText(text)
  if (tree) blockVariables(tree, uses, readVariable)
  else for (const part of split(text)) if (typeof part !== 'string') readVariable(part, uses)
}

function readVariable({ from, path }: Variable, { used, optional, item }: Uses): void {
  if (from === 'value') return
  if (from === 'item') {
    if (item) used.add([...item, ...path], 'text', optional)
    return
  }
  if (from === 'root') {
    const dataPath = used.dataPathOf(['$', ...path], item)
    if (dataPath) used.add(dataPath, 'text', optional)
    return
  }
  const dataPath = used.dataPathOf(path, undefined)
  if (!dataPath) return
  // In a loop a name is one of the item or of the data: either is enough.
  if (item && path[0] !== 'data') used.add([...item, ...path], 'text', true)
  used.add(dataPath, 'text', optional || (item !== undefined && path[0] !== 'data'))
}

/** The names inside one block, as in `handlebars/expand.ts`. */
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

function blockVariables(
  parts: readonly Part[],
  uses: Uses,
  readVariable: (variable: Variable, uses: Uses) => void,
): void {
  readParts(parts, { ...uses, frame: { value: [], isMessage: true }, variables: new Set(), readVariable })
}

function readParts(parts: readonly Part[], reading: Reading): void {
  for (const part of parts) {
    if (typeof part === 'string') readPlainText(part, reading)
    else if (part.kind === 'block') readBlock(part, reading)
    else if (isName(part.call)) readPath(part.call.name, 'text', reading)
    else readCall(part.call, reading)
  }
}

const isName = ({ args, named }: Call) => args.length === 0 && named.size === 0

/** Variables in single braces between the tags: they are read after the text is expanded, as the message's. */
function readPlainText(text: string, reading: Reading): void {
  for (const part of split(text)) if (typeof part !== 'string') reading.readVariable(part, reading)
}

/** A text to translate: the values that its tag gives by name are not of the message. */
function readTranslated(parts: readonly Part[], { named }: Call, reading: Reading): void {
  const values = new Map<string, DataPath>([...named.keys()].map((name) => [name, undefined]))
  const frame: Frame = { ...reading.frame, named: new Map([...(reading.frame.named ?? []), ...values]) }
  const readVariable: Reading['readVariable'] = (variable, uses) => {
    if (variable.from !== 'name' || !named.has(variable.path[0] ?? '')) reading.readVariable(variable, uses)
  }
  readParts(parts, { ...reading, frame, readVariable })
}

function readBlock({ call, params, body, inverse }: Block, reading: Reading): void {
  const name = call.name.source
  if (name === TRANSLATION) {
    readCall(call, reading)
    readTranslated([...body, ...inverse], call, reading)
    return
  }
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
  const text = name === TRANSLATION ? literalText(first) : undefined
  if (text !== undefined) readTranslated([text], { kind: 'call', name: pathOf(name), args, named }, reading)
  const hasDefault = name === 'default'
  for (const [index, argument] of [...args, ...named.values()].entries()) {
    const optional = reading.optional || QUESTIONS.has(name) || (hasDefault && index === 0)
    readArgument(argument, QUESTIONS.has(name) || name === 'lookup' ? 'any' : 'text', { ...reading, optional })
  }
}

const literalText = (argument: TagExpression | undefined) =>
  argument?.kind === 'literal' && typeof argument.value === 'string' ? argument.value : undefined

/** A name that is written as a text: `"profile.email"`. */
function readNamed(argument: TagExpression | undefined, kind: 'text' | 'any', reading: Reading): void {
  const text = literalText(argument)
  if (text !== undefined) readPath(pathOf(text), kind, reading)
}

function readArgument(argument: TagExpression, kind: 'text' | 'any', reading: Reading): void {
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
  const target = outwards(frame, path.up)
  if (path.from === 'this') return target.value && [...target.value, ...path.parts]
  const [first = '', ...rest] = path.parts
  for (let at: Frame | undefined = path.up === 0 ? target : undefined; at; at = at.outer)
    if (at.named?.has(first)) {
      const dataPath = at.named.get(first)
      return dataPath && [...dataPath, ...rest]
    }
  if (variables.has(first)) return undefined
  const ofMessage = used.dataPathOf(path.parts, item)
  if (target.isMessage || !ofMessage || first === 'data') return ofMessage
  return target.value && [...target.value, ...path.parts]
}

function outwards(frame: Frame, blocks: number): Frame {
  let target = frame
  for (let count = 0; count < blocks && target.outer; count += 1) target = target.outer
  return target
}

/** Keys in `data`, `[]` for every item of a list. Undefined: it is not known, or it is not in `data`. */
type DataPath = readonly string[] | undefined

/** The surroundings of a piece of a template. */
interface Uses {
  used: UsedData
  /** Under a condition: the text is complete without it. */
  optional: boolean
  /** The item of the innermost `loop`; absent outside of every loop, undefined when it is not known. */
  item?: DataPath
}

/** Names beside `data` that a template can begin with (messages/decide/condition.ts). */
const ROOTS: ReadonlySet<string> = new Set([
  ...'profile recipient event messageId template courier datetime tenant brand filled_in urls refs'.split(' '),
  ...RECIPIENT_URLS,
])

interface Value {
  keys: Map<string, Value>
  isText: boolean
  isRequired: boolean
}

const newValue = (): Value => ({ keys: new Map(), isText: false, isRequired: false })

class UsedData {
  private readonly root = newValue()
  private count = 0
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  /** Where a name of an author's leads to. `$` is the loop's, then the message's. */
  dataPathOf([first = '', ...rest]: readonly string[], item: DataPath): DataPath {
    if (first === '$') return rest[0] === 'item' ? item && [...item, ...rest.slice(1)] : this.dataPathOfRoot(rest)
    return this.dataPathOfRoot([first, ...rest])
  }

  private dataPathOfRoot([first = '', ...rest]: readonly string[]): DataPath {
    if (first === 'data') return rest
    return first === '' || first === 'index' || ROOTS.has(first) ? undefined : [first, ...rest]
  }

  /** Once required, a value stays so; what is below an optional one says how it is when there is one. */
  add(path: readonly string[], kind: 'text' | 'any', optional: boolean): void {
    let value = this.root
    for (const key of path) {
      const name = /^\d+$/.test(key) ? '[]' : key
      let next = value.keys.get(name)
      if (!next) {
        if (this.count >= this.most) return
        this.count += 1
        next = newValue()
        value.keys.set(name, next)
      }
      if (!optional) next.isRequired = true
      value = next
    }
    if (kind === 'text') value.isText = true
  }

  list(): TemplateVariable[] {
    return listed(this.root, [])
  }
}

function listed({ keys }: Value, path: readonly string[]): TemplateVariable[] {
  // In a list only the items are data of the caller.
  const entries = keys.has('[]') ? [...keys].filter(([key]) => key === '[]') : [...keys]
  return entries.flatMap(([key, value]) => {
    const here = [...path, key]
    return [{ path: here, kind: kindOf(value), required: value.isRequired }, ...listed(value, here)]
  })
}

function kindOf({ keys, isText }: Value): TemplateVariable['kind'] {
  if (keys.has('[]')) return 'list'
  if (keys.size > 0) return 'object'
  return isText ? 'text' : 'any'
}
