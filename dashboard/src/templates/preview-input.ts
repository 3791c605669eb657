/** The call that renders a draft as one recipient would get it: nothing is stored and nothing is sent. */
import type { MessageSendBody } from '@postrider/client'
import { contentOf, type Draft } from './draft/draft-store.ts'
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

/** Every address, for a preview without a user; nothing is sent to it. */
const sampleContact = {
  ...{ user_id: 'preview', email: 'ada@example.com', phone_number: '+12025550143', firebaseToken: 'preview' },
  slack: { access_token: 'preview', channel: 'preview' },
}

export function previewBody(
  draft: Pick<Draft, 'version' | 'blocks' | 'brand'>,
  options: PreviewOptions,
): MessageSendBody {
  const { channel, user, locale, tenant, data, profile } = options
  const brand = options.brand ?? draft.brand?.id
  // Words of the profile, and addresses that lead nowhere.
  const contact = user === undefined ? { ...profile, ...sampleContact } : { user_id: user }
  return {
    message: {
      to: { ...contact, ...(locale !== undefined && { locale }) },
      content: contentOf(draft),
      data,
      routing: { method: 'all', channels: [channel] },
      ...(brand !== undefined && { brand_id: brand }),
      ...(tenant !== undefined && { context: { tenant_id: tenant } }),
    },
  }
}
