/** Saving a draft: after a pause, never over another change, and again when the network fails. */
import { type Notification, type NotificationWrite, PostriderError } from '@postrider/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { setFields } from '../blocks/blocks.ts'
import { type Draft, type DraftServer, DraftStore } from './draft-store.ts'

const start: Notification = {
  ...{ id: 't1', state: 'DRAFT', created: 1, creator: 'key/a', updated: 1, version: 'draft' },
  ...{ name: 'Welcome', tags: [], brand: null, subscription: null, routing: null, settings: {} },
  content: { version: '2022-01-01', elements: [{ type: 'text', content: 'Hello' }] },
}

/** A server with compare-and-set, as the API is. */
function fakeServer() {
  const state = { stored: start, clock: 1, saves: 0, failure: undefined as Error | undefined }
  const write = (notification: NotificationWrite['notification']): Notification => {
    state.clock += 1
    const { alias: _alias, ...fields } = notification
    state.stored = { ...state.stored, ...(fields as Partial<Notification>), updated: state.clock }
    return state.stored
  }
  const server: DraftServer = {
    load: async () => state.stored,
    async replace({ notification }, { ifMatch }) {
      state.saves += 1
      if (state.failure) throw state.failure
      if (ifMatch !== state.stored.updated)
        throw new PostriderError('Changed', { kind: 'api', status: 409, code: 'changed_since' } as never)
      return write(notification)
    },
  }
  return { server, state, write }
}

const type = (text: string) => (draft: Draft) => ({
  ...draft,
  blocks: setFields(draft.blocks, draft.blocks[0]?.key ?? '', { content: text }),
})
const words = ({ content }: Notification) => (content.elements[0] as { content: string }).content

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('changes are saved together after a pause, and nothing is sent without one', async () => {
  const { server, state } = fakeServer()
  const store = new DraftStore(start, server)
  store.edit(type('Hi'), 'content')
  store.edit(type('Hi there'), 'content')
  expect(store.snapshot().save.kind).toBe('changed')
  await vi.runAllTimersAsync()
  expect([state.saves, words(state.stored), store.snapshot().save.kind]).toEqual([1, 'Hi there', 'saved'])
  await store.flush()
  expect(state.saves).toBe(1)
})

test('a flush saves after a save in progress that is refused', async () => {
  const { server, state } = fakeServer()
  const { replace } = server
  server.replace = async (...write) => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return replace(...write)
  }
  const store = new DraftStore(start, server)
  state.failure = new PostriderError('Signed out', { kind: 'api', status: 401 } as never)
  store.edit(type('Hi'))
  await vi.advanceTimersByTimeAsync(1_250)
  const isSaved = store.flush()
  await vi.advanceTimersByTimeAsync(50)
  state.failure = undefined
  await vi.runAllTimersAsync()
  expect([await isSaved, state.saves, words(state.stored)]).toEqual([true, 2, 'Hi'])
})

test('a draft that was changed elsewhere is not overwritten until the reader decides', async () => {
  const { server, state, write } = fakeServer()
  const mine = new DraftStore(start, server)
  write({ ...start, content: { elements: [{ type: 'text', content: 'Theirs' }] } })
  mine.edit(type('Mine'))
  expect(await mine.flush()).toBe(false)
  expect([mine.snapshot().save.kind, words(state.stored)]).toEqual(['conflict', 'Theirs'])
  mine.edit(type('Mine, more'))
  await vi.runAllTimersAsync()
  expect(words(state.stored)).toBe('Theirs')
  mine.keepMine()
  await vi.runAllTimersAsync()
  expect(words(state.stored)).toBe('Mine, more')
})

test('theirs is taken in one step that can be undone', async () => {
  const { server, state, write } = fakeServer()
  const mine = new DraftStore(start, server)
  write({ ...start, content: { version: '2022-01-01', elements: [{ type: 'text', content: 'Theirs' }] } })
  mine.edit(type('Mine'))
  await mine.flush()
  mine.takeTheirs()
  expect(mine.isDirty()).toBe(false)
  mine.undo()
  await vi.runAllTimersAsync()
  expect(words(state.stored)).toBe('Mine')
})

test('a publication of the same draft elsewhere is no conflict', async () => {
  const { server, state } = fakeServer()
  const store = new DraftStore(start, server)
  state.stored = { ...state.stored, updated: 5 }
  store.edit(type('Mine'))
  expect(await store.flush()).toBe(true)
  expect(words(state.stored)).toBe('Mine')
})

test('a later draft is shown at once where nothing is unsaved, and is a conflict where something is', () => {
  const { server } = fakeServer()
  const theirs = { ...start, updated: 9, name: 'New name' }
  const clean = new DraftStore(start, server)
  clean.receive(theirs)
  expect(clean.snapshot().history.present.name).toBe('New name')
  const dirty = new DraftStore(start, server)
  dirty.edit(type('Mine'))
  dirty.receive(theirs)
  expect(dirty.snapshot().save.kind).toBe('conflict')
})

test('a save that the network fails is tried again; a rejected one waits for the next change', async () => {
  const { server, state } = fakeServer()
  const store = new DraftStore(start, server)
  state.failure = new PostriderError('No network', { kind: 'connection' } as never)
  store.edit(type('Hi'))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(store.snapshot().save.kind).toBe('failed')
  state.failure = undefined
  await vi.advanceTimersByTimeAsync(6_000)
  expect(words(state.stored)).toBe('Hi')
  state.failure = new PostriderError('Invalid', { kind: 'api', status: 400 } as never)
  store.edit(type('{{bad'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state.saves).toBe(3)
})
