/** Calls every method that a generation of the official SDK has, against one running service. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { automations } from './automations.ts'
import { bulk, lists, messages } from './by-hand-messages.ts'
import { administration, brands, notifications } from './by-hand-settings.ts'
import { audiences, devices, preferences, profiles, tenants } from './by-hand-users.ts'
import { exceptions } from './exceptions.ts'
import { contextOf, type ExerciseContext, type Exercises, prepareService } from './exercise.ts'
import { type Call, type Generation, generations, type Made, methodsOf } from './methods.ts'
import { seventh } from './seventh.ts'
import { sixth } from './sixth.ts'

export const byHand: Exercises = {
  ...messages,
  ...lists,
  ...automations,
  ...bulk,
  ...profiles,
  ...preferences,
  ...devices,
  ...tenants,
  ...audiences,
  ...notifications,
  ...brands,
  ...administration,
}
const exercisesOf = (major: number): Exercises => (major < 6 ? byHand : major === 6 ? sixth : seventh)

export interface NamedGeneration extends Generation {
  methods: string[]
}

/** Nothing is called: the methods are the same wherever the client points. */
export const withMethods = (chosen: readonly Generation[]): Promise<NamedGeneration[]> =>
  Promise.all(
    chosen.map(async (generation) => {
      const client = await generation.open('http://127.0.0.1:1', 'none')
      return { ...generation, methods: [...methodsOf(client).keys()] }
    }),
  )

export const isNewestOrOldest = ({ major }: Generation) =>
  major === generations[0]?.major || major === generations.at(-1)?.major

export function callEveryMethod(named: readonly NamedGeneration[]): void {
  withApp((open) => {
    let app: App
    let shared: Pick<ExerciseContext, 'notification' | 'topic'>
    beforeAll(async () => {
      app = await open()
      shared = await prepareService(app)
    })

    describe.each(named)('case 62: generation $version', ({ major, methods, open: openSdk }) => {
      let ctx: ExerciseContext
      let callByName: Map<string, Call>
      beforeAll(async () => {
        ctx = await contextOf(app, major, shared)
        callByName = methodsOf(await openSdk(app.url, app.apiKey))
      })

      test.each(methods)('%s', async (name) => {
        const method = callByName.get(name)!
        const exception = exceptions[name]
        if (exception) {
          const error: Made = await method(...exception.args).catch((reason: unknown) => reason)
          return expect(error.status ?? error.statusCode ?? error.response?.status).toBe(404)
        }
        let calls = 0
        const counted: Call = (...args) => {
          calls += 1
          return method(...args)
        }
        const exercise = exercisesOf(major)[name]
        if (!exercise)
          throw new Error(`generation ${major} has ${name}: exercise it, or add the reason to exceptions.ts`)
        await exercise(counted, ctx)
        expect(calls).toBeGreaterThan(0)
      })
    })
  })
}
