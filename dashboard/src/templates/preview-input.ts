/** The call that renders a draft as one recipient would get it: nothing is stored and nothing is sent. */
import type { NotificationPreviewRequest } from '@postrider/client'
import { type Draft, inputOf } from './draft/draft-store.ts'
import type { PreviewChannel } from './search.ts'

export interface PreviewOptions {
  channel: PreviewChannel
  user?: string | undefined
  locale?: string | undefined
  brand?: string | undefined
  tenant?: string | undefined
  data: Record<string, unknown>
  /** Its words are those of the message whose data are shown; only without a user. */
  profile?: Record<string, unknown> | undefined
}

export function previewRequest(draft: Draft, options: PreviewOptions): NotificationPreviewRequest {
  const { channel, user, locale, brand, tenant, data, profile } = options
  return {
    notification: inputOf(draft),
    ...(user !== undefined && { recipient: user }),
    ...(user === undefined && profile && { profile }),
    data,
    ...(locale !== undefined && { locale }),
    ...(brand !== undefined && { brand_id: brand }),
    ...(tenant !== undefined && { tenant_id: tenant }),
    channels: [channel],
  }
}
