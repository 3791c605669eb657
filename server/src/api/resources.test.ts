/** The generated list of handlers holds every file in the folders of `resources/`. */
import { readdirSync, readFileSync } from 'node:fs'
import { operations } from '@postrider/contract'
import { expect, test } from 'vitest'
import { handlers } from './resources.generated.ts'

test('the list holds every file of the folders', () => {
  const files = readdirSync(new URL('resources', import.meta.url), { recursive: true, encoding: 'utf8' })
  const list = readFileSync(new URL('resources.generated.ts', import.meta.url), 'utf8')
  const listed = [...list.matchAll(/resources\/([\w-]+\/[\w-]+\.ts)'/g)].map(([, file]) => file)
  expect(listed.sort(), 'run npm run generate').toEqual(files.filter((file) => /(?<!\.test)\.ts$/.test(file)).sort())
})

test('every operation has one handler, and every handler is of an operation', () => {
  expect(Object.keys(handlers).sort()).toEqual(operations.map(({ id }) => id).sort())
})
