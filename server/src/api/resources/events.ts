/** /events: names mapped to notifications. */
import { eventsListMax } from '@postrider/contract'
import { notFound } from '../../base/errors.ts'
import {
  deleteEvent,
  type EventRow,
  findEvent,
  listEvents,
  putEvent,
} from '../../database/tables/notifications/event-mappings.ts'
import { done, type ResourceHandlers, success } from '../call.ts'
import { catalogueChanged } from '../workspace-config-change.ts'

const mapping = ({ event, notificationId }: EventRow) => ({ event, id: notificationId, type: 'notification' }) as const

export const events = {
  'events.list': async (_input, { house, caller }) => {
    const found = await listEvents(house.engine, caller.workspaceId, eventsListMax)
    return success('events.list', { results: found.map(mapping) })
  },
  'events.get': async ({ params: { event_id } }, { house, caller }) => {
    const found = await findEvent(house.engine, caller.workspaceId, event_id)
    if (!found) throw notFound()
    return success('events.get', mapping(found))
  },
  'events.put': async ({ params: { event_id }, body: { id } }, call) => {
    const row = { event: event_id, notificationId: id }
    const reply = success('events.put', done)
    await putEvent(call.keeping(reply), call.caller.workspaceId, row, call.now)
    await catalogueChanged(call)
    return reply
  },
  'events.delete': async ({ params: { event_id } }, call) => {
    const reply = success('events.delete', undefined)
    if (!(await deleteEvent(call.keeping(reply), call.caller.workspaceId, event_id))) throw notFound()
    await catalogueChanged(call)
    return reply
  },
} satisfies Omit<ResourceHandlers<'events'>, 'events.routing'>
