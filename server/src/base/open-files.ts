/** How many files this process may hold open, its connections among them. */
import { readFileSync } from 'node:fs'

/** 2,048 provider calls, many callers, the database and its programs. */
export const OPEN_FILES_NEEDED = 4_096

/** Undefined where the system sets no limit, or does not publish it. */
export function openFilesMax(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}

export const OPEN_FILES_HINT =
  'Raise the limit: ulimit -n 65536 before the start, LimitNOFILE=65536 with systemd, --ulimit nofile=65536 with Docker.'
