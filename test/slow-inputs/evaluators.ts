/** Inputs that can be grown for what evaluates or renders: conditions, audience filters, Markdown, Handlebars, markup. */
import { audienceConditionsMax, audienceFilterBytesMax, bodyBytesMax, profileBytesMax } from '@postrider/contract'
import { evaluateFilter, parseFilter } from '@postrider/server/internal/audiences/filter'
import { comparisons } from '@postrider/server/internal/audiences/operators'
import { compileExpression, evaluate } from '@postrider/server/internal/base/expression/expression'
import { compile } from '@postrider/server/internal/templates/compile'
import { render } from '@postrider/server/internal/templates/render'
import { TEXT_MAX } from './parsers.ts'
import type { Family } from './search.ts'

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
const MARKUP_WORDS = [
  '<',
  '>',
  '</',
  '<a href="',
  '"',
  "'",
  '=',
  '<meta http-equiv="refresh" content="',
  '<meta content=',
  '<style>',
  '<script>',
  '</script>',
  '<!--',
  '-->',
  '<p>',
  '&#106;',
  '&amp;',
  'javascript:',
  ' ',
  '\n',
  'a',
]

const element = (content: string) => ({ type: 'text', content })
const content = (text: string, type = 'text') => ({
  version: '2022-01-01',
  elements: [
    { type: 'meta', title: text },
    { type, content: text },
  ],
})

type Place = Pick<Parameters<typeof render>[1], 'channel' | 'dialect'>
const MAIL: Place = { channel: 'email', dialect: 'html' }
const CHATS = ['slack', 'discord', 'telegram', 'teams', 'whatsapp'] as const

const rendered = (value: unknown, data: Record<string, unknown> = {}, place = MAIL) =>
  void render(compile(value), { ...place, context: { data } })

/** Texts of the largest size, as many as a body holds, and no two the same. */
function manyTexts(text: string) {
  const parts: string[] = []
  for (let at = 0; at < text.length; at += TEXT_MAX - 10)
    parts.push(`${parts.length}${text.slice(at, at + TEXT_MAX - 10)}`)
  return { version: '2022-01-01', elements: parts.map(element) }
}

const LONG_LIST = Array.from({ length: 20_000 }, (_, n) => n)

const renderings: readonly Family[] = [
  {
    name: 'Markdown in a mail',
    words: MARKDOWN_WORDS,
    charactersMax: TEXT_MAX,
    example: '- a **b** [c](d)',
    call: (text) => rendered(content(text)),
  },
  ...CHATS.map(
    (dialect): Family => ({
      name: `Markdown in ${dialect}`,
      words: MARKDOWN_WORDS,
      charactersMax: TEXT_MAX,
      example: '- a **b** [c](d)',
      call: (text) => rendered(content(text), {}, { channel: 'direct_message', dialect }),
    }),
  ),
  {
    name: 'Markdown in a quote',
    words: MARKDOWN_WORDS,
    charactersMax: TEXT_MAX,
    example: '> a',
    call: (text) => rendered(content(text, 'quote')),
  },
  {
    name: 'Markdown in many elements',
    words: MARKDOWN_WORDS,
    charactersMax: bodyBytesMax / 2,
    example: '- a **b** [c](d)',
    call: (text) => rendered(manyTexts(text)),
  },
  {
    name: 'Markdown in a block',
    words: MARKDOWN_WORDS,
    charactersMax: TEXT_MAX - 30,
    example: '- a **b** [c](d)',
    call: (text) => rendered(content(`{{#if a}}${text}{{/if}}`), { a: true }),
  },
  {
    name: 'Markdown in a loop',
    words: MARKDOWN_WORDS,
    charactersMax: 4_096,
    example: '- **{{this}}**',
    call: (text) => rendered(content(`{{#each i}}${text}{{/each}}`), { i: LONG_LIST.slice(0, 1_000) }),
  },
  {
    name: 'markup',
    words: MARKUP_WORDS,
    charactersMax: TEXT_MAX,
    example: '<a href="https://example.com">a</a>',
    call: (text) => rendered(content(text, 'html')),
  },
  {
    name: 'variables',
    words: VARIABLE_WORDS,
    charactersMax: TEXT_MAX,
    example: '{a.b}',
    call: (text) => rendered(content(text), { a: { b: 'x' } }),
  },
  {
    name: 'variables in many elements',
    words: VARIABLE_WORDS,
    charactersMax: bodyBytesMax / 2,
    example: '{a.b}',
    call: (text) => rendered(manyTexts(text), { a: { b: 'x' } }),
  },
  {
    name: 'blocks over a long list',
    words: ['{{#each i}}', '{{#each @root.i}}', '{{/each}}', '{{this}}', '{{@index}}', '{{a}}', 'x', '\\'],
    charactersMax: 4_096,
    example: '{{#each i}}x{{/each}}',
    call: (text) => rendered(content(text), { i: LONG_LIST }),
  },
  {
    name: 'values of variables',
    words: [...MARKDOWN_WORDS, ...VARIABLE_WORDS],
    charactersMax: bodyBytesMax,
    example: '**a** {{b}}',
    call: (text) => rendered(content('{{a}} **{a}** [{a}]({a})'), { a: text }),
  },
]

/** An expression searches for no longer text. */
const NEEDLE_MAX = 9_000

const conditions = [
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
    example: 'ab'.repeat(NEEDLE_MAX),
    call: (text) => {
      const b = `${text.slice(0, Math.min(text.length / 2, NEEDLE_MAX))}c`
      evaluate(compileExpression(source), [{ data: { a: text, b, list: text.split('b') } }])
    },
  }),
)

const isAboutTime = (operator: string) => operator === 'IS_BEFORE' || operator === 'IS_AFTER'

/** As many conditions as a filter may have, or one with the longest value, none of which holds for the profile. */
function filterOf(operator: string, text: string, count: number) {
  const bytes = Math.floor((audienceFilterBytesMax - 100) / count) - 60
  // Two bytes for a character at most.
  const value = isAboutTime(operator) ? '2026-01-05' : `${text.slice(0, Math.min(text.length, bytes) / 2)}c`
  const filters = Array.from({ length: count }, (_, n) => ({ operator, path: n % 2 ? 'list' : 'a', value }))
  return parseFilter({ operator: 'OR', filters }, undefined)
}

const filters = [...comparisons.keys()].flatMap((operator) =>
  [1, audienceConditionsMax].map(
    (count): Family => ({
      name: `${count} of the filter ${operator}`,
      words: isAboutTime(operator) ? ['1', '0', '-', ':', 'T', 'Z', '+', '.'] : ['a', 'b', 'ab', 'aa', 'é', ' ', '1'],
      charactersMax: profileBytesMax,
      example: 'ab '.repeat(profileBytesMax / 3),
      call: (text) => {
        const profile = { a: text, list: text.split('b') }
        evaluateFilter(filterOf(operator, text, count), { profile, tenants: [] }).reason()
      },
    }),
  ),
)

/** Each has a budget of its own. */
export const evaluators: readonly Family[] = [...renderings, ...conditions, ...filters]
