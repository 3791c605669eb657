/** POST /notifications/preview: the content of a notification, as it would be rendered for a recipient. */
import { channels as everyChannel, type InputOf } from '@postrider/contract'
import { invalidField, invalidRequest, notFound } from '../../../base/errors.ts'
import { didYouMean, nearestName, quoted } from '../../../base/quote.ts'
import {
  findEvent,
  findNotification,
  type NotificationRow,
} from '../../../database/tables/notifications/notifications.ts'
import type { SendInput } from '../../../messages/send.ts'
import { SAMPLE_RECIPIENT } from '../../../messages/timeline/content-preview.ts'
import { type Payload, payloadOf } from '../../../notifications/notification.ts'
import { isNamed, isSandbox, namesOf } from '../../../providers/provider.ts'
import { type CallContext, success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'
import { nearestSendable } from '../../strict-sends.ts'
import { versionNamed } from './notifications.ts'

type Body = InputOf<'notifications.preview'>['body']

export const notificationPreview = {
  'notifications.preview': async ({ body }, ctx) => {
    const { workspaceId, mode } = ctx.caller
    for (const [at, name] of (body.channels ?? []).entries()) checkName(name, at, ctx)
    const { payload, notification } = await sourceOf(body, ctx)
    const draft = { notificationId: notification?.id ?? '', payload, input: inputOf(body), channels: body.channels }
    const preview = await ctx.app.pipeline.previewContent(workspaceId, mode, draft)
    if (!preview)
      throw invalidRequest('An older release accepted this content, and this one cannot render it', {
        code: 'invalid_content',
      })
    return success('notifications.preview', { ...(notification && { notification }), ...preview })
  },
} satisfies Partial<ResourceHandlers<'notifications'>>

interface Source {
  payload: Payload
  /** Absent for one that is not stored. */
  notification?: { id: string; version: string }
}

async function sourceOf({ notification_id, version, notification }: Body, ctx: CallContext): Promise<Source> {
  if ((notification_id === undefined) === (notification === undefined))
    throw invalidField('notification_id', 'must be there, or `notification`, but not both')
  if (notification) {
    if (version !== undefined) throw invalidField('version', 'must be absent with `notification`')
    return { payload: payloadOf(notification) }
  }
  const row = await namedNotification(String(notification_id), ctx)
  const shown = await versionNamed(ctx, row, version ?? (row.published === null ? 'draft' : 'published'))
  return {
    payload: shown.payload,
    notification: { id: row.id, version: shown.isDraft ? 'draft' : `v${shown.version}` },
  }
}

/** As a send finds it: by the event of that name, else by its id or alias. */
async function namedNotification(name: string, ctx: CallContext): Promise<NotificationRow> {
  const { app, caller } = ctx
  const event = await findEvent(app.database, caller.workspaceId, name)
  const row = await findNotification(app.database, caller.workspaceId, event?.notificationId ?? name)
  if (row) return row
  throw notFound(`Unknown template ${quoted(name)}.${didYouMean(await nearestSendable(name, ctx))}`)
}

function inputOf({ recipient, profile, data, locale, brand_id, tenant_id }: Body): SendInput {
  return {
    event: '',
    recipient: recipient ?? SAMPLE_RECIPIENT,
    ...(profile && { profile }),
    ...(data && { data }),
    ...(locale && { locale }),
    ...(brand_id && { brand: brand_id }),
    ...(tenant_id && { tenantId: tenant_id }),
  }
}

function checkName(name: string, at: number, { app }: CallContext): void {
  const providers = [...app.providers.values()].filter((provider) => !isSandbox(provider))
  if (everyChannel.some((channel) => channel === name) || providers.some((each) => isNamed(each, name))) return
  const near = nearestName(name, [...everyChannel, ...providers.flatMap(namesOf)])
  throw invalidField(
    `channels.${at}`,
    `must be a channel or a provider: ${quoted(name)} is neither.${didYouMean(near)}`,
  )
}
