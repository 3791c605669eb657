/**
 * Bundles the command, the service and what they depend on into a few files, so that a start loads no hundreds of modules.
 * `node cli/bundle.js` does it once; with `--serve` it serves, and builds and starts again with each change.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown, watch } from 'rolldown'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
/** Standard output belongs to whoever runs this as a part, such as npm pack. */
const say = (text) => process.stderr.write(`${text}\n`)

/** The component of the reference page as its package brings it, licenses and all. */
const SCALAR = dirname(dirname(createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')))

/** What the service reads as files (server/src/assets.ts). */
const copyAssets = {
  name: 'copy-assets',
  writeBundle() {
    for (const [from, to] of [
      ['../server/migrations', 'migrations'],
      ['../docs/guides', 'guides'],
    ])
      cpSync(path(from), path(`dist/${to}`), { recursive: true })
    const script = readFileSync(join(SCALAR, 'dist/js/standalone.js'))
    writeFileSync(path('dist/reference.js.gz'), gzipSync(script, { level: 9 }))
  },
}

/** Licenses ask to be passed on with the code that they cover. */
const collectLicenses = {
  name: 'collect-licenses',
  generateBundle() {
    const folders = [...this.getModuleIds()].map((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1])
    const texts = [...new Set([...folders, SCALAR])].filter(Boolean).sort().map(licenseOf)
    this.emitFile({
      type: 'asset',
      fileName: 'third-party-licenses.txt',
      source: texts.join(`\n${'-'.repeat(80)}\n\n`),
    })
  },
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (!file && !license) throw new Error(`${name} has no license`)
  return `${name} ${version}\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : `License: ${license}`}\n`
}

const input = {
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
  // Optional parts of the database driver, and Fastify's own compilers: nothing here uses them.
  external: ['pg-native', 'pg-cloudflare', '@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'],
  plugins: [copyAssets, collectLicenses],
}

const output = {
  dir: path('dist'),
  // All in one folder: a module starts its thread from the file beside it, and finds assets there.
  chunkFileNames: '[name].js',
  sourcemap: true,
}

async function build() {
  say('Building…')
  const began = performance.now()
  const bundle = await rolldown(input)
  await bundle.write({ ...output, cleanDir: true })
  await bundle.close()
  say(`Built in ${seconds(performance.now() - began)}`)
}

/** Until it is stopped. A change that does not build leaves the server as it is. */
function serve() {
  let server
  let restarting = Promise.resolve()
  const start = async () => {
    await stop(server)
    server = spawn(process.execPath, ['--enable-source-maps', path('bin/postrider.js'), 'serve'], { stdio: 'inherit' })
  }
  const watcher = watch({ ...input, output })
  watcher.on('event', (event) => {
    if (event.code === 'ERROR') say(`Not built: ${event.error.message}`)
    if (event.code === 'BUNDLE_END') {
      say(`Built in ${seconds(event.duration)}`)
      restarting = restarting.then(start)
    }
    if ('result' in event) void event.result.close()
  })
  const end = async () => {
    await watcher.close()
    await restarting
    await stop(server)
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end())
}

/** As a service manager does it: attempts under way are finished. */
async function stop(server) {
  if (!server || server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  await ended
}

const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`

if (process.argv.includes('--serve')) serve()
else await build()
