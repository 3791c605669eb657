/** Prints the time of each folder of tests at the end of a run, longest first. */
import { relative, sep } from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'

interface Folder {
  files: number
  tests: number
  ms: number
}

/** The workers run side by side: the sum is more than the clock shows. */
export default class FolderTimes implements Reporter {
  private root = ''
  private print = (_text: string): void => undefined

  onInit({ config, logger }: Vitest): void {
    this.root = config.root
    this.print = (text) => logger.log(text)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const folders = new Map<string, Folder>()
    for (const module of modules) {
      const { collectDuration, setupDuration, duration } = module.diagnostic()
      const name = folderOf(relative(this.root, module.moduleId))
      const folder = folders.get(name) ?? { files: 0, tests: 0, ms: 0 }
      folder.files += 1
      folder.tests += [...module.children.allTests()].length
      folder.ms += collectDuration + setupDuration + duration
      folders.set(name, folder)
    }
    const rows = [...folders].toSorted(([, a], [, b]) => b.ms - a.ms)
    this.print('\n Time of each folder, its files added up')
    for (const [name, { files, tests, ms }] of rows)
      this.print(
        `${(ms / 1_000).toFixed(1).padStart(8)} s  ${name.padEnd(24)} ${String(files).padStart(4)} files ${String(tests).padStart(6)} tests`,
      )
  }
}

/** The first two folders: test/crash, server/src. */
const folderOf = (path: string) => path.split(sep).slice(0, -1).slice(0, 2).join('/')
