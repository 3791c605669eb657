/** Writes the pictures and the table of ARCHITECTURE.md from the rules and the code. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { moduleDiagram, moduleTable } from './dist/tidy/layers.js'
import { messageLife } from './dist/tidy/message-life.js'
import { readSources } from './dist/tidy/source.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = new URL('../ARCHITECTURE.md', import.meta.url)

/** Each follows its heading as the first of its kind. */
const made = [
  ['## Layout', /```mermaid\n[\s\S]*?```/, moduleDiagram()],
  ['## Layout', /\| Module \|[\s\S]*?(?=\n\n)/, moduleTable()],
  ['## The life of a message', /```mermaid\n[\s\S]*?```/, messageLife(readSources(root, ['.ts']))],
]

let text = readFileSync(file, 'utf8')
for (const [heading, shape, fresh] of made) {
  const at = text.indexOf(`\n${heading}\n`)
  const rest = text.slice(at)
  if (at < 0 || !shape.test(rest)) throw new Error(`ARCHITECTURE.md: nothing like ${shape} follows "${heading}"`)
  text = text.slice(0, at) + rest.replace(shape, () => fresh)
}
writeFileSync(file, text)
