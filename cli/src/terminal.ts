/** Where the command speaks: answers on standard output, progress and faults on standard error. */
import { styleText } from 'node:util'
import type { ErrorReport } from './failure.ts'
import { plain, plainJson } from './plain.ts'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export interface Terminal {
  json: boolean
  /** A person reads standard output as it is written: it is no file, and no log. */
  isWatched: boolean
  /** One answer: the value as JSON, or what `text` makes of it. */
  answer(value: unknown, text: () => string): void
  /** One of many: a line of JSON, or a line of text. */
  line(value: unknown, text: string): void
  /** For people only: silent with `--json`. */
  note(text: string): void
  /** Where a long act stands. In a terminal each text replaces the one before; elsewhere `update` is shown every 10 s. */
  progress: { step(text: string): void; update(text: string): void; end(): void }
  /** For the caller, with `--json` as well: on standard error, each once. */
  warning(text: string): void
  error(report: ErrorReport): void
  style(style: Style, text: string): string
}

/** The part of a stream that is needed; `isTTY` is absent on pipes and files. */
interface Output {
  write(text: string): unknown
  isTTY?: boolean | undefined
}

export interface TerminalOptions {
  json: boolean
  color: boolean
  out?: Output
  err?: Output
}

const SECOND_MS = 1_000
/** Between lines in a log. */
const UPDATES_MS = 10 * SECOND_MS
/** As many as one screen shows. */
const WARNINGS_MAX = 20
const seconds = (since: number) => Math.round((Date.now() - since) / SECOND_MS)

export function terminal({ json, color, out = process.stdout, err = process.stderr }: TerminalOptions): Terminal {
  const painter = (enabled: boolean) => (style: Style, text: string) =>
    enabled ? styleText(style, text, { validateStream: false }) : text
  const style = painter(color && out.isTTY === true)
  const errorStyle = painter(color && err.isTTY === true)
  const live = err.isTTY === true
  let clock: NodeJS.Timeout | undefined
  let lastLineAt = 0
  const warned = new Set<string>()
  const show = (text: string) => {
    clearInterval(clock)
    if (live && !json) err.write(`\r\x1b[K${text}`)
  }
  const writeLine = (text: string) => {
    err.write(`${text}\n`)
    lastLineAt = Date.now()
  }
  const update = (text: string) => {
    if (!live && !json && Date.now() - lastLineAt >= UPDATES_MS) writeLine(text)
    show(text)
  }
  const step = (text: string) => {
    if (json) return
    if (!live) writeLine(text)
    show(text)
    const began = Date.now()
    // The seconds show that a long step continues.
    if (live) clock = setInterval(() => err.write(`\r\x1b[K${text} ${seconds(began)} s`), SECOND_MS).unref()
  }
  return {
    json,
    isWatched: out.isTTY === true,
    style,
    answer: (value, text) => void out.write(`${json ? plainJson(value, 2) : text()}\n`),
    line: (value, text) => void out.write(`${json ? plainJson(value) : text}\n`),
    note: (text) => void (json || err.write(`${text}\n`)),
    progress: { step, update, end: () => show('') },
    warning(text) {
      if (warned.has(text) || warned.size > WARNINGS_MAX) return
      warned.add(text)
      show('')
      const line = warned.size > WARNINGS_MAX ? 'There are more warnings, which are not shown.' : plain(text)
      err.write(`${errorStyle('yellow', 'Warning:')} ${line}\n`)
    },
    error({ exitCode: _, message, issues = [], ...further }) {
      const { hint, doc } = further
      if (json) {
        err.write(`${plainJson({ error: message, ...(issues.length > 0 && { issues }), ...further })}\n`)
        return
      }
      show('')
      err.write(`${errorStyle('red', 'error:')} ${plain(message)}\n`)
      for (const issue of issues) err.write(`  ${plain(issue)}\n`)
      if (hint) err.write(`${errorStyle('cyan', 'hint:')} ${plain(hint)}\n`)
      if (doc) err.write(`${errorStyle('cyan', 'see:')} ${plain(doc)}\n`)
    },
  }
}
