/** An HTTP peer that records every request and replies as the test scripts it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Inbound, inbound } from './inbound.ts'

export interface Recorded {
  method: string
  /** With the query string. */
  path: string
  /** Lower-case names. */
  headers: Record<string, string>
  body: string
  /** Milliseconds since the epoch, when the last byte of the body was in. */
  at: number
}

export interface ScriptedReply {
  status?: number
  headers?: Record<string, string>
  /** An object is sent as JSON. */
  body?: string | object
  delayMs?: number
  /** The reply is given when it resolves. */
  after?: Promise<unknown>
  /** `hang` reads the request and never answers, `reset` cuts the connection instead of answering. */
  instead?: 'hang' | 'reset'
}

export type Script = ScriptedReply | ((request: Recorded) => ScriptedReply)

/** A text matches the path before `?`. */
export type Match = string | ((request: Recorded) => boolean)

export interface Recorder extends Inbound<Recorded> {
  url: string
  /** From now on, requests that match get this answer, `times` times at most; the latest rule that matches wins. */
  answer(match: Match, script: Script, times?: number): void
  /** The same, but the reply is given when the returned function is called. */
  hold(match: Match, reply?: ScriptedReply, times?: number): () => void
  /** Requests whose callers went away without a reply. */
  abandoned(): number
  close(): Promise<void>
}

interface Rule {
  matches(request: Recorded): boolean
  script: Script
  left: number
}

/** Listens on a random loopback port; without a rule the answer is 200 `{}`. */
export async function startRecorder(): Promise<Recorder> {
  const kept = inbound<Recorded>('request')
  const rules: Rule[] = []
  let abandoned = 0

  const server = createServer((request, response) => {
    request.on('error', () => {})
    response.on('close', () => {
      if (!response.writableFinished) abandoned += 1
    })
    read(request).then((recorded) => {
      const rule = rules.find((candidate) => candidate.left > 0 && candidate.matches(recorded))
      if (rule) rule.left -= 1
      const script = rule?.script ?? {}
      const answer = typeof script === 'function' ? script(recorded) : script
      kept.add(recorded)
      if (answer.delayMs) setTimeout(give, answer.delayMs, response, answer)
      else if (answer.after) answer.after.then(() => give(response, answer))
      else give(response, answer)
    }, ignoreAborted)
  })
  const url = await new Promise<string>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
    })
  })

  const answer: Recorder['answer'] = (match, script, times = Number.POSITIVE_INFINITY) => {
    const matches = typeof match === 'string' ? (request: Recorded) => request.path.split('?')[0] === match : match
    rules.unshift({ matches, script, left: times })
  }

  return {
    ...kept,
    url,
    abandoned: () => abandoned,
    answer,
    hold(match, reply, times) {
      let release = () => {}
      const after = new Promise<void>((resolve) => {
        release = resolve
      })
      answer(match, { ...reply, after }, times)
      return release
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}

async function read(request: IncomingMessage): Promise<Recorded> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  // A client that was killed half-way through its body has made no request.
  if (!request.complete) throw new Error('The request was cut off')
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value)
  const body = Buffer.concat(chunks).toString('utf8')
  return { method: request.method ?? '', path: request.url ?? '', headers, body, at: Date.now() }
}

function give(response: ServerResponse, answer: ScriptedReply): void {
  if (answer.instead === 'hang') return
  if (answer.instead === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  const json = typeof answer.body !== 'string'
  response.writeHead(answer.status ?? 200, { ...(json && { 'content-type': 'application/json' }), ...answer.headers })
  response.end(json ? JSON.stringify(answer.body ?? {}) : answer.body)
}

/** A client that went away before its request was complete leaves nothing to record. */
function ignoreAborted(): void {}
