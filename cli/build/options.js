/** The bundler's options: entries, aliases and corrections of dependencies. A release and development share them. */
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

export const bundleOptions = {
  cwd: fromCli('.'),
  platform: 'node',
  input: {
    postrider: 'src/postrider.ts',
    'watchdog-thread': '../server/src/watchdog/watchdog-thread.ts',
  },
  resolve: {
    alias: {
      '@postrider/client': fromCli('../client/src/index.ts'),
      '@postrider/contract': fromCli('../contract/src/index.ts'),
      '@postrider/server': fromCli('../server/src/index.ts'),
    },
  },
  external: unused,
}

export const outputOptions = {
  // All in one folder: a module starts its thread from the file beside it, and finds assets there.
  chunkFileNames: '[name].js',
  sourcemap: true,
}
