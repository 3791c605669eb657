/** Each rule catches what it forbids and lets pass what only looks like it. */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { importsOf } from './imports.ts'
import {
  cycles,
  forbiddenImports,
  harnessImports,
  internalsInTests,
  keptPackages,
  orphans,
  otherParts,
  staleInternals,
} from './layers.ts'
import * as lines from './lines.ts'
import { messageLife } from './message-life.ts'
import { dependenciesUsed, dependencyBudget, entryPoints, environmentExample, inexactVersions } from './packages.ts'
import { deadPaths } from './paths.ts'
import { lex, readSources, type Source } from './source.ts'
import { bannedNames, bannedWords, KEPT_WORDS, openings, staleExceptions, valueNames } from './vocabulary.ts'

const files = (entries: Record<string, string>): Source[] =>
  Object.entries(entries).map(([path, text]) => ({ path, text }))
const http = 'server/src/api/sample.ts'

describe('the scanner', () => {
  test('comments, strings and patterns are not code', () => {
    const { code, literals } = lex(`a('x//y') // c('d')\n/* 'e' */ b = /['"]\\//.test(s) / 2; "f\\"g"`)
    expect(code.replace(/ +/g, ' ').trim()).toBe(`a(' ') \n b = .test(s) / 2; " "`)
    expect(literals.map(({ value }) => value)).toEqual(['x//y', 'f\\"g'])
  })

  test('the code inside a template is code, its text is not', () => {
    const { code, literals } = lex('`a ${b(`c ${d}`, { e: 1 })} f`; g()')
    expect(code).toContain('b(`')
    expect(code).toContain('g()')
    expect(code).not.toMatch(/[af]\b/)
    expect(literals.map(({ value }) => value)).toEqual(['a ${} f', 'c ${}'])
  })
})

describe('the picture of a message', () => {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
  const sources = readSources(root, ['.ts']).filter(({ path }) => path.startsWith('server/src/'))
  const changed = (file: string, before: string, after: string) =>
    sources.map((source) =>
      source.path === `server/src/${file}` ? { ...source, text: source.text.replace(before, after) } : source,
    )

  test.each([
    [
      'a new kind of decision',
      'messages/process-message.ts',
      "case 'postponed':",
      "case 'teleported':",
      'kind "teleported"',
    ],
    ['an arrow without its code', 'messages/deliver/deliver.ts', "status: 'SIMULATED'", "status: 'SENT'", 'is not in'],
    ['a new status', 'messages/deliver/settlement.ts', "return 'OPENED'", "return 'SEEN'", 'differ in SEEN'],
    ['a renamed stage', 'messages/leased-message.ts', 'interface LoadedMessage', 'interface Loaded', 'is in no file'],
  ])('%s is an error', (_change, file, before, after, error) => {
    expect(() => messageLife(sources)).not.toThrow()
    expect(() => messageLife(changed(file, before, after))).toThrow(error)
  })
})

test('imports are found in all their forms', () => {
  const text = `import { a } from './a.ts'
import type { B } from '../base/b.ts'
import 'pg'
export * from './c.ts'
export type { D } from '@postrider/contract'
const e = await import('./e.ts')
const file = built ? './f.js' : '../dist/f.css'
const p = await import('pino')
const text = "import { g } from './g.ts'"
export const h = 'i'`
  expect(importsOf({ path: http, text }).map(({ target, kind }) => `${kind} ${target}`)).toEqual([
    'value server/src/api/a.ts',
    'type server/src/base/b.ts',
    'value undefined',
    'value server/src/api/c.ts',
    'type contract/src/index.ts',
    'late server/src/api/e.ts',
    'late server/src/api/f.ts',
    'late undefined',
  ])
})

describe('imports', () => {
  const arrow = (from: string, to: string, text = `import { x } from '${to}'`) =>
    forbiddenImports(files({ [from]: text }))

  test.each([
    ['server/src/base/a.ts', '../queue/lease.ts'],
    ['server/src/database/a.ts', '../providers/provider.ts'],
    ['server/src/api/a.ts', '../background.ts'],
    ['server/src/queue/a.ts', '../app.ts'],
    ['server/src/messages/decide/a.ts', '../load/load.ts'],
    ['server/src/attic/a.ts', '../base/ids.ts'],
  ])('%s may not import %s', (from, to) => expect(arrow(from, to)).toHaveLength(1))

  test.each([
    ['server/src/messages/decide/a.ts', '../send.ts'],
    ['server/src/recipients/a.ts', '../messages/message-row.ts'],
    ['server/src/server.ts', './config.ts'],
    ['server/src/base/a.test.ts', '../queue/lease.ts'],
  ])('%s may import %s', (from, to) => expect(arrow(from, to)).toEqual([]))

  test('a type counts as well', () =>
    expect(arrow('server/src/base/a.ts', '', `import type { X } from '../queue/x.ts'`)).toHaveLength(1))

  test('a file that a folder scan loads counts as imported by the scanner', () => {
    const sources = files({
      'server/src/providers/catalog.ts': 'export const found = scan()',
      'server/src/providers/email/smtp.ts': `import { found } from '../catalog.ts'\nexport default found`,
    })
    expect(cycles(sources)).toHaveLength(1)
    expect(orphans(sources, ['server/src/providers/catalog.ts'])).toEqual([])
  })

  test('a cycle is reported with its path; types make one too, late imports none', () => {
    const pair = (second: string) =>
      cycles(files({ 'test/a.ts': `import { b } from './b.ts'`, 'test/b.ts': second, 'test/c.ts': `import './a.ts'` }))
    expect(pair(`import { a } from './a.ts'`)[0]).toContain('test/a.ts → test/b.ts → test/a.ts')
    expect(pair(`import type { a } from './a.ts'`)).toHaveLength(1)
    expect(pair(`const a = () => import('./a.ts')`)).toEqual([])
  })

  test('parts keep to the parts they may use', () => {
    const use = (path: string, to: string) => otherParts(files({ [path]: `import { x } from '${to}'` }))
    expect(use('contract/src/a.ts', '@postrider/server')).toHaveLength(1)
    expect(use('server/src/a.ts', '../../client/src/a.ts')).toHaveLength(1)
    expect(use('cli/src/a.ts', '../../server/src/a.ts')).toHaveLength(1)
    expect(use('cli/src/a.ts', '@postrider/server')).toEqual([])
    expect(use('test/a.ts', '../server/src/a.ts')).toEqual([])
  })

  test('internals of the server are for tests of storage and processes, and for the harness', () => {
    const table = '@postrider/server/internal/database/tables/users/users'
    const use = (path: string, to = table) => internalsInTests(files({ [path]: `import { x } from '${to}'` }))
    for (const folder of ['http', 'system', 'cli', 'fuzz', 'conformance/wire'])
      expect(use(`test/${folder}/a.test.ts`), folder).toEqual([expect.stringContaining('belongs in test/storage')])
    expect(use('test/http/rows.ts', '../../server/src/base/ids.ts')).toHaveLength(1)
    expect(internalsInTests(files({ 'test/http/a.ts': `import type { X } from '${table}'` }))).toHaveLength(1)
    for (const folder of ['storage', 'crash', 'faults', 'local', 'slow-inputs', 'support'])
      expect(use(`test/${folder}/a.test.ts`)).toEqual([])
    for (const open of ['@postrider/server', '@postrider/server/providers'])
      expect(use('test/http/a.test.ts', open)).toEqual([])
    expect(staleInternals(files({ 'test/storage/a.ts': `import { x } from '${table}'` }))).toHaveLength(5)
  })

  test('drivers stay where they belong', () => {
    const use = (path: string, text: string) => keptPackages(files({ [path]: text }))
    expect(use(http, `import { sql } from 'kysely'`)).toHaveLength(1)
    expect(use(http, `import { extract } from 'tar'`)).toHaveLength(1)
    expect(use('server/src/messages/deliver/attempt.ts', `import { Pool } from 'undici'`)).toHaveLength(1)
    expect(use('server/src/database/postgres.ts', `import pg from 'pg'`)).toEqual([])
    expect(use(http, `import pino from 'pino'`)).toEqual([])
  })

  test('a file that only its own test imports is an orphan', () => {
    const sources = files({
      'server/src/base/lost.ts': '',
      'server/src/base/lost.test.ts': `import { lost } from './lost.ts'`,
      'test/support/used.ts': '',
      'test/x.test.ts': `import { used } from './support/used.ts'`,
    })
    expect(orphans(sources, [])).toEqual([expect.stringContaining('server/src/base/lost.ts')])
    const another = files({ 'server/src/base/other.test.ts': `import { lost } from './lost.ts'` })
    expect(orphans([...sources, ...another], [])).toHaveLength(1)
  })

  test('a harness is shared by tests, and by tests only', () => {
    const harness = { 'server/src/base/clock.harness.ts': '' }
    const use = (path: string) => ({ [path]: `import { clock } from './clock.harness.ts'` })
    const [first, second] = [use('server/src/base/a.test.ts'), use('server/src/base/b.test.ts')]
    expect(orphans(files({ ...harness, ...first }), [])).toEqual([expect.stringContaining('clock.harness.ts')])
    expect(orphans(files({ ...harness, ...first, ...second }), [])).toEqual([])
    const elsewhere = { 'test/crash/a.ts': `import { clock } from '@postrider/server/internal/base/clock.harness'` }
    expect(orphans(files({ ...harness, ...elsewhere }), ['test/crash/a.ts'])).toEqual([])
    expect(harnessImports(files({ ...harness, ...first, ...use('server/src/base/c.harness.ts') }))).toEqual([])
    expect(harnessImports(files({ ...harness, ...use('server/src/base/c.ts') }))).toHaveLength(1)
  })

  test('an adapter without a test is named, a file of shared code is not', () => {
    const sources = files({
      'server/src/providers/sms/plivo.ts': 'export default provider({})',
      'server/src/providers/sms/twilio.ts': 'export default provider({})',
      'server/src/providers/sms/twilio.test.ts': '',
      'server/src/providers/sms/number.ts': 'export const number = 1',
    })
    expect(lines.providerTests(sources)).toEqual([expect.stringContaining('plivo.ts')])
  })
})

const violations: [rule: keyof typeof rules, path: string, text: string][] = [
  ['environment', http, 'const port = process.env.PORT'],
  ['environment', 'cli/src/send.ts', `const key = process['env'].KEY`],
  ['network', http, 'await fetch(url)'],
  ['network', 'cli/src/send.ts', 'await globalThis.fetch(url)'],
  ['sql', http, "run('select id from messages where id = $1')"],
  ['sql', http, 'run(`\n  SELECT m.id, ${columns}\n  FROM ${table}`)'],
  ['sql', http, "run('insert into messages (id) values ($1)')"],
  ['sql', http, 'run(`update ${table} set status = $1`)'],
  ['sql', http, 'run(`with due as (select 1) select 2`)'],
  ['sql', http, "run('delete from messages')"],
  ['sql', http, "run('create unique index a on b (c)')"],
  ['sql', http, 'const end = `where id = $1`'],
  ['purity', 'server/src/messages/decide/window.ts', 'const now = Date.now()'],
  ['purity', 'server/src/providers/sms/plivo.ts', 'const at = new Date()'],
  ['wallTime', 'test/a.test.ts', 'expect(Date.now() - began).toBeLessThan(1_000)'],
  ['wallTime', 'dashboard/src/a.test.tsx', 'slowest = Math.max(slowest, performance.now() - began)'],
  ['wallTime', 'test/a.test.ts', 'if (Date.now() < deadline) again()'],
  ['wallTime', 'test/a.test.ts', 'const left = deadline - Date.now()'],
  ['wallTime', 'test/a.test.ts', 'expect(Date.now()).toBeGreaterThan(due)'],
  ['wallTime', 'test/a.long.test.ts', 'expect(at).toBeLessThanOrEqual(Date.now() + 60_000)'],
  ['wallTime', 'test/a.test.ts', 'const start = performance.now()\nawait send()\nexpect(end - start).toBeLessThan(9)'],
  ['wallTime', 'test/a.test.ts', 'const start: number = new Date().getTime(); if (start < due) again()'],
  ['wallTime', 'test/a.test.ts', 'expect(lease.until).toBeGreaterThan(Date.now())'],
  ['wallTime', 'test/a.test.ts', 'inTime(() => {\n  expect(1).toBe(1)\n})\nexpect(Date.now() - began).toBe(1)'],
  ['wallTime', 'server/src/base/a.harness.ts', "import { expect } from 'vitest'\nexpect(Date.now() - began).toBe(1)"],
  ['wallTime', 'test/a.test.ts', 'const START = process.hrtime.bigint()\nconst time = process.hrtime.bigint() - START'],
  ['wallTime', 'test/browser/a.test.ts', 'page.addInitScript(`if (Date.now() - since > 600) window.isBlank = true`)'],
  [
    'wallTime',
    'test/faults/check.ts',
    "import { expect } from 'vitest'\nexpect(Date.now() - began).toBeLessThan(1_000)",
  ],
  ['anyType', http, 'function f(x: any) {}'],
  ['anyType', http, 'const x = y as any'],
  ['anyType', http, 'const x: Record<string, any> = {}'],
  ['anyType', http, 'let x: any[] = []'],
  ['leftovers', http, '// FIXME later'],
  ['leftovers', 'docs/guide.md', 'TODO: write this'],
  ['leftovers', 'test/a.test.ts', "test.only('x', () => {})"],
  ['leftovers', 'test/a.test.ts', "describe.skip('x', () => {})"],
  ['machinePaths', 'docs/guide.md', 'Open /home/ada/postrider.'],
  ['firstLine', http, "import { a } from './a.ts'"],
  ['firstLine', http, '// a remark\n'],
  ['names', 'bench/src/stored.ts', ''],
  ['names', 'test/system/held.test.ts', ''],
  ['names', 'server/src/base/utils.ts', ''],
  ['names', 'server/src/base/string-helpers.ts', ''],
  ['names', 'server/src/queue/job-manager.ts', ''],
  ['names', 'contract/src/types.ts', ''],
  ['names', 'server/src/common/a.ts', ''],
  ['names', 'server/src/base/camelCase.ts', ''],
  ['specifiers', http, "import { a } from './a.js'"],
  ['specifiers', http, "export * from './a'"],
  ['dialect', http, "invalidRequest('event must be string')"],
  ['dialect', http, "invalidRequest('event must NOT have fewer than 1 characters')"],
  ['dialect', http, 'invalidRequest(`${at} is not known here`)'],
  ['dialect', 'cli/src/send.ts', 'new Failure(`\\`${zone}\\` is no time zone`)'],
  ['words', http, 'Nobody has to wait'],
  ['words', 'docs/guide.md', 'Nobody has to wait for a week.'],
  ['openings', http, '/** What the server promises. */'],
  ['openings', http, '/**\n * Of several nodes one works.\n */'],
  ['openings', http, '// The lease ends. Who holds it stops.'],
  ['openings', 'test/a.test.ts', "test('What is stored stays', () => {})"],
  ['openings', 'test/a.test.ts', "test.each(rows)('Whose %s it is', () => {})"],
  ['openings', 'test/a.test.ts', "test('of many one is kept', () => {})"],
  ['openings', 'test/a.test.ts', "test.runIf(isRoot(a))('that is gone stays', () => {})"],
  ['openings', 'test/a.test.ts', "test.each([\n  [1],\n])('whose %s it is', () => {})"],
  ['openings', http, "throw new Failure('What came of it cannot be stored')"],
  ['openings', 'cli/src/send.ts', "option('--kind <kind>', 'what it may do')"],
  ['openings', 'docs/guide.md', '## What is sent'],
  ['openings', 'dashboard/src/people/people.module.css', '/* What stands above. */'],
  ['openings', 'deploy/nginx.conf', '# What is sent on'],
  ['openings', 'dashboard/src/people/send-form.tsx', "const text = 'What was sent is gone'"],
  ['openings', 'docs/guide.md', 'It waits. Whose turn it is, the lease says.'],
  ['openings', 'docs/guide.md', '- **Keys.** What is stored is a hash.'],
]

const innocents: [rule: keyof typeof rules, path: string, text: string][] = [
  ['dialect', http, "invalidRequest('event must not be empty; there is no event of this name')"],
  ['dialect', http, "const reason = 'The message is no longer stored'"],
  ['dialect', 'test/a.test.ts', "expect(text).toBe('event must be string')"],
  ['environment', 'server/src/config.ts', 'read(process.env)'],
  ['environment', http, '// process.env is read in config.ts'],
  ['environment', http, 'process.exit(1)'],
  ['network', 'server/src/transport/http.ts', 'await fetch(url)'],
  ['network', http, 'await client.fetch(url); prefetch(x)'],
  ['sql', 'server/src/database/tables/messages.ts', "run('select id from messages')"],
  ['sql', http, "const text = 'Select a channel from the list'"],
  ['sql', http, "const text = 'select one from the list'"],
  ['sql', http, "const text = 'Delete from cache when it is stale'"],
  ['sql', http, "const text = 'update the profile, then set the topic'"],
  ['sql', http, "const path = '/select/from'; const verb = 'create'"],
  ['sql', http, "const text = 'with a brand as its base'"],
  ['sql', http, '// select id from messages'],
  ['purity', 'server/src/providers/sms/plivo.ts', 'new Date(attempt.now).toISOString()'],
  ['purity', http, 'Date.now()'],
  ['wallTime', 'test/a.test.ts', 'const due = Date.now() + MINUTE; const old = Date.now() - 60_000'],
  ['wallTime', 'test/a.test.ts', 'open({ clock: { now: () => Date.now() + ahead } }) // Date.now() - began'],
  ['wallTime', 'test/support/until.ts', 'if (Date.now() > deadline) throw new Error()'],
  ['wallTime', 'test/a.test.ts', 'const start = Date.now()\nexpect(at).toBeGreaterThan(start)'],
  ['wallTime', 'test/a.test.ts', 'const start = Date.now()\ninTime(() => expect(at - start).toBeLessThan(1_000))'],
  ['wallTime', 'test/a.test.ts', 'inTime(() => {\n  expect(Date.now() - start).toBeLessThan(1_000)\n})'],
  ['wallTime', 'test/a.test.ts', 'if (x) { const at = Date.now() }\nexpect(at - before).toBe(1)'],
  ['wallTime', 'server/src/queue/lease.test.ts', 'vi.useFakeTimers(); at = Date.now() - start'],
  ['wallTime', 'bench/src/load.test.ts', 'latencies.push(performance.now() - at)'],
  ['anyType', http, 'await Promise.any(calls); const many = anyOf(x)'],
  ['anyType', http, "// for any reason\nconst text = 'a: any'"],
  ['leftovers', http, '// @TODO(the provider has no endpoint for it yet)'],
  ['leftovers', http, "list.skip(3); schema.only('x')"],
  ['machinePaths', http, "const url = 'https://example.com/home/ada'; import '../home/a.ts'"],
  ['firstLine', 'cli/src/postrider.ts', '#!/usr/bin/env node\n/** The command. */\n'],
  ['firstLine', 'client/src/shapes.ts', '// biome-ignore-all format: generated\n/** The shapes. */\n'],
  ['names', 'server/src/providers/chat/microsoft-teams.test.ts', ''],
  ['names', 'server/src/base/types-of-event.ts', ''],
  ['names', 'server/src/database/tables/messages/held-messages.ts', ''],
  ['names', 'client/src/generated.ts', ''],
  ['specifiers', http, "import a from 'pg'\nimport { b } from './b.ts'\nconst c = './c.js'"],
  ['words', http, 'tasks.push(masked); indoors; household; momentum; the understanding; unfolded; islands; toldest'],
  ['words', http, "insert('pinned text'); version is pinned; extendedFields(); value.extended(); suspected poison"],
  ['words', 'server/src/database/local/launch.ts', "const user = 'nobody'"],
  ['words', 'server/src/database/migrations/0001_initial.sql', '-- nobody is told'],
  [
    'openings',
    http,
    "/** Often, whatever is due. */ const who = 'whoever'; const of = ` of ${count}`; ask('What now?')",
  ],
  ['openings', 'test/a.test.ts', "const text = 'of a test'; test('offers what it has', () => {})"],
  ['openings', 'docs/guide.md', 'What happens if the process dies?\n\n| Who | What |\n\nOften it waits.'],
]

const { environment, network, sql, purity, wallTime, anyType, leftovers } = lines
const { machinePaths, firstLine, names, specifiers, dialect } = lines
const words = bannedWords
const rules = {
  ...{ environment, network, sql, purity, wallTime, anyType, leftovers },
  ...{ machinePaths, firstLine, names, specifiers, dialect, words, openings },
}

describe('columns are named and typed once', () => {
  const schema = "export const columnTypes = {\n  lists: { id: 'text', name: 'text', created: 'bigint' },\n} as const"
  const countFound = (text: string, path = 'server/src/database/tables/lists/lists.ts') =>
    lines.columns(files({ 'server/src/database/schema.generated.ts': schema, [path]: text })).length
  const row = "interface ListRow {\n  id: string\n  name: string\n  created: number\n}\nselectFrom('lists')"

  test('a list of columns with types is found', () => {
    expect(countFound('run(`select 1 from json_to_recordset($1::json) as r(id text, n integer)`)')).toBe(1)
    expect(countFound('run(`select 1 from ${source} as r(id text)`)')).toBe(1)
    expect(countFound("run(`select 1 from ${recordset('$1', 'r', typesOf('lists', ['id']))}`)")).toBe(0)
  })
  test('so is a type with the columns of a table that the file names', () => {
    expect(countFound(row)).toBe(1)
    expect(countFound(row, 'server/src/lists/lists.ts')).toBe(0)
    expect(countFound(row.replace('name:', 'title:'))).toBe(0)
    expect(countFound(row.replace("'lists'", "'topics'"))).toBe(0)
  })
})

test('two exported types of one name are found', () => {
  const duplicates = (...texts: string[]) =>
    lines.typeNames(texts.map((text, n) => ({ path: `server/src/base/sample-${n}.ts`, text })))
  expect(duplicates('export type Outcome = 1', 'export interface Outcome {}')).toHaveLength(1)
  expect(duplicates('export type Outcome = 1', 'interface Outcome {}', 'export type Scope = 1')).toEqual([])
})

describe('files that are named', () => {
  const there = [
    'docs/guides/a.md',
    'server/src/api/routes.ts',
    'server/src/api/input.ts',
    'server/src/messages/send.ts',
  ]
  const dead = (path: string, text: string) => deadPaths([{ path, text }], there).map((line) => line.split(': ')[1])

  test.each([
    ['ARCHITECTURE.md', '`server/src/api/routes.ts` and `messages/send.ts`'],
    ['ARCHITECTURE.md', '`api/routes.ts` reads it (`input.ts`), or `messages/send.ts` does'],
    ['ARCHITECTURE.md', 'The folder `api/` has `routes.ts`.'],
    ['CONTRIBUTING.md', '| In `server/src/api/` | |\n|---|---|\n| `input.ts` | |\n| `routes.ts` | |'],
    ['docs/architecture/message.md', '`server/src/api/<name>.ts`; `npx vitest run server/src/api/routes.ts`'],
    ['docs/adr/0001-a.md', '`gone.ts`'],
    [http, '/** Like input.ts and messages/send.ts. */'],
    [http, "// As in server/src/api/routes.ts, not in Node's `fs.d.ts/x`\nconst gone = 'gone.ts'"],
  ])('%s may name them: %s', (path, text) => expect(dead(path, text)).toEqual([]))

  test.each([
    ['ARCHITECTURE.md', '`server/src/api/send.ts`', 'server/src/api/send.ts'],
    ['ARCHITECTURE.md', '`api/routes.ts`, then `messages/send.ts` and `routes.ts`', 'routes.ts'],
    ['ARCHITECTURE.md', 'The folder `api/`\n\nhas `routes.ts`.', 'routes.ts'],
    ['docs/architecture/message.md', '`src/api/routes.ts`', 'src/api/routes.ts'],
    ['docs/architecture/message.md', '`server/src/lists/<name>.ts`', 'server/src/lists/<name>.ts'],
    [http, '/** Like send.ts. */', 'send.ts'],
    [http, '// The rest is in `api/output.ts`.', 'api/output.ts'],
  ])('%s may not name others: %s', (path, text, name) => expect(dead(path, text)).toEqual([name]))
})

test.each(violations)('%s catches, in %s: %s', (rule, path, text) => {
  expect(rules[rule]({ path, text })).not.toEqual([])
})

test.each(innocents)('%s lets pass, in %s: %s', (rule, path, text) => {
  expect(rules[rule]({ path, text })).toEqual([])
})

test.each([
  ['Nobody has to wait; whoever comes first wins', 2],
  ['class Door {}; const rehearsed = weave(house)', 4],
  ['delivery.passedOver ? crowdedOut : gaveWay', 3],
  ['One that was passed over gives way and steps aside', 3],
  ['A guilty message is put away after five deaths', 3],
  ['const CLAIMS_SUSPECT = 5; isSuspect(row)', 2],
  ['wait(underWay); what is under way has begun', 3],
  ['const wayKey = waysOf(tree)', 2],
  ['momentOf(text) < MOMENT_END', 2],
  ['The victim is told, a stranger is asked, and everybody hears of it', 6],
  ['announceEnd(); recount(); const toldOnce = wasTold', 4],
  ['asks.push(wanted); it wants the lock; the value lands in the row', 4],
  ['const { refusal, troubled } = standing(circumstances)', 4],
  ['turnoverMap(); pinAgain(extended(value, { a }))', 3],
  ['mustTouch(vitals); throw new KeyTaken()', 3],
  ['Later attempts use the pinned profile', 1],
  ['The catalogue of colours was cancelled; its behaviour is not recognised', 5],
  ['It goes on without us; all is well; Is `color` is meant?', 3],
  ['Kept replies say what became of it; every way was tried; goesOn()', 4],
])('%s has %i banned words', (text, count) => {
  expect(bannedWords({ path: http, text })).toHaveLength(count)
})

test.each([
  ['const found = rows[0]', 1],
  ['const { own, rest } = item; use(...given)', 2],
  ['items.map((one) => one.id)', 2],
  ['const of = (stored: Row) => stored.id', 1],
  ['return isDue ? held : known', 2],
  ['const { found: row } = reply; send({ stored: row, known: true })', 0],
  ["const foundKey = row.found; call('found', `known`) // the own one", 0],
  ['interface Figures { held: number; given?: string }', 0],
])('%s has %i values named by an adjective', (text, count) => {
  expect(valueNames({ path: http, text })).toHaveLength(count)
})

test.each([
  ['const fault = faultsOf(row); setFaulty(true)', 3],
  ['await bench.world.ask(pace)', 3],
  ['const { isCrowded } = MAKERS; peopleWords(wordsOf(text))', 4],
  ['inTurn(candidateTurn as CandidateTurn)', 3],
  ["const text = 'Which party is at fault?' // the world asks for words", 0],
  ['setDefault(defaults); keyword(words); bucket.task()', 0],
])('%s has %i banned names', (text, count) => {
  expect(bannedNames({ path: 'server/src/lists/sample.ts', text })).toHaveLength(count)
})

test('a word that stays is in no list of banned ones', () => {
  for (const word of Object.keys(KEPT_WORDS))
    expect([word, bannedWords({ path: http, text: word })]).toEqual([word, []])
})

test('each banned word is found alone, and an exception whose word is gone is reported', () => {
  const sentence = 'Somebody asks, and the answer lands later'
  expect(bannedWords({ path: http, text: sentence }).map((line) => line.split(': ')[1])).toEqual([
    'Somebody',
    'asks',
    'lands',
  ])
  expect(staleExceptions([{ path: 'server/src/database/local/launch.ts', text: 'nobody' }])).not.toContainEqual(
    expect.stringContaining('nobody'),
  )
  expect(staleExceptions([])).toContainEqual(expect.stringContaining('nobody'))
})

describe('manifests', () => {
  test('ranges, tags and addresses are no versions', () => {
    const dependencies = { a: '^1.0.0', b: 'latest', c: '1.2', d: 'github:x/y', e: '1.2.3', f: '2.0.0-beta.1' }
    const aliases = { g: 'npm:@x/y@1.2.3', h: 'npm:y@1.2.3', i: 'npm:y@^1.2.3', j: 'npm:y' }
    expect(inexactVersions([{ part: 'server', dependencies }])).toHaveLength(4)
    expect(inexactVersions([{ part: 'test', dependencies: aliases }])).toHaveLength(2)
  })

  test('the forty-sixth runtime dependency is one too many, the first of the client as well', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, '1.0.0']))
    expect(dependencyBudget([{ part: 'server', dependencies: many(45), devDependencies: { x: '1.0.0' } }])).toEqual([])
    expect(dependencyBudget([{ part: 'server', dependencies: many(46) }])).toHaveLength(1)
    expect(dependencyBudget([{ part: 'client', dependencies: many(1) }])).toHaveLength(1)
  })

  test('loaded packages are declared, and declared packages are loaded by more than tests', () => {
    const dependencies = { pino: '1.0.0', cheerio: '1.0.0' }
    const sources = files({
      'server/src/a.ts': `import pino from 'pino'\nimport { Ajv } from 'ajv/dist/2020.js'\nimport 'node:fs'`,
      'server/src/a.test.ts': `import { load } from 'cheerio'`,
    })
    expect(dependenciesUsed([{ part: 'server', dependencies }], sources)).toEqual([
      'server: cheerio is installed for nothing',
      'server: ajv is not declared',
    ])
  })

  test('files that a manifest runs, links or exports are entry points', () => {
    const manifests = [
      { part: 'cli', bin: { postrider: 'bin/postrider.js' } },
      { part: 'test', scripts: { crash: 'node dist/crash/campaign.js' } },
      { part: 'server', exports: { '.': { default: './dist/index.js' } } },
    ]
    expect(entryPoints(manifests)).toEqual(['cli/src/postrider.ts', 'test/crash/campaign.ts', 'server/src/index.ts'])
  })

  test('.env.example and the declared variables agree in names and defaults', () => {
    const variables = { POSTRIDER_PORT: { default: 4600, meaning: 'port' }, POSTRIDER_API_KEY: { meaning: 'key' } }
    expect(environmentExample('# The port\n# POSTRIDER_PORT=4600\n# POSTRIDER_API_KEY=\n', variables)).toEqual([])
    expect(environmentExample('# POSTRIDER_PORT=80\n# POSTRIDER_OLD=\n', variables)).toHaveLength(3)
  })
})
