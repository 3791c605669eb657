/** Writes the reference from the compiled contract: `reference/api.md`, `reference/steps.md` and `reference/openapi.json`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { openapi, operations, reference, referenceOptions, stepsReference } from '@postrider/contract'

const folder = new URL('reference/', import.meta.url)
mkdirSync(folder, { recursive: true })
writeFileSync(new URL('api.md', folder), reference(operations))
writeFileSync(new URL('steps.md', folder), stepsReference())
writeFileSync(new URL('openapi.json', folder), `${JSON.stringify(openapi(referenceOptions), undefined, 2)}\n`)
