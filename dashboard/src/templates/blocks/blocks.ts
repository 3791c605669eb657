/** Content as a tree of blocks with keys, and its changes. Unknown elements and fields stay as they were written. */
import type { Element } from '@postrider/client'
import { isObject } from '../../parts/code/json.ts'

export interface Fields {
  type: string
  [field: string]: unknown
}

export interface Block {
  /** Stable while it is moved and edited. */
  key: string
  /** Without the nested elements. */
  fields: Fields
  /** Nested blocks; absent for a type that does not nest. */
  children?: readonly Block[]
}

export type ElementType = Element['type']

/** The types that nest, each with the types that it takes; an empty list takes all that stand anywhere. */
const nestedTypes: Partial<Record<ElementType, readonly ElementType[]>> = {
  channel: [],
  group: [],
  list: ['list-item'],
  'list-item': [],
  table: ['table-row'],
  'table-row': ['table-cell'],
  'table-cell': [],
  columns: ['column'],
  column: [],
}
const onlyInside: readonly string[] = ['list-item', 'table-row', 'table-cell', 'column', 'channel']

/** Types that can be added in a parent; at the top without one. */
const anywhere: readonly ElementType[] = [
  ...(['text', 'action', 'image', 'divider', 'quote', 'list', 'table', 'columns', 'group'] as const),
  ...(['html', 'meta', 'comment'] as const),
]

export function addableTypes(parent: string | undefined): readonly ElementType[] {
  const types = parent === undefined ? [] : (nestedTypes[parent as ElementType] ?? [])
  return types.length > 0 ? [...types, 'comment'] : anywhere
}

export function takes(parent: string | undefined, type: string): boolean {
  const types: readonly string[] = parent === undefined ? [] : (nestedTypes[parent as ElementType] ?? [])
  return types.length > 0 ? types.includes(type) || type === 'comment' : !onlyInside.includes(type)
}

let lastKey = 0
const newKey = () => {
  lastKey += 1
  return `b${lastKey}`
}

const isElement = (value: unknown): value is Fields => isObject(value) && typeof value.type === 'string'
const areElements = (value: unknown): value is Fields[] => Array.isArray(value) && value.every(isElement)

/** Keys of `before` are kept where the same type stands in the same place. */
export function blocksOf(elements: readonly Fields[], before: readonly Block[] = []): Block[] {
  return elements.map((element, index) => {
    const former = before[index]?.fields.type === element.type ? before[index] : undefined
    const key = former?.key ?? newKey()
    const { elements: nested, ...fields } = element
    if (!(element.type in nestedTypes) || (nested !== undefined && !areElements(nested)))
      return { key, fields: element }
    return { key, fields, children: nested === undefined ? [] : blocksOf(nested, former?.children) }
  })
}

export const elementsOf = (blocks: readonly Block[]): Fields[] => blocks.map(elementOf)

export const elementOf = ({ fields, children }: Block): Fields =>
  children && children.length > 0 ? { ...fields, elements: elementsOf(children) } : fields

/** Content that was typed as JSON; its fault names the place. */
export function readElements(text: string): Fields[] | { error: 'syntax' | 'elements' } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { error: 'syntax' }
  }
  const elements = isObject(value) ? value.elements : value
  return areElements(elements) ? elements : { error: 'elements' }
}

/** Indexes from the top, as the API writes a place: `1.0`. */
export type Path = readonly number[]
export const pathText = (path: Path) => path.join('.')

export function findBlock(
  blocks: readonly Block[],
  key: string,
  at: Path = [],
): { block: Block; path: Path } | undefined {
  for (const [index, block] of blocks.entries()) {
    const path = [...at, index]
    if (block.key === key) return { block, path }
    const nested = block.children && findBlock(block.children, key, path)
    if (nested) return nested
  }
  return undefined
}

export function blockAt(blocks: readonly Block[], path: Path): Block | undefined {
  const [index = -1, ...rest] = path
  const block = blocks[index]
  return rest.length === 0 ? block : block?.children && blockAt(block.children, rest)
}

/** Replaces the list that holds the block of a key. */
function inList(
  blocks: readonly Block[],
  key: string,
  change: (list: readonly Block[], index: number) => readonly Block[],
): readonly Block[] {
  const index = blocks.findIndex((block) => block.key === key)
  if (index >= 0) return change(blocks, index)
  let isChanged = false
  const next = blocks.map((block) => {
    if (!block.children) return block
    const children = inList(block.children, key, change)
    if (children === block.children) return block
    isChanged = true
    return { ...block, children }
  })
  return isChanged ? next : blocks
}

/** A field that is undefined is removed. */
export function setFields(blocks: readonly Block[], key: string, fields: Record<string, unknown>): readonly Block[] {
  return inList(blocks, key, (list, index) =>
    list.map((block, at) => {
      if (at !== index) return block
      const merged = Object.entries({ ...block.fields, ...fields }).filter(([, value]) => value !== undefined)
      return { ...block, fields: { ...Object.fromEntries(merged), type: String(fields.type ?? block.fields.type) } }
    }),
  )
}

/** An element that was edited as a whole. */
export const replaceBlock = (blocks: readonly Block[], key: string, element: Fields): readonly Block[] =>
  inList(blocks, key, (list, index) =>
    list.map((block, at) => {
      const [next] = at === index ? blocksOf([element], [block]) : []
      return next ? { ...next, key } : block
    }),
  )

export const removeBlock = (blocks: readonly Block[], key: string): readonly Block[] =>
  inList(blocks, key, (list, index) => list.toSpliced(index, 1))

export const insertAfter = (blocks: readonly Block[], key: string, block: Block): readonly Block[] =>
  inList(blocks, key, (list, index) => list.toSpliced(index + 1, 0, block))

const insertBefore = (blocks: readonly Block[], key: string, block: Block): readonly Block[] =>
  inList(blocks, key, (list, index) => list.toSpliced(index, 0, block))

/** At the end of a parent; without one, of the content. */
export const append = (blocks: readonly Block[], parent: string | undefined, block: Block): readonly Block[] =>
  parent === undefined
    ? [...blocks, block]
    : inList(blocks, parent, (list, index) =>
        list.map((each, at) => (at === index ? { ...each, children: [...(each.children ?? []), block] } : each)),
      )

const withNewKeys = (block: Block): Block => ({
  ...block,
  key: newKey(),
  ...(block.children && { children: block.children.map(withNewKeys) }),
})

/** Its `id` and `ref` name the first one only. */
export function duplicateBlock(blocks: readonly Block[], key: string): { blocks: readonly Block[]; key: string } {
  const original = findBlock(blocks, key)
  if (!original) return { blocks, key }
  const copy = withNewKeys(original.block)
  const { id: _id, ref: _ref, ...fields } = copy.fields
  const made = { ...copy, fields: { ...fields, type: copy.fields.type } }
  return { blocks: insertAfter(blocks, key, made), key: made.key }
}

/** One place up or down among its neighbors. */
export const shiftBlock = (blocks: readonly Block[], key: string, by: 1 | -1): readonly Block[] =>
  inList(blocks, key, (list, index) => {
    const block = list[index]
    const to = index + by
    return !block || to < 0 || to >= list.length ? list : list.toSpliced(index, 1).toSpliced(to, 0, block)
  })

const typeOfParent = (blocks: readonly Block[], path: Path) => blockAt(blocks, path.slice(0, -1))?.fields.type

/** Takes the place of the block `over`, or goes to the end of the parent `into`; unchanged where the type cannot stand. */
export function moveBlock(
  blocks: readonly Block[],
  key: string,
  { over, into }: { over?: string; into?: string },
): readonly Block[] {
  const from = findBlock(blocks, key)
  const target = findBlock(blocks, over ?? into ?? '')
  if (!from || !target || key === (over ?? into) || findBlock(from.block.children ?? [], target.block.key))
    return blocks
  const parent = over === undefined ? target.block.fields.type : typeOfParent(blocks, target.path)
  if (!takes(parent, from.block.fields.type)) return blocks
  const without = removeBlock(blocks, key)
  if (over === undefined) return append(without, into, from.block)
  const [fromLast, overLast] = [from.path.at(-1) ?? 0, target.path.at(-1) ?? 0]
  const isSameList = pathText(from.path.slice(0, -1)) === pathText(target.path.slice(0, -1))
  return isSameList && fromLast < overLast
    ? insertAfter(without, over, from.block)
    : insertBefore(without, over, from.block)
}

const sampleText = { type: 'text', content: '' }
const initialElements: Record<ElementType, Fields> = {
  text: sampleText,
  meta: { type: 'meta', title: '' },
  channel: { type: 'channel', channel: 'default', elements: [] },
  action: { type: 'action', content: '', href: 'https://' },
  image: { type: 'image', src: 'https://', alt_text: '' },
  divider: { type: 'divider' },
  group: { type: 'group', elements: [sampleText] },
  quote: { type: 'quote', content: '' },
  html: { type: 'html', content: '' },
  list: { type: 'list', elements: [{ type: 'list-item', content: '' }] },
  'list-item': { type: 'list-item', content: '' },
  table: {
    type: 'table',
    elements: [
      {
        ...{ type: 'table-row', header: true },
        elements: [
          { type: 'table-cell', content: '' },
          { type: 'table-cell', content: '', align: 'end' },
        ],
      },
      {
        type: 'table-row',
        elements: [
          { type: 'table-cell', content: '' },
          { type: 'table-cell', content: '', align: 'end' },
        ],
      },
    ],
  },
  'table-row': { type: 'table-row', elements: [{ type: 'table-cell', content: '' }] },
  'table-cell': { type: 'table-cell', content: '' },
  comment: { type: 'comment', comment: '' },
  columns: {
    type: 'columns',
    elements: [
      { type: 'column', elements: [sampleText] },
      { type: 'column', elements: [sampleText] },
    ],
  },
  column: { type: 'column', elements: [sampleText] },
}

export function newBlock(type: ElementType): Block {
  const [block] = blocksOf([structuredClone(initialElements[type])])
  if (!block) throw new Error(`No block of the type ${type}`)
  return block
}

/** Whether each channel has a content of its own: then channels stand alone at the top. */
export const hasChannels = (blocks: readonly Block[]) => blocks.some(({ fields }) => fields.type === 'channel')

/** Adds the content of a channel; what was there for all becomes the content of every other one. */
export function addChannel(blocks: readonly Block[], channel: string): readonly Block[] {
  const addition: Block = { ...newBlock('channel'), fields: { type: 'channel', channel } }
  if (hasChannels(blocks)) return [...blocks, addition]
  const others: Block = { ...newBlock('channel'), fields: { type: 'channel', channel: 'default' }, children: blocks }
  return [others, { ...addition, children: blocks.map(withNewKeys) }]
}

/** The words of a block in one line. */
export function summaryOf({ fields, children }: Block): string {
  for (const name of ['content', 'title', 'comment', 'alt_text', 'src', 'channel'])
    if (typeof fields[name] === 'string' && fields[name] !== '')
      return fields[name].replaceAll(/\s+/g, ' ').slice(0, 160)
  if (Array.isArray(fields.elements))
    return fields.elements
      .map((span) => (isObject(span) && typeof span.content === 'string' ? span.content : ''))
      .join('')
  return (children ?? [])
    .map(summaryOf)
    .filter((text) => text !== '')
    .join(' · ')
    .slice(0, 160)
}
