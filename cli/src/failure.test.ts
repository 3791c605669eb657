/** An error is one line with a hint, and an exit code for scripts. */
import { PostriderError } from '@postrider/client'
import { expect, test } from 'vitest'
import { errorReportOf, Failure } from './failure.ts'

const url = 'http://127.0.0.1:4600'
const named = (name: string, more: object = {}) => Object.assign(new Error(`${name} happened`), { name, ...more })

test('a wrong configuration lists every issue and ends with 2', () =>
  expect(errorReportOf(named('ConfigInvalid', { issues: ['A is wrong', 'B is wrong'] }), url)).toEqual({
    message: 'The configuration is invalid',
    issues: ['A is wrong', 'B is wrong'],
    exitCode: 2,
  }))

test('a folder in use ends with 3', () => expect(errorReportOf(named('FolderTaken'), url).exitCode).toBe(3))

test('a server that is not reached comes with how to start one', () => {
  const report = errorReportOf(new PostriderError('The server cannot be reached', { kind: 'connection' }), url)
  expect(report.message).toContain(url)
  expect(report.hint).toContain('postrider serve')
})

test('a refused key names where keys come from', () => {
  const report = errorReportOf(new PostriderError('Unauthorized', { kind: 'authentication', status: 401 }), url)
  expect(report.hint).toContain('POSTRIDER_API_KEY')
})

test('a fault of the server says where it is logged', () => {
  const error = new PostriderError('Internal error', { kind: 'server', status: 500, requestId: 'req-7' })
  expect(errorReportOf(error, url)).toMatchObject({ message: 'Internal error', exitCode: 1 })
  expect(errorReportOf(error, url).hint).toContain('req-7')
})

test('a cause is shown once', () => {
  const cause = new Error('disk full')
  expect(errorReportOf(new Error('Not written', { cause }), url).message).toBe('Not written: disk full')
  expect(errorReportOf(new Error('Not written: disk full', { cause }), url).message).toBe('Not written: disk full')
})

test('our own failures keep their code', () =>
  expect(errorReportOf(new Failure('no', { hint: 'yes', exitCode: 2 }), url)).toEqual({
    message: 'no',
    hint: 'yes',
    exitCode: 2,
  }))

test('an address in use says how to take another', () => {
  const { hint } = errorReportOf(named('Error', { code: 'EADDRINUSE' }), url)
  for (const variable of ['POSTRIDER_PORT', 'POSTRIDER_LMTP_PORT']) expect(hint).toContain(variable)
})

test.each(['listen', 'getaddrinfo'])('an address that cannot be listened on (%s) names the variable', (syscall) => {
  const { hint } = errorReportOf(named('Error', { syscall }), url)
  for (const variable of ['POSTRIDER_HOST', 'POSTRIDER_LMTP_HOST']) expect(hint).toContain(variable)
})
