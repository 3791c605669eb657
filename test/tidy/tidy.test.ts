/** The rules of the code hold in every file of the checkout. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { logEvents } from '@postrider/server/log-events'
import { expect, test } from 'vitest'
import {
  cycles,
  forbiddenImports,
  harnessImports,
  internalsInTests,
  keptPackages,
  moduleDiagram,
  moduleTable,
  orphans,
  otherParts,
  staleInternals,
  staleModules,
} from './layers.ts'
import * as lines from './lines.ts'
import { messageLife } from './message-life.ts'
import {
  dependenciesUsed,
  dependencyBudget,
  entryPoints,
  environmentExample,
  inexactVersions,
  type Manifest,
  published,
} from './packages.ts'
import { deadPaths } from './paths.ts'
import { listFiles, PARTS, readSources } from './source.ts'
import { bannedNames, bannedWords, openings, staleExceptions, valueNames } from './vocabulary.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
// The file of offending snippets breaks every rule on purpose.
const TEXTS = ['.md', '.sql', '.sh', '.css', '.html', '.json', '.yml', '.conf', '.service', '.ci/run', 'Caddyfile']
const everything = readSources(root, ['.ts', '.tsx', '.js', '.mjs', ...TEXTS]).filter(
  ({ path }) => path !== 'test/tidy/rules.test.ts',
)
const sources = everything.filter(({ path }) => /\.tsx?$/.test(path))
const scripts = everything.filter(({ path }) => /\.(?:tsx?|m?js)$/.test(path))
const folders = [
  ...PARTS.flatMap((part) => [part, ...readdirSync(join(root, part)).map((name) => `${part}/${name}`)]),
  'test/conformance/providers',
]
const documents = readdirSync(root)
  .filter((name) => /^(?:Dockerfile|\.env\.example)$|\.(?:md|ya?ml|jsonc?)$/.test(name))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
const manifests = ['', ...folders].filter((part) => existsSync(join(root, part, 'package.json'))).map(readManifest)

function readManifest(part: string): Manifest {
  return { ...JSON.parse(readFileSync(join(root, part, 'package.json'), 'utf8')), part }
}

test('the rules see the whole checkout', () => {
  for (const path of ['contract/src/api/operation.ts', 'server/src/base/ids.ts', 'test/tidy/layers.ts'])
    expect(sources.map((source) => source.path)).toContain(path)
  expect(manifests.map(({ part }) => part)).toEqual(expect.arrayContaining(['', 'server', 'cli', 'test']))
})

test('a module of the server imports only what it may', () => expect(forbiddenImports(sources)).toEqual([]))
test('every allowed import is used', () => expect(staleModules(sources)).toEqual([]))
test.each([
  ['docs/architecture/modules.md', 'list of modules', moduleTable()],
  ['docs/architecture/modules.md', 'picture of modules', moduleDiagram()],
  ['ARCHITECTURE.md', "picture of a message's life", messageLife(sources)],
])('%s shows the %s', (path, _kind, expected) => {
  expect(readFileSync(join(root, path), 'utf8'), 'run npm run generate').toContain(expected)
})
test('a part uses only the parts it may', () => expect(otherParts(sources)).toEqual([]))
test('only tests of storage and processes import internals', () => {
  expect(internalsInTests(sources)).toEqual([])
  expect(staleInternals(sources)).toEqual([])
})
test('database drivers and network clients stay in their folder', () => expect(keptPackages(sources)).toEqual([]))
test('only tests import a harness', () => expect(harnessImports(sources)).toEqual([]))
test('no import cycle', () => expect(cycles(sources)).toEqual([]))
test('every file has an importer', () => {
  const named = ['global-setup', 'property-seed', 'folder-times'].map((name) => `test/support/run/${name}.ts`)
  const page = ['dashboard/src/main.tsx', 'dashboard/vite.config.ts']
  const entries = [...entryPoints(manifests), ...named, ...page, 'test/local/holder.ts']
  expect(orphans(sources, entries)).toEqual([])
})
test('every event of the log is written somewhere', () => {
  const server = sources.filter(({ path }) => path.startsWith('server/src/') && !path.endsWith('/log-events.ts'))
  const written = (event: string) => server.some(({ text }) => text.includes(`'${event}'`))
  expect(Object.keys(logEvents).filter((event) => !written(event))).toEqual([])
})
test('the handlers of a resource are in the folder that its contract has', () => {
  const placesOf = (part: string) =>
    sources.flatMap(({ path }) => {
      const [, folder, name] = new RegExp(`^${part}/resources/([\\w-]+)/([\\w-]+)\\.ts$`).exec(path) ?? []
      return folder && name ? [{ folder, name }] : []
    })
  const contract = new Map(placesOf('contract/src').map(({ folder, name }) => [name, folder]))
  const handlers = placesOf('server/src/api')
  expect(handlers.length).toBeGreaterThan(30)
  for (const { folder, name } of handlers) expect([name, contract.get(name) ?? folder]).toEqual([name, folder])
})
test('files that documents and comments name are there', () => {
  expect(deadPaths([...everything, ...documents], listFiles(root))).toEqual([])
})
test('columns are named and typed once', () => expect(lines.columns(sources)).toEqual([]))
test('no two exported types of the server have one name', () => expect(lines.typeNames(sources)).toEqual([]))
test('a provider has a test beside it', () => expect(lines.providerTests(sources)).toEqual([]))

test.each([
  ['the environment is read in config.ts only', lines.environment, scripts],
  ['requests go through transport', lines.network, sources],
  ['SQL lives in database', lines.sql, sources],
  ['deciding, providers and templates are pure', lines.purity, sources],
  ['no test decides by the time that has passed', lines.wallTime, sources],
  ['nothing is of type any', lines.anyType, sources],
  ['nothing is left over', lines.leftovers, everything],
  ['no path of one machine', lines.machinePaths, everything],
  ['a file begins with what it promises', lines.firstLine, scripts],
  ['files and folders are named for what they are', lines.names, scripts],
  ['relative imports name the file on disk', lines.specifiers, sources],
  ['errors are written in one dialect', lines.dialect, sources],
  ['words are those of the field', bannedWords, [...everything, ...documents]],
  ['names in code are those of the field', bannedNames, scripts],
  ['a value is named by what it holds', valueNames, scripts],
  ['a sentence begins with its subject', openings, [...everything, ...documents]],
] as const)('%s', (_title, rule, files) => {
  expect(files.flatMap((source) => rule(source))).toEqual([])
})

test('every exception of the vocabulary is used', () => expect(staleExceptions(everything)).toEqual([]))

test('versions are exact', () => expect(inexactVersions(manifests)).toEqual([]))
test('two packages are published', () => expect(published(manifests)).toEqual(['@postrider/client', 'postrider']))
test('a part declares the packages it loads', () => expect(dependenciesUsed(manifests, sources)).toEqual([]))
test('dependencies stay within the budget', () => expect(dependencyBudget(manifests)).toEqual([]))

test('.env.example shows what the configuration declares', async () => {
  const { variables } = await import(pathToFileURL(join(root, 'server/src/config.ts')).href)
  expect(environmentExample(readFileSync(join(root, '.env.example'), 'utf8'), variables)).toEqual([])
})

test('decision records are numbered without a gap, and docs/README.md lists them by their titles', () => {
  const numbers = readdirSync(join(root, 'docs/adr')).map((name) => /^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1])
  expect(numbers.sort()).toEqual(numbers.map((_, index) => String(index + 1).padStart(4, '0')))
  const listed = readFileSync(join(root, 'docs/README.md'), 'utf8')
  for (const name of readdirSync(join(root, 'docs/adr'))) {
    const [, number, title] = /^# (\d+)\. (.+)/.exec(readFileSync(join(root, 'docs/adr', name), 'utf8')) ?? []
    expect(listed).toContain(`- ${number}: [${title}](adr/${name})`)
  }
})
