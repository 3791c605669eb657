/** The way back from a record to the list that it was opened from, as that was left: its filters, its place, its row. */
import type { HistoryState } from '@tanstack/react-router'
import { home } from '../address.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The entry of the list in the history of the browser. */
    listIndex?: number | undefined
  }
}

/** The state of the browser's entry; the router counts its entries. */
interface EntryState extends HistoryState {
  __TSR_index: number
}

/** The state of a record that is opened from the list at this path, or from another record that was. */
export const openedFrom =
  (path: string) =>
  ({ listIndex, __TSR_index }: EntryState): HistoryState => ({
    listIndex: location.pathname === `${home.slice(0, -1)}${path}` ? __TSR_index : listIndex,
  })

/** How far the list is in the history; undefined where it is not known. */
export const stepsToList = ({ listIndex, __TSR_index }: EntryState): number | undefined =>
  listIndex !== undefined && listIndex < __TSR_index ? listIndex - __TSR_index : undefined

let left: string | undefined

/** Before the way back: the keys of the list go on from this record. */
export function leaveRecord(id: string): void {
  left = id
}

/** The id of the record that was left, for the list that is shown next. */
export function takeLeftRecord(): string | undefined {
  const id = left
  left = undefined
  return id
}
