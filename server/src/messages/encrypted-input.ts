/** The input of a message as it is stored: what is secret in its profile and its override is encrypted. */
import type { TokenCipher } from '../database/token-cipher.ts'
import type { OwnInput, SharedInput } from './send.ts'

/** JSON text. */
export function inputText(tokens: TokenCipher, workspaceId: number, input: Partial<OwnInput & SharedInput>): string {
  const { profile, override } = input
  const sealedProfile = profile && tokens.encrypt(workspaceId, profile)
  const sealedOverride = override && tokens.encryptOverride(workspaceId, override)
  // Most messages hold no token: they are not copied.
  if (sealedProfile === profile && sealedOverride === override) return JSON.stringify(input)
  return JSON.stringify({
    ...input,
    ...(sealedProfile && { profile: sealedProfile }),
    ...(sealedOverride && { override: sealedOverride }),
  })
}
