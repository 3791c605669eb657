/** The picture of a message's life as ARCHITECTURE shows it, drawn from the kinds and statuses that the code knows. */
import { type MessageStatus, messageStatuses } from '@postrider/contract'
import { isTest, type Source } from './source.ts'

/** The type in which a decision of this kind names its statuses; a kind without one goes on to deliveries. */
const RESULT_OF: Readonly<Record<string, string | undefined>> = {
  postponed: 'Postponement',
  stopped: 'Ending',
  digested: 'DigestStop',
  routed: undefined,
}

/** Reserved by the API: no part of the server sets them on a message. */
const NEVER_SET: readonly MessageStatus[] = ['THROTTLED']

/** Each stage is a type of this name, exported by a file of `server/src/messages`. */
const STAGES = {
  leased: '["LeasedMessage"]',
  loaded: '["LoadedMessage"]',
  decided: '{"Decision"}',
  delivering: '["DeliveringMessage"]',
} as const

type Stage = keyof typeof STAGES

/** An arrow from one stage to the next, or to the statuses of a message. */
interface Arrow {
  from: Stage | MessageStatus | 'accepted'
  label: string
  /** Absent: the statuses that `code` captures. */
  to?: Stage | MessageStatus | 'accepted'
  /** The code that does it, in a file of `server/src`: an arrow without it is an error. */
  file: string
  code: RegExp
}

const SETTLEMENT = 'messages/deliver/settlement.ts'
const PROCESS = 'messages/process-message.ts'

const BEFORE_DECISION: readonly Arrow[] = [
  {
    from: 'accepted',
    to: 'leased',
    label: 'leased in the same commit, or claimed when due',
    file: 'database/tables/messages/live-messages.ts',
    code: /messageQueue = defineQueue/,
  },
  {
    from: 'accepted',
    label: 'canceled while it has no lease',
    file: 'database/tables/messages/cancellations.ts',
    code: /changes: \{\s+status: "'([A-Z]+)'",\s+canceled_at/g,
  },
  {
    from: 'leased',
    label: 'dead-lettered before a provider accepted it',
    file: 'messages/poison-messages.ts',
    code: /const status = isSent \? .+ : '([A-Z]+)'/g,
  },
  {
    from: 'leased',
    to: 'loaded',
    label: 'load: the facts of a batch, one query for each kind',
    file: 'messages/load/load.ts',
    code: /loadLeased\(.+Promise<LoadedMessage\[\]>/,
  },
  {
    from: 'loaded',
    label: 'canceled, or its recipient is being erased',
    file: SETTLEMENT,
    code: /state: \{ status: '([A-Z]+)', dueAt: null, keepLease: false, canceledAt/g,
  },
  {
    from: 'loaded',
    to: 'accepted',
    label: 'paused before its decision',
    file: SETTLEMENT,
    code: /const status = snapshot \? statusOf\('open', deliveries\) : 'ENQUEUED'/,
  },
  {
    from: 'loaded',
    to: 'decided',
    label: 'decide: pure, five steps',
    file: PROCESS,
    code: /switch \(decision\.kind\)/,
  },
]

/** The statuses of the deliveries of a message that `statusOf` gives. */
const REACHED: Readonly<Partial<Record<MessageStatus, string>>> = {
  CLICKED: 'a link is clicked',
  OPENED: 'the message is opened',
  DELIVERED: 'accepted, where acceptance is delivery: mailbox, webhook, some chats',
  SENT: 'accepted by any other provider',
  UNDELIVERABLE: 'every candidate has failed, or a later decision stops it',
  ROUTED: 'a retry is due later, or it is paused or postponed',
}
/** A receipt changes a message that is final by the same rule. */
const BY_RECEIPT: ReadonlySet<string> = new Set(['CLICKED', 'OPENED'])

const AFTER_DECISION: readonly Arrow[] = [
  {
    from: 'decided',
    label: 'stopped, but a repair of an integration can help, and the workspace holds messages',
    file: SETTLEMENT,
    code: /heldByDecision\([\s\S]*?state: \{ status: '([A-Z]+)', dueAt: until/g,
  },
  {
    from: 'delivering',
    label: 'only a repair of an integration can help, and the workspace holds messages',
    file: SETTLEMENT,
    code: /state: \{ status: '([A-Z]+)', dueAt: until/g,
  },
  {
    from: 'HELD',
    to: 'leased',
    label: 'released, or its time is over',
    file: 'messages/release.ts',
    code: /const next = status === 'HELD' \? /,
  },
  {
    from: 'delivering',
    label: 'sent with a mock key',
    file: 'messages/deliver/deliver.ts',
    code: /const state: MessageState = \{ status: '(SIMULATED)'/g,
  },
  {
    from: 'ROUTED',
    to: 'leased',
    label: 'due, or its lease has expired after a crash',
    file: 'database/leased-queue.ts',
    code: /due_at <= :now/,
  },
  {
    from: 'delivering',
    to: 'CANCELED',
    label: 'canceled before a provider accepted it',
    file: 'messages/deliver/deliver.ts',
    code: /if \(cancellation\) return canceledSettlement\(/,
  },
  {
    from: 'SENT',
    label: 'receipt of a bounce',
    file: 'receipts/apply.ts',
    code: /return \{ status: '(UNDELIVERABLE)', error/g,
  },
  ...(
    [
      ['SENT', 'DELIVERED', 'a receipt confirms delivery'],
      ['UNDELIVERABLE', 'DELIVERED', 'a receipt says that it arrived'],
      ['DELIVERED', 'OPENED', 'the message is opened'],
      ['DELIVERED', 'CLICKED', 'a link is clicked'],
      ['OPENED', 'CLICKED', 'a link is clicked'],
    ] as const
  ).map(
    ([from, to, label]): Arrow => ({
      ...{ from, to, label },
      file: 'receipts/apply.ts',
      code: /status: statusOf\('accepted', deliveries\)/,
    }),
  ),
  {
    from: 'UNDELIVERABLE',
    to: 'leased',
    label: 'its dead letter is released',
    file: 'database/tables/messages/live-messages.ts',
    code: /where: `t\.status = 'UNDELIVERABLE' and t\.reason = 'FAILED'/,
  },
]

/** The stages are types, an arrow is what leads from one to the next, statuses are rounded. */
export function messageLife(sources: readonly Source[]): string {
  const decisions = kindsOf(sources).flatMap((kind) => exitOf(sources, kind))
  const [later = '', now = ''] = capturesOf(sources, {
    file: 'messages/message-row.ts',
    code: /status: due > now \? '([A-Z]+)' : '([A-Z]+)'/g,
  })
  for (const node of Object.values(STAGES))
    textWith(sources, new RegExp(`^export (?:interface|type|class) ${/\w+/.exec(node)?.[0]}\\b`, 'm'))
  const lines = [
    `accepted(["${now} or ${later}: committed, then answered"])`,
    ...Object.entries(STAGES).map(([stage, node]) => `${stage}${node}`),
    ...BEFORE_DECISION.flatMap((arrow) => drawn(sources, arrow)),
    ...decisions,
    ...reached(sources),
    ...AFTER_DECISION.flatMap((arrow) => drawn(sources, arrow)),
  ]
  const picture = ['```mermaid', 'flowchart TB', ...lines.map((line) => `  ${line}`), '```'].join('\n')
  const missing = messageStatuses.filter((status) => !NEVER_SET.includes(status) && !picture.includes(status))
  if (missing.length > 0) throw new Error(`The picture of a message's life lacks ${missing.join(', ')}`)
  return picture
}

function drawn(sources: readonly Source[], { from, to, label, ...evidence }: Arrow): string[] {
  const captures = capturesOf(sources, evidence)
  const ends = to === undefined ? captures.map((status) => `${status}([${status}])`) : [to]
  return ends.map((end) => `${from} -- "${label}" --> ${end}`)
}

/** The statuses that `statusOf` of the deliveries returns, each with its cause. */
function reached(sources: readonly Source[]): string[] {
  const text = textOf(sources, SETTLEMENT)
  const start = text.indexOf('export function statusOf(')
  const body = text.slice(start, text.indexOf('\n}\n', start))
  const statuses = new Set([...body.matchAll(/'([A-Z]+)'/g)].map(([, status = '']) => status as MessageStatus))
  const unknown = [...statuses, ...(Object.keys(REACHED) as MessageStatus[])].find(
    (status) => !(statuses.has(status) && status in REACHED),
  )
  if (unknown) throw new Error(`statusOf and the picture of a message's life differ in ${unknown}`)
  return [...statuses].map((status) => {
    const from = BY_RECEIPT.has(status) ? 'SENT' : 'delivering'
    return `${from} -- "${REACHED[status]}" --> ${status}([${status}])`
  })
}

function capturesOf(sources: readonly Source[], { file, code }: Pick<Arrow, 'file' | 'code'>): string[] {
  const text = textOf(sources, file)
  if (!new RegExp(code.source).test(text)) throw new Error(`An arrow of a message's life is not in ${file}: ${code}`)
  return code.global ? [...text.matchAll(code)].flatMap(([, ...captures]) => captures) : []
}

function textOf(sources: readonly Source[], file: string): string {
  const source = sources.find(({ path }) => path === `server/src/${file}`)
  if (!source) throw new Error(`The picture of a message's life names server/src/${file}, which does not exist`)
  return source.text
}

/** The cases by which a decided message leaves. */
function kindsOf(sources: readonly Source[]): string[] {
  const body = textWith(sources, 'switch (decision.kind) {')
  return [...body.slice(0, body.indexOf('\n  }\n')).matchAll(/^ {4}case '(\w+)':/gm)].map(([, kind = '']) => kind)
}

function exitOf(sources: readonly Source[], kind: string): string[] {
  if (!(kind in RESULT_OF)) throw new Error(`Add decisions of kind "${kind}" to the picture of a message's life`)
  const result = RESULT_OF[kind]
  if (result === undefined) return [`decided -- ${kind} --> delivering`]
  const body = textWith(sources, `export interface ${result} {`)
  const [, names = ''] = /^ {2}status: (.+)$/m.exec(body) ?? []
  const statuses = [...names.matchAll(/'([A-Z_]+)'/g)].map(([, status = '']) => status)
  if (kind === 'postponed')
    return statuses.flatMap((status) => [
      `decided -- ${kind} --> ${status}([${status}])`,
      `${status} -- due --> leased`,
    ])
  return statuses.map((status) => `decided -- ${kind} --> ${status}([${status}])`)
}

/** The rest of the text behind its only occurrence. */
function textWith(sources: readonly Source[], start: string | RegExp): string {
  const at = (text: string) => (typeof start === 'string' ? text.indexOf(start) : text.search(start))
  const [source, second] = sources.filter(
    ({ path, text }) => path.startsWith('server/src/messages/') && !isTest(path) && at(text) >= 0,
  )
  if (!source || second)
    throw new Error(`"${start}" is in ${source ? 'several files' : 'no file'} of server/src/messages`)
  return source.text.slice(at(source.text))
}
