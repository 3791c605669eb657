/** The session: its key, its role, its environment; and the gate before all screens. */
import type { Identity } from '@postrider/client'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, use } from 'react'
import { Failed, Loading } from '../parts/states.tsx'
import { api, isSignedOut, queries, sessionKey } from './api.ts'
import { interruption } from './interruption.ts'
import styles from './session.module.css'
import { SignIn } from './sign-in.tsx'

export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: async ({ signal }): Promise<Identity | null> => {
    // As long as this tab shows it, it stays: a session that ended elsewhere takes no draft away.
    const shown = queries.getQueryData<Identity | null>(sessionKey)
    try {
      const session = await api.sessions.identity({ signal })
      const isOthers = shown && shown.key.id !== session.key.id
      if (!shown || (!isOthers && shown.environment === session.environment)) return session
      interruption.set(isOthers ? { kind: 'ended' } : { kind: 'switched', to: session.environment })
      return shown
    } catch (error) {
      if (!isSignedOut(error)) throw error
      if (shown) interruption.set({ kind: 'ended' })
      return shown ?? null
    }
  },
  staleTime: 60_000,
  refetchOnWindowFocus: true,
})

const SessionContext = createContext<Identity | undefined>(undefined)

/** Shows its children while a session is open, and the form otherwise. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { data: session, error, isPending, refetch } = useQuery(sessionQuery)
  if (session) return <SessionContext value={session}>{children}</SessionContext>
  if (isPending || error)
    return (
      <main className={styles.page}>
        <h1>Postrider</h1>
        {isPending ? <Loading rows={8} /> : <Failed error={error} retry={refetch} />}
      </main>
    )
  return <SignIn />
}

export function useSession(): Identity {
  const session = use(SessionContext)
  if (!session) throw new Error('Only screens behind SessionGate know the session')
  return session
}

/** The permissions of the role; the server checks them again. */
export function usePermissions() {
  const { role, kind } = useSession()
  return {
    canEditContent: role === 'full' || role === 'editor',
    canOperate: role === 'full',
    /** An editor's sends call no provider, which only a mock key promises. */
    canTest: role === 'full' || (role === 'editor' && kind === 'mock'),
    /** Sends are decided and rendered, and reach no provider, the mailbox included. */
    onlyRenders: kind === 'mock',
    /** Integrations, API keys, webhooks: only a published key changes them. */
    canConnect: role === 'full' && kind === 'published',
    seesPersonalData: role !== 'viewer',
  }
}
