/** A resource as data: its name, its operations, and its place and text in documents. */
import type { Operation } from './operation.ts'

export interface Resource {
  /** The first half of its operations' ids, and the property of the client. */
  name: string
  /** Documents list resources by ascending position. */
  position: number
  title: string
  description: string
  /** The least role that its changes need; default: `full`. */
  role?: 'editor'
  /** Its replies have nothing of recipients: they are not masked for viewers. */
  impersonal?: true
  operations: readonly Operation[]
}

/** Operations of a resource that is defined in another file. */
export interface ResourceOperations {
  name: string
  operations: readonly Operation[]
}

export const resource = <const R extends Resource>(definition: R): R => definition

export const operationsOf = <const Name extends string, const O extends readonly Operation[]>(
  name: Name,
  operations: O,
): { name: Name; operations: O } => ({ name, operations })

export const resourceOf = (id: string) => id.split('.')[0] ?? id
