/**
 * Bundles the command, the service and what they depend on into a few files, so that a start does not load hundreds of
 * modules. Does nothing when they are made of the same sources already; `--force` builds anyway.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { collectLicenses, copyAssets } from './build/assets.js'
import { digestOfInputs } from './build/inputs.js'
import { bundleOptions, fromCli, inSeconds, outputOptions, report, withoutCloudflare } from './build/options.js'

const DIST = fromCli('dist')
const INPUTS = 'inputs.sha256'

// Before the build: what changes while it runs is another bundle's.
const digest = digestOfInputs()
if (process.argv.includes('--force') || !isMadeOf(digest)) await build()

function isMadeOf(digest) {
  const file = join(DIST, INPUTS)
  return existsSync(file) && readFileSync(file, 'utf8') === digest
}

async function build() {
  report('Building…')
  const start = performance.now()
  // Beside the one that is there, so that it is replaced by a whole one.
  const [made, before] = ['made', 'before'].map((name) => `${DIST}-${name}-${process.pid}`)
  // Loaded here: a start without changes does not need it.
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({ ...bundleOptions, plugins: [withoutCloudflare, copyAssets, collectLicenses] })
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
