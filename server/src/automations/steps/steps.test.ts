/** Every step of the contract has its behavior in this folder, found by its file name. */
import { readdirSync } from 'node:fs'
import { automationActions } from '@postrider/contract'
import { expect, test } from 'vitest'
import type { StepBehavior } from '../step.ts'
import { steps } from './steps.generated.ts'

test('a file in the folder is the behavior of a step: `npm run generate` lists it', () => {
  const files = readdirSync(new URL('.', import.meta.url)).filter((file) => /^[\w-]+\.ts$/.test(file))
  expect(Object.keys(steps).sort()).toEqual(files.map((file) => file.slice(0, -3)).sort())
  expect(Object.keys(steps).sort()).toEqual([...automationActions].sort())
})

test('an effect that a simulation would leave out does not compile', () => {
  const run = () => ({ kind: 'next', effects: { ofStep: 'token' } }) as const
  const durable = () => []
  // @ts-expect-error nothing writes the effect
  const unwritten: StepBehavior<'cancel', string> = { run }
  // @ts-expect-error its type is not named
  const unnamed: StepBehavior<'cancel'> = { run }
  // @ts-expect-error the database has it, a simulation has not
  const empty: StepBehavior<'cancel', string> = { run, effect: { durable, inMemory: () => undefined } }
  const whole: StepBehavior<'cancel', string> = {
    run,
    effect: { durable, inMemory: (token, data) => data.cancelRuns(token) },
  }
  expect([unwritten, unnamed, empty, whole]).toHaveLength(4)
})
