/** Answers and faults come out where and how they are expected. */
import { expect, test, vi } from 'vitest'
import { terminal } from './terminal.ts'

function stage(options: { json?: boolean; color?: boolean; tty?: boolean }) {
  const written = { out: '', err: '' }
  const stream = (name: 'out' | 'err') => ({
    isTTY: options.tty,
    write(text: string) {
      written[name] += text
    },
  })
  return {
    written,
    terminal: terminal({
      json: options.json ?? false,
      color: options.color ?? true,
      out: stream('out'),
      err: stream('err'),
    }),
  }
}

test('colors appear only in a terminal with colors enabled', () => {
  expect(stage({ tty: true }).terminal.style('red', 'x')).toBe('\x1b[31mx\x1b[39m')
  expect(stage({ tty: true, color: false }).terminal.style('red', 'x')).toBe('x')
  expect(stage({ tty: false }).terminal.style('red', 'x')).toBe('x')
})

test('with --json standard output is JSON and nothing else, progress and notes are silent', () => {
  const { terminal, written } = stage({ json: true, tty: true })
  terminal.progress.step('packing')
  terminal.progress.update('1 MB')
  terminal.note('mind the key')
  terminal.answer({ ok: true }, () => 'well')
  expect(JSON.parse(written.out)).toEqual({ ok: true })
  expect(written.err).toBe('')
})

test.each([false, true])('warnings are on standard error, each once and twenty at most; --json: %s', (json) => {
  const { terminal, written } = stage({ json })
  for (let n = 0; n < 30; n += 1) {
    terminal.warning(`Field\x1b[2J ${n}`)
    terminal.warning(`Field\x1b[2J ${n}`)
  }
  const lines = Array.from({ length: 20 }, (_, n) => `Warning: Field ${n}\n`)
  expect(written).toEqual({
    out: '',
    err: `${lines.join('')}Warning: There are more warnings, which are not shown.\n`,
  })
})

test('a fault is one line with a hint, and an object with --json', () => {
  const report = { message: 'No\x1b[2J server\nanswers', hint: 'Start one', exitCode: 1 } as const
  const text = stage({})
  text.terminal.error(report)
  expect(text.written).toEqual({ out: '', err: 'error: No server answers\nhint: Start one\n' })
  const json = stage({ json: true })
  json.terminal.error(report)
  expect(JSON.parse(json.written.err)).toEqual({ error: report.message, hint: 'Start one' })
})

test('an error of the server has its code and input with --json, and its page in both', () => {
  const doc = 'http://localhost/docs/errors#invalid_field'
  const report = {
    message: 'no',
    code: 'invalid_field',
    param: 'message.to',
    doc: `${doc}\x1b[2J`,
    exitCode: 1,
  } as const
  const text = stage({})
  text.terminal.error(report)
  expect(text.written.err).toBe(`error: no\nsee: ${doc}\n`)
  const json = stage({ json: true })
  json.terminal.error({ ...report, doc })
  expect(JSON.parse(json.written.err)).toEqual({ error: 'no', code: 'invalid_field', param: 'message.to', doc })
})

test('steps are lines in a file, and replace each other in a terminal', () => {
  const file = stage({ tty: false })
  file.terminal.progress.step('one')
  file.terminal.progress.update('half')
  file.terminal.progress.step('two')
  file.terminal.progress.end()
  expect(file.written.err).toBe('one\ntwo\n')
  const screen = stage({ tty: true })
  screen.terminal.progress.step('one')
  screen.terminal.progress.update('half')
  screen.terminal.progress.end()
  expect(screen.written.err).toBe('\r\x1b[Kone\r\x1b[Khalf\r\x1b[K')
})

test('in a file, what a long step has done is a line every 10 s', () => {
  vi.useFakeTimers()
  try {
    const { terminal, written } = stage({ tty: false })
    terminal.progress.step('one')
    for (const done of ['10 %', '20 %', '30 %', '40 %']) {
      vi.advanceTimersByTime(5_000)
      terminal.progress.update(done)
    }
    terminal.progress.end()
    expect(written.err).toBe('one\n20 %\n40 %\n')
    const json = stage({ json: true })
    json.terminal.progress.step('one')
    vi.advanceTimersByTime(60_000)
    json.terminal.progress.update('half')
    expect(json.written.err).toBe('')
  } finally {
    vi.useRealTimers()
  }
})
