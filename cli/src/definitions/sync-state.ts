/** The digests of definitions as they were when this folder was last the same as a server: what has changed since, and on which side. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientConfig } from '../config.ts'
import { isObject } from './definition.ts'
import { makeFolder, OWN_FOLDER, replaceFile } from './folder.ts'

export interface SyncState {
  /** By name. */
  digests: Map<string, string>
  /** Definitions that a pull has started to write: their files may be half of the old and half of the new. */
  pulling: Set<string>
}

const FILE = `${OWN_FOLDER}/state.json`

/** A key of the test environment sees other definitions at the same address. */
const serverKey = ({ url, apiKey }: ClientConfig) => (/^[a-z]+_test_/.test(apiKey ?? '') ? `${url} test` : url)

/** A file that cannot be read is none: everything counts as never pulled, and nothing is overwritten. */
export function readState(folder: string, server: ClientConfig): SyncState {
  const state = readAll(folder)[serverKey(server)]
  const { digests, pulling } = isObject(state) ? state : {}
  return {
    digests: new Map(isObject(digests) ? Object.entries(digests).map(([name, digest]) => [name, String(digest)]) : []),
    pulling: new Set(Array.isArray(pulling) ? pulling.map(String) : []),
  }
}

function readAll(folder: string): Record<string, unknown> {
  try {
    const path = join(folder, FILE)
    const all: unknown = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
    return isObject(all) ? all : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

export function writeState(folder: string, server: ClientConfig, { digests, pulling }: SyncState): void {
  makeFolder(folder)
  const sorted = Object.fromEntries([...digests].sort(([left], [right]) => (left < right ? -1 : 1)))
  const state = { digests: sorted, ...(pulling.size > 0 && { pulling: [...pulling] }) }
  replaceFile(folder, FILE, `${JSON.stringify({ ...readAll(folder), [serverKey(server)]: state }, null, 2)}\n`)
}
