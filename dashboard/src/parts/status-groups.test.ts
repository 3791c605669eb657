/** The figure of the oldest message and the list that it leads to are about the same messages. */
import { backlogStatuses } from '@postrider/contract'
import { expect, test } from 'vitest'
import { due, statusGroups } from './status-groups.ts'

test('the waiting messages that are due are those that the age of the oldest counts', () => {
  expect(due).toEqual(statusGroups.waiting.filter((status) => backlogStatuses.includes(status)))
})
