/** Builds the dashboard into static files, unless those that are there are made of the same sources. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { digestOfDashboard } from './inputs.js'
import { assetFolders, fromCli } from './options.js'

const INPUTS = join(assetFolders.dashboard, 'inputs.sha256')

export async function buildDashboard() {
  const digest = digestOfDashboard()
  if (existsSync(INPUTS) && readFileSync(INPUTS, 'utf8') === digest) return
  const { build } = await import('vite')
  await build({ configFile: fromCli('../dashboard/vite.config.ts'), mode: 'production', logLevel: 'warn' })
  // Last, so that a build that was interrupted is not taken for whole.
  writeFileSync(INPUTS, digest)
}
