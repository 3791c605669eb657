/** The checkout as the rules see it: every source file with its text, and a text split into code, strings and comments. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

export interface Source {
  /** From the root, with forward slashes. */
  path: string
  text: string
}

export const PARTS = ['contract', 'client', 'server', 'cli', 'dashboard', 'bench', 'test', 'docs', 'examples']

const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', 'test-results', 'data'])

/** Folders beside the parts: the checks of a change, releases, and what a service runs under. */
const AROUND = ['.ci', '.github', 'deploy']

/** Every file of the checkout, from its root: those of the root itself, of the parts and of the folders beside them. */
export function listFiles(root: string): string[] {
  const paths: string[] = []
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name)
      const isIncluded = folder === '.' ? [...PARTS, ...AROUND].includes(entry.name) : !entry.name.startsWith('.')
      if (!entry.isDirectory()) paths.push(path)
      else if (isIncluded && !LEFT_OUT.has(entry.name)) walk(path)
    }
  }
  walk('.')
  return paths.sort()
}

/** Every file of the parts, and of the folders beside them, whose name ends in one of the extensions. */
export const readSources = (root: string, extensions: readonly string[]): Source[] =>
  listFiles(root)
    .filter((path) => path.includes('/') && extensions.some((extension) => path.endsWith(extension)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

/** A file that only tests use stands beside the code as `*.harness.ts`, or is one of `test/`. */
export const isHarness = (path: string) => /\.harness\.tsx?$/.test(path)

export const isTest = (path: string) => /\.test\.tsx?$/.test(path) || isHarness(path)

interface Literal {
  /** Where the opening quote stands. */
  at: number
  /** The text between the quotes; `${…}` of a template is left as `${}`. */
  value: string
}

interface Comment {
  at: number
  /** With its marks. */
  value: string
}

export interface Lexed {
  /** The text with comments and the insides of strings and patterns blanked; places and line breaks are unchanged. */
  code: string
  literals: Literal[]
  comments: Comment[]
}

// After these a slash begins a pattern, after anything else it divides. `<` is left out: `</` closes an element.
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+\-*%>~^]|\b(?:return|typeof|case|in|of|await|yield|do|else|void))\s*$/

/** Many rules read the same files. */
const lexed = new Map<string, Lexed>()

/** Splits a text; a scanner, not a parser: it needs to be right about where code ends, nothing more. */
export function lex(text: string): Lexed {
  const result = lexed.get(text) ?? split(text)
  lexed.set(text, result)
  return result
}

function split(text: string): Lexed {
  const literals: Literal[] = []
  const comments: Comment[] = []
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

  const comment = (end: number) => {
    comments.push({ at, value: text.slice(at, end) })
    blank(end)
  }

  const pattern = () => {
    const match = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/.exec(text.slice(at, at + 2_000))
    if (match) blank(at + match[0].length)
    else keep()
  }

  function scan(close: string | undefined): void {
    for (let depth = 0; at < text.length; ) {
      const char = text[at]
      if (char === close && depth === 0) return
      if (char === '{') depth += 1
      if (char === '}') depth -= 1
      if (text.startsWith('//', at)) comment(ending('\n', 0))
      else if (text.startsWith('/*', at)) comment(ending('*/', 2))
      else if (char === "'" || char === '"') quoted(char)
      else if (char === '`') template()
      else if (char === '/' && BEFORE_PATTERN.test(code.slice(-40))) pattern()
      else keep()
    }
  }

  function ending(mark: string, length: number): number {
    const position = text.indexOf(mark, at + length)
    return position < 0 ? text.length : position + length
  }

  scan(undefined)
  return { code, literals, comments }
}

export const lineAt = (text: string, at: number) => text.slice(0, at).split('\n').length
