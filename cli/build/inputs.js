/** A digest of everything that a bundle is made of: equal digests, equal bundles. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromCli } from './options.js'

const FOLDERS = ['cli/build', 'cli/src', 'client/src', 'contract/src', 'server/src', 'docs/guides']
/** The last one is what npm has installed: it differs from the lockfile until `npm ci` has run. */
const FILES = ['cli/bundle.js', 'cli/package.json', 'package-lock.json', 'node_modules/.package-lock.json']

/** By content: a checkout changes times without content, an unpacked archive content without times. */
export function digestOfInputs(root = fromCli('..')) {
  const hash = createHash('sha256').update(process.version)
  const files = FILES.filter((file) => existsSync(join(root, file)))
  for (const file of [...files, ...FOLDERS.flatMap((folder) => filesIn(root, folder)).sort()]) {
    const content = readFileSync(join(root, file))
    hash.update(`\n${file} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

const filesIn = (root, folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
