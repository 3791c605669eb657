/** Digests of everything that a bundle and the dashboard are made of: equal digests, equal bundles. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dashboardPictures, fromCli } from './options.js'

/** The last one is what npm has installed: it differs from the lockfile until `npm ci` has run. */
const LOCKS = ['package-lock.json', 'node_modules/.package-lock.json']

const DASHBOARD = {
  folders: ['dashboard/src', 'dashboard/build', 'dashboard/public', 'client/src'],
  files: ['dashboard/index.html', 'dashboard/vite.config.ts', 'dashboard/package.json', ...LOCKS],
}
const BUNDLE = {
  folders: [
    'cli/build',
    'cli/src',
    'contract/src',
    'server/src',
    'docs/guides',
    'deploy/grafana',
    'deploy/prometheus',
    ...DASHBOARD.folders,
  ],
  files: ['cli/bundle.js', 'cli/package.json', ...DASHBOARD.files],
}

export const digestOfInputs = (root = fromCli('..')) =>
  digestOf({ ...BUNDLE, files: [...BUNDLE.files, ...dashboardPictures(root)] }, root)
export const digestOfDashboard = (root = fromCli('..')) => digestOf(DASHBOARD, root)

/** By content: a checkout changes times without content, an unpacked archive content without times. */
function digestOf(inputs, root) {
  const hash = createHash('sha256').update(process.version)
  const files = inputs.files.filter((file) => existsSync(join(root, file)))
  const folders = inputs.folders.filter((folder) => existsSync(join(root, folder)))
  for (const file of [...files, ...folders.flatMap((folder) => filesIn(root, folder)).sort()]) {
    const content = readFileSync(join(root, file))
    hash.update(`\n${file} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

const filesIn = (root, folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
