/** The imports of a file, read from its text and resolved to files of this checkout. */
import { posix } from 'node:path'
import { isTest, lex, type Source } from './source.ts'

export interface Import {
  from: string
  /** As written. */
  specifier: string
  /** The file it names, whether it exists or not; undefined for a package from elsewhere. */
  target: string | undefined
  /** `type`: erased. `value`: loaded at once. `late`: loaded on demand, or run as a thread or process. */
  kind: 'type' | 'value' | 'late'
}

// The files that a folder scan loads count as imported by the file that scans.
const SCANS = [{ by: 'server/src/providers/catalog.ts', files: /^server\/src\/providers\/[a-z-]+\/[a-z0-9-]+\.ts$/ }]

const STATIC = /(?:^|[\n;])\s*(?:import|export)\s+(type\s+)?(?:[\w*{}\s,$]+?\s*from\s*)?(?=['"])/g
const DYNAMIC = /\bimport\s*\(\s*(?=['"`])/g
// A worker's or a child's file is named by a plain text.
const FILE = /^\.\.?\/.*\.[jt]sx?$/

const importsBySource = new WeakMap<Source, Import[]>()

export function importsOf(source: Source): Import[] {
  const imports = importsBySource.get(source) ?? findImports(source)
  importsBySource.set(source, imports)
  return imports
}

function findImports(source: Source): Import[] {
  const { code, literals } = lex(source.text)
  const kinds = new Map<number, Import['kind']>()
  for (const match of code.matchAll(DYNAMIC)) kinds.set(match.index + match[0].length, 'late')
  for (const match of code.matchAll(STATIC)) kinds.set(match.index + match[0].length, match[1] ? 'type' : 'value')
  return literals.flatMap(({ at, value: specifier }) => {
    const kind = kinds.get(at) ?? (FILE.test(specifier) ? 'late' : undefined)
    return kind ? [{ from: source.path, specifier, target: resolve(source.path, specifier), kind }] : []
  })
}

/** All imports of all files, with those that folder scans add. */
export function importGraph(sources: Source[]): Import[] {
  const paths = new Set(sources.map((source) => source.path))
  const scanned = SCANS.filter((scan) => paths.has(scan.by)).flatMap((scan) =>
    [...paths]
      .filter((path) => scan.files.test(path) && !isTest(path) && path !== scan.by)
      .map((target): Import => ({ from: scan.by, specifier: target, target, kind: 'value' })),
  )
  return [...sources.flatMap(importsOf), ...scanned]
}

function resolve(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    const path = posix.join(posix.dirname(from), specifier)
    return from.endsWith('.js') ? path : path.replace(/\.js$/, '.ts')
  }
  const part = /^@postrider\/([a-z]+)$/.exec(specifier)?.[1]
  return part ? `${part}/src/index.ts` : undefined
}
