/** Makes what was created, renamed or removed in a folder outlive a power cut: flushing a file does not flush its name. */
import { closeSync, fsyncSync, openSync } from 'node:fs'

export function fsyncDirectory(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
