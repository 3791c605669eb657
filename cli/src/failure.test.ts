/** An error is one line with a hint, and an exit code for scripts. */
import { PostriderError } from '@postrider/client'
import { expect, test } from 'vitest'
import { Failure, faultOf } from './failure.ts'

const url = 'http://127.0.0.1:4600'
const named = (name: string, more: object = {}) => Object.assign(new Error(`${name} happened`), { name, ...more })

test('a wrong configuration lists every issue and ends with 2', () =>
  expect(faultOf(named('ConfigInvalid', { issues: ['A is wrong', 'B is wrong'] }), url)).toEqual({
    message: 'The configuration is invalid',
    issues: ['A is wrong', 'B is wrong'],
    exitCode: 2,
  }))

test('a folder in use ends with 3', () => expect(faultOf(named('FolderTaken'), url).exitCode).toBe(3))

test('a server that is not reached comes with how to start one', () => {
  const fault = faultOf(new PostriderError('The server cannot be reached', { kind: 'connection' }), url)
  expect(fault.message).toContain(url)
  expect(fault.hint).toContain('postrider serve')
})

test('a refused key names where keys come from', () => {
  const fault = faultOf(new PostriderError('Unauthorized', { kind: 'authentication', status: 401 }), url)
  expect(fault.hint).toContain('POSTRIDER_API_KEY')
})

test('a fault of the server says where it is logged', () => {
  const error = new PostriderError('Internal error', { kind: 'server', status: 500, requestId: 'req-7' })
  expect(faultOf(error, url)).toMatchObject({ message: 'Internal error', exitCode: 1 })
  expect(faultOf(error, url).hint).toContain('req-7')
})

test('a cause is shown once', () => {
  const cause = new Error('disk full')
  expect(faultOf(new Error('Not written', { cause }), url).message).toBe('Not written: disk full')
  expect(faultOf(new Error('Not written: disk full', { cause }), url).message).toBe('Not written: disk full')
})

test('our own failures keep their code', () =>
  expect(faultOf(new Failure('no', { hint: 'yes', exitCode: 2 }), url)).toEqual({
    message: 'no',
    hint: 'yes',
    exitCode: 2,
  }))

test('an address in use says how to take another', () =>
  expect(faultOf(named('Error', { code: 'EADDRINUSE' }), url).hint).toContain('POSTRIDER_PORT'))

test.each(['listen', 'getaddrinfo'])('an address that cannot be listened on (%s) names the variable', (syscall) =>
  expect(faultOf(named('Error', { syscall }), url).hint).toContain('POSTRIDER_HOST'),
)
