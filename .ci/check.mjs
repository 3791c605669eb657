/**
 * Runs the parts of `.ci/run`, each within its time, until one is red. Tests that fail run once more, alone; the last
 * lines say what each part took, what was skipped and why, what is unstable, and where to look.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Seconds that a part may take: room for a machine three times as slow. Parts with `tests` write their results into the
 * file that POSTRIDER_TEST_RESULTS names, and run single files when these are their arguments.
 */
const PARTS = {
  tools: { seconds: 300 },
  install: { seconds: 240 },
  // Before anything is compiled, as after a clone.
  start: { seconds: 120 },
  build: { seconds: 240 },
  lint: { seconds: 120 },
  generated: { seconds: 120 },
  test: { seconds: 1200, tests: true },
  browser: { seconds: 300, tests: true },
  packages: { seconds: 300 },
  campaigns: { seconds: 5400, tests: true, named: true },
  storage: { seconds: 600, tests: true, named: true },
}
const BEFORE_MERGING = Object.keys(PARTS).filter((name) => !PARTS[name].named)

/** More tests than these are not unstable: something is broken. Verdicts about time are not among them. */
const UNSTABLE_MAX = 3
/** Lines of output that explain a red part without tests. */
const LAST_LINES = 25

const folder = mkdtempSync(join(tmpdir(), 'postrider-check-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

let child
/** `{ name, code }` once a signal has ended the run: the part in progress ends, and the last lines say what is known. */
let stopped
for (const [name, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])
  process.on(name, () => {
    endPart(stopped ? 0 : GRACE_MS)
    stopped ??= { name, code }
  })

/** How long a part may take to end by itself. */
const GRACE_MS = 10_000

function endPart(graceMs) {
  signal('SIGTERM')
  setTimeout(signal, graceMs, 'SIGKILL').unref()
}

/** The processes of a part are a group of their own, and end together. */
function signal(name) {
  try {
    if (child) process.kill(-child.pid, name)
  } catch {
    // They have ended already.
  }
}

/**
 * Runs a part with further arguments: its exit code, or `null` when its time was over, its last output, its results, and the
 * files of tests that had not ended.
 */
function run(part, args = []) {
  const results = join(folder, `${part}.json`)
  for (const file of [results, `${results}.started`]) rmSync(file, { force: true })
  return new Promise((resolve) => {
    child = spawn('bash', ['.ci/run', '--part', part, ...args], {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, POSTRIDER_TEST_RESULTS: results },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => {
        process.stdout.write(bytes)
        output = (output + bytes).slice(-20_000)
      })
    let isLate = false
    const limit = setTimeout(() => {
      isLate = true
      endPart(GRACE_MS)
    }, PARTS[part].seconds * 1000)
    child.once('exit', (code) => {
      clearTimeout(limit)
      // The pipes outlive the part when it leaves a process behind; what is in them arrives at once.
      setTimeout(() => {
        const started = readJson(`${results}.started`) ?? []
        resolve({ code: isLate ? null : (code ?? 1), output, results: readJson(results), started })
      }, 100)
    })
  })
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Every part that has run, in order: `{ name, seconds, results, unstable, red }`. */
const done = []

/** Runs a part, and what failed in it once more. `red` says why the part is red. */
async function check(part) {
  const began = Date.now()
  console.log(`── ${part} (at most ${PARTS[part].seconds} s)`)
  // The parts that follow decide which tools are needed.
  const first = await run(part, part === 'tools' ? chosen : [])
  const { unstable, red } = await judge(part, first)
  const seconds = Math.round((Date.now() - began) / 1000)
  done.push({ name: part, seconds, results: first.results, unstable, red })
  console.log(`── ${part} ${red ? 'is red' : 'done'} after ${seconds} s`)
}

async function judge(part, first) {
  if (first.code === 0 && !stopped) return { unstable: [] }
  const failures = first.results?.failures ?? []
  const unstable = [...done.flatMap((part) => part.unstable), ...failures].filter(({ verdict }) => verdict !== 'time')
  const isMany = unstable.length > UNSTABLE_MAX
  const isAgain = failures.length > 0 && !isMany && failures.every(mayRunAgain)
  // A run that was cut off, or failed without a failing test, has nothing to try again.
  if (first.code === null || stopped || !isAgain) return { unstable: [], red: redness(part, first, isMany) }
  const files = [...new Set(failures.map(({ file }) => file))]
  console.log(`── once more, alone: ${files.join(' ')}`)
  const second = await run(part, ['--no-file-parallelism', ...files])
  return second.code === 0 ? { unstable: failures } : { unstable: [], red: redness(part, second) }
}

/** One that was lost, doubled or leaked, or has ended wrong, is enough. */
const isSafety = ({ verdict }) => verdict === 'safety'
const mayRunAgain = (failure) => failure.file && !isSafety(failure)

function redness(part, { code, output, results, started }, isMany = false) {
  const failures = (results?.failures ?? []).toSorted((a, b) => isSafety(b) - isSafety(a))
  const reason = reasonOf(part, code, failures.some(isSafety), isMany)
  if (failures.length > 0) return { reason, failures, started }
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  return { reason, started, lines: lines.slice(-LAST_LINES) }
}

function reasonOf(part, code, isBroken, isMany) {
  if (stopped) return `stopped by ${stopped.name}`
  if (code === null) return `it took longer than ${PARTS[part].seconds} s`
  if (isBroken) return 'a promise is broken, so nothing ran again'
  return isMany ? `more than ${UNSTABLE_MAX} tests failed, so none ran again` : `exit code ${code}`
}

const indented = (text) => text.replaceAll(/^/gm, '     ')
const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`
const pattern = (name) => quoted(name.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))

const short = ({ file, test, message }) => `${file} › ${test}, ${message.split('\n')[0]}`

function countsOf(results, unstable) {
  if (!results) return ''
  const { passed, failed, skipped } = results
  const failures = unstable.length > 0 ? `${unstable.length} failed at first and passed alone` : `${failed} failed`
  return `${passed} passed, ${failures}, ${skipped} skipped`
}

function summary() {
  const lines = ['── parts']
  for (const { name, seconds, results, unstable } of done)
    lines.push(`${String(seconds).padStart(6)} s  ${name.padEnd(12)} ${countsOf(results, unstable)}`.trimEnd())
  const skipped = done.flatMap(({ name, results }) => (results?.skips ?? []).map((skip) => ({ name, ...skip })))
  if (skipped.length > 0) lines.push('── skipped')
  for (const { name, file, tests, condition } of skipped) lines.push(`   ${name}: ${file}: ${tests} (${condition})`)
  const again = done.flatMap((part) => part.unstable)
  const late = again.filter(({ verdict }) => verdict === 'time')
  if (late.length > 0) lines.push('── late: slower than promised at first, and in time alone')
  for (const failure of late) lines.push(`   late: ${short(failure)}`)
  const unstable = again.filter(({ verdict }) => verdict !== 'time')
  if (unstable.length > 0) lines.push('── unstable: they failed once and passed alone; each is a fault to mend')
  for (const failure of unstable) lines.push(`   unstable: ${short(failure)}`)
  return lines
}

function explain({ name, red }) {
  const { reason, failures = [], lines = [], started } = red
  const [failure] = failures
  const head = [`── red: ${name}, ${reason}`, ...started.map((file) => `   had not ended: ${file}`)]
  if (!failure) return [...head, ...lines.map(indented), `   again: bash .ci/run ${name}`]
  const others = failures.slice(1, 11).map(({ file, test }) => `   also failed: ${file} › ${test}`)
  const more = failures.length > 11 ? [`   and ${failures.length - 11} more`] : []
  const alone = failure.file
    ? `--part ${name} ${failure.file}${failure.name ? ` -t ${pattern(failure.name)}` : ''}`
    : name
  return [
    ...head,
    ...others,
    ...more,
    `   ${failure.file ?? name} › ${failure.test}`,
    indented(failure.message),
    `   alone: bash .ci/run ${alone}`,
  ]
}

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()

/** The tree that is checked, and whether it is all there is; undefined outside of a repository. */
function checkedTree() {
  try {
    return { tree: git('rev-parse', 'HEAD^{tree}'), isCommitted: git('status', '--porcelain') === '' }
  } catch {
    return undefined
  }
}

/** Leaves an empty file named by the tree that has passed, so that a merge can find that it was checked. */
function record() {
  if (!BEFORE_MERGING.every((name) => chosen.includes(name))) return []
  const now = checkedTree()
  if (!atStart || !now) return ['── not recorded: there is no commit']
  if (!atStart.isCommitted || !now.isCommitted) return ['── not recorded: there are changes that are not committed']
  if (atStart.tree !== now.tree) return ['── not recorded: another commit came while it ran']
  const records = join(tmpdir(), 'postrider-gate')
  mkdirSync(records, { recursive: true })
  const tree = join(records, now.tree)
  writeFileSync(tree, '')
  return [`── recorded: ${tree}`]
}

/** The comment at the head of `.ci/run`. */
function usage() {
  const lines = readFileSync(join(root, '.ci/run'), 'utf8').split('\n').slice(1)
  return lines
    .slice(
      0,
      lines.findIndex((line) => !line.startsWith('#')),
    )
    .map((line) => line.slice(2))
}

const chosen = process.argv.length > 2 ? process.argv.slice(2) : BEFORE_MERGING
if (chosen.includes('--help') || chosen.includes('-h')) {
  console.log([...usage(), '', `Parts: ${Object.keys(PARTS).join(' ')}`].join('\n'))
  process.exit(0)
}
const unknown = chosen.find((name) => !Object.hasOwn(PARTS, name))
if (unknown !== undefined) {
  console.error(`No part is called ${quoted(unknown)}: ${Object.keys(PARTS).join(' ')}`)
  process.exit(2)
}

const began = Date.now()
const atStart = checkedTree()
for (const part of chosen) {
  await check(part)
  if (done.at(-1).red) break
}
const failed = done.find(({ red }) => red)
const end = failed ? explain(failed) : record()
const seconds = Math.round((Date.now() - began) / 1000)
const verdict = failed ? [] : [`── green in ${seconds} s: ${chosen.join(' ')}`]
console.log(['', ...summary(), ...end, ...verdict].join('\n'))
process.exitCode = stopped?.code ?? (failed ? 1 : 0)
