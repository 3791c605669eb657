/**
 * Bundles the command, the service and what they depend on into a few files, so that a start does not load hundreds of
 * modules. Does nothing when they are made of the same sources already; `--force` builds anyway.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { digestOfInputs } from './build/inputs.js'
import {
  asciiOnly,
  bundleOptions,
  fromCli,
  inSeconds,
  outputOptions,
  report,
  sourcesOnly,
  withoutCloudflare,
} from './build/options.js'

const DIST = fromCli('dist')
const INPUTS = 'inputs.sha256'

// Before the build: what changes while it runs is another bundle's.
const digest = digestOfInputs()
if (process.argv.includes('--force') || !isMadeOf(digest)) await build()

/** Loaded for a build only: a start without changes does not need it. */
async function bundler() {
  try {
    return {
      ...(await import('rolldown')),
      ...(await import('./build/assets.js')),
      ...(await import('./build/dashboard.js')),
    }
  } catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND' && error?.code !== 'MODULE_NOT_FOUND') throw error
    report('error: packages are missing. Run: npm ci')
    process.exit(1)
  }
}

function isMadeOf(digest) {
  const file = join(DIST, INPUTS)
  return existsSync(file) && readFileSync(file, 'utf8') === digest
}

async function build() {
  report('Building…')
  const start = performance.now()
  // Beside the one that is there, so that it is replaced by a whole one.
  const [made, before] = ['made', 'before'].map((name) => `${DIST}-${name}-${process.pid}`)
  const { rolldown, copyAssets, collectLicenses, buildDashboard } = await bundler()
  await buildDashboard()
  const bundle = await rolldown({
    ...bundleOptions,
    plugins: [sourcesOnly, withoutCloudflare, asciiOnly, copyAssets, collectLicenses],
  })
  try {
    await bundle.write({ ...outputOptions, dir: made })
    writeFileSync(join(made, INPUTS), digest)
    if (existsSync(DIST)) renameSync(DIST, before)
    renameSync(made, DIST)
  } finally {
    await bundle.close()
    for (const folder of [made, before]) rmSync(folder, { recursive: true, force: true })
  }
  report(`Built in ${inSeconds(performance.now() - start)}`)
}
