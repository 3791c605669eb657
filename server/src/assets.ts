/** Files that the service reads at run time. They lie in the same places beside the sources, the compiled modules and the bundle. */
import { readFileSync } from 'node:fs'

/** Numbered scripts of the schema. */
export const migrationsFolder = new URL('../migrations/', import.meta.url)

export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
