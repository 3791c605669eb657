/** The named keys of a value, as far as its schema names keys; what stands in free objects is left out. */
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

interface Node {
  title?: string
  properties?: Record<string, Node>
  items?: Node
  anyOf?: Node[]
}

/** `results[].id`; the first item of a list stands for all, and `results[none]` is an empty list. */
export function shapeOf(value: unknown, schema: TSchema): string[] {
  const keys: string[] = []
  const walk = (here: unknown, node: Node, place: string) => {
    const fitting = node.anyOf ? node.anyOf.find((variant) => Compile(variant as TSchema).Check(here)) : node
    if (!fitting) return
    if (fitting.anyOf) walk(here, fitting, place)
    if (Array.isArray(here) && fitting.items) {
      if (!hasKeys(fitting.items)) return
      if (here.length === 0) keys.push(`${place}[none]`)
      else walk(here[0], fitting.items, `${place}[]`)
      return
    }
    if (typeof here !== 'object' || here === null || !fitting.properties) return
    for (const [key, child] of Object.entries(here)) {
      // There when another page follows, which is a matter of what else was written.
      if (fitting.title === 'Paging' && key === 'cursor') continue
      const property = Object.hasOwn(fitting.properties, key) ? fitting.properties[key] : undefined
      if (!property) continue
      keys.push(`${place}.${key}`)
      walk(child, property, `${place}.${key}`)
    }
  }
  walk(value, schema as Node, '')
  return keys.sort()
}

const hasKeys = ({ properties, anyOf, items }: Node): boolean =>
  properties !== undefined || (anyOf ?? []).some(hasKeys) || (items !== undefined && hasKeys(items))
