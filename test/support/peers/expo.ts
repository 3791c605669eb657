/** The answer of Expo's push service to a call that it takes: a ticket for each message. */
import type { Recorded, ScriptedReply } from './recorder.ts'

export const ticketForEach =
  (id = 'ticket') =>
  ({ body }: Pick<Recorded, 'body'>): ScriptedReply => ({
    body: { data: (JSON.parse(body) as unknown[]).map(() => ({ status: 'ok', id })) },
  })
