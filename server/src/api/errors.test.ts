/** The log entries of error replies. */
import { expect, test } from 'vitest'
import { type CallerError, notFound, overloaded, unavailable } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { errorReply } from './errors.ts'

test.each<[string, CallerError, number]>([
  ['what the service cannot do is', unavailable('Too many sends wait'), 1],
  ['that others were first is not', overloaded('4 are in progress'), 0],
  ['what callers did wrong is not', notFound(), 0],
])('%s logged', (_what, error, lines) => {
  const warned: unknown[] = []
  const log = { warn: (line: unknown) => warned.push(line) } as unknown as Log
  const reply = errorReply(error, {
    requestId: 'r',
    operation: 'o',
    log,
    publicUrl: 'http://localhost',
    isComplete: true,
  })
  expect([reply.status, warned.length]).toEqual([error.status, lines])
})
