/** Ends the build unless theme/mantine.css has the styles of those components of Mantine that are used, and no others. */
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const STYLESHEET = new URL('../src/theme/mantine.css', import.meta.url)
const IMPORT = /@mantine\/core\/styles\/([A-Z]\w*)\.css/g
/** A component's names of classes, which are in the bundle when the component is. */
const CLASS_NAMES = /@mantine\/core\/esm\/.*?(\w+)\.module\.mjs$/

export const mantineStyles = (): Plugin => ({
  name: 'mantine-styles',
  apply: 'build',
  generateBundle(_options, bundle) {
    const used = new Set<string>()
    for (const output of Object.values(bundle)) {
      if (output.type !== 'chunk') continue
      for (const module of output.moduleIds) used.add(CLASS_NAMES.exec(module)?.[1] ?? '')
    }
    used.delete('')
    const imported = new Set([...readFileSync(STYLESHEET, 'utf8').matchAll(IMPORT)].map(([, name]) => name ?? ''))
    const missing = [...used].filter((name) => !imported.has(name))
    const unused = [...imported].filter((name) => !used.has(name))
    if (missing.length > 0) this.error(`theme/mantine.css lacks the styles of ${missing.join(', ')}`)
    if (unused.length > 0) this.error(`theme/mantine.css has styles without a use: ${unused.join(', ')}`)
  },
})
