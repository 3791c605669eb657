/** /events: names mapped to notifications. */
import { eventsListMax } from '@postrider/contract'
import { notFound } from '../../../base/errors.ts'
import { quoted } from '../../../base/quote.ts'
import {
  deleteEvent,
  type EventRow,
  findEvent,
  findNotification,
  listEvents,
  putEvent,
} from '../../../database/tables/notifications/notifications.ts'
import { done, success } from '../../call.ts'
import { changesConfig, orNotFound, otherwise, type ResourceHandlers } from '../../outcome.ts'
import { existsAlready } from '../../preconditions.ts'
import { warn } from '../../warnings.ts'

const mapping = ({ event, notificationId }: EventRow) => ({ event, id: notificationId, type: 'notification' }) as const

export const events = {
  'events.list': async (_input, { app, caller }) => {
    const rows = await listEvents(app.database, caller.workspaceId, eventsListMax)
    return success('events.list', { results: rows.map(mapping) })
  },
  'events.get': async ({ params: { event_id } }, { app, caller }) => {
    const row = await findEvent(app.database, caller.workspaceId, event_id)
    if (!row) throw notFound()
    return success('events.get', mapping(row))
  },
  'events.put': async ({ params: { event_id }, body: { id } }, ctx) => {
    const { app, caller, now, preconditions } = ctx
    if (!(await findNotification(app.database, caller.workspaceId, id)))
      warn(ctx, `Unknown notification ${quoted(id)}: the event leads to nothing until it exists.`)
    return {
      reply: success('events.put', done),
      writes: putEvent(caller.workspaceId, { event: event_id, notificationId: id }, now, preconditions),
      onConflict: otherwise(() => existsAlready(`The mapping of ${quoted(event_id)}`)),
      changesConfig,
    }
  },
  'events.delete': ({ params: { event_id } }, { caller }) => ({
    reply: success('events.delete', undefined),
    writes: deleteEvent(caller.workspaceId, event_id),
    onConflict: orNotFound,
    changesConfig,
  }),
} satisfies Omit<ResourceHandlers<'events'>, 'events.routing'>
