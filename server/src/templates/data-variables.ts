/** Lists the values that a template reads from the data of a send: their paths, their kinds, whether they are required. */
import { type TemplateVariable, templateVariablesMax } from '@postrider/contract'
import { pathsIn } from '../base/expression/expression.ts'
import { isObject } from '../base/json/json.ts'
import { type DataPath, UsedData, type Uses } from './data-usage.ts'
import type { Node } from './elements/element.ts'
import { blockVariables } from './handlebars/block-variables.ts'
import { treeOfText } from './handlebars/handlebars.ts'
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
