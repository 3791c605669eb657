/** Providers that record what they receive, and all deliveries since a given time in one shape. */

import type { App } from '../../support/app.ts'
import { type Recorded, type Recorder, type ScriptedReply, startRecorder } from '../../support/peers/recorder.ts'
import { integrate } from '../../system/templates.ts'
import { call } from '../wire/wire.ts'
import type { CorpusFile, ExpectedDelivery } from './corpus.ts'

export interface Delivery {
  by: ExpectedDelivery['by']
  to: string
  channel?: string
  /** The text that the recipient reads. */
  text: string
  body: unknown
}

export interface Sinks {
  /** The origin of the test's own peer: what callers name as their webhook or data source. */
  peerUrl: string
  /** All deliveries since the last call, those of the mailbox for these messages. */
  read(app: App, messageIds: readonly string[]): Promise<Delivery[]>
  close(): Promise<void>
}

const PROVIDERS = ['sendgrid', 'twilio', 'slack', 'peer'] as const
type Recording = (typeof PROVIDERS)[number]

const ANSWERS: Record<Recording, ScriptedReply> = {
  sendgrid: { status: 202, body: '' },
  twilio: { status: 201, body: { sid: 'SM1', status: 'queued' } },
  slack: { body: { ok: true, ts: '1.2', channel: 'C1', user: { id: 'U1' } } },
  peer: { body: { headline: 'From the peer' } },
}

async function startRecorders(): Promise<Record<Recording, Recorder>> {
  const started = PROVIDERS.map(async (name) => {
    const recorder = await startRecorder()
    recorder.answer(() => true, ANSWERS[name])
    return [name, recorder] as const
  })
  return Object.fromEntries(await Promise.all(started)) as Record<Recording, Recorder>
}

/** Adds the integrations that a file names; they are in force when this returns. */
export async function connect(app: App, integrations: CorpusFile['integrations']): Promise<Sinks> {
  const recorders = await startRecorders()
  const settings = {
    sendgrid: { apiKey: 'key', fromAddress: 'news@shop.example', baseUrl: recorders.sendgrid.url },
    twilio: { accountSid: 'AC1', authToken: 'token', from: '+15005550006', baseUrl: recorders.twilio.url },
    slack: { accessToken: 'xoxb-own', baseUrl: recorders.slack.url },
    webhook: { url: `${recorders.peer.url}/own` },
  }
  for (const provider of integrations) await integrate(app.client, { provider, settings: settings[provider] })
  const counts = { sendgrid: 0, twilio: 0, slack: 0, peer: 0 }

  return {
    peerUrl: recorders.peer.url,
    async read(app, messageIds) {
      const deliveries: Delivery[] = []
      for (const by of PROVIDERS) {
        const calls = recorders[by].all.slice(counts[by])
        counts[by] += calls.length
        for (const call of calls) if (isDelivery(call)) deliveries.push(readers[by](call))
      }
      for (const id of messageIds) deliveries.push(...(await mailboxOf(app, id)))
      return deliveries
    },
    async close() {
      await Promise.all(PROVIDERS.map((by) => recorders[by].close()))
    },
  }
}

/** A chat user is looked up before the message; a request to a data source counts as a delivery to the peer. */
const isDelivery = ({ path }: Recorded) => !path.endsWith('/users.lookupByEmail')

const readers: Record<Recording, (call: Recorded) => Delivery> = {
  sendgrid({ body }) {
    const mail = JSON.parse(body)
    const parts = mail.content.map(({ value }: { value: string }) => value)
    const to = mail.personalizations[0].to.map(({ email }: { email: string }) => email).join(' ')
    return { by: 'sendgrid', to, text: [mail.subject, ...parts].join('\n'), body: mail }
  },
  twilio({ body }) {
    const form = Object.fromEntries(new URLSearchParams(body))
    return { by: 'twilio', to: form.To ?? '', text: form.Body ?? '', body: form }
  },
  slack({ body, path, headers }) {
    const form = headers['content-type'] === 'application/json' ? JSON.parse(body) : formOf(body)
    return {
      by: 'slack',
      to: form.channel ?? path,
      text: form.text ?? '',
      body: { ...form, path, login: headers.authorization },
    }
  },
  peer({ body, path, method, headers }) {
    const sent = body === '' ? {} : JSON.parse(body)
    return { by: 'peer', to: path, text: body, body: { method, headers, body: sent } }
  },
}

/** Values of a form are JSON where they are not plain text. */
function formOf(body: string): Record<string, string> {
  const form: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(body)) form[name] = /^[[{]/.test(value) ? JSON.parse(value) : value
  return form
}

async function mailboxOf(app: App, messageId: string): Promise<Delivery[]> {
  const { json } = await call(app, 'GET', `/mailbox?message_id=${messageId}`)
  return json.results.map(({ channel, recipient, content }: ReturnType<typeof JSON.parse>) => ({
    by: 'mailbox',
    to: content.to?.address ?? recipient,
    channel,
    text: JSON.stringify(content),
    body: content,
  }))
}
