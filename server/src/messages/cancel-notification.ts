/** The notification by which a node requests that others stop messages they have leased. */

export interface CancelNotification {
  ids: readonly string[]
  /** `key/<name>`, `operator`; undefined from a node of the version before, which names ids only. */
  source: string | undefined
}

/** Before the source: no id has it, and a node of the version before takes what follows for another id. */
const SOURCE_MARK = ';'

export const cancelPayload = (ids: readonly string[], source: string): string =>
  [...ids, `${SOURCE_MARK}${source}`].join(',')

export function readCancelPayload(payload: string): CancelNotification {
  const [ids = '', ...source] = payload.split(SOURCE_MARK)
  return {
    ids: ids.split(',').filter((id) => id !== ''),
    source: source.length > 0 ? source.join(SOURCE_MARK) : undefined,
  }
}
