/** The picture of a message's life as ARCHITECTURE shows it, drawn from the kinds and statuses that the code knows. */
import { type MessageStatus, messageStatuses } from '@postrider/contract'
import type { Source } from './source.ts'

/** The type in which a decision of this kind names its statuses; a kind without one goes on to deliveries. */
const RESULT_OF: Readonly<Record<string, string | undefined>> = {
  paused: 'Postponement',
  stopped: 'Ending',
  digested: 'DigestStop',
  routed: undefined,
}

/** Reserved by the API: no part of the server sets them on a message. */
const NEVER_SET: readonly MessageStatus[] = ['OPENED', 'CLICKED', 'THROTTLED']

/** The stages are types, an arrow is what leads from one to the next, statuses are rounded. */
export function messageLife(sources: readonly Source[]): string {
  const decisions = kindsOf(sources).flatMap((kind) => exitOf(sources, kind))
  const lines = [
    'accepted(["ENQUEUED or DELAYED: committed, then answered"])',
    'accepted -- "leased in the same commit, or claimed when due" --> leased["LeasedMessage"]',
    'leased -- "load: the facts of a batch, one query a kind" --> loaded["LoadedMessage"]',
    'loaded -- "canceled, or its recipient is being erased" --> CANCELED([CANCELED])',
    'loaded -- "decide: pure, six steps" --> decided{"Decision"}',
    ...decisions,
    'delivering -- "a provider accepts" --> SENT([SENT])',
    'delivering -- "acceptance is delivery: mailbox, webhook, chat" --> DELIVERED([DELIVERED])',
    'delivering -- "a retry is due later" --> ROUTED([ROUTED])',
    'ROUTED -- "due, or after a crash when the lease expires" --> leased',
    'delivering -- "every candidate failed, or its time is over" --> UNDELIVERABLE([UNDELIVERABLE])',
    'delivering -- "only a repair of an integration can deliver it, and the workspace holds it" --> HELD([HELD])',
    'HELD -- "released, or its time is over" --> leased',
    'delivering -- "mock key" --> SIMULATED([SIMULATED])',
  ]
  const picture = ['```mermaid', 'flowchart TB', ...lines.map((line) => `  ${line}`), '```'].join('\n')
  const missing = messageStatuses.filter((status) => !NEVER_SET.includes(status) && !picture.includes(status))
  if (missing.length > 0) throw new Error(`The picture of a message's life lacks ${missing.join(', ')}`)
  return picture
}

/** The cases by which a decided message leaves. */
function kindsOf(sources: readonly Source[]): string[] {
  const body = textWith(sources, 'switch (decision.kind) {')
  return [...body.slice(0, body.indexOf('\n  }\n')).matchAll(/^ {4}case '(\w+)':/gm)].map(([, kind = '']) => kind)
}

function exitOf(sources: readonly Source[], kind: string): string[] {
  if (!(kind in RESULT_OF)) throw new Error(`Add decisions of kind "${kind}" to the picture of a message's life`)
  const result = RESULT_OF[kind]
  if (result === undefined) return [`decided -- ${kind} --> delivering["DeliveringMessage"]`]
  const body = textWith(sources, `export interface ${result} {`)
  const [, names = ''] = /^ {2}status: (.+)$/m.exec(body) ?? []
  const statuses = [...names.matchAll(/'([A-Z_]+)'/g)].map(([, status = '']) => status)
  if (kind === 'paused')
    return statuses.flatMap((status) => [
      `decided -- ${kind} --> ${status}([${status}])`,
      `${status} -- due --> leased`,
    ])
  return statuses.map((status) => `decided -- ${kind} --> ${status}([${status}])`)
}

/** The rest of the text behind its only occurrence. */
function textWith(sources: readonly Source[], start: string): string {
  const [found, second] = sources.filter(
    ({ path, text }) => path.startsWith('server/src/messages/') && text.includes(start),
  )
  if (!found || second)
    throw new Error(`"${start}" is in ${found ? 'several files' : 'no file'} of server/src/messages`)
  return found.text.slice(found.text.indexOf(start))
}
