/** Flushes a folder, so that created, renamed and removed names survive a power failure: flushing a file does not. */
import { closeSync, fsyncSync, openSync } from 'node:fs'

export function fsyncDirectory(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
