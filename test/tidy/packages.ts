/** Rules about manifests: exact versions, dependencies that are used and few, entry points, the documented environment. */
import { importsOf } from './imports.ts'
import { isTest, type Source } from './source.ts'

export interface Manifest {
  /** Folder of the package.json, empty for the root. */
  part: string
  name?: string
  private?: boolean
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  scripts?: Record<string, string>
  bin?: Record<string, string>
  exports?: unknown
}

// A user installs and trusts these: every direct dependency is one more maintainer.
const RUNTIME_DEPENDENCIES_MAX = 45

export function inexactVersions(manifests: Manifest[]): string[] {
  return manifests.flatMap(({ part, dependencies, devDependencies, optionalDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
      .filter(([, version]) => !/^(?:npm:@?[\w/.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${part || 'root'}: ${name} ${version}: name one exact version`),
  )
}

/** A package that lacks `private` goes to the registry with the next release. */
export function published(manifests: Manifest[]): string[] {
  return manifests.filter((manifest) => !manifest.private).flatMap(({ name }) => name ?? [])
}

/** Packages that users install: the client needs nothing, the command is a bundle of what it needs. */
const PUBLISHED = ['client', 'cli']

/** Needed while the command is made: the component of the reference page. */
const BUILD_ONLY = ['@scalar/fastify-api-reference']

const shippedOf = (manifests: Manifest[]) =>
  manifests.filter(({ part }) => ['contract', 'client', 'server', 'cli'].includes(part))

export function dependencyBudget(manifests: Manifest[]): string[] {
  const shipped = shippedOf(manifests)
  const names = new Set(shipped.flatMap(({ dependencies = {} }) => Object.keys(dependencies)))
  const ownPackages = [...names].filter((name) => !name.startsWith('@postrider/'))
  return [
    ...(ownPackages.length > RUNTIME_DEPENDENCIES_MAX
      ? [
          `${ownPackages.length} runtime dependencies, at most ${RUNTIME_DEPENDENCIES_MAX}: write the few lines, or drop another one`,
        ]
      : []),
    ...shipped
      .filter(({ part, dependencies = {} }) => PUBLISHED.includes(part) && Object.keys(dependencies).length > 0)
      .map(({ part }) => `${part}: a published package has no dependency`),
  ]
}

/** The dependencies of a part are those that its code loads: no package less, and none that only its tests need. */
export function dependenciesUsed(manifests: Manifest[], sources: Source[]): string[] {
  return shippedOf(manifests).flatMap((manifest) => {
    const { part, scripts = {} } = manifest
    // The bundle holds what it needs.
    const dependencies = Object.keys((part === 'cli' ? manifest.devDependencies : manifest.dependencies) ?? {})
    // Packages that npm runs while the part is built.
    const tools = entryPoints([{ part, scripts }])
    const sourceFiles = sources.filter(
      ({ path }) => path.startsWith(`${part}/src/`) && !isTest(path) && !tools.includes(path),
    )
    const loaded = new Set(sourceFiles.flatMap(importsOf).flatMap(({ specifier }) => packageOf(specifier) ?? []))
    const declared = part === 'cli' ? dependencies.filter((name) => !BUILD_ONLY.includes(name)) : dependencies
    return [
      ...declared.filter((name) => !loaded.has(name)).map((name) => `${part}: ${name} is installed for nothing`),
      ...[...loaded].filter((name) => !declared.includes(name)).map((name) => `${part}: ${name} is not declared`),
    ]
  })
}

/** Undefined for a file and for what comes with Node. */
function packageOf(specifier: string): string | undefined {
  if (/^(?:\.|\/|node:|data:|file:)/.test(specifier)) return undefined
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0]
}

/** The source files that the manifests name: what npm runs, exports or links. A file in `bin/` stands for its namesake. */
export function entryPoints(manifests: Manifest[]): string[] {
  return manifests.flatMap(({ part, scripts, bin, exports }) => {
    const text = JSON.stringify({ scripts, bin, exports })
    const folder = part === 'test' ? 'test' : `${part}/src`
    return [...text.matchAll(/\b(?:dist|bin)\/([\w/.-]+)\.js\b/g)].map((match) => `${folder}/${match[1]}.ts`)
  })
}

export interface Variable {
  default?: unknown
  meaning: string
}

/** `.env.example` shows each declared variable once, with its default, and no other. */
export function environmentExample(example: string, variables: Record<string, Variable>): string[] {
  const shown = new Map<string, string>()
  const problems: string[] = []
  for (const line of example.split('\n')) {
    const match = /^#?\s?([A-Z][A-Z0-9_]+)=(.*)$/.exec(line)
    if (!match?.[1]) continue
    if (shown.has(match[1])) problems.push(`.env.example: ${match[1]} stands there twice`)
    shown.set(match[1], match[2] ?? '')
  }
  for (const [name, { default: value }] of Object.entries(variables)) {
    const text = shown.get(name)
    if (text === undefined) problems.push(`.env.example: add ${name}, which server/src/config.ts declares`)
    else if (value !== undefined && text !== String(value))
      problems.push(`.env.example: ${name}=${text}, but its default is ${value}`)
  }
  for (const name of shown.keys())
    if (!(name in variables)) problems.push(`.env.example: ${name} is not declared in server/src/config.ts`)
  return problems
}
