/** What a file imports, read from its text and resolved to files of this checkout. */
import { posix } from 'node:path'
import { isTest, type Lexed, lex, type Source } from './source.ts'

export interface Import {
  from: string
  /** As written. */
  specifier: string
  /** The file it names, whether it exists or not; undefined for a package from elsewhere. */
  target: string | undefined
  /** `type`: erased. `value`: loaded at once. `late`: loaded when asked for, or run as a thread or process. */
  kind: 'type' | 'value' | 'late'
}

// The files that a folder scan loads count as imported by the file that scans.
const SCANS = [
  { by: 'server/src/providers/registry.ts', files: /^server\/src\/providers\/[a-z-]+\/[a-z0-9-]+\.ts$/ },
  { by: 'server/src/templates/render.ts', files: /^server\/src\/templates\/elements\/[a-z0-9-]+\.ts$/ },
]

const STATIC = /(?:^|[\n;])\s*(?:import|export)\s+(type\s+)?(?:[\w*{}\s,$]+?\s*from\s*)?(?=['"])/g
const LATE = /\b(?:import|new\s+URL)\s*\(\s*(?=['"`])/g

export function importsOf(source: Source): Import[] {
  const lexed = lex(source.text)
  const found = [
    ...specifiers(lexed, STATIC, (match) => (match[1] ? 'type' : 'value')),
    ...specifiers(lexed, LATE, () => 'late').filter(({ specifier }) => /^(?:\.|@postrider\/)/.test(specifier)),
  ]
  return found.map(({ specifier, kind }) => ({
    from: source.path,
    specifier,
    target: resolve(source.path, specifier),
    kind,
  }))
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

function specifiers(
  { code, literals }: Lexed,
  expression: RegExp,
  kindOf: (match: RegExpExecArray) => Import['kind'],
): { specifier: string; kind: Import['kind'] }[] {
  return [...code.matchAll(expression)].flatMap((match) => {
    const at = match.index + match[0].length
    const literal = literals.find((candidate) => candidate.at === at)
    return literal ? [{ specifier: literal.value, kind: kindOf(match) }] : []
  })
}

function resolve(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    const path = posix.join(posix.dirname(from), specifier)
    return from.endsWith('.js') ? path : path.replace(/\.js$/, '.ts')
  }
  const part = /^@postrider\/([a-z]+)$/.exec(specifier)?.[1]
  return part ? `${part}/src/index.ts` : undefined
}
