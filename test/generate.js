/** Writes the pictures of the architecture and the table of modules from the rules and the code. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { moduleDiagram, moduleTable } from './dist/tidy/layers.js'
import { messageLife } from './dist/tidy/message-life.js'
import { readSources } from './dist/tidy/source.js'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Each follows its heading as the first of its kind. */
const parts = [
  ['docs/architecture/modules.md', '# Modules of the server', /```mermaid\n[\s\S]*?```/, moduleDiagram()],
  ['ARCHITECTURE.md', '## The life of a message', /```mermaid\n[\s\S]*?```/, messageLife(readSources(root, ['.ts']))],
  ['docs/architecture/modules.md', '# Modules of the server', /\| Module \|[\s\S]*?(?=\n*$)/, moduleTable()],
]

for (const [path, heading, shape, fresh] of parts) {
  const file = new URL(`../${path}`, import.meta.url)
  const text = readFileSync(file, 'utf8')
  const at = `\n${text}`.indexOf(`\n${heading}\n`)
  const rest = text.slice(at)
  if (at < 0 || !shape.test(rest)) throw new Error(`${path}: nothing like ${shape} follows "${heading}"`)
  writeFileSync(file, text.slice(0, at) + rest.replace(shape, () => fresh))
}
