/** The generated list of handlers holds every file of `resources/`, in their order. */
import { readdirSync, readFileSync } from 'node:fs'
import { operations } from '@postrider/contract'
import { expect, test } from 'vitest'
import { handlers } from './resources.generated.ts'

test('the list holds every file of the folder', () => {
  const files = readdirSync(new URL('resources', import.meta.url)).filter((file) => !file.endsWith('.test.ts'))
  const list = readFileSync(new URL('resources.generated.ts', import.meta.url), 'utf8')
  const listed = [...list.matchAll(/resources\/([\w-]+\.ts)'/g)].map(([, file]) => file)
  expect(listed, 'run npm run generate').toEqual(files.sort())
})

test('every operation has one handler, and every handler is of an operation', () => {
  expect(Object.keys(handlers).sort()).toEqual(operations.map(({ id }) => id).sort())
})
