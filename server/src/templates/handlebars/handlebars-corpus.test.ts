/** Every tag of a generated corpus is shown as the `handlebars` package shows it, or named as a problem: never raw in silence. */
import Handlebars from 'handlebars'
import { expect, test } from 'vitest'
import { compile } from '../compile.ts'
import { render } from '../render.ts'

// It reports names of methods on the console.
Handlebars.logger.level = 4

const data = {
  name: 'Ann',
  n: 3,
  zero: 0,
  yes: true,
  no: false,
  items: [{ n: 'a', 'b c': 'q' }, { n: 'b' }],
  names: ['x', 'y'],
  o: { k: 'v', 'a b': 'w', length: 9, deep: { er: 'z' } },
  'a b': 'AB',
  'first-name': 'FN',
  12: 'twelve',
  12.5: 'decimal',
  true: 'T',
  empty: [],
  'items.n': 'dotted',
  é: 'acc',
}

const NAMES = [
  ...['name', 'name.length', 'items.length', '[a b]', '"a b"', "'a b'", '12', '12.5', 'true', 'null', 'undefined'],
  ...['items.[0].n', 'items.[0].[b c]', 'items.[1].n', 'items.[-1].n', 'items.[length]', 'names.[0].length'],
  ...['this.name', 'this.[a b]', 'this/name', './name', './o/k', '@root.name', '@root.[a b]', '@root.items.[1].n'],
  ...['@root.name.length', '../name', '../@root.name', '..', '../..', '../this', '../[a b]', '@../index'],
  ...['name.[0]', 'name.[1].[0]', 'o.[a b]', 'o/k', 'o.length', 'o.deep.er', 'o.deep/er', '[name]', '[name].length'],
  ...['[items.n]', 'first-name', 'o.first-name', 'é', '@first', '@index', 'items.n', '-1', '12.length', 'n.toFixed'],
  ...['names.[1]', 'name.at', 'lookup o "k"', 'lookup names 1', 'lookup name 0', 'lookup name "length"', 'yes', 'no'],
  ...['lookup o "k" x=1', 'zero', 'n', '(lookup o "k")', 'if name', 'missing', 'o.missing.further', 'name foo'],
  // None of these can be read.
  ...['name.', 'name..length', 'items.-1', '"name".length', 'items.[0.n', '[a b', '=name', 'name=1', '| x', 'a|b'],
  ...['name@x', 'a,b', '*x', '% x', 'name!', '.name', 'name/', '!c', '!-- c --', '', ' ', 'name | upper', 'a + b'],
  ...['name:1', 'name?', '1a', 'a1', '$name', '_x', 'x}y', '#', '^', '/if', 'else', '~name~', '{name}', '&name'],
]

const FORMS = [
  ...['{{N}}', '{{{N}}}', '{{&N}}', ' {{~N~}} ', ' {{~{N}~}} ', '{{ N }}', '{{{ N }}}', '{{\nN\n}}', '{{N', '{{N}'],
  ...[
    '{{#if N}}Y{{else}}N{{/if}}',
    '{{#if N}}Y{{^}}N{{/if}}',
    '{{^if N}}Y{{/if}}',
    '{{#unless N}}Y{{else}}N{{/unless}}',
  ],
  ...['{{#with N}}Y{{else}}N{{/with}}', '{{#each N}}[{{@key}}]{{else}}none{{/each}}', '{{#N}}Y{{/N}}', '{{^N}}Y{{/N}}'],
  ...['{{^N}}Y{{else}}N{{/N}}', '{{#if no}}a{{else if N}}b{{else}}c{{/if}}', '{{#if no}}a{{else unless N}}b{{/if}}'],
  ...['{{lookup o N}}', '{{#each names}}{{N}}{{/each}}', '{{#with o}}{{N}}{{/with}}', '{{#if (lookup o N)}}Y{{/if}}'],
  ...['\\{{N}}', '\\\\{{N}}', '\\{{{N}}}', '{{!N}}', '{{!--N--}}', '{{~!-- N --~}}', '{{> N}}', '{{{{N}}}}x{{{{/N}}}}'],
  ...['{{#each items as |i|}}{{i.N}}{{/each}}', '{{#each items as |i at|}}{{at}}{{/each}}{{N}}', 'a {{N}} b {{name}}'],
]

/** Lists and objects are JSON here, and joined or `[object Object]` there. */
const LIST_OR_OBJECT = /\{\{[{&~]*\s*(?:names|items|o|this|\.|\.\.|\.\.\/this)\s*[~}]/

function original(text: string): string | undefined {
  try {
    return Handlebars.compile(text, { noEscape: true })({ ...data })
  } catch {
    return undefined
  }
}

const compiled = (text: string) => compile({ elements: [{ type: 'channel', channel: 'sms', raw: { payload: text } }] })

const shown = (template: ReturnType<typeof compiled>, onMissing: 'keep' | 'fail') =>
  render(template, { channel: 'sms', dialect: 'plain', context: { data }, onMissing }).raw?.payload

/** A message whose variables must have values is not sent with this one. */
function isReportedAsMissing(template: ReturnType<typeof compiled>): boolean {
  try {
    shown(template, 'fail')
    return false
  } catch (error) {
    return /has no value/.test(String(error))
  }
}

test('every tag is shown as the package shows it, is a variable without a value, or is a problem', () => {
  const wrong: string[] = []
  let same = 0
  for (const form of FORMS)
    for (const name of NAMES) {
      const text = form.replaceAll(/\bN\b(?!\{\{\/)|(?<=\{\{[/#^])N\b/g, () => name)
      const template = compiled(text)
      if (template.problems.length > 0 || LIST_OR_OBJECT.test(text) || isReportedAsMissing(template)) continue
      const [expected, actual] = [original(text), String(shown(template, 'keep'))]
      if (expected === actual) same += 1
      // A tag that the package refuses may have a meaning here, and an escaped one is shown as it is.
      else if (expected !== undefined || (/\{\{|\}\}/.test(actual) && !text.startsWith('\\{')))
        wrong.push(`${text}: ${actual}, and not ${expected}`)
    }
  expect(wrong).toEqual([])
  expect(same).toBeGreaterThan(1_000)
})
