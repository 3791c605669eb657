/** History events as the public contract shapes them, for comparing. */
import { expect } from 'vitest'

export const enqueued = (event: string, recipient: string, more: object = {}) => ({
  type: 'ENQUEUED',
  ts: expect.any(Number),
  event,
  recipient,
  data: {},
  profile: {},
  override: {},
  ...more,
})

export const mapped = (event: string, id: string) => ({
  type: 'MAPPED',
  ts: expect.any(Number),
  event_id: event,
  notification_id: id,
})

export const loaded = (received: object, storedProfile: object = {}) => ({
  type: 'PROFILE_LOADED',
  ts: expect.any(Number),
  received_profile: received,
  stored_profile: storedProfile,
  merged_profile: { ...storedProfile, ...received },
})

/** An event without a channel. */
export const nowhere = { ts: expect.any(Number), channel: { id: '' } }
