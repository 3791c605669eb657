/** One delivery by a real adapter and the real transport to a server with a fault, and what is left of it. */
import { systemClock } from '@postrider/server/internal/base/time/clock'
import { addressGuard } from '@postrider/server/internal/transport/address-guard'
import { localhost } from '@postrider/server/internal/transport/localhost-certificate.harness'
import { createTransport, type Transport } from '@postrider/server/internal/transport/transport'
import { type Provider, providers } from '@postrider/server/providers'
import { runWith, type Scene } from '@postrider/server/providers/harness'
import { expect } from 'vitest'
import { inTime } from '../support/in-time.ts'
import { until } from '../support/until.ts'
import { connectionFaults } from './connection-faults.ts'
import { expired } from './expired-certificate.ts'
import type { Adapter, Expected, Fault } from './fault.ts'
import { httpFaults } from './http-faults.ts'
import { http2Faults } from './http2-faults.ts'
import { smtpFaults } from './smtp-faults.ts'

export const faults: readonly Fault[] = [...connectionFaults, ...httpFaults, ...http2Faults, ...smtpFaults]

/** Shorter than in production, where an attempt has up to 30 s. */
const LIMIT_MS = 3_000
/** For a busy machine. */
const GRACE_MS = 2_000

export const casesOf = (rows: readonly Fault[]): [adapter: Adapter, name: string, fault: Fault][] =>
  rows.flatMap((fault) =>
    (Object.keys(fault.expect) as Adapter[]).map((key): [Adapter, string, Fault] => [key, fault.name, fault]),
  )

export function openTransport({ trusted = true }: Pick<Fault, 'trusted'>): Transport {
  const authorities = trusted ? { authorities: [localhost.cert, expired.cert] } : {}
  return createTransport({ addresses: addressGuard(true, []), clock: systemClock, ...authorities })
}

/** The outcome is the expected one, within the time limit, and no connection is left. */
export async function checkFault(adapter: Adapter, fault: Fault): Promise<void> {
  const server = await fault.start()
  const transport = openTransport(fault)
  try {
    const began = performance.now()
    const outcome = await deliver(transport, adapter, fault, server.port)
    const ended = performance.now()
    expect(outcome).toMatchObject({ kind: fault.expect[adapter] })
    // Over HTTP/1.1 a connection is of no use after a request without an answer; over HTTP/2 other requests use it.
    if (outcome.kind === 'in_doubt' && !isAnswered(outcome) && adapter !== 'apn') await noneOpen(server)
    await transport.close()
    await noneOpen(server)
    inTime(() => expect(ended - began).toBeLessThan(LIMIT_MS + GRACE_MS))
  } finally {
    await transport.close()
    server.close()
  }
}

export async function deliver(
  transport: Transport,
  adapter: Adapter,
  fault: Fault,
  port: number,
): Promise<{ kind: Expected; error?: string }> {
  const provider = providers.get(adapter)
  if (!provider) throw new Error(`There is no adapter ${adapter}`)
  const scene = sceneOf(provider, fault, port)
  const [request] = runWith(provider, scene, () => NOT_SENT).requests
  if (!request || request.kind === 'keep') throw new Error('The adapter makes no request')
  const { signal } = new AbortController()
  const reply = await transport.perform(request, { signal, timeoutMs: LIMIT_MS })
  return runWith(provider, scene, () => reply).outcome
}

const NOT_SENT = { kind: 'failure', failure: 'connect', message: '', reached: false } as const

function sceneOf(provider: Provider, { encrypted = false, host = 'localhost' }: Fault, port: number): Scene {
  const { settings, profile } = provider.example
  const content = { subject: 'Hi', title: 'Hi', text: 'Hi', body: 'Hi' }
  const url = `${encrypted ? 'https' : 'http'}://${host}:${port}`
  const at: Record<string, Scene['settings']> = {
    webhook: { url },
    smtp: { host, port, fromAddress: 'shop@example.com', security: encrypted ? 'tls' : 'opportunistic' },
    resend: { ...settings, apiKey: 're_123', baseUrl: url },
    apn: { ...settings, baseUrl: url },
  }
  return { profile: provider.key === 'webhook' ? {} : profile, settings: at[provider.key] ?? settings, content }
}

/** The adapter's own doubt about a whole reply, after which the connection is kept. */
const isAnswered = ({ error }: { error?: string }) => error === 'Resend answered without an id'

const noneOpen = ({ openConnections }: { openConnections(): number }) =>
  until(
    async () => openConnections(),
    (count) => count === 0,
  )
