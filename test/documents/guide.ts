/** A guide as its reader goes through it: its commands in one shell, one after the other. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeBlocks, root } from './markdown.ts'

export interface Step {
  script: string
  /** The JSON that the guide shows below it. */
  answer?: string
}

/** Installing, starting and setting the shell up is what the test itself does. */
export function stepsOf(text: string): Step[] {
  const steps: Step[] = []
  const blocks = codeBlocks(text)
  for (const [index, { language, text: script }] of blocks.entries()) {
    if (language !== 'sh' || /^(?:npm|alias|export)\b/m.test(script)) continue
    const next = blocks[index + 1]
    steps.push({ script, ...(next?.language === 'json' && next.follows && { answer: next.text }) })
  }
  return steps
}

const MARK = '── next ──'
const PATIENCE_MS = 100_000

/** All steps in one shell, as a reader would type them, with the output of each. Every process they started ends with them. */
export function shell(
  scripts: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number; outputs: string[] }> {
  const setUp = [
    'set -euo pipefail',
    `postrider() { "${process.execPath}" "${join(root, 'cli/dist/postrider.js')}" "$@"; }`,
    'curl() { command curl -S --fail-with-body "$@"; echo; }',
  ]
  // Files of a reader in /tmp have a folder of their own here: two suites at a time would share it.
  const folder = mkdtempSync(join(tmpdir(), 'postrider-guide-'))
  const typed = scripts.join(`\necho '${MARK}'\n`).replaceAll('/tmp/', `${folder}/`)
  const script = [...setUp, typed].join('\n')
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', script], {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own: a guide starts programs in the background.
      detached: true,
    })
    const endAll = () => {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL')
      } catch {
        // All of them have ended.
      }
    }
    const timer = setTimeout(endAll, PATIENCE_MS)
    process.once('exit', endAll)
    let out = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        out += text
      })
    child.once('error', reject)
    child.once('exit', endAll)
    child.once('close', (code) => {
      clearTimeout(timer)
      process.off('exit', endAll)
      rmSync(folder, { recursive: true, force: true })
      resolve({ code: code ?? -1, outputs: out.split(`${MARK}\n`) })
    })
  })
}
