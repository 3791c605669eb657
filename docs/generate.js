/** Writes the reference and the pages about errors and decisions from the compiled contract and server, and the tables of steps and of providers into their guides. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import {
  decisionsReference,
  errorsReference,
  openapi,
  operations,
  reference,
  referenceOptions,
  stepsReference,
  stepsTable,
} from '@postrider/contract'
import { logEventsReference } from '@postrider/server/log-events'
import { providers } from '@postrider/server/providers'
import { withProviders } from '@postrider/server/providers/guide'

const folder = new URL('reference/', import.meta.url)
mkdirSync(folder, { recursive: true })
writeFileSync(new URL('api.md', folder), reference(operations))
writeFileSync(new URL('steps.md', folder), stepsReference())
writeFileSync(new URL('log-events.md', folder), logEventsReference())
writeFileSync(new URL('errors.md', import.meta.url), errorsReference())
writeFileSync(new URL('decisions.md', import.meta.url), decisionsReference())
writeFileSync(new URL('openapi.json', folder), `${JSON.stringify(openapi(referenceOptions), undefined, 2)}\n`)

const automations = new URL('guides/automations.md', import.meta.url)
const [before, rest] = readFileSync(automations, 'utf8').split('<!-- steps -->\n')
const after = rest?.split('<!-- end of steps -->')[1]
if (after === undefined) throw new Error('guides/automations.md: the marks of the table of steps are missing')
writeFileSync(automations, `${before}<!-- steps -->\n${stepsTable()}\n<!-- end of steps -->${after}`)

const guide = new URL('guides/providers.md', import.meta.url)
writeFileSync(guide, withProviders(readFileSync(guide, 'utf8'), providers.values()))
