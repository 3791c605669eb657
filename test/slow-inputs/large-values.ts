/** Everything in the tables of evaluators (helpers, methods, operators), called with every kind of large value. */
import { type Budget, budgetOf } from '@postrider/server/internal/base/budget'
import { binary } from '@postrider/server/internal/base/expression/build'
import { compileExpression, ExpressionFailed, evaluate } from '@postrider/server/internal/base/expression/expression'
import { methods } from '@postrider/server/internal/base/expression/machine'
import { compile } from '@postrider/server/internal/templates/compile'
import { RenderFailed } from '@postrider/server/internal/templates/failure'
import { comparisonOperators } from '@postrider/server/internal/templates/handlebars/argument'
import { filterTests, valueHelpers } from '@postrider/server/internal/templates/handlebars/calls'
import { render } from '@postrider/server/internal/templates/render'
import type { Family } from './search.ts'

/** A value of that many characters, or as many as it takes to send it. */
interface LargeValue {
  kind: string
  make(text: string): unknown
}

/** A sixth of the largest body; each value is read hundreds of times. */
export const CHARACTERS_MAX = 1_000_000
const ZONES = Intl.supportedValuesOf('timeZone')

const largeValues: readonly LargeValue[] = [
  { kind: 'text', make: (text) => text },
  { kind: 'digits', make: ({ length }) => '1'.repeat(length) },
  { kind: 'white space', make: ({ length }) => ' '.repeat(length) },
  { kind: 'path', make: ({ length }) => 'a.'.repeat(length / 2) },
  { kind: 'list of lists', make: (text) => Array.from({ length: text.length / 5 }, () => [1]) },
  { kind: 'list of texts', make: (text) => Array.from({ length: text.length / 5 }, (_, n) => text[n]) },
  {
    kind: 'object',
    make: (text) => Object.fromEntries(Array.from({ length: text.length / 10 }, (_, n) => [`k${n}`, 1])),
  },
]

/** `V` is the large value, and `N` a text that a search finds the most of everywhere and the whole of nowhere. */
const ARGUMENTS = [
  'V',
  'V V',
  'V V V',
  '"" V',
  '"%s" V',
  '"%d" V',
  'V "a"',
  'V 1 V',
  '"2024-01-02T00:00:00Z" V',
  '"2024-01-02T00:00:00Z" "%A" V',
  'V separator=V',
]

/** The calls of a helper as they stand in a tag. */
function callsOf(helper: string): readonly string[] {
  if (helper === 'condition') return [...comparisonOperators].flatMap((operator) => [`${helper} V "${operator}" V`])
  if (helper === 'filter')
    return [...filterTests.keys()].flatMap((test) => [
      `${helper} "data" "v" "${test}" N`,
      `${helper} "data" "v" "${test}" V`,
      `${helper} "data" V "${test}" ""`,
    ])
  return ARGUMENTS.map((args) => `${helper} ${args}`)
}

/** As a condition, as a value, and within a block of a large value itself. */
const PLACES = ['{{#if (CALL)}}a{{/if}}', '{{CALL}}']

/** Blocks, and lookups without a helper. */
const BLOCKS = [
  '{{#each V}}{{/each}}',
  '{{#each V as |a b|}}{{a}}{{/each}}',
  '{{#with V}}{{length}}{{k1}}{{/with}}',
  '{{#if V}}a{{/if}}',
  '{{#unless V}}a{{/unless}}',
  '{{V}}',
  '{{V.length}}{{V.[0]}}',
]

const NEEDLE = `${'x'.repeat(4_000)}y`

/** With the names of the values in the places of `V` and `N`. */
const withNames = (source: string, root: string) => source.replace(/\bV\b/g, `${root}v`).replace(/\bN\b/g, `${root}n`)

/** Each call is made for every item of a list, as long as the budget lasts. */
const TURNS = 300
/** More than a budget pays for. */
const ZONE_TURNS = 20_000

const templateOf = (element: string) =>
  compile({
    version: '2022-01-01',
    elements: [{ type: 'text', content: `{{#each l}}${element}{{/each}}x` }],
  })

function renderWith(element: string, data: Record<string, unknown>, budget: Budget): void {
  try {
    render(templateOf(element), { channel: 'sms', dialect: 'plain', context: { data }, budget })
  } catch (error) {
    if (!(error instanceof RenderFailed)) throw error
  }
}

const elementsOf = (helper: string) =>
  callsOf(helper).map((call, index) => (PLACES[index % PLACES.length] ?? '').replace('CALL', call))

const turns = Array.from({ length: TURNS }, (_, n) => n)
const zones = Array.from({ length: ZONE_TURNS }, (_, n) => ZONES[n % ZONES.length])

/** One message in which an element is shown for each item of a list. */
const renderLarge = (element: string, value: unknown, budget: Budget): void =>
  renderWith(withNames(element, '@root.'), { v: value, n: NEEDLE, l: turns }, budget)

const renderZones = (element: string, budget: Budget): void =>
  renderWith(withNames(element, '@root.').replaceAll('@root.v', 'this'), { n: NEEDLE, l: zones }, budget)

/** The longest source of an expression is 4,000 characters, which repeat its part. */
const SOURCE_MAX = 3_900

function evaluateLarge(part: string, value: unknown, budget: Budget): void {
  const source = withNames(part, '')
  const many = Array.from({ length: SOURCE_MAX / (source.length + 1) }, () => source)
  const expression = compileExpression(`[${many.join()}]`)
  try {
    // Many conditions share the budget of a message.
    for (const _ of turns) evaluate(expression, [{ v: value, n: NEEDLE }], budget)
  } catch (error) {
    if (!(error instanceof ExpressionFailed)) throw error
  }
}

export interface EvaluatorCase {
  name: string
  /** The evaluated text, with `V` in the places of the value. */
  sources: readonly string[]
  run(source: string, value: unknown, budget: Budget): void
}

export const evaluatorCases: readonly EvaluatorCase[] = [
  ...[...valueHelpers.keys()].map((helper) => ({
    name: `the helper ${helper}`,
    sources: elementsOf(helper),
    run: renderLarge,
  })),
  { name: 'blocks and names', sources: BLOCKS, run: renderLarge },
  ...[...methods.keys()].map((method) => ({
    name: `the method ${method}`,
    sources: [`V.${method}(V)`, `V.${method}(n)`, `V.${method}(1)`],
    run: evaluateLarge,
  })),
  ...[...binary.keys()].map((operator) => ({
    name: `the operator ${operator}`,
    sources: [`V ${operator} V`, `V ${operator} 1`, `"zz" ${operator} V`],
    run: evaluateLarge,
  })),
  {
    name: 'the parts of an expression',
    sources: ['-V', '!V', 'typeof V', `\`\${V}\``, 'V[V]', 'V.length', 'V["k1"]', '[V]', '({ a: V })', 'V ? V : V'],
    run: evaluateLarge,
  },
]

/** With each kind of value; helpers with every time zone as well. */
export function runsOf(
  { run, sources }: EvaluatorCase,
  text: string,
): readonly { name: string; act(budget: Budget): void }[] {
  const values = largeValues.map(({ kind, make }) => ({ kind, value: make(text) }))
  return sources.flatMap((source) => [
    ...values.map(({ kind, value }) => ({
      name: `${source} of a large ${kind}`,
      act: (budget: Budget) => run(source, value, budget),
    })),
    ...(run === renderLarge
      ? [{ name: `${source} of many zones`, act: (budget: Budget) => renderZones(source, budget) }]
      : []),
  ])
}

const WORDS = ['a', 'b', '1', '0', ' ', '.', '[', 'é', '\u{1f600}', '%s', '%9s', '$', '@', '-', 'T', ':', '"', '\n']

/** The first characters of a drawn text choose the source and the kind of value, so that both stay as it grows. */
export const largeValueFamilies: readonly Family[] = evaluatorCases.map(({ name, sources, run }) => ({
  name: `${name} with a large value`,
  words: WORDS,
  charactersMax: CHARACTERS_MAX,
  example: 'a1',
  call: (text) => {
    const [first = 0, second = 0] = [text.charCodeAt(0), text.charCodeAt(1)]
    const value = largeValues[first % largeValues.length]?.make(text)
    run(sources[(first + second) % sources.length] ?? '', value, budgetOf())
  },
}))
