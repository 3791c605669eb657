/** Rules about one file at a time: its statements, its first line, its name. */
import { isHarness, isTest, type Lexed, lex, lineAt, type Source } from './source.ts'

export type Rule = (source: Source) => string[]

const FORBIDDEN_NAMES = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'misc'])
const FORBIDDEN_LAST = new Set(['types', 'service', 'services', 'manager', 'managers', 'handler', 'handlers'])

/** The configuration of a part and of the dashboard's build, and the environment that child processes inherit. */
const ENVIRONMENT = /\/src\/config\.ts$|^dashboard\/vite\.config\.ts$|^server\/src\/database\/local\/launch\.ts$/

export const environment: Rule = (source) =>
  ENVIRONMENT.test(source.path) || isTest(source.path) || /^(?:test|bench|examples|\.ci)\//.test(source.path)
    ? []
    : inCode(source, /\bprocess\s*(?:\.env\b|\[)/g, 'the environment is read in config.ts only; take it as a parameter')

/** The connection of the dashboard adds the environment to what the client sends. */
export const network: Rule = (source) =>
  /^(?:client|test|bench)\/|^server\/src\/transport\/|^dashboard\/src\/session\/api\.ts$/.test(source.path) ||
  isTest(source.path)
    ? []
    : inCode(source, /(?<![.\w])(?:globalThis\.)?fetch\s*\(/g, 'requests go through transport/')

const DEFINES = String.raw`(?:unlogged\s+|temp\s+|unique\s+|or\s+replace\s+|materialized\s+)*(?:table|index|schema|database|extension|function|trigger|view|sequence|type)\s+\S`
const STATEMENTS = [
  // An English sentence names what it selects from with an article.
  String.raw`select\b[\s\S]*?\bfrom\s+(?!(?:the|an?|your|its|this|these|which|them)\b)["\w($]`,
  String.raw`insert\s+into\s`,
  String.raw`update\s+["\w.$\x7b\x7d]+(?:\s+(?:as\s+)?\w+)?\s+set\s`,
  String.raw`delete\s+from\s+(?!(?:the|an?)\b)["\w$]`,
  String.raw`with\s+(?:recursive\s+)?\w+\s*(?:\([^)]*\)\s*)?as\s*(?:not\s+)?(?:materialized\s*)?\(`,
  `(?:create|alter|drop)\\s+${DEFINES}`,
  String.raw`truncate\s+(?:table\s+)?["\w]+\s*$`,
  String.raw`(?:listen|unlisten)\s+\w+\s*$`,
  String.raw`set\s+(?:local|session)\s`,
  String.raw`(?:where|returning|values|order\s+by)\b[\s\S]*\$\d`,
]
const SQL = new RegExp(`^\\s*(?:${STATEMENTS.join('|')})`, 'i')

/** SQL is written in lower or in upper case; a capitalized first word begins a sentence. */
export const sql: Rule = (source) => {
  if (/^server\/src\/database\/|^(?:test|bench)\//.test(source.path) || isTest(source.path)) return []
  return lexed(source)
    .literals.filter(({ value }) => SQL.test(value) && !/^\s*[A-Z][a-z]/.test(value))
    .map(({ at }) => `${place(source, at)}: SQL lives in server/src/database, one operation per function`)
}

const SCHEMA = 'server/src/database/schema.generated.ts'
const TYPED_LIST =
  /\bjsonb?_to_record(?:set)?\s*\(|\bas\s+\w+\s*\(\s*"?\w+"?\s+(?:text|integer|bigint|smallint|boolean|jsonb?)\b/i
/** Two columns by their names can be a coincidence. */
const COLUMNS_MIN = 3

/** Columns and their types are written in migrations only: statements and types of rows derive them from the schema. */
export function columns(sources: readonly Source[]): string[] {
  const schema = sources.find(({ path }) => path === SCHEMA)?.text ?? ''
  const tables = [...schema.matchAll(/^ {2}(\w+): \{ (.*) \},$/gm)].map(([, name = '', list = '']) => ({
    name,
    columns: new Set([...list.matchAll(/(\w+): '/g)].map(([, column = '']) => column)),
  }))
  const exempt = new Set([SCHEMA, 'server/src/database/query.ts'])
  const files = sources.filter(
    ({ path }) => path.startsWith('server/src/database/') && !isTest(path) && !exempt.has(path),
  )
  return files.flatMap((source) => [
    ...typedLists(source),
    ...(source.path.startsWith('server/src/database/tables/') ? rowTypes(source, tables) : []),
  ])
}

const typedLists = (source: Source) =>
  lexed(source)
    .literals.filter(({ value }) => TYPED_LIST.test(value))
    .map(({ at }) => `${place(source, at)}: columns with their types; recordset() of query.ts has them from the schema`)

function rowTypes(source: Source, tables: readonly { name: string; columns: ReadonlySet<string> }[]): string[] {
  const named = tables.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(source.text))
  return [...source.text.matchAll(/^(?:export )?interface (\w+)[^{\n]*\{\n([\s\S]*?)\n\}/gm)].flatMap((match) => {
    const [, type, body = ''] = match
    const fields = [...body.matchAll(/^ {2}(?:readonly )?(\w+):/gm)].map(([, field = '']) => field)
    const table = named.find(({ columns }) => fields.every((field) => columns.has(field)))
    if (fields.length < COLUMNS_MIN || !table) return []
    return `${place(source, match.index)}: ${type} has columns of ${table.name}: derive it, Row<'${table.name}', …>`
  })
}

/** Code that decides and code that describes a provider or a template gives the same result for the same input. */
export const purity: Rule = (source) => {
  if (!/^server\/src\/(?:providers|templates|messages\/decide)\//.test(source.path) || isTest(source.path)) return []
  const clock = /\bDate\.now\b|\bnew\s+Date\(\s*\)|\bMath\.random\b|\bsystemClock\b|\brandom(?:UUID|Bytes)\b/g
  return inCode(source, clock, 'time and randomness arrive as parameters here')
}

const READING = String.raw`(?:\b(?:performance|Date)\.now\(\)|\bprocess\.hrtime(?:\.bigint)?\([^()]*\)|\bnew Date\(\)(?:\.(?:getTime|valueOf)\(\))?)`
const BOUND = new RegExp(String.raw`\bconst\s+(\w+)(?:\s*:\s*\w+)?\s*=\s*${READING}\s*(?:[\n;]|$)`, 'g')

/** Compared, subtracted or expected. Less a number it is a time of the past. */
const comparisons = (reading: string, assertion: string) =>
  new RegExp(
    [
      String.raw`(?:(?<!=)[<>]=?|-)\s*${reading}`,
      String.raw`${reading}\s*(?:[<>]|-\s*[a-z(])`,
      String.raw`(?:\bexpect|${assertion})\([^()]*${reading}`,
    ].join('|'),
    'g',
  )
const OF_READING = comparisons(READING, String.raw`\.to[A-Z]\w*`)
/** A reading that was taken before is an earlier time on a slow machine, too. */
const ofName = (name: string) => comparisons(String.raw`\b${name}\b`, String.raw`\.to(?!BeGreater)[A-Z]\w*`)

const judges = ({ path, text }: Source) =>
  /\.test\.tsx?$/.test(path) ||
  ((path.startsWith('test/') || isHarness(path)) && /\bexpect\b[^\n]*\bfrom 'vitest'/.test(text))

/** Whether a test holds must not depend on the hour: bench measures, and timers that a test drives keep its own time. */
export const wallTime: Rule = (source) => {
  const { path, text } = source
  if (!judges(source) || path.startsWith('bench/') || text.includes('useFakeTimers')) return []
  const { code, literals } = lexed(source)
  const places = [{ at: 0, value: withoutVerdicts(code) }, ...literals].flatMap(({ at, value }) => [
    ...[...value.matchAll(OF_READING)].map(({ index }) => at + index),
    ...[...value.matchAll(BOUND)].flatMap(({ 0: { length }, 1: name = '', index }) => {
      const start = index + length
      const block = value.slice(start, blockEnd(value, start))
      return [...block.matchAll(ofName(name))].map((match) => at + start + match.index)
    }),
  ])
  return [...new Set(places.map((at) => place(source, at)))].map(
    (where) => `${where}: wait for a signal, set the clock, bound the work with withinWork, or measure it in bench/`,
  )
}

/** The verdicts of `inTime` are measured twice; places stay as they are. */
function withoutVerdicts(code: string): string {
  let rest = code
  for (const { 0: call, index } of code.matchAll(/\binTime\(/g)) {
    const start = index + call.length
    const end = blockEnd(code, start)
    rest = rest.slice(0, start) + code.slice(start, end).replaceAll(/[^\n{}]/g, ' ') + rest.slice(end)
  }
  return rest
}

/** Where the block, or the argument, that a place stands in ends. */
function blockEnd(code: string, start: number): number {
  let depth = 0
  for (let at = start; at < code.length; at += 1) {
    if ('{('.includes(code[at]!)) depth += 1
    else if ('})'.includes(code[at]!) && --depth < 0) return at
  }
  return code.length
}

export const anyType: Rule = (source) =>
  inCode(
    source,
    /(?:[:<|&(,=]\s*|\b(?:as|extends|keyof)\s+)any\s*(?=[;,)>|&=[\]{}]|$)/gm,
    'say what it is, or unknown; `any` turns the checks off',
  )

export const leftovers: Rule = (source) => {
  const only = /\b(?:test|it|describe|suite)\s*\.\s*(?:only|skip|todo)\b/g
  return [
    ...inText(source, /\b(?:FIX(?=ME)ME|X{3})\b/g, 'finish it, or say why not: @TODO(why)'),
    ...inText(source, /\bTODO\b(?!\()/g, 'a marker has a reason: @TODO(why)'),
    ...(/\.tsx?$/.test(source.path) ? inCode(source, only, 'every test runs; use runIf with a reason') : []),
  ]
}

export const machinePaths: Rule = (source) =>
  inText(source, /(?<![\w.~}])\/(?:home|Users|root|work)\/[A-Za-z]/g, 'a path of one machine means nothing on another')

export const firstLine: Rule = ({ path, text }) => {
  const directive = /^(?:#!|\/\/ biome-ignore-all )/
  const first = text.split('\n', 10).find((line) => !directive.test(line)) ?? ''
  return /^\/\*\* ?\S/.test(first) || first === '/**' ? [] : [`${path}:1: begin with /** what this file promises */`]
}

const isGenerated = ({ text }: Parameters<Rule>[0]) => /generated/i.test(text.slice(0, 200))

/** A stem of one word that is a participle; `generated` is the name of every generated file. */
const ADJECTIVE =
  /^(?!(?:embed|feed|seed|speed|generated)$)(?:[a-z]+ed|found|given|held|kept|known|left|lost|one|own|sent|shown|written)$/

export const names: Rule = ({ path }) => {
  const parts = path.split('/')
  const stem = (parts.at(-1) ?? '').replace(/(?:\.[a-z]+){1,3}$/, '')
  const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
  const words = stem.split('-')
  const vague = words.some((word) => FORBIDDEN_NAMES.has(word)) || FORBIDDEN_LAST.has(words.at(-1) ?? '')
  const folder = parts
    .slice(0, -1)
    .map((name) => name.replace(/^\./, ''))
    .find((name) => !kebab.test(name) || FORBIDDEN_NAMES.has(name) || FORBIDDEN_LAST.has(name))
  return [
    ...(kebab.test(stem) ? [] : [`${path}: file names are kebab-case`]),
    ...(vague || ADJECTIVE.test(stem) ? [`${path}: name the noun it defines or the verb it exports`] : []),
    ...(folder === undefined ? [] : [`${path}: ${folder} is no name for a folder`]),
  ]
}

const OTHER_DIALECTS = [
  String.raw`\bmust NOT\b`,
  String.raw`\bshould be (?:equal to|one of)\b`,
  String.raw`\bnot known here\b`,
  String.raw`\bmust be (?:string|object|boolean|array|number|integer)\b`,
  String.raw`(?<!\b[Tt]here )\b(?:is|are) (?:none\b|no (?!longer\b|more\b)[a-z])`,
]
const OTHER_DIALECT = new RegExp(OTHER_DIALECTS.join('|'))

/** Errors of the contract's schemas, of handlers and of commands read alike: `base/schema/check.ts`, `base/quote.ts`. */
export const dialect: Rule = (source) =>
  !/^(?:server|cli)\/src\//.test(source.path) || isTest(source.path) || isGenerated(source)
    ? []
    : lexed(source)
        .literals.filter(({ value }) => OTHER_DIALECT.test(value))
        .map(({ at, value }) => `${place(source, at)}: ${value}: must be …, Unknown …, is not …`)

/** Relative imports name the file that is on disk, so that Node can run the source. */
export const specifiers: Rule = (source) => {
  if (!/\.tsx?$/.test(source.path)) return []
  const { code, literals } = lexed(source)
  return literals
    .filter(({ at, value }) => /\bfrom\s*$/.test(code.slice(Math.max(0, at - 10), at)) && value.startsWith('.'))
    .filter(({ value }) => !/\.(?:tsx?|json|css)$/.test(value))
    .map(({ at, value }) => `${place(source, at)}: ${value}: a relative import ends in .ts`)
}

/** One exported type, one name: two files that are read together name two things differently. */
export function typeNames(sources: readonly Source[]): string[] {
  const byName = new Map<string, string[]>()
  for (const source of sources) {
    const { path } = source
    if (!path.startsWith('server/src/') || isTest(path)) continue
    for (const [, name = ''] of lexed(source).code.matchAll(
      /^export (?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm,
    ))
      byName.set(name, [...(byName.get(name) ?? []), path])
  }
  return [...byName]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name} is exported by ${paths.join(' and ')}: name each by the word of its domain`)
}

/** An adapter is the default export of a file in a channel's folder. */
export const providerTests = (sources: Source[]): string[] => {
  const paths = new Set(sources.map((source) => source.path))
  return sources
    .filter(({ path }) => /^server\/src\/providers\/[a-z-]+\/[^/]+\.ts$/.test(path) && !isTest(path))
    .filter((source) => /\bexport\s+default\b/.test(lexed(source).code))
    .map((source) => source.path)
    .filter((path) => !paths.has(path.replace(/\.ts$/, '.test.ts')))
    .map((path) => `${path}: a provider has a test beside it`)
}

const lexings = new WeakMap<Source, Lexed>()

function lexed(source: Source): Lexed {
  let lexing = lexings.get(source)
  if (!lexing) {
    lexing = lex(source.text)
    lexings.set(source, lexing)
  }
  return lexing
}

function inCode(source: Source, expression: RegExp, advice: string): string[] {
  return matches(source, lexed(source).code, expression, advice)
}

function inText(source: Source, expression: RegExp, advice: string): string[] {
  return matches(source, source.text, expression, advice)
}

function matches(source: Source, text: string, expression: RegExp, advice: string): string[] {
  return [...text.matchAll(expression)].map((match) => `${place(source, match.index)}: ${match[0].trim()}: ${advice}`)
}

function place({ path, text }: Source, at: number): string {
  return `${path}:${lineAt(text, at)}`
}
