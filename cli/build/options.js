/** The bundler's options: entries, aliases and corrections of dependencies. A release and development share them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A path from the folder `cli`. */
export const fromCli = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url))

/** Progress goes to standard error: npm pack writes its own result to standard output. */
export const report = (text) => process.stderr.write(`${text}\n`)

export const inSeconds = (ms) => `${(ms / 1_000).toFixed(1)} s`

/** Folders that the service reads at run time, by their names beside its modules (server/src/assets.ts). */
export const assetFolders = {
  migrations: fromCli('../server/src/database/migrations'),
  guides: fromCli('../docs/guides'),
  'dashboard-pictures': fromCli('../docs/dashboard'),
  dashboard: fromCli('../dashboard/dist'),
  grafana: fromCli('../deploy/grafana'),
  prometheus: fromCli('../deploy/prometheus'),
}

/** Pictures of the dashboard that guides show, by their paths in the checkout `root`; the other ones are not packaged. */
export function dashboardPictures(root = fromCli('..')) {
  const folder = join(root, 'docs/guides')
  const guides = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.md')) : []
  const names = guides.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/\]\(\.\.\/dashboard\/([\w-]+\.webp)\)/g)].map(
      ([, file]) => file,
    ),
  )
  return [...new Set(names)].sort().map((name) => join('docs/dashboard', name))
}

// Optional parts of the database driver, and Fastify's own compilers: nothing here uses them.
export const unused = ['pg-native', 'pg-cloudflare', '@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler']

/**
 * pg constructs a `Response` to recognize Cloudflare's workers. In Node that loads fetch with all its modules: 40 ms of
 * CPU in each thread that opens the database.
 */
export const withoutCloudflare = {
  name: 'without-cloudflare',
  transform: {
    filter: { id: /[\\/]pg[\\/]lib[\\/]stream\.js$/ },
    handler(code) {
      const changed = code.replace('if (isCloudflareRuntime())', 'if (false)')
      if (changed === code) throw new Error('pg/lib/stream.js has changed: adapt withoutCloudflare')
      return { code: changed, map: null }
    },
  },
}

/** One character beyond Latin-1 makes V8 keep a whole file with two bytes a character: 10 MB for the largest, not 5. */
export const asciiOnly = {
  name: 'ascii-only',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk') chunk.code = withEscapes(chunk.code)
  },
}

/** Where a backslash stands before the character, it is the one of the escape. */
const withEscapes = (code) =>
  code.replace(/(\\*)([^\0-\x7f])/g, (_, slashes, unit) => {
    const escaped = `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    return slashes.slice(slashes.length % 2) + escaped
  })

const compiled = ['client', 'contract', 'server'].map((name) => fromCli(`../${name}/dist`))

/** The files of `tsc` are not there after `npm ci`, or are older than their sources. */
export const sourcesOnly = {
  name: 'sources-only',
  load: {
    filter: { id: /[\\/]dist[\\/]/ },
    handler(id) {
      if (compiled.some((folder) => id.startsWith(folder)))
        throw new Error(`${id} is compiled: cli/build/options.js needs an alias that leads to its source`)
    },
  },
}

export const bundleOptions = {
  cwd: fromCli('.'),
  platform: 'node',
  input: {
    postrider: 'src/postrider.ts',
    'watchdog-thread': '../server/src/watchdog/watchdog-thread.ts',
  },
  resolve: {
    alias: {
      '@postrider/client/sentence': fromCli('../client/src/sentence.ts'),
      '@postrider/client/steps': fromCli('../client/src/steps.ts'),
      '@postrider/client': fromCli('../client/src/index.ts'),
      '@postrider/contract': fromCli('../contract/src/index.ts'),
      '@postrider/server': fromCli('../server/src/index.ts'),
    },
  },
  external: unused,
  // Otherwise a warning, and a bundle that does not start.
  onLog(level, log, handle) {
    if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
    handle(level, log)
  },
}

export const outputOptions = {
  // All in one folder: a module starts its thread from the file beside it, and finds assets there.
  chunkFileNames: '[name].js',
  sourcemap: true,
  // V8 keeps the text of a file; the licenses are in a file of their own.
  comments: false,
}
