/** Files that the service reads at run time. A bundle has them beside its modules, a checkout where they are written. */
import { existsSync, readFileSync } from 'node:fs'

/** The bundle's, else the checkout's. */
function placeOf(bundled: string, written: string): URL {
  const place = new URL(bundled, import.meta.url)
  return existsSync(place) ? place : new URL(written, import.meta.url)
}

/** Numbered scripts of the schema. */
export const migrationsFolder = placeOf('./migrations/', '../src/database/migrations/')

/** Markdown files. */
export const guidesFolder = placeOf('./guides/', '../../docs/guides/')

/** The component of the reference page, compressed with gzip; only a bundle has it. */
export const referenceScript = new URL('./reference.js.gz', import.meta.url)

export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
