/** Sockets in folders of any length: a unix socket path has at most 107 bytes (macOS 103); longer paths use a link. */
import { lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const SOCKET_PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103

const RENEW_MS = 10_000

export interface ShortPath {
  /** The folder itself, or a link to it in the folder for temporary files. */
  path: string
  remove(): void
}

/** `socket`: the longest name of a socket in the folder. */
export function shortPath(folder: string, socket: string): ShortPath {
  if (Buffer.byteLength(join(folder, socket)) <= SOCKET_PATH_BYTES_MAX) return { path: folder, remove: () => undefined }
  const link = join(mkdtempSync(join(tmpdir(), 'postrider-')), 'data')
  symlinkSync(folder, link)
  const timer = setInterval(() => renew(folder, link), RENEW_MS).unref()
  return {
    path: link,
    remove() {
      clearInterval(timer)
      rmSync(dirname(link), { recursive: true, force: true })
    },
  }
}

/** System cleanup removes old files from the folder for temporary files. */
function renew(folder: string, link: string): void {
  try {
    mkdirSync(dirname(link), { recursive: true, mode: 0o700 })
    if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(folder, link)
  } catch {
    // Tried again at the next interval.
  }
}
