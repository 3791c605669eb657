/** The checkout as the rules see it: every source file with its text, and a text split into code, strings and comments. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Source {
  /** From the root, with forward slashes. */
  path: string
  text: string
}

export const PARTS = ['contract', 'client', 'server', 'cli', 'bench', 'test', 'docs', 'examples']

const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', 'test-results', 'data'])

/** Every file of the parts whose name ends in one of the extensions. */
export function readSources(root: string, extensions: readonly string[]): Source[] {
  const paths: string[] = []
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`
      if (entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) continue
      if (entry.isDirectory()) walk(path)
      else if (extensions.some((extension) => path.endsWith(extension))) paths.push(path)
    }
  }
  for (const part of readdirSync(root)) if (PARTS.includes(part)) walk(part)
  return paths.sort().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

export const isTest = (path: string) => /\.test\.tsx?$/.test(path)

interface Literal {
  /** Where the opening quote stands. */
  at: number
  /** The text between the quotes; `${…}` of a template is left as `${}`. */
  value: string
}

export interface Lexed {
  /** The text with comments and the insides of strings and patterns blanked; places and line breaks are unchanged. */
  code: string
  literals: Literal[]
}

// After these a slash begins a pattern, after anything else it divides. `<` is left out: `</` closes an element.
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+\-*%>~^]|\b(?:return|typeof|case|in|of|await|yield|do|else|void))\s*$/

/** Splits a text; a scanner, not a parser: it needs to be right about where code ends, nothing more. */
export function lex(text: string): Lexed {
  const literals: Literal[] = []
  let code = ''
  let at = 0
  const blank = (end: number) => {
    code += text.slice(at, end).replace(/[^\n]/g, ' ')
    at = end
  }
  const keep = (count = 1) => {
    code += text.slice(at, at + count)
    at += count
  }

  const quoted = (quote: string) => {
    const start = at
    keep()
    let end = at
    while (end < text.length && text[end] !== quote && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1
    literals.push({ at: start, value: text.slice(at, end) })
    blank(end)
    keep()
  }

  const template = () => {
    const literal = { at, value: '' }
    literals.push(literal)
    keep()
    while (at < text.length && text[at] !== '`') {
      const end = at + (text[at] === '\\' ? 2 : 1)
      if (text.startsWith('${', at)) {
        literal.value += '${}'
        keep(2)
        scan('}')
        keep()
      } else {
        literal.value += text.slice(at, end)
        blank(end)
      }
    }
    keep()
  }

  const pattern = () => {
    const found = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/.exec(text.slice(at, at + 2_000))
    if (found) blank(at + found[0].length)
    else keep()
  }

  function scan(close: string | undefined): void {
    for (let depth = 0; at < text.length; ) {
      const char = text[at]
      if (char === close && depth === 0) return
      if (char === '{') depth += 1
      if (char === '}') depth -= 1
      if (text.startsWith('//', at)) blank(ending('\n', 0))
      else if (text.startsWith('/*', at)) blank(ending('*/', 2))
      else if (char === "'" || char === '"') quoted(char)
      else if (char === '`') template()
      else if (char === '/' && BEFORE_PATTERN.test(code.slice(-40))) pattern()
      else keep()
    }
  }

  function ending(mark: string, length: number): number {
    const found = text.indexOf(mark, at + length)
    return found < 0 ? text.length : found + length
  }

  scan(undefined)
  return { code, literals }
}

export const lineAt = (text: string, at: number) => text.slice(0, at).split('\n').length
