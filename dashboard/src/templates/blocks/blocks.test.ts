/** Blocks of a content: read and written without loss, added, moved, copied and removed. */
import { describe, expect, test } from 'vitest'
import {
  addChannel,
  append,
  type Block,
  blockAt,
  blocksOf,
  duplicateBlock,
  elementsOf,
  insertAfter,
  moveBlock,
  newBlock,
  readElements,
  removeBlock,
  setFields,
  shiftBlock,
  summaryOf,
} from './blocks.ts'

const content = [
  { type: 'meta', title: 'Order {id}' },
  { type: 'text', content: 'Hello', locales: { de: { content: 'Hallo' } } },
  { type: 'text', elements: [{ type: 'string', content: 'A span' }] },
  {
    type: 'group',
    if: 'data.vip',
    elements: [
      { type: 'text', content: 'First' },
      { type: 'list', elements: [{ type: 'list-item', content: 'x' }] },
    ],
  },
  { type: 'hologram', depth: 3, elements: 'three' },
  { type: 'list', elements: 'none' },
]
const keyAt = (blocks: readonly Block[], ...path: number[]) => blockAt(blocks, path)?.key ?? ''
const types = (blocks: readonly Block[]): unknown[] =>
  blocks.map(({ fields, children }) => (children && children.length > 0 ? [fields.type, types(children)] : fields.type))

describe('content and blocks', () => {
  test('every element comes back as it was written, also an unknown and a malformed one', () => {
    expect(elementsOf(blocksOf(content))).toEqual(content)
  })

  test('keys stay when JSON changes the fields in place, and are new where another type stands', () => {
    const before = blocksOf(content)
    const after = blocksOf([{ type: 'meta', title: 'New' }, { type: 'divider' }], before)
    expect(keyAt(after, 0)).toBe(keyAt(before, 0))
    expect(keyAt(after, 1)).not.toBe(keyAt(before, 1))
  })

  test('JSON is refused by its syntax or by its shape', () => {
    expect(readElements('{"elements": [')).toEqual({ error: 'syntax' })
    expect(readElements('{"elements": [{"content": "x"}]}')).toEqual({ error: 'elements' })
    expect(readElements('[{"type": "divider"}]')).toEqual([{ type: 'divider' }])
  })
})

describe('changes', () => {
  test('a field is set and removed', () => {
    const blocks = blocksOf(content)
    const key = keyAt(blocks, 3, 0)
    const changed = setFields(blocks, key, { content: 'Second', align: 'center' })
    expect(blockAt(changed, [3, 0])?.fields).toEqual({ type: 'text', content: 'Second', align: 'center' })
    expect(blockAt(setFields(changed, key, { align: undefined }), [3, 0])?.fields).not.toHaveProperty('align')
    expect(blocks).toEqual(blocksOf(content, blocks))
  })

  test('a block is added after another and at the end of a parent, and removed', () => {
    const blocks = blocksOf(content)
    const added = insertAfter(blocks, keyAt(blocks, 0), newBlock('divider'))
    expect(types(added).slice(0, 3)).toEqual(['meta', 'divider', 'text'])
    const inside = append(blocks, keyAt(blocks, 3), newBlock('quote'))
    expect(types(inside)[3]).toEqual(['group', ['text', ['list', ['list-item']], 'quote']])
    expect(types(removeBlock(inside, keyAt(inside, 3, 1)))[3]).toEqual(['group', ['text', 'quote']])
  })

  test('a copy has keys of its own, and neither id nor ref', () => {
    const blocks = blocksOf([{ type: 'group', id: 'a', ref: 'b', elements: [{ type: 'text', content: 'x' }] }])
    const { blocks: doubled, key } = duplicateBlock(blocks, keyAt(blocks, 0))
    expect(elementsOf(doubled)[1]).toEqual({ type: 'group', elements: [{ type: 'text', content: 'x' }] })
    expect(new Set([keyAt(doubled, 0), key, keyAt(doubled, 0, 0), keyAt(doubled, 1, 0)]).size).toBe(4)
  })

  test('a block moves within its list and into another parent, but not where its type cannot stand', () => {
    const blocks = blocksOf(content)
    const meta = keyAt(blocks, 0)
    expect(types(moveBlock(blocks, meta, { over: keyAt(blocks, 2) })).slice(0, 3)).toEqual(['text', 'text', 'meta'])
    expect(types(moveBlock(blocks, keyAt(blocks, 1), { over: keyAt(blocks, 3, 1) }))[2]).toEqual([
      'group',
      ['text', 'text', ['list', ['list-item']]],
    ])
    expect(types(moveBlock(blocks, meta, { into: keyAt(blocks, 3) }))[2]).toEqual([
      'group',
      ['text', ['list', ['list-item']], 'meta'],
    ])
    expect(moveBlock(blocks, meta, { over: keyAt(blocks, 3, 1, 0) })).toBe(blocks)
    expect(moveBlock(blocks, keyAt(blocks, 3, 1, 0), { over: meta })).toBe(blocks)
    expect(moveBlock(blocks, keyAt(blocks, 3), { over: keyAt(blocks, 3, 0) })).toBe(blocks)
    expect(types(shiftBlock(blocks, meta, 1)).slice(0, 2)).toEqual(['text', 'meta'])
    expect(types(shiftBlock(blocks, meta, -1))).toEqual(types(blocks))
  })

  test('the first channel of its own makes what was there the content of all others', () => {
    const blocks = addChannel(blocksOf([{ type: 'text', content: 'x' }]), 'sms')
    expect(elementsOf(blocks)).toEqual([
      { type: 'channel', channel: 'default', elements: [{ type: 'text', content: 'x' }] },
      { type: 'channel', channel: 'sms', elements: [{ type: 'text', content: 'x' }] },
    ])
    expect(addChannel(blocks, 'push')).toHaveLength(3)
  })

  test('a summary is one line of words', () => {
    expect(blocksOf(content).map(summaryOf)).toEqual(['Order {id}', 'Hello', 'A span', 'First · x', '', ''])
  })
})
