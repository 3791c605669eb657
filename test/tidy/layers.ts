/** Rules about imports: modules of the server, packages, cycles, files without an importer. */
import { type Import, importGraph, importsOf } from './imports.ts'
import { MODULES, type Module } from './modules.ts'
import { isHarness, isTest, type Source } from './source.ts'

/** Which parts each part may use; tests, benchmarks and documents may use everything. */
const PARTS: Record<string, readonly string[]> = {
  contract: [],
  client: [],
  server: ['contract'],
  cli: ['client', 'contract', 'server'],
  dashboard: ['client'],
  examples: ['client'],
}

/** Packages that reach outside or carry a dialect, and the only folder that knows them. */
const KEPT_IN: Record<string, string> = {
  kysely: 'server/src/database/',
  pg: 'server/src/database/',
  tar: 'server/src/database/',
  undici: 'server/src/transport/',
  nodemailer: 'server/src/transport/',
  'node:http2': 'server/src/transport/',
}

/** Folders of tests that may import internals of the server, and why. All others go by the API, the command or the harness. */
const INTERNALS_IN: Record<string, string> = {
  'test/storage/': 'tries tables, queues and workers on every PostgreSQL',
  'test/crash/': 'judges what killed processes left in the tables, and draws its plans',
  'test/faults/': 'starts the transport alone: a fault has no other database or API',
  'test/local/':
    'tries the local PostgreSQL, which no database server can stand for: its folder, programs and postmaster',
  'test/slow-inputs/': 'calls every reader and evaluator of what callers write with inputs grown to their bounds',
  'test/support/': 'the harness: opens engines and apps, writes rows that only jobs write',
}

const partOf = (path: string) => path.split('/')[0] ?? ''

/** The module of a file of the server; undefined for files elsewhere. */
function moduleOf(path: string): Module | undefined {
  const inside = /^server\/src\/(.+)$/.exec(path)?.[1]
  return inside === undefined ? undefined : MODULES.find(({ files }) => files.test(inside))
}

export function forbiddenImports(sources: Source[]): string[] {
  return checked(sources).flatMap(({ from, target }) => {
    if (!from.startsWith('server/src/') || !target?.startsWith('server/src/')) return []
    const [source, goal] = [moduleOf(from), moduleOf(target)]
    if (!source) return [`${from}: add its folder to test/tidy/modules.ts`]
    if (!goal) return [`${target}: add its folder to test/tidy/modules.ts`]
    if (source === goal || goal.name === 'base' || source.imports.includes(goal.name)) return []
    return [`${from} (${source.name}) imports ${target} (${goal.name}), which test/tidy/modules.ts does not allow`]
  })
}

/** Imports that the list allows and that no file has any more, and modules that are listed after their importers. */
export function staleModules(sources: Source[]): string[] {
  const used = new Set(
    checked(sources).flatMap(({ from, target }) =>
      target === undefined ? [] : [`${moduleOf(from)?.name} → ${moduleOf(target)?.name}`],
    ),
  )
  return MODULES.flatMap(({ name, imports }, index) => [
    ...imports.filter((goal) => !used.has(`${name} → ${goal}`)).map((goal) => `${name}: no file imports ${goal}`),
    ...imports
      .filter((goal) => !MODULES.slice(0, index).some((module) => module.name === goal))
      .map((goal) => `${name}: ${goal} is not listed before it`),
  ])
}

export function otherParts(sources: Source[]): string[] {
  return checked(sources).flatMap(({ from, target, specifier }) => {
    const [source, goal] = [partOf(from), target === undefined ? '' : partOf(target)]
    const allowed = PARTS[source]
    if (!allowed || !goal || goal === source) return []
    if (!allowed.includes(goal))
      return [`${from} imports ${goal}: ${source} may use ${allowed.join(', ') || 'no other part'}`]
    return specifier.startsWith('.') ? [`${from} imports ${specifier}: other parts are imported by package name`] : []
  })
}

export function internalsInTests(sources: Source[]): string[] {
  const importing = importsOfInternals(sources)
  const folders = Object.keys(INTERNALS_IN)
  return importing
    .filter(({ from }) => !folders.some((folder) => from.startsWith(folder)))
    .map(
      ({ from, specifier }) =>
        `${from} imports ${specifier}: call the API or test/support; a test of tables or workers belongs in test/storage, one of code without a database beside the code`,
    )
}

/** Folders that may import internals and do not. */
export function staleInternals(sources: Source[]): string[] {
  const importing = importsOfInternals(sources)
  return Object.keys(INTERNALS_IN)
    .filter((folder) => !importing.some(({ from }) => from.startsWith(folder)))
    .map((folder) => `${folder} imports no internals of the server: remove it from INTERNALS_IN`)
}

const importsOfInternals = (sources: Source[]): Import[] =>
  sources
    .filter(({ path }) => partOf(path) === 'test')
    .flatMap(importsOf)
    .filter(({ specifier }) => /^@postrider\/server\/internal\/|(?:^|\/)server\/(?:src|dist)\//.test(specifier))

export function keptPackages(sources: Source[]): string[] {
  return checked(sources).flatMap(({ from, specifier, kind }) => {
    const owner = KEPT_IN[specifier.replace(/^((?:@[^/]+\/)?[^/]+)\/.*$/, '$1')]
    const free = kind === 'type' || ['test', 'bench'].includes(partOf(from))
    return owner && !free && !from.startsWith(owner)
      ? [`${from} imports ${specifier}: only ${owner} may import it`]
      : []
  })
}

/**
 * Cycles of imports, of types too: two files that need each other's types are one thought. The names are given in
 * order.
 */
export function cycles(sources: Source[]): string[] {
  const edges = new Map<string, string[]>()
  for (const { from, target, kind } of importGraph(sources))
    if (kind !== 'late' && target) edges.set(from, [...(edges.get(from) ?? []), target])
  const results: string[] = []
  const done = new Set<string>()
  const visit = (path: string, trail: string[]) => {
    if (trail.includes(path)) {
      results.push(`${[...trail.slice(trail.indexOf(path)), path].join(' → ')}: move what both need into a file below`)
      return
    }
    if (done.has(path)) return
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const { path } of sources) visit(path, [])
  return results
}

/**
 * Files that no other file imports. A test keeps a file alive only among tests and benchmarks, and as a harness: a file
 * that one test imports belongs to that test.
 */
export function orphans(sources: Source[], entries: readonly string[]): string[] {
  const internals = importsOfInternals(sources).map(
    ({ specifier }) => `server/src/${specifier.split('/internal/')[1]}.ts`,
  )
  const used = new Set([...entries, ...internals.filter(isHarness)])
  const testedBy = new Map<string, string>()
  for (const { from, target } of importGraph(sources)) {
    if (!target || target === from) continue
    const counts = !isTest(from) || ['test', 'bench'].includes(partOf(from))
    const isShared = isHarness(target) && testedBy.has(target) && testedBy.get(target) !== from
    if (counts || isShared) used.add(target)
    testedBy.set(target, from)
  }
  return sources
    .map((source) => source.path)
    .filter((path) => /\.tsx?$/.test(path) && !/\.d\.ts$/.test(path) && !/\.test\.tsx?$/.test(path) && !used.has(path))
    .map((path) => `${path}: no file imports it; use it or delete it (entry points are named in a package.json)`)
}

/** A harness is for tests: no file that runs in a service imports it, so that it is in no package. */
export const harnessImports = (sources: Source[]): string[] =>
  checked(sources)
    .filter(({ from, target }) => target && isHarness(target) && !['test', 'bench'].includes(partOf(from)))
    .map(({ from, target }) => `${from} imports ${target}: a harness is for tests`)

/** Tests may import anything: no module depends on them. */
function checked(sources: Source[]): Import[] {
  return importGraph(sources).filter(({ from }) => !isTest(from))
}

/** The table of modules as docs/architecture/modules.md shows it, from the top down. */
export function moduleTable(): string {
  const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
  const rows = MODULES.toReversed().map(
    ({ name, holds, imports, why }) => `| ${code([name])} | ${holds} | ${code(imports)} | ${why} |`,
  )
  return ['| Module | Content | May import | Reason |', '|---|---|---|---|', ...rows].join('\n')
}

/**
 * The picture of the layers: an arrow means "imports"; arrows that others imply are left out.
 */
export function moduleDiagram(): string {
  const reached = new Map<string, ReadonlySet<string>>()
  const idOf = (name: string) => name.replaceAll('/', '_')
  const lines = MODULES.flatMap(({ name, imports }) => {
    reached.set(name, new Set(imports.flatMap((goal) => [goal, ...(reached.get(goal) ?? [])])))
    const isImplied = (goal: string) => imports.some((other) => reached.get(other)?.has(goal))
    return [
      `  ${idOf(name)}["${name}"]`,
      ...imports.filter((goal) => !isImplied(goal)).map((goal) => `  ${idOf(name)} --> ${idOf(goal)}`),
    ]
  })
  return ['```mermaid', 'flowchart TB', ...lines, '```'].join('\n')
}
