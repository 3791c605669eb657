/** Writes the results of a run into the file that POSTRIDER_TEST_RESULTS names; `.ci/check.mjs` reads it. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node'
import { TOO_LATE } from '../in-time.ts'

/** A test, the setup of a suite, or an error outside of any test. */
export interface Failure {
  /** From the root; absent when no file is to blame. */
  file?: string
  /** With its suites, for a reader. */
  test: string
  /** As `-t` matches it; absent when no test alone can fail so. */
  name?: string
  message: string
  /** `safety`: a wrong value where that means a broken promise. `time`: something came too late. */
  verdict?: 'safety' | 'time'
}

/** Tests of a file that the same condition leaves out. */
interface Skip {
  file: string
  tests: number
  /** As the file has it: `runIf(isLong)`. */
  condition: string
}

export interface RunResults {
  passed: number
  failed: number
  skipped: number
  failures: Failure[]
  skips: Skip[]
}

export default class Results implements Reporter {
  private root = ''
  private readonly ended: TestModule[] = []
  private readonly started = new Set<string>()

  onInit({ config }: Vitest): void {
    this.root = config.root
  }

  onTestModuleQueued(module: TestModule): void {
    this.started.add(this.fileOf(module))
    this.writeStarted()
  }

  /** After each file that failed: a run that is cut off has named its failures. */
  onTestModuleEnd(module: TestModule): void {
    this.ended.push(module)
    this.started.delete(this.fileOf(module))
    this.writeStarted()
    if (!module.ok()) this.write(this.ended, [])
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const { POSTRIDER_TEST_RESULTS: path } = process.env
    if (path) rmSync(`${path}.started`, { force: true })
    this.write(modules, unhandled)
  }

  /** The files that run, in a file of its own: of a run that is cut off it names those that may hang. */
  private writeStarted(): void {
    const { POSTRIDER_TEST_RESULTS: path } = process.env
    if (path) writeFileSync(`${path}.started`, JSON.stringify([...this.started]))
  }

  private write(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const { POSTRIDER_TEST_RESULTS: path } = process.env
    if (!path) return
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const results: RunResults = {
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('skipped'),
      failures: [
        ...modules.flatMap((module) => failuresOf(module, this.fileOf(module))),
        ...unhandled.map((error) => this.outsideTests(error)),
      ],
      skips: modules.flatMap((module) => skipsOf(module, this.fileOf(module))),
    }
    writeFileSync(path, JSON.stringify(results))
  }

  private fileOf = ({ moduleId }: TestModule) => relative(this.root, moduleId)

  private outsideTests(error: SerializedError): Failure {
    const path = error.VITEST_TEST_PATH
    return {
      ...(typeof path === 'string' && { file: relative(this.root, path) }),
      test: 'an error outside of every test',
      message: messageOf(error),
    }
  }
}

function failuresOf(module: TestModule, file: string): Failure[] {
  const suites = [module, ...module.children.allSuites()].flatMap((suite) =>
    suite.errors().map((error) => ({
      ...{ file, test: namesOf(suite).join(' › ') || 'the file', message: messageOf(error) },
      ...verdictOf([error], tagsOf(suite)),
    })),
  )
  const tests = [...module.children.allTests('failed')].map((test) => ({
    file,
    test: namesOf(test).join(' › '),
    name: namesOf(test).join(' '),
    message: messageOf(test.result().errors?.[0]),
    ...verdictOf(test.result().errors, test.tags),
  }))
  return [...suites, ...tests]
}

/** A wait that ended without the state, and a limit of time, are neither. */
function verdictOf(errors: readonly SerializedError[] = [], tags: readonly string[]): Pick<Failure, 'verdict'> {
  const names = errors.map(({ name }) => name)
  if (tags.includes('safety') && names.includes('AssertionError')) return { verdict: 'safety' }
  return names.length > 0 && names.every((name) => name === TOO_LATE) ? { verdict: 'time' } : {}
}

/** Those of its tests. */
const tagsOf = (suite: TestModule | TestSuite) => [...suite.children.allTests()].flatMap(({ tags }) => tags)

/** The names of a test and of the suites it stands in, outermost first. */
function namesOf(entity: TestCase | TestSuite | TestModule): string[] {
  return entity.type === 'module' ? [] : [...namesOf(entity.parent), entity.name]
}

const MESSAGE_MAX = 2_000

function messageOf(error: SerializedError | undefined): string {
  if (!error) return 'no error'
  const { name, message, diff, stacks } = error
  const [frame] = stacks ?? []
  const head = name && !message.startsWith(name) ? `${name}: ${message}` : message
  const text = diff ? `${head}\n${diff}` : head
  return `${text.slice(0, MESSAGE_MAX)}${frame ? `\nat ${frame.file}:${frame.line}` : ''}`
}

function skipsOf(module: TestModule, file: string): Skip[] {
  const skipped = [...module.children.allTests('skipped')]
  if (skipped.length === 0) return []
  const lines = readFileSync(module.moduleId, 'utf8').split('\n')
  const counts = new Map<string, number>()
  for (const test of skipped) {
    const condition = conditionOf(test, lines)
    if (condition !== undefined) counts.set(condition, (counts.get(condition) ?? 0) + 1)
  }
  return [...counts].map(([condition, tests]) => ({ file, tests, condition }))
}

/** The condition of a test, or else that of a suite around it; without one it did not run because something failed. */
function conditionOf(test: TestCase | TestSuite | TestModule, lines: readonly string[]): string | undefined {
  if (test.type === 'module') return undefined
  const line = lines[(test.location?.line ?? 0) - 1] ?? ''
  const [condition] = /\b(?:runIf|skipIf)\(.*?\)(?=[(.]|$)/.exec(line) ?? []
  return condition ?? conditionOf(test.parent, lines)
}
