/** How the tests run: two at a time, with a door to one real PostgreSQL. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['*/src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/dist/**', '**/node_modules/**'],
    globalSetup: ['test/support/global-setup.ts'],
    // Two cores, and many suites start a database or a process of their own.
    maxWorkers: 2,
    // A busy machine is slow to start a database or a process; what hangs is found all the same.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
