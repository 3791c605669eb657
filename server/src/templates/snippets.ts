/** `{{>name}}` in the author's text: replaced by the brand's snippet before anything else reads it, and never sent as written. */
import type { Fields, Node } from './element.ts'
import { RenderFailed } from './failure.ts'
import type { Brand, Template } from './template.ts'

const MENTION = /(?<!\\)\{{2,3}~?\s*>([^{}]*)\}{2,3}/g
/** As long as one field of an element may be. */
const LENGTH_MAX = 262_144
const NAME_CHARACTERS_MAX = 64

const nameIn = (inside: string) => inside.replace(/~\s*$/, '').trim().slice(0, NAME_CHARACTERS_MAX)

/** The names of the snippets a text mentions. */
export const snippetNames = (text: string): string[] =>
  text.includes('{{') ? [...text.matchAll(MENTION)].map(([, inside = '']) => nameIn(inside)) : []

/** True for a text that can differ from brand to brand. */
export const usesBrand = (text: string) => text.includes('brand') || hasMention(text)

/** Names of snippets that the template mentions and the brand does not have. */
export function missingSnippets({ snippets }: Template, brand: Brand | undefined): string[] {
  return snippets.size === 0 ? [] : [...snippets].filter((name) => !brand?.snippets?.has(name))
}

/** A name without a snippet is removed, and so is a mention inside a snippet: nothing is expanded twice. */
export function withSnippets(text: string, brand: Brand | undefined): string {
  if (!text.includes('{{')) return text
  let length = text.length
  return text.replace(MENTION, (mention, inside: string) => {
    const snippet = brand?.snippets?.get(nameIn(inside))?.replace(MENTION, '') ?? ''
    length += snippet.length - mention.length
    if (length > LENGTH_MAX) throw new RenderFailed(`With its snippets a text is longer than ${LENGTH_MAX} characters`)
    return snippet
  })
}

/** The node with snippets in the fields its element reads; its children stay as they are. */
export function withBrandSnippets(node: Node, brand: Brand | undefined): Node {
  const names = Object.keys(node.element.fields).filter((name) => hasMention(node.fields[name]))
  if (names.length === 0) return node
  const fields = Object.fromEntries(names.map((name) => [name, deep(node.fields[name], brand)]))
  return { ...node, fields: { ...node.fields, ...fields } satisfies Fields }
}

function hasMention(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{') && value.search(MENTION) >= 0
  if (Array.isArray(value)) return value.some(hasMention)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasMention)
}

function deep(value: unknown, brand: Brand | undefined): unknown {
  if (typeof value === 'string') return withSnippets(value, brand)
  if (Array.isArray(value)) return value.map((item) => deep(item, brand))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, deep(item, brand)]))
}
