/** The groups of the index hold every guide once, and links of Markdown lead to pages that exist. */
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { guidesFolder } from '../../assets.ts'
import { pageNames } from './guide-pages.ts'
import { readGroups, readGuides } from './guides.ts'
import { renderMarkdown, sectionsOf } from './markdown.ts'

const render = (text: string, root = '/notify') => renderMarkdown(text, { root, pages: pageNames() })

test('every guide and every page of the contract stands once in the groups', () => {
  const files = readdirSync(guidesFolder)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => name.slice(0, -3))
  const names = readGuides().map(({ name }) => name)
  expect(names.toSorted()).toEqual([...files, 'decisions', 'errors', 'log-events', 'steps'].sort())
  expect(readGroups().map(({ title }) => title)).toContain('Reference')
  expect(readGuides()[0]).toMatchObject({ name: 'first-message', group: 'Begin', title: 'The first message' })
})

test.each([
  ['sending.md#stop-a-send', '/notify/docs/sending#stop-a-send'],
  ['../guides/sending.md', '/notify/docs/sending'],
  ['../errors.md#conflict', '/notify/docs/errors#conflict'],
  ['../reference/log-events.md', '/notify/docs/log-events'],
  ['../reference/steps.md#fetch-data', '/notify/docs/steps#fetch-data'],
  ['../reference/api.md', '/notify/docs'],
  ['../reference/api.md#send-send', '/notify/docs#tag/send/POST/send'],
  ['../reference/api.md#devicetokens-get', '/notify/docs#tag/devicetokens/GET/users/{user_id}/tokens/{token}'],
  ['../reference/api.md#shape-message', '/notify/docs/plain#shape-message'],
  ['../reference/openapi.json', '/notify/openapi.json'],
  ['README.md', '/notify/docs/guides'],
  ['#below', '#below'],
  ['https://example.com/', 'https://example.com/'],
])('a link to %s leads to %s', (target, href) => {
  expect(decodeURI(render(`[x](${target})`).html)).toBe(`<p><a href="${href}">x</a></p>\n`)
})

test.each([
  '../../README.md',
  '../README.md',
  '../guarantees.md',
  '../architecture/limits.md',
  '../adr/0001-one-sql-dialect.md',
])('a link to %s, which no page shows, is text', (target) => {
  expect(render(`[x](${target})`).html).toBe('<p><a>x</a></p>\n')
})

test('headings of the same words have anchors of their own, beside those that the text has', () => {
  const { headings } = render('# Send\n\n<a id="send-1"></a>\n\n## Send\n\n## Send `it`')
  expect(headings.map(({ id }) => id)).toEqual(['send', 'send-2', 'send-it'])
  expect(headings[2]).toEqual({ level: 2, id: 'send-it', text: 'Send it' })
})

test('wide parts can be scrolled with the keyboard, and marks of generators are not shown', () => {
  const { html } = render('<!-- steps -->\n| a |\n|---|\n| b |\n\n```sh\n<x>\n```\n')
  expect(html).toMatch(/^<div class="wide" tabindex="0" role="group" aria-label="Table"><table>/)
  expect(render('| | a |\n|---|---|\n| b | c |').html).toContain('<td></td>\n<th>a</th>')
  expect(html).toContain('<pre tabindex="0"><code>&lt;x&gt;\n</code></pre>')
})

test('sections have the text below their heading, without code and markup', () => {
  const text =
    '# One\n\nFirst `a` **b**.\n\n## Two\n\n| c | d |\n|---|---|\n| e | |\n\n```sh\nrun\n```\n\n#### Deep\n\nf'
  expect(sectionsOf(text)).toEqual([
    { heading: { level: 1, id: 'one', text: 'One' }, text: 'First a b. ', code: '' },
    { heading: { level: 2, id: 'two', text: 'Two' }, text: 'c · d · e · f ', code: 'run\n ' },
  ])
})
