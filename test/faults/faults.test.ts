/**
 * A few faults of servers, without a wait; all of them are in `faults.long.test.ts`.
 * @module-tag safety
 */
import { test } from 'vitest'
import { casesOf, checkFault, faults } from './check-fault.ts'

const few = [
  'refuses the connection',
  'has a certificate for another name',
  'declares a body that is too large',
  'sends GOAWAY, and has processed no stream',
  'resets the connection when the mail has arrived',
]

test.each(casesOf(faults.filter(({ name }) => few.includes(name))))('%s: a server that %s', (adapter, _name, fault) =>
  checkFault(adapter, fault),
)
