/** One finding of `postrider doctor`. */
import { errorReportOf } from '../failure.ts'
import { plain } from '../plain.ts'
import type { Terminal } from '../terminal.ts'

/** `skip`: there is nothing to check. */
export type State = 'ok' | 'warn' | 'fail' | 'skip'

export interface Check {
  name: string
  state: State
  detail: string
  hint?: string
}

export const check = (name: string, state: State, detail: string, hint?: string): Check => ({
  name,
  state,
  detail,
  ...(hint && { hint }),
})

/** A check that throws has failed. `url`: the server that it calls. */
export async function attempt(name: string, look: () => Promise<Check[]>, url = ''): Promise<Check[]> {
  try {
    return await look()
  } catch (error) {
    const { message, issues = [], hint } = errorReportOf(error, url)
    return issues.length > 0 ? issues.map((issue) => check(name, 'fail', issue)) : [check(name, 'fail', message, hint)]
  }
}

const marks = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'], skip: ['dim', '–'] } as const

export function checkText(terminal: Terminal, { name, state, detail, hint }: Check): string {
  const [style, mark] = marks[state]
  const advice = hint ? `\n${' '.repeat(4)}${terminal.style('dim', plain(hint))}` : ''
  return `${terminal.style(style, mark)} ${state.padEnd(4)}  ${plain(name)}: ${plain(detail)}${advice}`
}
