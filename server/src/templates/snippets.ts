/** `{{>name}}` in the author's words: replaced by the brand's snippet before anything else reads them. */
import type { Fields, Node } from './elements/element.ts'
import { RenderFailed } from './failure.ts'
import type { Brand } from './template.ts'

const MENTION = /\{\{>\s*([\w-]+)\s*\}\}/g
/** As long as one field of an element may be. */
const LENGTH_MAX = 262_144

/** Whether words can differ from brand to brand. */
export const mentionsBrand = (text: string) => text.includes('{{>') || text.includes('brand')

/** Snippets that are not there stay as written, and so do mentions inside a snippet: nothing is expanded twice. */
export function withSnippets(text: string, brand: Brand | undefined): string {
  const snippets = brand?.snippets
  if (!snippets?.size || !text.includes('{{>')) return text
  let length = text.length
  return text.replace(MENTION, (mention, name: string) => {
    const words = snippets.get(name) ?? mention
    length += words.length - mention.length
    if (length > LENGTH_MAX) throw new RenderFailed(`With its snippets a text is longer than ${LENGTH_MAX} characters`)
    return words
  })
}

/** The node with snippets in the fields its element reads; its children stay as they are. */
export function spokenBy(node: Node, brand: Brand | undefined): Node {
  if (!brand?.snippets?.size) return node
  const names = Object.keys(node.element.fields).filter((name) => node.fields[name] !== undefined)
  const fields = Object.fromEntries(names.map((name) => [name, deep(node.fields[name], brand)]))
  return { ...node, fields: { ...node.fields, ...fields } satisfies Fields }
}

function deep(value: unknown, brand: Brand): unknown {
  if (typeof value === 'string') return withSnippets(value, brand)
  if (Array.isArray(value)) return value.map((item) => deep(item, brand))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, deep(item, brand)]))
}
