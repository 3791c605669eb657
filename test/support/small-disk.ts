/** A disk of a few megabytes for tests, which can be filled: a file system in memory, mounted by root on Linux. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  /** Its root. */
  path: string
  /** Leaves `bytes` free. */
  fill(bytes?: number): void
  /** Gives back what `fill` took. */
  empty(): void
  remove(): void
}

const PORTION_BYTES = 65_536

export function mountDisk(megabytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'postrider-disk-'))
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', path])
  if (status !== 0) throw new Error(`No disk can be mounted: ${stderr}`)
  chmodSync(path, 0o755)
  const ballast = join(path, 'ballast')
  return {
    path,
    fill(bytes = 0) {
      const free = () => statfsSync(path).bavail * statfsSync(path).bsize
      try {
        while (free() > bytes + PORTION_BYTES) writeFileSync(ballast, Buffer.alloc(PORTION_BYTES), { flag: 'a' })
      } catch (error) {
        // Others write there as well.
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    remove() {
      // A process that was just killed may still hold it.
      spawnSync('umount', ['-l', path])
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** True when this process may mount one. */
export function canMountDisk(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  try {
    mountDisk(1).remove()
    return true
  } catch {
    return false
  }
}
