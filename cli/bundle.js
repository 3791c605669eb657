/**
 * Bundles the command, the service and what they depend on into a few files, so that a start loads no hundreds of modules.
 * `node cli/bundle.js` does it once; with `--serve` it serves, and builds and starts again with each change.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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

/** Files that the service reads at run time (server/src/assets.ts). */
const copyAssets = {
  name: 'copy-assets',
  writeBundle({ dir }) {
    for (const [from, to] of [
      ['../server/src/database/migrations', 'migrations'],
      ['../docs/guides', 'guides'],
    ])
      cpSync(path(from), join(dir, to), { recursive: true })
    const script = readFileSync(join(SCALAR, 'dist/js/standalone.js'))
    writeFileSync(join(dir, 'reference.js.gz'), gzipSync(script, { level: 9 }))
  },
}

/** Licenses ask to be passed on with the code that they cover. */
const collectLicenses = {
  name: 'collect-licenses',
  generateBundle() {
    const ids = [...this.getModuleIds()].map((id) => id.replaceAll('\\', '/'))
    const folders = ids.map((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1])
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
  const files = readdirSync(folder).filter((entry) => /^(?:licen[cs]e|copying|notice)/i.test(entry))
  if (files.length === 0 && !license) throw new Error(`${name} has no license`)
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return `${[`${name} ${version}`, ...(texts.length > 0 ? texts : [`License: ${license}`])].join('\n\n')}\n`
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

const DIST = path('dist')

const output = {
  dir: DIST,
  // All in one folder: a module starts its thread from the file beside it, and finds assets there.
  chunkFileNames: '[name].js',
  sourcemap: true,
}

async function build() {
  say('Building…')
  const began = performance.now()
  // Beside the one that is there, so that it is replaced by a whole one.
  const [made, before] = ['made', 'before'].map((name) => `${DIST}-${name}-${process.pid}`)
  const bundle = await rolldown(input)
  try {
    await bundle.write({ ...output, dir: made })
    if (existsSync(DIST)) renameSync(DIST, before)
    renameSync(made, DIST)
  } finally {
    await bundle.close()
    for (const folder of [made, before]) rmSync(folder, { recursive: true, force: true })
  }
  say(`Built in ${seconds(performance.now() - began)}`)
}

/** Until it is stopped. A change that does not build leaves the server as it is. */
function serve() {
  let server
  let restarting = Promise.resolve()
  let isEnding = false
  const start = async () => {
    await stop(server)
    if (isEnding) return
    server = spawn(process.execPath, ['--enable-source-maps', path('bin/postrider.js'), 'serve'], { stdio: 'inherit' })
  }
  const watcher = watch({ ...input, output })
  watcher.on('event', (event) => {
    if (event.code === 'ERROR') say(`Not built: ${event.error.message}`)
    if (event.code === 'BUNDLE_END') {
      say(`Built in ${seconds(event.duration)}`)
      restarting = restarting.then(start).catch((error) => say(`Not started: ${error.message}`))
    }
    if ('result' in event) void event.result.close()
  })
  const end = async () => {
    isEnding = true
    await watcher.close()
    await restarting
    await stop(server)
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end())
}

/** The service gives attempts under way 40 s at most. */
const STOP_MS = 45_000

async function stop(server) {
  if (!server || server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  const late = setTimeout(() => server.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(late)
}

const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`

if (process.argv.includes('--serve')) serve()
else await build()
