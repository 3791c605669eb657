/** POST /auth/issue-token. */
import { tokenLifetimeMsMax } from '@postrider/contract'
import { invalidField } from '../../../base/errors.ts'
import { parseDuration, SECOND } from '../../../base/time/duration.ts'
import { success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'
import { checkScope, issueToken } from '../../token.ts'

export const auth = {
  'auth.issueToken': async ({ body: { scope, expires_in } }, { app, caller, now }) => {
    checkScope(scope)
    const { workspaceId, keyId } = caller
    const expires = now + lifetimeOf(expires_in)
    return success('auth.issueToken', {
      token: await issueToken(app.secretKey, { workspaceId, keyId, scope }, now, expires),
    })
  },
} satisfies ResourceHandlers<'auth'>

/** A number counts seconds, also when it is written as a text. */
function lifetimeOf(given: string | number): number {
  const number = typeof given === 'number' || /^\d{1,15}(\.\d{1,9})?$/.test(given) ? Number(given) : undefined
  const lifetime = number === undefined ? parseDuration(String(given)) : number * SECOND
  if (lifetime === undefined)
    throw invalidField('expires_in', 'must be a number of seconds or a duration such as `2 days`')
  if (lifetime < SECOND || lifetime > tokenLifetimeMsMax)
    throw invalidField('expires_in', 'must be at least a second and at most 366 days')
  return lifetime
}
