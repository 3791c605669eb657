/** Every step is found by its folder, and its definition is whole. */
import { readdirSync } from 'node:fs'
import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import type { StepDefinition, SummaryFormat } from './api/step.ts'
import { plainSchema } from './generate/plain-schema.ts'
import { automationActions, automationSteps } from './steps.ts'

const steps = Object.entries<StepDefinition>(automationSteps)

test('a file in the folder is a step: `npm run generate` lists it', () => {
  const files = readdirSync(new URL('steps/', import.meta.url)).map((file) => file.slice(0, -3))
  expect([...automationActions].sort()).toEqual(files.sort())
})

test('positions are unique and ascend', () => {
  const positions = steps.map(([, { position }]) => position)
  expect(positions).toEqual([...new Set(positions)].sort((left, right) => left - right))
})

test.each(steps)('%s has a line for documents, an example that fits its fields, and a summary', (_, step) => {
  expect(plainSchema(step.fields).description).toMatch(/^[A-Z].*\.$/)
  expect([...Compile(step.fields).Errors(step.example)]).toEqual([])
  expect(step.summary({ result: {}, waitedMs: 0 }, format)).toMatch(/^[a-z]/)
})

const format: SummaryFormat = {
  count: (number, noun) => `${number} ${noun}`,
  bytes: String,
  duration: String,
  time: String,
  run: String,
}
