/** A definition: a template or an automation as it is kept in a file, and how a kind of them is read from a server and written to it. */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Postrider } from '@postrider/client'

export type Document = Record<string, unknown>

export interface Definition {
  /** Names it on every server and, encoded, its file. */
  name: string
  document: Document
}

/** A definition as a server has it. */
export interface ServerDefinition extends Definition {
  /** The id on this server. */
  id: string
  /** The entity tag for `If-Match`; absent where writes have no condition. */
  version?: number | undefined
}

export interface DefinitionKind<Options = unknown> {
  noun: string
  plural: string
  /** Where the files are unless the caller says otherwise. */
  folder: string
  /** Keys of a document in the order in which they are written. */
  fields: readonly string[]
  /**
   * A definition is one text, in files with this ending; absent: it is JSON. The document has the text in `field`. `decode`
   * reads other encodings than UTF-8, and gives undefined for what it cannot read.
   */
  textFile?: { extension: string; field: string; decode?(bytes: Buffer): string | undefined }
  /** Why a name can be none of this kind, as the end of a sentence about its file. */
  nameProblem?(name: string): string | undefined
  /** The document with everything that is the same when it is left out: two that mean the same are equal. */
  complete(document: Document, name: string): Document
  /** The opposite of `complete`: the document as a person would write it. */
  brief(document: Document, name: string): Document
  readAll(client: Postrider, progress: (done: number, all: number) => void): Promise<ServerDefinition[]>
  /** Undefined when there is none. */
  readOne(client: Postrider, name: string): Promise<ServerDefinition | undefined>
  /** Throws a `PostriderError` for what the server would refuse; gives warnings. Writes nothing. */
  check(client: Postrider, definition: Definition, options: Options): Promise<string[]>
  /**
   * Replaces only the version of `server`, where there is one, else throws `changed_since`. Gives the document as it was
   * stored.
   */
  write(
    client: Postrider,
    definition: Definition,
    server: ServerDefinition | undefined,
    options: Options,
  ): Promise<Document>
  remove(client: Postrider, id: string): Promise<void>
  /** The remaining work for a definition that is stored as the folder has it; undefined for none. */
  finish?(client: Postrider, server: ServerDefinition, options: Options): Promise<(() => Promise<void>) | undefined>
}

export const isObject = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isSame = (left: Document, right: Document): boolean => isDeepStrictEqual(left, right)

/** The same for documents that differ in the order of their keys alone. */
export function digestOf(document: Document): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(document)))
    .digest('hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const keys = Object.keys(value).sort()
  return keys.map((key) => [key, sorted(value[key])])
}

/** As many calls as a server answers quickly, without keeping others waiting. */
const CALLS_MAX = 8

export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  progress: (done: number, all: number) => void = () => undefined,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length)
  let next = 0
  let done = 0
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await work(items[index] as Item)
      done += 1
      progress(done, items.length)
    }
  }
  await Promise.all(Array.from({ length: Math.min(CALLS_MAX, items.length) }, worker))
  return results
}
