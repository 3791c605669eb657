/** The one connection to the server: the typed client, signed in by the cookie of the session. */
import { type Identity, isPostriderError, Postrider } from '@postrider/client'
import { QueryClient } from '@tanstack/react-query'
import { pathOf, serverUrl } from '../address.ts'
import { interruption } from './interruption.ts'

export const api = new Postrider({
  baseUrl: serverUrl,
  session: true,
  // Queries repeat reading and show that they do; a change that fails is shown at once, for a person to decide.
  retries: 0,
  fetch: sessionFetch,
})

const STALE_MS = 5_000
const RETRIES_MAX = 2
/** Beyond this wait, a person is shown the failure, with the time of the server. */
const RETRY_WAIT_MS_MAX = 4_000
const SESSION_PATH = pathOf('/session')
const SESSION_HEADER = 'x-postrider-session'
const KEY_HEADER = 'x-postrider-session-key'

export const sessionKey = ['session'] as const

/** The session has ended or was revoked. */
export const isSignedOut = (error: unknown) => isPostriderError(error) && error.status === 401

/** No answer, or none that says that the call was refused: the next attempt can do better. */
export const isServerFailure = (error: unknown) =>
  isPostriderError(error) && (error.status === undefined || error.status >= 500 || error.status === 429)

/** A call that only creates has an id that exists. */
export const isTaken = (error: unknown) => isPostriderError(error) && error.code === 'already_exists'

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      retry: (count, error) =>
        count < RETRIES_MAX &&
        (!isPostriderError(error) || isServerFailure(error)) &&
        (retryAfterOf(error) ?? 0) <= RETRY_WAIT_MS_MAX,
      retryDelay: (count, error) => retryAfterOf(error) ?? Math.min(1_000 * 2 ** count, RETRY_WAIT_MS_MAX),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

export const retryAfterOf = (error: unknown): number | undefined =>
  isPostriderError(error) ? error.retryAfterMs : undefined

/**
 * Names the environment and the key of this tab, so that a call never acts in another one or with another person's key,
 * and notices when the session was ended or switched elsewhere.
 */
async function sessionFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const session = queries.getQueryData<Identity | null>(sessionKey)
  if (!session || new URL(String(input)).pathname === SESSION_PATH) return fetch(input, init)
  const headers = new Headers(init.headers)
  headers.set(SESSION_HEADER, session.environment)
  headers.set(KEY_HEADER, session.key.id)
  const endedBefore = interruption.ended()
  const response = await fetch(input, { ...init, headers })
  if (response.status === 401 && endedBefore === interruption.ended()) interruption.set({ kind: 'ended' })
  // One of several conflicts is that another tab has switched the environment, which only the session shows.
  if (response.status === 409) void queries.invalidateQueries({ queryKey: sessionKey })
  return response
}
