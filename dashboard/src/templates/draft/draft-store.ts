/**
 * The draft of one template while it is edited: its history, and its saving. A save names the
 * version that was read, so that a change made elsewhere is shown and never overwritten silently.
 */
import {
  type Element,
  type IfUnchanged,
  isPostriderError,
  type Notification,
  type NotificationWrite,
} from '@postrider/client'
import { type History, newHistory, recordChange, redo, undo } from '../../parts/history.ts'
import { type Block, blocksOf, elementsOf, type Fields } from '../blocks/blocks.ts'

export interface Draft extends Pick<Notification, 'name' | 'tags' | 'brand' | 'subscription' | 'routing' | 'settings'> {
  alias: string | undefined
  version: string
  blocks: readonly Block[]
}

export type SaveState =
  | { kind: 'saved'; at?: number }
  | { kind: 'changed' }
  | { kind: 'saving' }
  | { kind: 'failed'; error: unknown }
  /** Another draft was saved elsewhere. */
  | { kind: 'conflict'; theirs: Notification }

export interface DraftSnapshot {
  history: History<Draft>
  save: SaveState
  /** As the server has it. */
  base: Notification
}

export interface DraftServer {
  load(): Promise<Notification>
  replace(body: NotificationWrite, condition: IfUnchanged): Promise<Notification>
}

const SAVED_AFTER_MS = 1_200
const TRIED_AGAIN_AFTER_MS = 5_000
const ROUNDS_MAX = 3

export const contentOf = (draft: Pick<Draft, 'version' | 'blocks'>) => ({
  version: draft.version,
  // The compiler of the server judges what an element is.
  elements: elementsOf(draft.blocks) as unknown as Element[],
})

export function draftOf(notification: Notification, before?: Draft): Draft {
  const { name, tags, brand, subscription, routing, settings, content, alias } = notification
  const blocks = blocksOf(content.elements as unknown as Fields[], before?.blocks)
  return { name, tags, brand, subscription, routing, settings, alias, version: content.version, blocks }
}

export const inputOf = (draft: Draft): NotificationWrite['notification'] => {
  const { blocks: _blocks, version: _version, alias, ...others } = draft
  return { ...others, alias: alias ?? null, content: contentOf(draft) }
}

const changedAt = ({ updated, created }: Notification) => updated ?? created
const isSame = (a: Notification, b: Notification) =>
  JSON.stringify(inputOf(draftOf(a))) === JSON.stringify(inputOf(draftOf(b)))

export class DraftStore {
  readonly #server: DraftServer
  readonly #now: () => number
  readonly #readers = new Set<() => void>()
  #snapshot: DraftSnapshot
  /** The state that the server has. */
  #stored: Draft
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined

  constructor(notification: Notification, server: DraftServer, now: () => number = Date.now) {
    this.#server = server
    this.#now = now
    this.#stored = draftOf(notification)
    this.#snapshot = { history: newHistory(this.#stored), save: { kind: 'saved' }, base: notification }
  }

  readonly subscribe = (reader: () => void) => {
    this.#readers.add(reader)
    return () => void this.#readers.delete(reader)
  }
  readonly snapshot = () => this.#snapshot
  readonly isDirty = () => this.#snapshot.history.present !== this.#stored
  readonly undo = () => this.#show(undo(this.#snapshot.history))
  readonly redo = () => this.#show(redo(this.#snapshot.history))

  edit(change: (draft: Draft) => Draft, name?: string): void {
    const { history } = this.#snapshot
    this.#show(recordChange(history, change(history.present), name))
  }

  /** Saves what is not saved, also by a save in progress that is refused; whether all of it is. */
  async flush(): Promise<boolean> {
    await this.#running
    await this.#save()
    return !this.isDirty()
  }

  /** A later version of the server: shown at once unless something here is not saved. */
  receive(theirs: Notification): void {
    const { base } = this.#snapshot
    if (this.#running || changedAt(theirs) <= changedAt(base)) return
    if (isSame(theirs, base)) this.#set({ base: theirs })
    else if (this.isDirty()) this.#set({ save: { kind: 'conflict', theirs } })
    else this.#adopt(theirs)
  }

  readonly takeTheirs = () => {
    const { save } = this.#snapshot
    if (save.kind === 'conflict') this.#adopt(save.theirs)
  }

  readonly keepMine = () => {
    const { save } = this.#snapshot
    if (save.kind !== 'conflict') return
    this.#set({ base: save.theirs, save: { kind: 'changed' } })
    void this.#save()
  }

  /** A last save of what is not saved; nothing follows it. */
  close(): void {
    clearTimeout(this.#timer)
    if (this.isDirty() && this.#snapshot.save.kind !== 'conflict')
      void this.#save().finally(() => clearTimeout(this.#timer))
  }

  #set(next: Partial<DraftSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...next }
    for (const read of this.#readers) read()
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#save(), ms)
  }

  #show(history: History<Draft> | undefined): void {
    const { save, history: former } = this.#snapshot
    if (!history || history === former) return
    this.#set({ history, ...(save.kind !== 'conflict' && { save: { kind: 'changed' } }) })
    this.#later(SAVED_AFTER_MS)
  }

  #save(): Promise<void> {
    clearTimeout(this.#timer)
    this.#running ??= this.#send().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #send(): Promise<void> {
    // Typing goes on while a save is in progress; a few rounds, and then the timer again.
    for (let round = 0; round < ROUNDS_MAX && this.#hasToSave(); round += 1) {
      const draft = this.#snapshot.history.present
      this.#set({ save: { kind: 'saving' } })
      try {
        const condition = { ifMatch: changedAt(this.#snapshot.base) }
        const base = await this.#server.replace({ notification: inputOf(draft) }, condition)
        this.#stored = draft
        this.#set({ base, save: this.isDirty() ? { kind: 'changed' } : { kind: 'saved', at: this.#now() } })
      } catch (error) {
        if (!(await this.#canFollow(error))) return
      }
    }
    if (this.#hasToSave()) this.#later(SAVED_AFTER_MS)
  }

  #hasToSave(): boolean {
    return this.isDirty() && this.#snapshot.save.kind !== 'conflict'
  }

  /** True: the same draft was only published or saved again, and the save can follow it. */
  async #canFollow(error: unknown): Promise<boolean> {
    try {
      if (!isPostriderError(error) || error.code !== 'changed_since') throw error
      const theirs = await this.#server.load()
      const isFree = isSame(theirs, this.#snapshot.base)
      this.#set(isFree ? { base: theirs } : { save: { kind: 'conflict', theirs } })
      return isFree
    } catch (failure) {
      this.#set({ save: { kind: 'failed', error: failure } })
      // A refused draft stays refused until the next change.
      if (!isPostriderError(failure) || (failure.status ?? 500) >= 500) this.#later(TRIED_AGAIN_AFTER_MS)
      return false
    }
  }

  #adopt(base: Notification): void {
    const { history } = this.#snapshot
    this.#stored = draftOf(base, history.present)
    this.#set({ base, history: recordChange(history, this.#stored), save: { kind: 'saved' } })
  }
}
