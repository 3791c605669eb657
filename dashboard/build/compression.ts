/** Writes each text file a second time as Brotli and gzip, so that the service compresses nothing while it serves. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const TEXT = /\.(?:html|js|css|svg|json)$/

export const compression = (): Plugin => ({
  name: 'compression',
  apply: 'build',
  writeBundle({ dir }) {
    if (!dir) return
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !TEXT.test(entry.name)) continue
      const file = join(entry.parentPath, entry.name)
      const content = readFileSync(file)
      writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
      writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
    }
  },
})
