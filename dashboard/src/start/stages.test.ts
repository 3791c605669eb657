/** Stages follow from the history, each with its time. */
import { expect, test } from 'vitest'
import { stagesOf } from './stages.ts'

test('only stages that were reached have a time', () => {
  const via = { channel: { id: 'email' }, integration: { id: 'I', provider: 'mailbox' } }
  expect(
    stagesOf([
      { type: 'ENQUEUED', ts: 1, event: 'welcome', recipient: 'r', data: {}, profile: {}, override: {} },
      { type: 'PROFILE_LOADED', ts: 4, received_profile: {}, stored_profile: {}, merged_profile: {} },
      { type: 'SENT', ts: 9, ...via },
    ]),
  ).toEqual({ accepted: 1, decided: 4, sent: 9 })
})
