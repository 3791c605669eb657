/** `postrider auth …`: tokens for browsers and apps. */
import type { Resource } from '../../operations/resource.ts'

export const auth: Resource = {
  name: 'auth',
  description: 'Issue tokens for browsers and apps, limited to users and permissions.',
  commands: [
    {
      name: 'token',
      operation: 'auth.issueToken',
      examples: [
        `token scope='user_id:ada read:preferences write:preferences' expires_in='2 days'`,
        `token scope='user_id:ada read:messages' expires_in=10h --json | jq -r .token`,
      ],
    },
  ],
}
