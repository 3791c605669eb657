/** Plugins that put files beside the bundle: what the service reads at run time, and the licenses of its dependencies. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { assetFolders, dashboardPictures, fromCli } from './options.js'

/** The component of the reference page as its package brings it. */
const SCALAR = dirname(dirname(createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')))

export function writeReferenceScript(folder, level) {
  const script = readFileSync(join(SCALAR, 'dist/js/standalone.js'))
  writeFileSync(join(folder, 'reference.js.gz'), gzipSync(script, { level }))
}

export const copyAssets = {
  name: 'copy-assets',
  writeBundle({ dir }) {
    const pictures = new Set(dashboardPictures().map((path) => fromCli(`../${path}`)))
    const isPackaged = (path) => !path.endsWith('.test.yml') && (!path.endsWith('.webp') || pictures.has(path))
    for (const [name, folder] of Object.entries(assetFolders))
      cpSync(folder, join(dir, name), { recursive: true, filter: isPackaged })
    writeReferenceScript(dir, 9)
  },
}

/** Licenses ask to be passed on with the code that they cover. */
export const collectLicenses = {
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
