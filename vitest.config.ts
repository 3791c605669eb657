/** How the tests run: three at a time, long ones first, with a door to one real PostgreSQL. */
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders by how long their files take; what begins last must be short, so that no worker waits for another. */
const folders = [
  'test/crash/',
  'test/fuzz/',
  'test/system/',
  'test/documents/',
  'test/cli/',
  'server/src/templates/',
  'test/',
]

class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = folders.findIndex((folder) => moduleId.includes(`/${folder}`))
      return place < 0 ? folders.length : place
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    include: ['*/src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/dist/**', '**/node_modules/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/keep-compiled.ts'],
    sequence: { sequencer: LongOnesFirst },
    // For two cores: a third of the time a test waits, for a retry or for the end of a lease.
    maxWorkers: 3,
    // A process with modules of its own for each of two hundred files takes a minute; files keep nothing in modules.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
