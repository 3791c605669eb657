/**
 * The tests in five projects: `unit` needs no database, `system` runs the service on PostgreSQL, `browser` a Chromium on
 * it. `long` holds the campaigns; `alone` those that load the machine, which run after all others, one file at a time.
 */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { readSources } from './test/tidy/source.ts'

/** Folders by how long their files take: the last file to start must be short, so that no worker waits for another. */
const folders = [
  'test/crash/',
  'test/fuzz/',
  'test/system/',
  'test/documents/',
  'test/cli/',
  'server/src/templates/',
  'test/',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = folders.findIndex((folder) => moduleId.includes(`/${folder}`))
      return place < 0 ? folders.length : place
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

const notCompiled = ['**/dist/**', '**/node_modules/**']
const browser = ['test/browser/**/*.test.ts']
const long = ['test/**/*.long.test.ts', '*/src/**/*.long.test.ts']
/** Campaigns that load the machine, or say how long something takes: no other file runs beside them. */
const alone = [
  'test/crash/dead-primary.long.test.ts',
  'test/crash/local.long.test.ts',
  'test/crash/postgres.long.test.ts',
  'test/crash/stalls.long.test.ts',
  'test/system/large-bodies.test.ts',
  'test/system/open-calls.long.test.ts',
  'test/system/rate-limit.long.test.ts',
]
/** They do more in `long`. */
const longer = readSources(fileURLToPath(new URL('.', import.meta.url)), ['.test.ts'])
  .filter(({ text }) => /^import \{[^}]*\bisLong\b/m.test(text))
  .map(({ path }) => path)
const globalSetup = ['test/support/run/global-setup.ts']
/** Minutes of work, with the limits for them. */
const campaigns = {
  globalSetup,
  env: { POSTRIDER_TEST_LONG: 'true' },
  testTimeout: 300_000,
  hookTimeout: 300_000,
}
const setupFiles = ['test/support/run/property-seed.ts']

export default defineConfig({
  test: {
    setupFiles,
    projects: [
      { extends: true, test: { name: 'unit', include: ['*/src/**/*.test.ts'], exclude: [...notCompiled, ...long] } },
      {
        extends: true,
        test: {
          name: 'system',
          include: ['test/**/*.test.ts'],
          exclude: [...notCompiled, ...long, ...browser],
          globalSetup,
        },
      },
      {
        extends: true,
        test: { name: 'browser', include: browser, exclude: [...notCompiled, ...long], globalSetup },
      },
      {
        extends: true,
        test: {
          ...campaigns,
          name: 'long',
          include: [...long, ...longer],
          exclude: [...notCompiled, ...alone],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { ...campaigns, name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
    reporters: ['default', './test/support/run/folder-times.ts', './test/support/run/results.ts'],
    tags: [{ name: 'safety', description: 'A wrong value is red at once: something was lost, doubled or leaked.' }],
    // Results say why a test was skipped: the condition in the line where it stands.
    includeTaskLocation: true,
    sequence: { sequencer: LongestFirst },
    // For two cores: a third of the time a test waits, for a retry or for the end of a lease.
    maxWorkers: 3,
    // Loading every module again for each of two hundred files takes a minute; files keep no state in modules.
    isolate: false,
    execArgv: [
      // Replies and rows die young: collected less often, they take a twentieth less processor time.
      '--max-semi-space-size=32',
      '--min-semi-space-size=32',
      // Most code runs a few times only: a tenth less processor time when it is optimized later, where Node is as early as 20.
      ...(process.versions.node.startsWith('20.') ? ['--interrupt-budget=600000'] : []),
    ],
    // Compiled packages are loaded by Node as they are.
    server: { deps: { external: [/\/(?:contract|client|server)\/dist\//] } },
    // The only limit of a wait, so it is none for a machine that is three times as slow; a wait for what never comes is rare.
    testTimeout: 60_000,
    expect: { poll: { timeout: 50_000, interval: 25 } },
    hookTimeout: 60_000,
  },
})
