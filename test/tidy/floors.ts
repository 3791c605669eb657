/** Rules about who may import whom: floors, parts, cycles, packages kept in one folder, files nobody imports. */
import { type Import, importGraph } from './imports.ts'
import { isTest, type Source } from './source.ts'

/** Folders and top-level files of `server/src`, from the ground up; imports stay inside one or go strictly down. */
export const FLOORS: Record<string, number> = {
  base: 0,
  'assets.ts': 0,
  database: 1,
  providers: 1,
  templates: 1,
  transport: 1,
  queue: 2,
  watchdog: 2,
  pipeline: 3,
  automations: 4,
  'fan-out': 4,
  audiences: 4,
  erasure: 4,
  webhooks: 4,
  http: 5,
  'work.ts': 5,
  'server.ts': 6,
  'context.ts': 6,
  'config.ts': 6,
  'first-start.ts': 6,
  'house.ts': 6,
  'offline.ts': 6,
  'transfer.ts': 6,
  'secret-key.ts': 6,
  'secret-rotation.ts': 6,
  // What the package shows to the outside.
  'index.ts': 7,
}

/** Which parts each part may use; tests, benchmarks and documents may use everything. */
const PARTS: Record<string, readonly string[]> = {
  contract: [],
  client: [],
  server: ['contract'],
  cli: ['client', 'server'],
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

const partOf = (path: string) => path.split('/')[0] ?? ''

export function upwardImports(sources: Source[]): string[] {
  return checked(sources).flatMap(({ from, target }) => {
    const [source, goal] = [roomOf(from), target === undefined ? undefined : roomOf(target)]
    if (source === undefined || goal === undefined || source === goal) return []
    const [here, there] = [FLOORS[source], FLOORS[goal]]
    if (here === undefined) return [`${from}: give ${source} a floor in test/tidy/floors.ts`]
    if (there === undefined) return [`${target}: give ${goal} a floor in test/tidy/floors.ts`]
    // The files of the composition root are one room.
    if (there < here || (here === 6 && there === 6)) return []
    return [`${from} (floor ${here}) imports ${target} (floor ${there}): imports go down; move what both need below`]
  })
}

export function foreignParts(sources: Source[]): string[] {
  return checked(sources).flatMap(({ from, target, specifier }) => {
    const [source, goal] = [partOf(from), target === undefined ? '' : partOf(target)]
    const allowed = PARTS[source]
    if (!allowed || !goal || goal === source) return []
    if (!allowed.includes(goal))
      return [`${from} imports ${goal}: ${source} may use ${allowed.join(', ') || 'no other part'}`]
    return specifier.startsWith('.') ? [`${from} imports ${specifier}: other parts are imported by package name`] : []
  })
}

export function keptPackages(sources: Source[]): string[] {
  return checked(sources).flatMap(({ from, specifier, kind }) => {
    const room = KEPT_IN[specifier.replace(/^((?:@[^/]+\/)?[^/]+)\/.*$/, '$1')]
    const free = kind === 'type' || ['test', 'bench'].includes(partOf(from))
    return room && !free && !from.startsWith(room) ? [`${from} imports ${specifier}: only ${room} knows it`] : []
  })
}

/** Cycles of imports, of types too: two files that need each other's types are one thought. The names are given in order. */
export function cycles(sources: Source[]): string[] {
  const edges = new Map<string, string[]>()
  for (const { from, target, kind } of importGraph(sources))
    if (kind !== 'late' && target) edges.set(from, [...(edges.get(from) ?? []), target])
  const found: string[] = []
  const done = new Set<string>()
  const visit = (path: string, trail: string[]) => {
    if (trail.includes(path)) {
      found.push(`${[...trail.slice(trail.indexOf(path)), path].join(' → ')}: move what both need into a file below`)
      return
    }
    if (done.has(path)) return
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const { path } of sources) visit(path, [])
  return found
}

/**
 * Files that no other file imports; a test keeps a file alive only among tests and benchmarks. What a single test uses
 * is its own; what several share is a support of theirs.
 */
export function orphans(sources: Source[], entries: readonly string[]): string[] {
  const used = new Set(entries)
  const testedBy = new Map<string, string>()
  for (const { from, target } of importGraph(sources)) {
    if (!target || target === from) continue
    const counts = !isTest(from) || ['test', 'bench'].includes(partOf(from))
    if (counts || (testedBy.has(target) && testedBy.get(target) !== from)) used.add(target)
    testedBy.set(target, from)
  }
  return sources
    .map((source) => source.path)
    .filter((path) => /\.tsx?$/.test(path) && !/\.d\.ts$/.test(path) && !isTest(path) && !used.has(path))
    .map((path) => `${path}: nobody imports it; use it or delete it (entry points are named in a package.json)`)
}

/** Tests may look at anything: nobody depends on them. */
function checked(sources: Source[]): Import[] {
  return importGraph(sources).filter(({ from }) => !isTest(from))
}

function roomOf(path: string): string | undefined {
  return /^server\/src\/([^/]+)/.exec(path)?.[1]
}
