/** /notifications/:id/content: read, replaced as a whole or by element, translated. */
import type { ContentInput, Element, NotificationContent, Variations } from '@postrider/contract'
import { notFound } from '../../../base/errors.ts'
import { isObject } from '../../../base/json/json.ts'
import { detail, translatedBy, withElement, withIdsAndChecksums, withLocales } from '../../../notifications/content.ts'
import { type Payload, routingInForce, storedContent } from '../../../notifications/notification.ts'
import { type CallContext, success } from '../../call.ts'
import { changesConfig, type HandlerWork, type ResourceHandlers } from '../../outcome.ts'
import { requireNotification, save, savePublished, show } from './notifications.ts'

type State = 'DRAFT' | 'PUBLISHED'

export const notificationContent = {
  'notifications.content': async ({ params: { id }, query: { version } }, ctx) =>
    success('notifications.content', shape(await show(ctx, await requireNotification(ctx, id), version))),
  'notifications.draftContent': async ({ params: { id } }, ctx) =>
    success('notifications.draftContent', shape(await show(ctx, await requireNotification(ctx, id), 'draft'))),
  'notifications.replaceContent': async ({ params, body: { content, state } }, ctx) =>
    change(ctx, params.id, state, () => content, content),
  'notifications.replaceElement': async ({ params, body }, ctx) => {
    const { state, data, ...rest } = body
    const written: Element = { ...rest, ...(isObject(data) ? data : {}), type: body.type }
    const make = (before: NotificationContent) => ({
      ...before,
      elements: withElement(before.elements, params.element_id, written),
    })
    return change(ctx, params.id, state as State | undefined, make)
  },
  'notifications.replaceLocale': async ({ params: { id, locale }, body: { elements, state } }, ctx) => {
    const translated = elements.map(({ id: element, checksum: _, ...fields }) => ({ id: element, locale, fields }))
    const make = (before: NotificationContent) => ({
      ...before,
      elements: withLocales(before.elements, translated, false),
    })
    return change(ctx, id, state, make)
  },
  'notifications.translate': async ({ params: { id }, body }, ctx) => {
    if ((await requireNotification(ctx, id)).published === null) throw notFound('Nothing is published')
    const work = await savePublished(ctx, id, (before) => translated(before, body))
    return { reply: success('notifications.translate', {}), ...work }
  },
  'notifications.translateDraft': async ({ params: { id }, body }, ctx) => {
    const make = (before: Payload) => translated(before, body)
    const { writes, onConflict } = await save(ctx, id, { make, publish: false })
    return { reply: success('notifications.translateDraft', {}), writes, onConflict, changesConfig }
  },
} satisfies Partial<ResourceHandlers<'notifications'>>

const shape = (payload: Pick<Payload, 'content' | 'routing'>) =>
  detail(payload.content, routingInForce(payload).channels)

/** The draft with its content made anew, published when `state` says so. */
async function change(
  ctx: CallContext,
  name: string,
  state: State | undefined,
  make: (before: NotificationContent) => ContentInput,
  written?: ContentInput,
): Promise<HandlerWork> {
  const { id, made, writes, onConflict } = await save(ctx, name, {
    make: (before) => ({ ...before, content: storedContent(make(before.content)) }),
    publish: state === 'PUBLISHED',
    ...(written && { written }),
  })
  const { elements, version } = made.content
  const shape = { id, elements: withIdsAndChecksums(elements), version, state: state ?? 'DRAFT' }
  return { reply: success('notifications.replaceContent', shape), writes, onConflict, changesConfig }
}

function translated(before: Payload, body: Variations): Payload {
  const elements = withLocales(before.content.elements, translatedBy(body, before.content), true)
  return { ...before, content: storedContent({ ...before.content, elements }) }
}
