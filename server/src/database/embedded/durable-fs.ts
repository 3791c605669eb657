/** PGlite's file system with a real fsync: without it a commit survives the process but not the machine. */
import { fdatasyncSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { fsyncDirectory } from './fsync-directory.ts'

/** Of the emscripten stream: `nfd` is the descriptor of the host, `path` the path inside the mount. */
interface Stream {
  nfd?: number
  path?: string
}

interface Emscripten {
  NODEFS: { stream_ops: { fsync?: (stream: Stream) => number } }
}

const MOUNT = '/pglite/data'

export class DurableFs extends NodeFS {
  override async init(pg: PGlite, options: Parameters<NodeFS['init']>[1]): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options)
    // A segment's directory entry is durable only after its directory was flushed once.
    const known = new Set<string>()
    const flush = (module: Emscripten) => {
      module.NODEFS.stream_ops.fsync = ({ nfd, path }) => {
        if (nfd === undefined) return 0
        orEnd(() => {
          fdatasyncSync(nfd)
          if (path?.startsWith(MOUNT) && !known.has(path)) {
            known.add(path)
            fsyncDirectory(dirname(join(this.rootDir, path.slice(MOUNT.length))))
          }
        })
        return 0
      }
    }
    const preRun = [...(emscriptenOpts.preRun ?? []), flush] as NonNullable<typeof emscriptenOpts.preRun>
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
  }
}

/** The exit code of a thread whose flush failed. */
export const FLUSH_FAILED = 74

/**
 * After a failed flush nobody knows what is on the disk, and asking again would be told that all is well: as PostgreSQL
 * itself does, the database ends at once, answers nothing more, and the next start recovers from its log.
 */
function orEnd(flush: () => void): void {
  try {
    flush()
  } catch (error) {
    process.stderr.write(`The database could not be flushed to disk: ${String(error)}\n`)
    process.exit(FLUSH_FAILED)
  }
}

/** PGlite's own parameters without `-F` (which turns fsync off), and with the one sync method that reaches our fsync. */
export const durableParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['fsync=on', 'wal_sync_method=fsync', 'synchronous_commit=on', 'full_page_writes=on'].flatMap((s) => ['-c', s]),
  // Compiling a plan costs more than any statement of ours runs.
  ...['jit=off', 'shared_buffers=64MB', 'work_mem=4MB', 'max_wal_size=256MB'].flatMap((s) => ['-c', s]),
]
