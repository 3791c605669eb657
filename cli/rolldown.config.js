/** Bundles the command, the service and what they depend on into a few files, so that a start loads no hundreds of modules. */
import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'rolldown'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))

/** Scripts of the schema are read as files; the service looks for them beside its own folder. */
const copyMigrations = {
  name: 'copy-migrations',
  writeBundle() {
    rmSync(path('migrations'), { recursive: true, force: true })
    cpSync(path('../server/migrations'), path('migrations'), { recursive: true })
  },
}

export default defineConfig({
  cwd: path('.'),
  platform: 'node',
  input: {
    postrider: 'src/postrider.ts',
    'watchdog-thread': '../server/src/watchdog/watchdog-thread.ts',
  },
  resolve: {
    alias: {
      '@postrider/client': path('../client/src/index.ts'),
      '@postrider/contract': path('../contract/src/index.ts'),
      '@postrider/server': path('../server/src/index.ts'),
    },
  },
  // Optional parts of the drivers that nothing here uses.
  external: ['pg-native', 'pg-cloudflare'],
  output: {
    dir: 'dist',
    cleanDir: true,
    // All in one folder: a module starts its thread from the file beside it, and finds assets beside the folder.
    chunkFileNames: '[name].js',
    sourcemap: true,
  },
  plugins: [copyMigrations],
})
