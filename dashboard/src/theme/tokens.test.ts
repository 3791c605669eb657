/** Styles of screens take colors, sizes of text and durations from the tokens, and from none that does not exist. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const source = new URL('..', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, source), 'utf8')
const files = readdirSync(source, { recursive: true }).map((name) => String(name).replaceAll('\\', '/'))
const definedIn = (text: string) => [...text.matchAll(/(--[\w-]+):/g)].map(([, name]) => name)
const tokens = new Set(definedIn(read('theme/tokens.css')))

test('there are tokens, and styles that use them', () => {
  expect([tokens.has('--ink'), tokens.size > 50, files.includes('shell/shell.module.css')]).toEqual([true, true, true])
})

test('a variable that is used is a token, or is set in the same file', () => {
  const unknown = files
    .filter((name) => /\.(css|tsx?)$/.test(name))
    .flatMap((name) => {
      const text = read(name)
      const local = new Set(definedIn(text))
      const used = [...text.matchAll(/var\((--[\w-]+)/g)].map(([, variable = '']) => variable)
      return used.filter((each) => !tokens.has(each) && !local.has(each)).map((each) => `${name}: ${each}`)
    })
  expect(unknown).toEqual([])
})

test('no stylesheet has a color, a size of text or a duration of its own', () => {
  // The ground of a mail is the one of a mail program.
  const stylesheets = files.filter((name) => /\.css$/.test(name) && !/theme\/|mail-frame/.test(name))
  const values = stylesheets.flatMap((name) =>
    read(name)
      .split('\n')
      .filter((line) => /#[0-9a-f]{3,8}\b|rgb\(|hsl\(|font-size: \d+px|\b\d+ms\b/.test(line))
      .map((line) => `${name}: ${line.trim()}`),
  )
  expect(values).toEqual([])
})
