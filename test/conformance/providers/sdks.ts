/** Whether the official SDKs are installed. They have a package of their own: they are larger than all other packages together. */
import { existsSync, readFileSync } from 'node:fs'

interface Manifest {
  version?: string
  dependencies?: Record<string, string>
}

const COMMAND = 'npm ci --ignore-scripts --prefix test/conformance/providers'

const { dependencies = {} } = readManifest('package.json') ?? {}
const absent = Object.entries(dependencies)
  .filter(([name, version]) => readManifest(`node_modules/${name}/package.json`)?.version !== version)
  .map(([name]) => name)

export const hasSdks = absent.length === 0

if (!hasSdks) {
  const reason = `Packages are missing or of another version, such as ${absent[0]}. Run: ${COMMAND}`
  if (process.env.CI) throw new Error(reason)
  console.warn(`The comparisons with official SDKs are skipped. ${reason}`)
}

function readManifest(path: string): Manifest | undefined {
  const file = new URL(path, import.meta.url)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
