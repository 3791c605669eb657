/** `postrider metrics …`: how many messages were accepted, ended and wait. */
import type { Resource } from '../operations/resource.ts'

export const metrics: Resource = {
  name: 'metrics',
  description: 'Figures of messages.',
  commands: [
    {
      name: 'summary',
      operation: 'service.summary',
      description: 'Messages accepted and finished in a window, and waiting now, by status, channel and provider.',
      examples: ['summary', 'summary --window 15m', 'summary --from 2026-11-01 --to 2026-11-08'],
      help: 'Without options: the last 24 hours. Each channel and provider has its accepted, confirmed and failed deliveries.',
    },
  ],
}
