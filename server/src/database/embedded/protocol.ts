/** What the embedded engine and its thread say to each other. */
import type { Result, Statement } from '../engine.ts'

export interface ThreadOptions {
  folder: string
  /** `create`: make the database, flush it, end. `serve`: open it and answer. */
  task: 'create' | 'serve'
}

export type Ask =
  | { id: number; kind: 'statements'; statements: readonly Statement[]; atomic: boolean }
  | { id: number; kind: 'dump' }
  | { id: number; kind: 'close' }

export type Answer =
  | { kind: 'ready' }
  | { kind: 'notification'; channel: string; payload: string }
  | { id: number; kind: 'results'; results: Result[] }
  | { id: number; kind: 'dumped'; tar: ArrayBuffer }
  | { id: number; kind: 'error'; message: string; code: string }
  /** A statement that must touch a row found none; `place` is its place in the batch. */
  | { id: number; kind: 'overtaken'; place: number }
  | { id: number; kind: 'closed' }
