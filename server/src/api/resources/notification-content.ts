/** /notifications/:id/content: read, replaced as a whole or by element, translated. */
import type { ContentInput, Element, NotificationContent, Variations } from '@postrider/contract'
import { notFound } from '../../base/errors.ts'
import { isObject } from '../../base/json/json.ts'
import { detail, translatedBy } from '../../notifications/content-blocks.ts'
import { withElement, withIdsAndChecksums, withLocales } from '../../notifications/content-elements.ts'
import { type Payload, routingInForce, storedContent } from '../../notifications/notification.ts'
import { type Call, type Reply, type ResourceHandlers, success } from '../call.ts'
import { known, save, savePublished, show } from '../records/notification-versions.ts'

type State = 'DRAFT' | 'PUBLISHED'

export const notificationContent = {
  'notifications.content': async ({ params: { id }, query: { version } }, call) =>
    success('notifications.content', shape(await show(call, await known(call, id), version))),
  'notifications.draftContent': async ({ params: { id } }, call) =>
    success('notifications.draftContent', shape(await show(call, await known(call, id), 'draft'))),
  'notifications.replaceContent': async ({ params, body: { content, state } }, call) =>
    change(call, params.id, state, () => content),
  'notifications.replaceElement': async ({ params, body }, call) => {
    const { state, data, ...rest } = body
    const written: Element = { ...rest, ...(isObject(data) ? data : {}), type: body.type }
    const make = (before: NotificationContent) => ({
      ...before,
      elements: withElement(before.elements, params.element_id, written),
    })
    return change(call, params.id, state as State | undefined, make)
  },
  'notifications.replaceLocale': async ({ params: { id, locale }, body: { elements, state } }, call) => {
    const translated = elements.map(({ id: element, checksum: _, ...fields }) => ({ id: element, locale, fields }))
    const make = (before: NotificationContent) => ({
      ...before,
      elements: withLocales(before.elements, translated, false),
    })
    return change(call, id, state, make)
  },
  'notifications.translate': async ({ params: { id }, body }, call) => {
    if ((await known(call, id)).published === null) throw notFound('Nothing is published')
    const reply = success('notifications.translate', {})
    await savePublished(call, id, (before) => translated(before, body), call.keeping(reply))
    return reply
  },
  'notifications.translateDraft': async ({ params: { id }, body }, call) => {
    const reply = success('notifications.translateDraft', {})
    await save(call, id, (before) => translated(before, body), false, { commit: () => call.keeping(reply) })
    return reply
  },
} satisfies Partial<ResourceHandlers<'notifications'>>

const shape = (payload: Pick<Payload, 'content' | 'routing'>) =>
  detail(payload.content, routingInForce(payload).channels)

/** The draft with its content made anew, published when `state` says so. */
async function change(
  call: Call,
  name: string,
  state: State | undefined,
  make: (before: NotificationContent) => ContentInput,
): Promise<Reply> {
  const replyOf = (id: string, { content: { elements, version } }: Payload) =>
    success('notifications.replaceContent', {
      id,
      elements: withIdsAndChecksums(elements),
      version,
      state: state ?? 'DRAFT',
    })
  let reply: Reply | undefined
  await save(
    call,
    name,
    (before) => ({ ...before, content: storedContent(make(before.content)) }),
    state === 'PUBLISHED',
    {
      commit: (id, made) => {
        reply = replyOf(id, made)
        return call.keeping(reply)
      },
    },
  )
  if (!reply) throw new Error('What is saved has been committed')
  return reply
}

function translated(before: Payload, body: Variations): Payload {
  const elements = withLocales(before.content.elements, translatedBy(body, before.content), true)
  return { ...before, content: storedContent({ ...before.content, elements }) }
}
