/** Sockets in folders of any length: the path of a unix socket holds 107 bytes (macOS 103), so a long one is reached by a link. */
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

/** Programs that tidy the folder for temporary files remove what is old. */
function renew(folder: string, link: string): void {
  try {
    mkdirSync(dirname(link), { recursive: true, mode: 0o700 })
    if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(folder, link)
  } catch {
    // Tried again at the next turn.
  }
}
