/** Reads a gettext catalog: https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html. Takes time with its length, whatever it holds. */
import { quoted } from '../../base/quote.ts'

export interface PoEntry {
  context: string
  /** Empty: the header. */
  message: string
  plural?: string
  /** In the order of the plural forms. */
  texts: readonly string[]
  line: number
}

export interface PoFile {
  /** Without entries that are fuzzy, obsolete or not translated. */
  entries: readonly PoEntry[]
  /** The lines that cannot be read, each with its reason; the entries around them are kept. */
  problems: readonly string[]
}

/** Enough to correct a catalog. */
const PROBLEMS_MAX = 20
/** A line of a file that a person or a program writes; longer ones are not read. */
const LINE_CHARACTERS_MAX = 50_000
/** No language has more than six. */
const PLURAL_FORMS_MAX = 10

const KEYWORD = /^(msgctxt|msgid_plural|msgid|msgstr(?:\[(\d{1,2})\])?)[ \t]*(?=")/
const ESCAPE = /\\(?:([abfnrtv\\"'?])|([0-7]{1,3})|x([0-9A-Fa-f]{2}))/g
const escapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

interface Draft {
  context?: string
  message?: string
  plural?: string
  texts: Map<number, string>
  fuzzy: boolean
  line: number
}

export function readPo(text: string): PoFile {
  const entries: PoEntry[] = []
  const problems: string[] = []
  let draft: Draft | undefined
  let fuzzy = false
  /** Continues the string that was read last. */
  let append: ((part: string) => void) | undefined
  const report = (line: number, problem: string) => {
    if (problems.length < PROBLEMS_MAX) problems.push(`line ${line}: ${problem}`)
  }
  const end = () => {
    const entry = draft && entryOf(draft, report)
    if (entry) entries.push(entry)
    draft = undefined
    append = undefined
  }
  for (const [index, written] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const line = written.trim()
    const number = index + 1
    if (line === '' || line.startsWith('#')) {
      append = undefined
      // Comments belong to the entry that follows them.
      if (draft && draft.texts.size > 0) end()
      if (line.startsWith('#,')) fuzzy ||= /\bfuzzy\b/.test(line)
      if (line.startsWith('#~')) fuzzy = false
      continue
    }
    const keyword = KEYWORD.exec(line)
    const string = stringIn(keyword ? line.slice(keyword[0].length) : line)
    if (string === undefined) {
      report(number, `${quoted(line.slice(0, 60))} is neither a keyword with a string in quotes nor a comment`)
      append = undefined
      continue
    }
    if (!keyword) {
      if (append) append(string)
      else report(number, 'a string without a keyword')
      continue
    }
    const [, name = '', form = '0'] = keyword
    if (name === 'msgctxt' || (name === 'msgid' && draft?.message !== undefined)) end()
    draft ??= newDraft(number, fuzzy)
    if (name === 'msgctxt' || name === 'msgid') {
      draft.fuzzy = fuzzy
      fuzzy = name === 'msgctxt' && fuzzy
    }
    append = appender(draft, name, Number(form))
    append(string)
  }
  end()
  return { entries, problems }
}

const newDraft = (line: number, fuzzy: boolean): Draft => ({ texts: new Map(), fuzzy, line })

function appender(draft: Draft, keyword: string, form: number): (part: string) => void {
  if (keyword.startsWith('msgstr')) return (part) => void draft.texts.set(form, (draft.texts.get(form) ?? '') + part)
  const field = keyword === 'msgctxt' ? 'context' : keyword === 'msgid' ? 'message' : 'plural'
  return (part) => {
    draft[field] = (draft[field] ?? '') + part
  }
}

/** Undefined: no string in quotes and nothing else. */
function stringIn(text: string): string | undefined {
  if (text.length > LINE_CHARACTERS_MAX || !/^"[^"\\]*(?:\\.[^"\\]*)*"$/.test(text)) return undefined
  const inside = text.slice(1, -1)
  if (!inside.includes('\\')) return inside
  return inside.replace(ESCAPE, (_all, letter?: string, octal?: string, hex?: string) => {
    if (letter !== undefined) return escapes[letter] ?? letter
    return String.fromCharCode(octal === undefined ? Number.parseInt(hex ?? '0', 16) : Number.parseInt(octal, 8))
  })
}

function entryOf(draft: Draft, report: (line: number, problem: string) => void): PoEntry | undefined {
  const { context = '', message, plural, texts, fuzzy, line } = draft
  if (message === undefined) return void report(line, 'an entry without `msgid`')
  if (texts.size === 0) return void report(line, `${quoted(message.slice(0, 60))} has no \`msgstr\``)
  const isHeader = message === '' && context === ''
  if (fuzzy && !isHeader) return undefined
  const forms = Math.max(...texts.keys()) + 1
  if (forms > PLURAL_FORMS_MAX) return void report(line, `more than ${PLURAL_FORMS_MAX} plural forms`)
  const inOrder = Array.from({ length: forms }, (_, form) => texts.get(form) ?? '')
  if (inOrder.every((text) => text === '')) return undefined
  return { context, message, ...(plural !== undefined && { plural }), texts: inOrder, line }
}
