/** Where the changed record is shown. */
const screens: Readonly<Record<string, string>> = {
  integration: '/integrations',
  webhook: '/webhooks',
  notification: '/templates',
  brand: '/brands',
  automation: '/automations',
  message: '/messages',
}

/** Undefined for records without a screen of their own, and for those that are gone. */
export function addressOf(type: string, target: string): string | undefined {
  const [record = '', change = ''] = type.split(':')
  const screen = screens[record]
  return screen && change !== 'deleted' ? `${screen}/${encodeURIComponent(target)}` : undefined
}
