/** Nodes of this version and of the one before understand each other's requests to cancel. */
import { expect, test } from 'vitest'
import { cancelPayload, readCancelPayload } from './cancel-notification.ts'

const ids = ['1-6b0b0c97-25d000e51177bdd578ce17e4', '1-6b0b0c97-26d000c2b04c59eef7079e1f']

test.each(['key/backend', 'operator', 'key/a, b;c', 'key/'])('%s arrives with the ids', (source) => {
  expect(readCancelPayload(cancelPayload(ids, source))).toEqual({ ids, source })
})

test('a node of the version before names ids only, and finds each id of ours', () => {
  expect(readCancelPayload(ids.join(','))).toEqual({ ids, source: undefined })
  expect(cancelPayload(ids, 'key/backend').split(',').slice(0, 2)).toEqual(ids)
})
