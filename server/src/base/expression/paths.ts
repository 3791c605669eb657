/** What an expression names: each path from a free name on, as far as it is written out. */
import { type AnyNode, parseExpressionAt } from 'acorn'
import { constants } from './build.ts'

/** Of a source that compiles: `refs.first.status` is `['refs', 'first', 'status']`. */
export function pathsIn(source: string): string[][] {
  return pathsOf(parseExpressionAt(source, 0, { ecmaVersion: 2022 }))
}

function pathsOf(node: AnyNode): string[][] {
  const path = pathOf(node)
  if (path) return constants.has(path[0] ?? '') ? [] : [path]
  if (node.type === 'MemberExpression')
    return [...pathsOf(node.object as AnyNode), ...(node.computed ? pathsOf(node.property as AnyNode) : [])]
  if (node.type === 'Property') return pathsOf(node.value as AnyNode)
  return Object.values(node)
    .flat()
    .flatMap((part) => (isNode(part) ? pathsOf(part) : []))
}

/** Undefined when a part of it is known only when it is evaluated. */
function pathOf(node: AnyNode): string[] | undefined {
  if (node.type === 'Identifier') return [node.name]
  if (node.type === 'ChainExpression') return pathOf(node.expression)
  if (node.type !== 'MemberExpression') return undefined
  const before = pathOf(node.object as AnyNode)
  const key = keyOf(node.property as AnyNode, node.computed)
  return before && key !== undefined ? [...before, key] : undefined
}

function keyOf(key: AnyNode, isComputed: boolean): string | undefined {
  if (key.type === 'Identifier' && !isComputed) return key.name
  return key.type === 'Literal' && isComputed ? String(key.value) : undefined
}

const isNode = (part: unknown): part is AnyNode =>
  typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string'
