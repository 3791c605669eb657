/** Every step of the contract has its behavior in this folder, found by its file name. */
import { readdirSync } from 'node:fs'
import { automationActions } from '@postrider/contract'
import { expect, test } from 'vitest'
import { steps } from './steps.generated.ts'

test('a file in the folder is the behavior of a step: `npm run generate` lists it', () => {
  const files = readdirSync(new URL('.', import.meta.url)).filter((file) => /^[\w-]+\.ts$/.test(file))
  expect(Object.keys(steps).sort()).toEqual(files.map((file) => file.slice(0, -3)).sort())
  expect(Object.keys(steps).sort()).toEqual([...automationActions].sort())
})
