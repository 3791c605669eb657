/** The packages of node_modules as one bundle that development builds load, so that a change bundles own sources only. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { writeReferenceScript } from './assets.js'
import { bundleOptions, fromCli, unused, withoutCloudflare } from './options.js'

const INSTALLED = fromCli('../node_modules/.package-lock.json')
const VIRTUAL = '\0dependency:'

/** A file name for a specifier, such as `@fastify/cookie`. */
const fileOf = (specifier) => `${specifier.replace(/[^\w.-]/g, '_')}.js`

/** A plugin that leaves packages to the bundle of `folder`, and the specifiers it has met with their modules. */
export function createDependencies(folder) {
  const modules = new Map()
  const leaveToBundle = {
    name: 'leave-dependencies-to-their-bundle',
    async resolveId(specifier, importer) {
      if (!importer || unused.includes(specifier) || /^(?:[./\0]|node:|@postrider\/)/.test(specifier)) return null
      const resolved = await this.resolve(specifier, importer, { skipSelf: true })
      if (!resolved || resolved.external || !/[\\/]node_modules[\\/]/.test(resolved.id)) return null
      modules.set(specifier, resolved.id)
      return { id: pathToFileURL(join(folder, 'dependencies', fileOf(specifier))).href, external: true }
    },
  }
  return { leaveToBundle, write: () => writeDependencies(folder, modules) }
}

/** Writes the bundle unless the one that is there holds all of these modules as they are installed now. */
async function writeDependencies(folder, modules) {
  const target = join(folder, 'dependencies')
  const digest = createHash('sha256').update(process.version)
  for (const script of readdirSync(fromCli('build'))) digest.update(readFileSync(fromCli(`build/${script}`)))
  if (existsSync(INSTALLED)) digest.update(readFileSync(INSTALLED))
  const made = digest.update(JSON.stringify([...modules].sort())).digest('hex')
  const stamp = join(target, 'inputs.sha256')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === made) return

  const entries = new Map()
  for (const [specifier, id] of modules) entries.set(VIRTUAL + specifier, await reexport(id))
  const bundle = await rolldown({
    ...bundleOptions,
    input: Object.fromEntries([...modules.keys()].map((name) => [fileOf(name).slice(0, -3), VIRTUAL + name])),
    plugins: [virtualModules(entries), withoutCloudflare],
  })
  try {
    const beside = `${target}-${process.pid}`
    await bundle.write({ dir: beside, chunkFileNames: 'shared-[hash].js', sourcemap: false })
    writeReferenceScript(folder, 1)
    writeFileSync(join(beside, 'inputs.sha256'), made)
    rmSync(target, { recursive: true, force: true })
    renameSync(beside, target)
  } finally {
    await bundle.close()
  }
}

/** An entry with the names that Node itself gives the module's exports: those of CommonJS are known to a loader only. */
async function reexport(id) {
  const names = Object.keys(await import(pathToFileURL(id).href)).filter((name) => name !== 'module.exports')
  return `export { ${names.join(', ')} } from ${JSON.stringify(id)}`
}

const virtualModules = (entries) => ({
  name: 'virtual-modules',
  resolveId: (id) => (entries.has(id) ? id : null),
  load: (id) => entries.get(id) ?? null,
})
