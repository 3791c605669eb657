/** POST /auth/issue-token. */
import { tokenLifetimeMsMax } from '@postrider/contract'
import { forbidden, invalidField } from '../../../base/errors.ts'
import { parseDuration, SECOND } from '../../../base/time/duration.ts'
import { success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'
import { checkScope, issueToken } from '../../token.ts'

export const auth = {
  'auth.issueToken': async ({ body: { scope, expires_in } }, { app, caller, now }) => {
    checkScope(scope)
    const { workspaceId, keyId, session } = caller
    // A token is good as long as a key of its own environment.
    if (session && session.keyWorkspaceId !== workspaceId)
      throw forbidden(
        'key_environment',
        'A token needs a key of its environment; the session is switched to another one',
      )
    const expires = now + lifetimeOf(expires_in)
    return success('auth.issueToken', {
      token: await issueToken(app.secretKey, { workspaceId, keyId, scope }, now, expires),
    })
  },
} satisfies ResourceHandlers<'auth'>

/** A number counts seconds, also when it is written as a text. */
function lifetimeOf(duration: string | number): number {
  const number = typeof duration === 'number' || /^\d{1,15}(\.\d{1,9})?$/.test(duration) ? Number(duration) : undefined
  const lifetime = number === undefined ? parseDuration(String(duration)) : number * SECOND
  if (lifetime === undefined)
    throw invalidField('expires_in', 'must be a number of seconds or a duration such as `2 days`')
  if (lifetime < SECOND || lifetime > tokenLifetimeMsMax)
    throw invalidField('expires_in', 'must be at least a second and at most 366 days')
  return lifetime
}
