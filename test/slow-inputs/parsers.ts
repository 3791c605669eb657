/** Inputs that can be grown: tokens of the grammar of each reader that parses a caller's input on the main thread. */
import {
  bodyBytesMax,
  bodyDepthMax,
  patchOperationsMax,
  profileBytesMax,
  translationCharactersMax,
} from '@postrider/contract'
import { queryReader, readBody } from '@postrider/server/internal/api/input'
import { referencesIn, withReferences } from '@postrider/server/internal/automations/references/references'
import { compileExpression } from '@postrider/server/internal/base/expression/expression'
import { patchJson } from '@postrider/server/internal/base/json/json-patch'
import { parseListPattern } from '@postrider/server/internal/base/list-pattern'
import { parseMailAddress } from '@postrider/server/internal/base/mail-address'
import { parseTimestamp } from '@postrider/server/internal/base/time/clock'
import { parseDuration } from '@postrider/server/internal/base/time/duration'
import { parseOpeningHours } from '@postrider/server/internal/base/time/opening-hours'
import { checkRecurrence } from '@postrider/server/internal/base/time/recurrence'
import { readCatalog } from '@postrider/server/internal/templates/translations/catalog'
import { Type } from 'typebox'
import type { Family } from './search.ts'

const NOW = Date.UTC(2026, 0, 5, 12)
// A path of Node.js may hold as much; a header of the request does not fit beside it.
const QUERY_MAX = 16_000
// A template's text and a mail's whole content (`templates/compile.ts`).
export const TEXT_MAX = 262_144
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
const CATALOG_WORDS = [
  'msgid ',
  'msgstr ',
  'msgstr[1] ',
  'msgctxt ',
  '"a"',
  '"',
  '\\',
  '\n',
  '#, fuzzy',
  '#~ ',
  'n=',
  '%(',
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

const query = queryReader({ text: Type.String(), list: Type.Array(Type.String()), flag: Type.Boolean() })

/** Everything that is read; `evaluators.ts` has what is computed with it. */
export const parsers: readonly Family[] = [
  {
    name: 'a body of JSON',
    words: JSON_WORDS,
    charactersMax: bodyBytesMax,
    example: '{"a":[1,"x"]}',
    call: (text) => void JSON.stringify(readBody(Buffer.from(text), {})),
  },
  {
    name: 'a send with data',
    words: JSON_WORDS,
    charactersMax: bodyBytesMax,
    example: '1,"x",',
    call: (text) => void JSON.stringify(readBody(Buffer.from(`{"event":"e","recipient":"r","data":[${text}0]}`), {})),
  },
  {
    name: 'a body that is a form',
    words: FORM_WORDS,
    charactersMax: bodyBytesMax,
    example: 'a[b]=1&c=%41',
    call: (text) => void readBody(Buffer.from(text), { 'content-type': 'application/x-www-form-urlencoded' }),
  },
  {
    name: 'a body that is a text',
    words: [...JSON_WORDS, ...FORM_WORDS],
    charactersMax: bodyBytesMax,
    example: '{"a":1}',
    call: (text) => void readBody(Buffer.from(text), {}, true),
  },
  {
    name: 'a query',
    words: FORM_WORDS,
    charactersMax: QUERY_MAX,
    example: 'text=a&list=b&flag=true',
    call: (text) => void query(text),
  },
  {
    name: 'a list pattern',
    words: LIST_WORDS,
    charactersMax: ID_MAX,
    example: 'a.*',
    call: (text) => void new RegExp(parseListPattern(text).expression).test(`a.${text}`.slice(0, ID_MAX)),
  },
  {
    name: 'a translation catalog',
    words: CATALOG_WORDS,
    charactersMax: translationCharactersMax,
    example: 'msgid "a {b}"\nmsgstr "c"\n',
    call: (text) => void readCatalog('de', text),
  },
  {
    name: 'a mail address',
    words: ADDRESS_WORDS,
    charactersMax: TEXT_MAX,
    example: '"A" <a@example.com>',
    call: (text) => void parseMailAddress(text),
  },
  {
    name: 'a duration',
    words: TIME_WORDS,
    charactersMax: TEXT_MAX,
    example: '3 days',
    call: (text) => void parseDuration(text),
  },
  {
    name: 'a time',
    words: TIME_WORDS,
    charactersMax: TEXT_MAX,
    example: '2026-01-05T12:00:00Z',
    call: (text) => void parseTimestamp(text),
  },
  {
    name: 'opening hours',
    words: TIME_WORDS,
    charactersMax: TEXT_MAX,
    example: 'Mo-Fr 08:00-18:00',
    call: (text) => void parseOpeningHours(text),
  },
  {
    name: 'a cron pattern',
    words: CRON_WORDS,
    charactersMax: 1_024,
    example: '*/5 * * * *',
    call: (text) => checkRecurrence({ crons: [text], zone: 'Europe/Vienna' }, NOW),
  },
  {
    name: 'a cron pattern of five fields',
    words: CRON_WORDS,
    charactersMax: 1_024,
    example: '*/5',
    call: (text) => {
      try {
        checkRecurrence({ crons: [`${text.replaceAll(' ', '')} 0 30 2 *`], zone: 'Europe/Vienna' }, NOW)
      } catch (error) {
        // Thrown after all years were searched.
        if (!String(error).includes('never comes')) throw error
      }
    },
  },
  {
    name: 'references of a step',
    words: REFERENCE_WORDS,
    charactersMax: TEXT_MAX,
    example: 'a ${data.a} b',
    call: (text) => void [referencesIn(text), withReferences(text, () => '')],
  },
  {
    name: 'a patch that adds',
    words: JSON_WORDS,
    charactersMax: profileBytesMax / patchOperationsMax,
    example: 'x',
    call: (text) => patched((n) => ({ op: 'add', path: n % 2 ? `/list/${n}` : `/n${n}`, value: text })),
  },
  {
    name: 'a patch that moves',
    words: ['a', '/', '~0', '~1', '-', '0'],
    charactersMax: 1_024,
    example: 'a',
    call: (text) => {
      const [from, to] = ['/list', `/${text.replaceAll('/', '')}`]
      patched((n) => (n % 2 ? { op: 'move', from: to, path: from } : { op: 'move', from, path: to }))
    },
  },
  {
    name: 'a patch that tests a list',
    words: ['a', 'é', '\\'],
    charactersMax: 10_000,
    example: 'a'.repeat(10_000),
    call: (text) => patched(() => ({ op: 'test', path: '/list', value: document.list.slice(0, text.length) })),
  },
  {
    name: 'a patch at the front of a list',
    words: ['a', 'é'],
    charactersMax: 1_000,
    example: 'x',
    call: (text) => patched(() => ({ op: 'add', path: '/list/0', value: text })),
  },
  {
    name: 'an expression',
    words: EXPRESSION_WORDS,
    charactersMax: 4_000,
    example: 'data.a.length > 1',
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
