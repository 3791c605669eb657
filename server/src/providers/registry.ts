/** Finds the adapters: every file in a channel's folder is one, and its name is the provider's name on the wire. */
import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { channels } from '@postrider/contract'
import { IsObject } from 'typebox'
import { isObject } from '../base/merge.ts'
import type { Provider } from './provider.ts'

export type { Outcome, Provider } from './provider.ts'
export * from './rehearse.ts'

/** Reads the folders beside this file, from the sources as well as compiled. Throws on an adapter that is not one. */
export async function loadProviders(): Promise<ReadonlyMap<string, Provider>> {
  const here = fileURLToPath(new URL('.', import.meta.url))
  // The adapters speak the language this file runs in.
  const extension = extname(fileURLToPath(import.meta.url))
  const providers = new Map<string, Provider>()
  for (const path of await adapterPaths(here, extension)) {
    const module: { default?: unknown } = await import(pathToFileURL(path).href)
    const key = basename(path, extension)
    if (providers.has(key)) throw new Error(`${path}: there is already a provider ${key}`)
    providers.set(key, checked(path, key, module.default))
  }
  return providers
}

async function adapterPaths(folder: string, extension: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name))
  const files = await Promise.all(folders.map(async (path) => (await readdir(path)).map((name) => join(path, name))))
  return files
    .flat()
    .filter((path) => isAdapter(path, extension))
    .sort()
}

const isAdapter = (path: string, extension: string) =>
  path.endsWith(extension) && !path.endsWith(`.test${extension}`) && !path.endsWith('.d.ts')

function checked(path: string, key: string, found: unknown): Provider {
  const fault = faultOf(key, found)
  if (fault) throw new Error(`${path}: ${fault}`)
  return found as Provider
}

/** What keeps a default export from being a provider. */
export function faultOf(key: string, found: unknown): string | undefined {
  if (!isObject(found)) return 'the default export is not a provider'
  if (found.key !== key) return `the key is ${String(found.key)}, the file is called ${key}`
  for (const text of ['title', 'description', 'dialect'])
    if (typeof found[text] !== 'string' || found[text] === '') return `${text} is missing`
  if (typeof found.website !== 'string') return 'website is missing'
  if (!Array.isArray(found.channels) || found.channels.length === 0) return 'it serves no channel'
  const unknown = found.channels.find((channel) => !(channels as readonly unknown[]).includes(channel))
  if (unknown !== undefined) return `${String(unknown)} is not a channel`
  if (!IsObject(found.settings)) return 'settings is not an object schema'
  if (!Array.isArray(found.profileKeys)) return 'profileKeys is missing'
  const absent = ['contact', 'compose', 'deliver'].find((name) => typeof found[name] !== 'function')
  return absent && `${absent} is not a function`
}
