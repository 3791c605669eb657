/** Rows in batches: an interruption ends the reading at once, and what was not worked on is named. */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import type { Failure } from '../failure.ts'
import { terminal } from '../terminal.ts'
import { inBatches } from './batches.ts'
import type { Row } from './read.ts'

const rowOf = (line: number, characters = 0): Row => ({ line, values: [], original: ['x'.repeat(characters)] })
const silent = { write: () => undefined }
const session = {
  terminal: terminal({ json: false, color: false, out: silent, err: silent }),
  server: { url: 'http://127.0.0.1:1', urlGiven: true, apiKey: 'k', color: false },
}

/** A pipe that stays open: after its rows a read ends only when it is closed. */
function openPipe(lines: readonly number[], characters = 0) {
  const closing = new AbortController()
  async function* rows() {
    for (const line of lines) yield rowOf(line, characters)
    await once(closing.signal, 'abort')
    throw new Error('Premature close')
  }
  return {
    rows: rows(),
    source: {
      name: 'pipe',
      bytesTotal: undefined,
      bytesRead: () => 0,
      text: (async function* () {})(),
      close: () => closing.abort(),
    },
  }
}

function batchesOf(
  lines: readonly number[],
  worked: (batch: readonly Row[], stop: () => void) => void | Promise<void>,
  { signal, characters }: { signal?: AbortSignal; characters?: number } = {},
) {
  const { rows, source } = openPipe(lines, characters)
  const stopping = new AbortController()
  const done = inBatches({
    session,
    source,
    rows,
    stop: signal ?? stopping.signal,
    fromLine: 1,
    rowsMax: 2,
    work: async (batch) => worked(batch, () => stopping.abort()),
    status: () => '',
    continueWith: (line) => `--from-line ${line}`,
  }).then(
    () => 'complete',
    (error: Failure) => [error.message, error.hint],
  )
  return { done, stop: () => stopping.abort() }
}

test('an interruption while the input is waited for ends it; rows that were not worked on are left', async () => {
  const batches: number[][] = []
  const { done, stop } = batchesOf([2, 3, 4], (batch) => void batches.push(batch.map(({ line }) => line)))
  await new Promise((resolve) => setImmediate(resolve))
  stop()
  expect(await done).toEqual(['Stopped', '--from-line 4'])
  expect(batches).toEqual([[2, 3]])
})

test('a batch in progress is finished before the interruption takes effect', async () => {
  const batches: number[][] = []
  const { done } = batchesOf([2, 3, 4, 5], (batch, stop) => {
    stop()
    batches.push(batch.map(({ line }) => line))
  })
  expect(await done).toEqual(['Stopped', '--from-line 4'])
  expect(batches).toEqual([[2, 3]])
})

test('rows of many characters are a batch before there are as many as one has', async () => {
  const batches: number[][] = []
  const work = (batch: readonly Row[], stop: () => void) => {
    batches.push(batch.map(({ line }) => line))
    if (batches.length === 2) stop()
  }
  expect(await batchesOf([2, 3, 4], work, { characters: 8_000_000 }).done).toEqual(['Stopped', '--from-line 4'])
  expect(batches).toEqual([[2], [3]])
})

test('an error of the work is named, also after an interruption', async () => {
  let batches = 0
  const { done } = batchesOf([2, 3, 4, 5], (_batch, stop) => {
    batches += 1
    if (batches === 1) return
    stop()
    throw new Error('The disk is full')
  })
  expect(await done).toEqual(['The disk is full', 'Every row before line 4 is done. --from-line 4'])
})

test('an interruption before the first row is read ends the reading, too', async () => {
  const { done, stop } = batchesOf([], () => undefined)
  stop()
  expect(await done).toEqual(['Stopped', '--from-line 1'])
  const { done: aborted } = batchesOf([2], () => undefined, { signal: AbortSignal.abort() })
  expect(await aborted).toEqual(['Stopped', '--from-line 1'])
})
