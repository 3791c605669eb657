/** The official SDKs work as they are: every method that each of seven generations has, or a reason why not. */
import { beforeAll, describe, expect, test } from 'vitest'
import { eachHouse, type House } from '../../system/house.ts'
import { automations } from './automations.ts'
import { bulk, lists, messages } from './by-hand-messages.ts'
import { administration, brands, notifications } from './by-hand-settings.ts'
import { audiences, devices, preferences, profiles, tenants } from './by-hand-users.ts'
import { exceptions } from './exceptions.ts'
import { type Exercises, furnish, type World, worldOf } from './exercise.ts'
import { type Call, generations, type Made, methodsOf } from './methods.ts'
import { seventh } from './seventh.ts'
import { sixth } from './sixth.ts'

const byHand: Exercises = {
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

const named = await Promise.all(
  generations.map(async (generation) => {
    // Nothing is called: the methods are the same wherever it leads.
    const methods = [...methodsOf(await generation.open('http://127.0.0.1:1', 'none')).keys()]
    return { ...generation, methods }
  }),
)

test('every exercise is of a method that some generation has', () => {
  const known = (wanted: (major: number) => boolean) =>
    new Set(named.filter(({ major }) => wanted(major)).flatMap(({ methods }) => methods))
  const unknown = (exercises: Exercises, methods: Set<string>) =>
    Object.keys(exercises).filter((name) => !methods.has(name))
  expect(
    unknown(
      byHand,
      known((major) => major < 6),
    ),
  ).toEqual([])
  expect(
    unknown(
      sixth,
      known((major) => major === 6),
    ),
  ).toEqual([])
  expect(
    unknown(
      seventh,
      known((major) => major === 7),
    ),
  ).toEqual([])
})

eachHouse((open) => {
  let house: House
  let shared: Pick<World, 'notification' | 'topic'>
  beforeAll(async () => {
    house = await open()
    shared = await furnish(house)
  })

  describe.each(named)('case 62: generation $version', ({ major, methods, open: openSdk }) => {
    let world: World
    let found: Map<string, Call>
    beforeAll(async () => {
      world = await worldOf(house, major, shared)
      found = methodsOf(await openSdk(house.url, house.apiKey))
    })

    test.each(methods)('%s', async (name) => {
      const method = found.get(name)!
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
      if (!exercise) throw new Error(`generation ${major} has ${name}: exercise it, or say in exceptions.ts why not`)
      await exercise(counted, world)
      expect(calls).toBeGreaterThan(0)
    })
  })
})
