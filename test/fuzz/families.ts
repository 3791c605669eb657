/** Inputs that can be grown: for each thing that the main thread does with what a caller wrote, words that its grammar knows. */
import {
  audienceFilterBytesMax,
  bodyBytesMax,
  bodyDepthMax,
  patchOperationsMax,
  profileBytesMax,
} from '@postrider/contract'
import { judge, parseFilter } from '@postrider/server/internal/audiences/filter'
import { referencesIn, withReferences } from '@postrider/server/internal/automations/values'
import { parseDuration } from '@postrider/server/internal/base/duration'
import { compileExpression, evaluate } from '@postrider/server/internal/base/expression'
import { patchJson } from '@postrider/server/internal/base/json-patch'
import { parseListPattern } from '@postrider/server/internal/base/list-pattern'
import { parseMailAddress } from '@postrider/server/internal/base/mail-address'
import { parseMoment } from '@postrider/server/internal/base/moment'
import { parseOpeningHours } from '@postrider/server/internal/base/opening-hours'
import { checkRecurrence } from '@postrider/server/internal/base/recurrence'
import { readBody } from '@postrider/server/internal/http/body'
import { queryReader } from '@postrider/server/internal/http/query'
import { compile } from '@postrider/server/internal/templates/compile'
import { render } from '@postrider/server/internal/templates/render'
import { Type } from 'typebox'

export interface Family {
  name: string
  /** The tokens of its grammar; inputs repeat drawn sequences of these. */
  words: readonly string[]
  /** The most that a caller can give of it. */
  charactersMax: number
  /** One call on the main thread. What it throws is no matter. */
  call(text: string): void
}

const NOW = Date.UTC(2026, 0, 5, 12)
// A path of Node.js may hold as much; a header of the request does not fit beside it.
const QUERY_MAX = 16_000
// A template's text and a mail's whole content (`compile.ts`).
const TEXT_MAX = 262_144
const ID_MAX = 512

const JSON_WORDS = [
  '[',
  ']',
  '{',
  '}',
  '{"a":',
  '[]',
  '{}',
  ',',
  '0,',
  '1e9,',
  '"x",',
  '"',
  '\\',
  '\\u0041',
  '\\n',
  'null,',
  ' ',
  '"k":1,',
  'é',
  ':',
  '-',
]
const FORM_WORDS = [
  'a',
  '=',
  '&',
  'a=1&',
  '[',
  ']',
  '[b]',
  '[]',
  '[0]',
  '[9]',
  '%41',
  '%5B',
  '%',
  '+',
  ' ',
  '.',
  'é',
  'a[b][c]=1&',
]
const MARKDOWN_WORDS = [
  '*',
  '**',
  '_',
  '__',
  '~~',
  '`',
  '[',
  ']',
  '](',
  '](x)',
  '![',
  '<',
  '>',
  '<a',
  '</',
  '&',
  '&amp;',
  '\\',
  '\n',
  '\n\n',
  '- ',
  '1. ',
  '> ',
  '# ',
  '    ',
  '\t',
  '|',
  '---',
  'a',
  ' ',
  'http://x.y',
  '&#',
  '"',
  "'",
]
const VARIABLE_WORDS = [
  '{',
  '}',
  '{{',
  '}}',
  '{{{',
  '{a}',
  '{{a}}',
  '{{a.b}}',
  '{$.data.a}',
  '{{$.item.a}}',
  '{%',
  '.',
  '[0]',
  '{{>x}}',
  '{{#if a}}',
  '{{/if}}',
  'a',
  ' ',
  '\\',
]
const EXPRESSION_WORDS = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '!',
  '-',
  '+',
  'a',
  'data.a',
  '.a',
  '?',
  ':',
  '?.',
  '&&',
  '||',
  '??',
  '==',
  ',',
  '"x"',
  '`',
  '${',
  '/',
  '/a/',
  '...',
  '=>',
  '0',
  'x=>',
  'typeof ',
  '.length',
  '.includes(',
  '.map(',
]
const ADDRESS_WORDS = [
  '"',
  '\\',
  '@',
  '<',
  '>',
  ',',
  '.',
  ' ',
  '(',
  ')',
  'a',
  'é',
  ':',
  ';',
  '\t',
  '-',
  '=?utf-8?q?',
  '?=',
]
const TIME_WORDS = [
  '1',
  '0',
  ' ',
  '-',
  ':',
  'T',
  'Z',
  '+',
  '.',
  ',',
  ';',
  'd',
  'days ',
  'Mo',
  'Mo-Fr ',
  '08:00-18:00',
  'Jan ',
  'off',
  '24/7',
  '\t',
]
const CRON_WORDS = ['*', '/', '-', ',', ' ', '0', '1', '30', '2', '59', 'L', '#', 'W', '?', 'MON', 'FEB', '29']
const LIST_WORDS = ['*', '**', '.', 'a', '+', '(', ')', '[', ']', '^', '$', '\\', '|', '?', '{1,9}', 'é']
const REFERENCE_WORDS = ['$', '{', '}', '${', '${data.a}', '\\', 'a', 'refs.', 'refs.a.b', '[0]', '.', '"', '`', ' ']

const query = queryReader(
  { text: Type.String(), list: Type.Array(Type.String()), flag: Type.Boolean() },
  { liberal: false },
)

const content = (text: string) => ({
  version: '2022-01-01',
  elements: [
    { type: 'meta', title: text },
    { type: 'text', content: text },
  ],
})
const rendered = (value: unknown, data: Record<string, unknown>) => {
  const template = compile(value)
  render(template, { channel: 'email', dialect: 'html', context: { data } })
}

const audience = (value: string, operator: string) =>
  parseFilter({ operator: 'AND', filters: [{ operator, path: 'a', value }] } as never, undefined)

/** Everything but the evaluator of conditions, the renderer and the filters of audiences. */
export const parsers: readonly Family[] = [
  {
    name: 'a body of JSON',
    words: JSON_WORDS,
    charactersMax: bodyBytesMax,
    call: (text) => void JSON.stringify(readBody(Buffer.from(text), {})),
  },
  {
    name: 'a send with data',
    words: JSON_WORDS,
    charactersMax: bodyBytesMax,
    call: (text) => void JSON.stringify(readBody(Buffer.from(`{"event":"e","recipient":"r","data":[${text}0]}`), {})),
  },
  {
    name: 'a body that is a form',
    words: FORM_WORDS,
    charactersMax: bodyBytesMax,
    call: (text) => void readBody(Buffer.from(text), { 'content-type': 'application/x-www-form-urlencoded' }),
  },
  {
    name: 'a body that is a text',
    words: [...JSON_WORDS, ...FORM_WORDS],
    charactersMax: bodyBytesMax,
    call: (text) => void readBody(Buffer.from(text), {}, true),
  },
  { name: 'a query', words: FORM_WORDS, charactersMax: QUERY_MAX, call: (text) => void query(text) },
  {
    name: 'a list pattern',
    words: LIST_WORDS,
    charactersMax: ID_MAX,
    call: (text) => void new RegExp(parseListPattern(text).expression).test(`a.${text}`.slice(0, ID_MAX)),
  },
  {
    name: 'a mail address',
    words: ADDRESS_WORDS,
    charactersMax: TEXT_MAX,
    call: (text) => void parseMailAddress(text),
  },
  { name: 'a duration', words: TIME_WORDS, charactersMax: TEXT_MAX, call: (text) => void parseDuration(text) },
  { name: 'a time', words: TIME_WORDS, charactersMax: TEXT_MAX, call: (text) => void parseMoment(text) },
  { name: 'opening hours', words: TIME_WORDS, charactersMax: TEXT_MAX, call: (text) => void parseOpeningHours(text) },
  {
    name: 'a cron pattern',
    words: CRON_WORDS,
    charactersMax: 1_024,
    call: (text) => checkRecurrence({ crons: [text], zone: 'Europe/Vienna' }, NOW),
  },
  {
    name: 'a cron pattern of five fields',
    words: CRON_WORDS,
    charactersMax: 1_024,
    call: (text) => checkRecurrence({ crons: [`${text.replaceAll(' ', '')} 0 30 2 *`], zone: 'Europe/Vienna' }, NOW),
  },
  {
    name: 'references of a step',
    words: REFERENCE_WORDS,
    charactersMax: TEXT_MAX,
    call: (text) => void [referencesIn(text), withReferences(text, () => '')],
  },
  {
    name: 'a patch that adds',
    words: JSON_WORDS,
    charactersMax: profileBytesMax / patchOperationsMax,
    call: (text) => patched((n) => ({ op: 'add', path: n % 2 ? `/list/${n}` : `/n${n}`, value: text })),
  },
  {
    name: 'a patch that moves',
    words: ['a', '/', '~0', '~1', '-', '0'],
    charactersMax: 1_024,
    call: (text) => {
      const [from, to] = ['/list', `/${text.replaceAll('/', '')}`]
      patched((n) => (n % 2 ? { op: 'move', from: to, path: from } : { op: 'move', from, path: to }))
    },
  },
  {
    name: 'a patch that tests a list',
    words: ['a', 'é', '\\'],
    charactersMax: 10_000,
    call: (text) => patched(() => ({ op: 'test', path: '/list', value: document.list.slice(0, text.length) })),
  },
  {
    name: 'a patch at the front of a list',
    words: ['a', 'é'],
    charactersMax: 1_000,
    call: (text) => patched(() => ({ op: 'add', path: '/list/0', value: text })),
  },
  {
    name: 'an expression',
    words: EXPRESSION_WORDS,
    charactersMax: 4_000,
    call: (text) => void compileExpression(text),
  },
]

const document = { text: 'x'.repeat(100_000), list: Array.from({ length: 10_000 }, (_, n) => n) }
const bounds = { operationsMax: patchOperationsMax, bytesMax: profileBytesMax, depthMax: bodyDepthMax }
function patched(operation: (n: number) => unknown): void {
  patchJson(
    document,
    Array.from({ length: patchOperationsMax }, (_, n) => operation(n)),
    bounds,
  )
}

const LONG_LIST = Array.from({ length: 20_000 }, (_, n) => n)

/** Evaluations and renderings: each has a budget of its own. */
export const evaluators: readonly Family[] = [
  { name: 'Markdown', words: MARKDOWN_WORDS, charactersMax: TEXT_MAX, call: (text) => rendered(content(text), {}) },
  {
    name: 'variables',
    words: VARIABLE_WORDS,
    charactersMax: TEXT_MAX,
    call: (text) => rendered(content(text), { a: { b: 'x' } }),
  },
  {
    name: 'blocks over a long list',
    words: ['{{#each i}}', '{{#each @root.i}}', '{{/each}}', '{{this}}', '{{@index}}', '{{a}}', 'x', '\\'],
    charactersMax: 4_096,
    call: (text) => rendered(content(text), { i: LONG_LIST }),
  },
  {
    name: 'values of variables',
    words: [...MARKDOWN_WORDS, ...VARIABLE_WORDS],
    charactersMax: bodyBytesMax,
    call: (text) => rendered(content('{{a}} **{a}** [{a}]({a})'), { a: text }),
  },
  ...[
    'data.a.includes(data.b)',
    'data.a.indexOf(data.b) > 0',
    'data.a + data.a + data.a == data.b',
    'data.a == data.a',
    'data.list.includes(data.b)',
  ].map(
    (source): Family => ({
      name: `the condition ${source}`,
      words: ['a', 'b', 'ab', 'aa', 'é', '\u{1f600}', ' '],
      charactersMax: bodyBytesMax / 2,
      call: (text) => {
        const data = { a: text, b: `${text.slice(0, text.length / 2)}c`, list: text.split('b') }
        evaluate(compileExpression(source), [{ data }])
      },
    }),
  ),
  ...['EQ', 'INCLUDES', 'CONTAINS', 'STARTS_WITH', 'ENDS_WITH'].map(
    (operator): Family => ({
      name: `the filter ${operator}`,
      words: ['a', 'b', 'ab', 'aa', 'é', ' '],
      charactersMax: Math.min(profileBytesMax, audienceFilterBytesMax),
      call: (text) => {
        const filter = audience(`${text.slice(0, text.length / 2)}c`, operator)
        const subject = { profile: { a: text.repeat(4) }, tenants: [] }
        judge(filter, subject).reason()
      },
    }),
  ),
]
