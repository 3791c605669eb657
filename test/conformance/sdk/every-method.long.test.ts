/** The official SDKs work as they are: every method of the generations between the oldest and the newest. */
import { expect, test } from 'vitest'
import { byHand, callEveryMethod, isNewestOrOldest, withMethods } from './every-method.ts'
import type { Exercises } from './exercise.ts'
import { generations } from './methods.ts'
import { seventh } from './seventh.ts'
import { sixth } from './sixth.ts'

const named = await withMethods(generations)

test('every exercise is of a method that some generation has', () => {
  const operationsOf = (isIncluded: (major: number) => boolean) =>
    new Set(named.filter(({ major }) => isIncluded(major)).flatMap(({ methods }) => methods))
  const unknown = (exercises: Exercises, methods: Set<string>) =>
    Object.keys(exercises).filter((name) => !methods.has(name))
  expect(
    unknown(
      byHand,
      operationsOf((major) => major < 6),
    ),
  ).toEqual([])
  expect(
    unknown(
      sixth,
      operationsOf((major) => major === 6),
    ),
  ).toEqual([])
  expect(
    unknown(
      seventh,
      operationsOf((major) => major === 7),
    ),
  ).toEqual([])
})

callEveryMethod(named.filter((generation) => !isNewestOrOldest(generation)))
