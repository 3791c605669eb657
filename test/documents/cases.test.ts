/** Every numbered case of the wire is a test that carries its number. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './markdown.ts'

const LAST = 62

/** Callbacks of providers come with a later version. */
const LATER = ['43']

test('each case has its test', () => {
  const folder = join(root, 'test/conformance')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const titles = files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    return [...text.matchAll(/\(\s*['"`]case (\d+b?): /g)]
  })
  const tested = new Set(titles.map(([, number]) => number))
  const cases = [...Array.from({ length: LAST }, (_, index) => String(index + 1)), '23b']
  expect(cases.filter((number) => !tested.has(number) && !LATER.includes(number))).toEqual([])
  expect(LATER.filter((number) => tested.has(number))).toEqual([])
})
