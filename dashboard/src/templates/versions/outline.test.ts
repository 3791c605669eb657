/** The lines that people compare have every word and every property of a draft, and no order of storage. */
import { expect, test } from 'vitest'
import { blocksOf } from '../blocks/blocks.ts'
import type { Draft } from '../draft/draft-store.ts'
import { outlineOf } from './outline.ts'

const draft = (elements: Parameters<typeof blocksOf>[0], more: Partial<Draft> = {}): Draft => ({
  ...{ name: 'Order shipped', tags: [], brand: null, subscription: null, routing: null, settings: {} },
  ...{ alias: 'order-shipped', version: '2022-01-01', blocks: blocksOf(elements) },
  ...more,
})
const labels = { type_text: 'Text', type_action: 'Button', type_group: 'Group', field_href: 'Link', if: 'Shown if' }

test('each block is a line with its words, its other fields stand below it', () => {
  const elements = [
    { type: 'text', content: 'Hello\nAda' },
    { type: 'group', if: 'data.paid', elements: [{ href: 'https://a.example', type: 'action', content: 'Track it' }] },
    { type: 'hologram', depth: 3 },
  ]
  expect(outlineOf(draft(elements, { tags: ['orders'] }), labels).split('\n')).toEqual([
    ...[
      'Text',
      '  Hello',
      '  Ada',
      'Group',
      '  Shown if: data.paid',
      '  Button: Track it',
      '    Link: https://a.example',
    ],
    ...['hologram', '  depth: 3', 'alias: order-shipped', 'name: Order shipped', 'tags: ["orders"]'],
  ])
})

test('the order of the stored fields is no difference', () => {
  const hrefFirst = draft([{ type: 'action', content: 'Go', href: '/', style: 'link' }])
  const styleFirst = draft([{ style: 'link', href: '/', content: 'Go', type: 'action' }])
  expect(outlineOf(hrefFirst, labels)).toBe(outlineOf(styleFirst, labels))
})
