/** The check before merging is red only when something is broken, and its last lines lead there. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { root } from '../documents/markdown.ts'
import type { RunResults } from '../support/run/results.ts'
import { until } from '../support/until.ts'

/** A repository whose parts do what the test wrote into `<part>.<time>.sh`, and else pass. */
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-check-test-'))
  await write('.gitignore', 'parts/\ncalls\ntmp/\n')
  await cp(join(root, '.ci/check.mjs'), join(folder, '.ci/check.mjs'))
  await write(
    '.ci/run',
    `[ "$1" = --part ] || exec node .ci/check.mjs "$@"
shift
printf '%s\\n' "$*" >>calls
file=parts/$1.$(grep -c "^$1\\b" calls).sh
[ ! -f "$file" ] || . "$file"
`,
  )
  await mkdir(join(folder, 'tmp'))
  git('init', '--quiet')
  git('add', '--all')
  git('-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--message=all')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true })
  await writeFile(join(folder, file), text)
}

const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' }).stdout.trim()

const environment = () => ({ ...process.env, TMPDIR: join(folder, 'tmp') })

function check(...args: string[]) {
  const { status, stdout, stderr } = spawnSync('bash', ['.ci/run', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: environment(),
  })
  return { status, stderr: stderr.trim(), lines: stdout.trimEnd().split('\n') }
}

const calls = async () => (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n')

/** Lets a part of tests end with these results when it runs for the nth time. */
const ends = (part: string, turn: number, results: Partial<RunResults>, code: number) =>
  write(
    `parts/${part}.${turn}.sh`,
    `cat >"$POSTRIDER_TEST_RESULTS" <<'END'\n${JSON.stringify({ passed: 7, failed: 0, skipped: 0, failures: [], skips: [], ...results })}\nEND\nexit ${code}\n`,
  )

const failure = (test: string, file = 'test/a.test.ts') => ({
  file,
  test: `suite › ${test}`,
  name: `suite ${test}`,
  message: `AssertionError: expected 1 to be 2\nat ${file}:3`,
})
const failing = (...tests: string[]) => ({ failed: tests.length, failures: tests.map((test) => failure(test)) })

const recorded = () => existsSync(join(folder, 'tmp/postrider-gate', git('rev-parse', 'HEAD^{tree}')))

const parts = 'tools install start build lint generated test browser packages campaigns storage'
const before = ['install', 'start', 'build', 'lint', 'generated', 'test', 'browser', 'packages']

test('without a name it runs what must hold before merging, and records the tree that passed', async () => {
  await ends(
    'test',
    1,
    { passed: 9, skipped: 2, skips: [{ file: 'test/b.test.ts', tests: 2, condition: 'runIf(isLong)' }] },
    0,
  )
  const { status, lines } = check()
  expect(status).toBe(0)
  expect(await calls()).toEqual([`tools tools ${before.join(' ')}`, ...before])
  expect(lines.at(-1)).toMatch(/^── green in \d+ s: tools install start build lint generated test browser packages$/)
  expect(lines.at(-2)).toBe(`── recorded: ${join(folder, 'tmp/postrider-gate', git('rev-parse', 'HEAD^{tree}'))}`)
  expect(lines).toContain('   test: test/b.test.ts: 2 (runIf(isLong))')
  expect(lines.find((line) => /^ +\d+ s {2}test /.test(line))).toMatch(/9 passed, 0 failed, 2 skipped$/)
  expect(recorded()).toBe(true)
})

test('a tree with changes that are not committed, or of which only parts passed, is not recorded', async () => {
  expect(check('lint', 'test').status).toBe(0)
  expect(recorded()).toBe(false)
  await write('new.ts', '')
  expect(check().lines.at(-2)).toBe('── not recorded: there are changes that are not committed')
  expect(existsSync(join(folder, 'tmp/postrider-gate'))).toBe(false)
})

test('a test that fails once and passes alone is named, and the run is green', async () => {
  await ends('test', 1, failing('b'), 1)
  await ends('test', 2, {}, 0)
  const { status, lines } = check('test', 'start')
  expect(status).toBe(0)
  expect(await calls()).toEqual(['test', 'test --no-file-parallelism test/a.test.ts', 'start'])
  expect(lines.at(-2)).toBe('   unstable: test/a.test.ts › suite › b, AssertionError: expected 1 to be 2')
  expect(lines.find((line) => /^ +\d+ s {2}test /.test(line))).toMatch(
    /7 passed, 1 failed at first and passed alone, 0 skipped$/,
  )
})

test('a broken promise is red at once, and stands before what failed with it', async () => {
  const lost = { ...failure('lost'), verdict: 'safety' as const }
  await ends('campaigns', 1, { failed: 2, failures: [failure('slow'), lost] }, 1)
  const { status, lines } = check('campaigns', 'start')
  expect(status).toBe(1)
  expect(await calls()).toEqual(['campaigns'])
  expect(lines.slice(-6, -3)).toEqual([
    '── red: campaigns, a promise is broken, so nothing ran again',
    '   also failed: test/a.test.ts › suite › slow',
    '   test/a.test.ts › suite › lost',
  ])
})

test('a late test is measured again, alone, with however many others; it is red when both agree', async () => {
  const late = (...names: string[]) => ({
    failed: names.length,
    failures: names.map((name) => ({ ...failure(name), verdict: 'time' as const })),
  })
  await ends('campaigns', 1, late('a', 'b', 'c', 'd'), 1)
  await ends('campaigns', 2, {}, 0)
  const once = check('campaigns')
  expect(once.status).toBe(0)
  expect(once.lines).toContain('── late: slower than promised at first, and in time alone')
  expect(once.lines).toContain('   late: test/a.test.ts › suite › d, AssertionError: expected 1 to be 2')
  await ends('campaigns', 3, late('a', 'b'), 1)
  await ends('campaigns', 4, late('b'), 1)
  const twice = check('campaigns')
  expect(twice.status).toBe(1)
  expect(twice.lines).toContain('── red: campaigns, exit code 1')
  expect(twice.lines).toContain('   test/a.test.ts › suite › b')
})

test('a test that fails twice is red, ends the run, and can be run alone as its last line says', async () => {
  const name = "it's $5 (or `x`)"
  await ends('test', 1, failing('first', name), 1)
  await ends('test', 2, failing(name), 1)
  const { status, lines } = check('test', 'start')
  expect(status).toBe(1)
  expect(lines.slice(-5, -1)).toEqual([
    '── red: test, exit code 1',
    `   test/a.test.ts › suite › ${name}`,
    '     AssertionError: expected 1 to be 2',
    '     at test/a.test.ts:3',
  ])
  const [, command = ''] = /^ {3}alone: (.*)$/.exec(lines.at(-1) ?? '') ?? []
  spawnSync(command, { shell: true, cwd: folder })
  const all = await calls()
  expect(all.slice(0, 2)).toEqual(['test', 'test --no-file-parallelism test/a.test.ts'])
  expect(all.slice(2)).toEqual([String.raw`test test/a.test.ts -t suite it's \$5 \(or ${'`'}x${'`'}\)`])
})

test('more than three failures in a run, also of several parts, are red without another try', async () => {
  await ends('test', 1, failing('a', 'b', 'c', 'd'), 1)
  const atOnce = check('test')
  expect(atOnce.status).toBe(1)
  expect(atOnce.lines).toContain('   also failed: test/a.test.ts › suite › d')
  expect(await calls()).toEqual(['test'])
  await rm(join(folder, 'calls'))
  await ends('test', 1, failing('a', 'b'), 1)
  await ends('test', 2, {}, 0)
  await ends('browser', 1, failing('c', 'd'), 1)
  const inAll = check('test', 'browser')
  expect(inAll.status).toBe(1)
  expect(inAll.lines).toContain('── red: browser, more than 3 tests failed, so none ran again')
  expect(await calls()).toEqual(['test', 'test --no-file-parallelism test/a.test.ts', 'browser'])
})

describe('red without another try is', () => {
  test('a part without tests, with its last output', async () => {
    await write('parts/lint.1.sh', 'echo first; echo; echo src/a.ts:1 is wrong >&2; exit 3')
    const { status, lines } = check('lint')
    expect(status).toBe(1)
    expect(lines.slice(-4)).toEqual([
      '── red: lint, exit code 3',
      '     first',
      '     src/a.ts:1 is wrong',
      '   again: bash .ci/run lint',
    ])
  })

  test('a run of tests that fails without a failing test', async () => {
    await ends('test', 1, {}, 1)
    expect(check('test')).toMatchObject({ status: 1 })
    expect(await calls()).toEqual(['test'])
  })

  test('an error that no file is to blame for', async () => {
    await ends('test', 1, { failures: [{ test: 'an error outside of every test', message: 'Error: lost' }] }, 1)
    const { status, lines } = check('test')
    expect(status).toBe(1)
    expect(lines.slice(-3)).toEqual([
      '   test › an error outside of every test',
      '     Error: lost',
      '   alone: bash .ci/run test',
    ])
  })

  test('a part that takes too long, and nothing of it stays', async () => {
    const file = join(folder, '.ci/check.mjs')
    await writeFile(file, (await readFile(file, 'utf8')).replace(/lint: \{ seconds: \d+/, 'lint: { seconds: 1'))
    await write('parts/lint.1.sh', 'sleep 300 & echo $! >tmp/pid; wait')
    const { status, lines } = check('lint')
    expect(status).toBe(1)
    expect(lines).toContain('── red: lint, it took longer than 1 s')
    await until(isAlive, (alive) => !alive)
  })

  test('a part that takes too long, with the files of tests that had not ended', async () => {
    const file = join(folder, '.ci/check.mjs')
    await writeFile(file, (await readFile(file, 'utf8')).replace(/test: \{ seconds: \d+/, 'test: { seconds: 1'))
    const started = JSON.stringify(['test/a.test.ts', 'test/endless.test.ts'])
    await write('parts/test.1.sh', `echo '${started}' >"$POSTRIDER_TEST_RESULTS.started"; sleep 300`)
    const { lines } = check('test')
    expect(lines.slice(-4)).toEqual([
      '── red: test, it took longer than 1 s',
      '   had not ended: test/a.test.ts',
      '   had not ended: test/endless.test.ts',
      '   again: bash .ci/run test',
    ])
  })

  test('a part that takes too long after a test has failed', async () => {
    const file = join(folder, '.ci/check.mjs')
    await writeFile(file, (await readFile(file, 'utf8')).replace(/test: \{ seconds: \d+/, 'test: { seconds: 1'))
    await ends('test', 1, failing('a'), 1)
    const script = join(folder, 'parts/test.1.sh')
    await writeFile(script, (await readFile(script, 'utf8')).replace('exit 1', 'sleep 300'))
    const { status, lines } = check('test')
    expect(status).toBe(1)
    expect(lines).toContain('── red: test, it took longer than 1 s')
    expect(lines).toContain('   test/a.test.ts › suite › a')
  })
})

const isAlive = async () => {
  try {
    return process.kill(Number(await readFile(join(folder, 'tmp/pid'), 'utf8')), 0)
  } catch {
    return false
  }
}

test('a signal ends the part that runs, and the last lines say what had failed until then', async () => {
  const results = JSON.stringify({ passed: 7, skipped: 0, skips: [], ...failing('before the signal') })
  await write(
    'parts/test.1.sh',
    `cat >"$POSTRIDER_TEST_RESULTS" <<'END'\n${results}\nEND\nsleep 300 & echo $! >tmp/pid; wait`,
  )
  const run = spawn('bash', ['.ci/run', 'lint', 'test', 'start'], { cwd: folder, env: environment() })
  const output = text(run.stdout)
  const ended = new Promise((resolve) => run.once('exit', (code) => resolve(code)))
  await until(isAlive, Boolean)
  run.kill('SIGTERM')
  expect(await ended).toBe(143)
  await until(isAlive, (alive) => !alive)
  const lines = (await output).trimEnd().split('\n')
  expect(lines.filter((line) => line.startsWith('── red'))).toEqual(['── red: test, stopped by SIGTERM'])
  expect(lines.find((line) => /^ +\d+ s {2}test /.test(line))).toMatch(/7 passed, 1 failed, 0 skipped$/)
  expect(lines.at(-1)).toMatch(/alone: bash \.ci\/run --part test test\/a\.test\.ts/)
  expect(await calls()).toEqual(['lint', 'test'])
})

test('a commit that comes while it runs is not recorded as checked', async () => {
  await write(
    'parts/lint.1.sh',
    'git -c user.name=test -c user.email=t@example.com commit --quiet --allow-empty-message --message= --all',
  )
  await write('parts/install.1.sh', 'echo more >>.gitignore')
  const { status, lines } = check()
  expect({ status, isRecorded: recorded() }).toEqual({ status: 0, isRecorded: false })
  expect(lines).toContain('── not recorded: another commit came while it ran')
})

test('help says how it is called, and names the parts', () => {
  expect(check('--help')).toMatchObject({ status: 0, lines: expect.arrayContaining([`Parts: ${parts}`]) })
  expect(existsSync(join(folder, 'calls'))).toBe(false)
})

test('an unknown part is refused with the names of all', () => {
  expect(check('lint', 'tests')).toMatchObject({ status: 2, stderr: expect.stringContaining("'tests': tools install") })
  expect(existsSync(join(folder, 'calls'))).toBe(false)
})
