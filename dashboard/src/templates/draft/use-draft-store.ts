/** The store of the draft that is edited: loaded drafts come in, and what is not saved is saved before the page is left. */
import type { Notification } from '@postrider/client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../session/api.ts'
import { useInterruption } from '../../session/interruption.ts'
import { DraftStore } from './draft-store.ts'

export function useDraftStore(loaded: Notification): DraftStore {
  const queries = useQueryClient()
  const { id } = loaded
  const [store] = useState(
    () =>
      new DraftStore(loaded, {
        load: () => api.notifications.get(id, { version: 'draft' }),
        async replace(body, condition) {
          const saved = await api.notifications.replace(id, body, condition)
          queries.setQueryData(['notification', id, 'draft'], saved)
          void queries.invalidateQueries({ queryKey: ['notification', id, 'versions'] })
          return saved
        },
      }),
  )
  useEffect(() => store.receive(loaded), [store, loaded])
  const isInterrupted = useInterruption() !== undefined
  // A save that was refused because the session had ended is made up for.
  useEffect(() => {
    if (!isInterrupted) void store.flush()
  }, [store, isInterrupted])
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (store.isDirty()) event.preventDefault()
    }
    addEventListener('beforeunload', warn)
    return () => {
      removeEventListener('beforeunload', warn)
      store.close()
    }
  }, [store])
  return store
}
