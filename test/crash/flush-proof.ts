/** Reads what strace wrote: was each reply to a send written after a flush of the log that began after its request? Pure. */

export interface Proof {
  /** Replies `2xx` to `POST /send`. */
  replies: number
  /** Those without a whole, successful flush between request and reply. */
  unproven: string[]
  /** Flushes of the write-ahead log that succeeded. */
  flushes: number
  /** Flushes of anything that failed. */
  failed: number
}

interface Syscall {
  /** Places in the order strace saw things happen. */
  begin: number
  end: number
  name: string
  text: string
}

const FLUSH = /^f(?:data)?sync$/
const LOG = /\/pg_wal\//

export function proofOf(trace: string): Proof {
  const calls = syscalls(trace)
  const flushes = calls.filter(({ name, text }) => FLUSH.test(name) && LOG.test(text) && / = 0$/.test(text))
  const requests = new Map<string, { send: boolean; at: number }>()
  const proof: Proof = { replies: 0, unproven: [], flushes: flushes.length, failed: 0 }
  for (const { name, text, begin, end } of calls) {
    if (FLUSH.test(name) && / = -1 /.test(text)) proof.failed += 1
    const socket = /<(TCP:\[[^\]]+\])>/.exec(text)?.[1]
    if (!socket) continue
    if (name === 'read' && / = [1-9]\d*$/.test(text)) {
      // The body may come in a second read: the last one counts.
      const send = /"POST \/send /.test(text) || (requests.get(socket)?.send ?? false)
      requests.set(socket, { send, at: end })
    }
    if (!/^writev?$/.test(name) || !/"HTTP\/1\.1 /.test(text)) continue
    const request = requests.get(socket)
    requests.delete(socket)
    if (!request?.send || !/"HTTP\/1\.1 2/.test(text)) continue
    proof.replies += 1
    if (!flushes.some((flush) => flush.begin > request.at && flush.end < begin)) proof.unproven.push(text.slice(0, 200))
  }
  return proof
}

/** A call that others interrupted stands on two lines: where it began and where it ended. */
function syscalls(trace: string): Syscall[] {
  const open = new Map<string, { begin: number; text: string }>()
  const calls: Syscall[] = []
  for (const [index, line] of trace.split('\n').entries()) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const unfinished = /^(.*?) *<unfinished \.\.\.>$/.exec(rest)
    if (unfinished) {
      open.set(thread, { begin: index, text: unfinished[1] ?? '' })
      continue
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)
    const { begin, text } = resumed ? (open.get(thread) ?? { begin: index, text: '' }) : { begin: index, text: '' }
    const whole = (resumed ? text + resumed[1] : rest).replace(/ \(INJECTED\)$/, '').trimEnd()
    const name = /^(\w+)\(/.exec(whole)?.[1]
    if (name) calls.push({ begin, end: index, name, text: whole })
  }
  return calls
}
