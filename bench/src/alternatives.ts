/** Accepts, HTTP and mail beside services made of a queue, all of them up at once and loaded in turns. */
import { existsSync } from 'node:fs'
import { startChild } from './child.ts'
import type { Bench, Figures } from './measure.ts'
import { acceptLoad, httpLoad, type Load, mailLoad, type Server, withServer } from './measures.ts'
import type { Ports } from './peers/peers.ts'
import { events, NODE_FLAGS } from './product.ts'
import { takeTurns } from './turns.ts'

export const stacks = ['bullmq', 'pg-boss'] as const
export type Stack = (typeof stacks)[number]
export type ComparedSide = 'product' | 'limit' | Stack

export const stackLoads = { accepts: acceptLoad, http: httpLoad, mail: mailLoad } satisfies Record<string, Load>

/** The limit of mail is no server that takes calls. */
const isLimited = (load: Load) => load !== mailLoad

/** The row of the report for one of the loads. */
export const alternativesName = (load: string) => `alternatives ${load}`

const folder = new URL('../alternatives/', import.meta.url)
const TURNS = 12

/** Throws when the stacks are not installed, or the database is not a server that they can share. */
export async function alternativesInTurns(
  { product, limit }: { product: Bench; limit: Bench },
  keep: (name: string, side: ComparedSide, figures: Figures) => void,
): Promise<void> {
  if (!existsSync(new URL('node_modules/', folder)))
    throw new Error('The stacks are not installed: npm ci --ignore-scripts --prefix bench/alternatives')
  for (const [name, load] of Object.entries(stackLoads)) {
    const turns = (servers: readonly (readonly [ComparedSide, Server])[]) =>
      takeTurns<ComparedSide>({
        bench: product,
        servers,
        load,
        turns: TURNS,
        keep: (side, figures) => keep(alternativesName(name), side, figures),
      })
    await withServer(product, 'product', load, (postrider) =>
      withStacks(product, stacks, (servers) => {
        const compared = [['product', postrider] as const, ...servers]
        return isLimited(load)
          ? withServer(limit, 'limit', load, (bare) => turns([...compared, ['limit', bare]]))
          : turns(compared)
      }),
    )
  }
}

async function withStacks(
  bench: Bench,
  [stack, ...rest]: readonly Stack[],
  use: (servers: [Stack, Server][]) => Promise<void>,
): Promise<void> {
  if (!stack) return use([])
  const { storage, commandPart } = await bench.databases.empty()
  if (!('url' in storage)) throw new Error('The alternatives need a database server: --engine postgres')
  const child = startChild(new URL(`${stack}.js`, folder), NODE_FLAGS)
  try {
    const request: StartRequest = { url: storage.url, sinks: bench.sinks, mailEvent: events.mail }
    const port = await child.call<number>('start', request)
    await withStacks(bench, rest, (servers) =>
      use([[stack, { pid: child.pid, processes: { pid: child.pid, commandPart }, port }], ...servers]),
    )
    await child.call('close')
  } finally {
    await child.stop()
  }
}

interface StartRequest {
  url: string
  sinks: Ports
  mailEvent: string
}
