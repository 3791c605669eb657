/** Promises of file names: one for each name and back, never a path, never one that a system keeps for itself. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileNameOf, nameOf, refuseSameFiles } from './file-name.ts'

test.each([
  ['order-shipped', 'order-shipped'],
  ['a.b', 'a.b'],
  ['../../etc/passwd', '%2E.%2F..%2Fetc%2Fpasswd'],
  ['..', '%2E%2E'],
  ['C:\\x', 'C%3A%5Cx'],
  ['con', '%63on'],
  ['NUL.txt', '%4EUL.txt'],
  ['ä 100%', '%C3%A4%20100%25'],
])('%s is %s', (name, file) => {
  expect(fileNameOf(name)).toBe(file)
  expect(nameOf(file)).toBe(name)
})

test('any name comes back, and stays in its folder', () => {
  const names = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((name) => name.isWellFormed())
  fc.assert(
    fc.property(names, (name) => {
      const file = (() => {
        try {
          return fileNameOf(name)
        } catch {
          return undefined
        }
      })()
      if (file === undefined) return
      expect(file).toMatch(/^[A-Za-z0-9_%-][A-Za-z0-9._%-]*$/)
      expect(nameOf(file)).toBe(name)
    }),
  )
})

test('a file that no name has, a name that no file can have, and two that differ in case alone', () => {
  expect(['a b', 'a%2fb', '%', '.x', '%41'].map(nameOf)).toEqual(Array(5).fill(undefined))
  expect(() => fileNameOf('ä'.repeat(40))).toThrow('too long')
  expect(() => refuseSameFiles(['Welcome', 'other', 'welcome'])).toThrow('Welcome and welcome would be one file')
})
