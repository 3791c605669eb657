#!/usr/bin/env -S node --max-semi-space-size=32
/** The command `postrider`; it stands here before anything is built, so that an install can link it. */
import { existsSync } from 'node:fs'
import nodeModule from 'node:module'

const program = new URL('../dist/postrider.js', import.meta.url)
if (existsSync(program)) {
  // Node 22.8 and newer keep compiled code in the user's temporary folder; without it a start only takes longer.
  nodeModule.enableCompileCache?.()
  await import(program.href)
} else {
  process.stderr.write('error: postrider is not built yet. Run npm run build, or npm start, in its checkout.\n')
  process.exitCode = 1
}
