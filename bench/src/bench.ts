/** `npm run bench`: each figure beside its raw limit, measured in the same run on the same schema. */
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { freePort } from '@postrider/test/support/free-port'
import { alternativesInTurns, type Stack } from './alternatives.ts'
import { startChild } from './child.ts'
import { dashboardSpeed } from './dashboard.ts'
import { type EngineName, openDatabases, startServer } from './databases.ts'
import { messageFilters } from './filters.ts'
import { importedRows } from './imports.ts'
import { latencyPicture, type Panel } from './latency-picture.ts'
import { manyUsers } from './many.ts'
import type { Bench, Benches, Figures, Measure, Side } from './measure.ts'
import { bareCalls, measures } from './measures.ts'
import { memoryAndIdle } from './memory.ts'
import { type Options, readOptions } from './options.ts'
import type { Ports } from './peers/peers.ts'
import { startProduct } from './product.ts'
import { reactions } from './reactions.ts'
import { messageRows } from './rows.ts'
import { automationRuns } from './runs.ts'
import { soak } from './soak.ts'
import { starts } from './starts.ts'
import { FEW_STORED, steadyLoad } from './steady.ts'
import { alternativesTable } from './tables/alternatives-table.ts'
import { steadyName, steadyTable } from './tables/steady-table.ts'
import { type Report, tableOf } from './tables/table.ts'
import { httpInTurns } from './turns.ts'
import { thisVersion, type Version, versionAt } from './version.ts'

// Children that run a server end with this process, when it ends by itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const options = readOptions(process.argv.slice(2))
const versions = { product: thisVersion(), ...(options.product && { other: versionAt(options.product) }) }
const reports: Partial<Record<EngineName, Report>> = {}
const panels: Panel[] = []
for (const engine of options.engines) {
  const report = await benchEngine(engine)
  reports[engine] = report
  if (options.json) continue
  const label = versions.other?.label
  const tables = [...tableOf(report, label), ...alternativesTable(report), ...steadyTable(report, label)]
  console.log([`## ${engine}`, ...tables].join('\n\n'), '\n')
}
if (options.json) console.log(JSON.stringify(reports, null, 2))
if (options.svg && panels.length > 0)
  // npm changes to the folder of the package; paths are relative to the caller's folder.
  await writeFile(resolve(process.env.INIT_CWD ?? '', options.svg), latencyPicture(panels))
process.exit()

type Keep = (name: string, side: Side | Stack, figures: Figures) => void

async function benchEngine(engine: EngineName): Promise<Report> {
  const server = engine === 'postgres' ? await startServer() : undefined
  const peers = startChild(new URL('./peers/peers.js', import.meta.url))
  const report: Report = {}
  const keep: Keep = (name, side, figures) => {
    progress(engine, name, side, figures)
    const ofName = (report[name] ??= {})
    ofName[side] = [...(ofName[side] ?? []), figures]
  }
  const opened: Bench[] = []
  try {
    const sinks = await peers.call<Ports>('open')
    const open = async (version: Version): Promise<Bench> => {
      const databases = await openDatabases(version, server)
      const bench: Bench = { ...options, databases, version, peers, sinks, port: await freePort() }
      opened.push(bench)
      await makeTemplate(bench)
      return bench
    }
    const product = await open(versions.product)
    const benches: Benches = { limit: product, product }
    if (versions.other) benches.other = await open(versions.other)
    for (let round = 1; round <= options.rounds; round += 1) await measureRound(benches, round, keep)
    if (options.only.includes('steady')) await steadyInTurns(engine, benches, keep)
    return report
  } finally {
    await peers.stop()
    for (const { databases } of opened) await databases.close()
    await server?.stop()
  }
}

/** The product makes the schema; everyone gets a copy. */
async function makeTemplate(bench: Bench): Promise<void> {
  const place = await bench.databases.empty()
  const product = await startProduct(place, bench.port)
  await product.stop()
  bench.databases.keep(place)
}

async function measureRound(benches: Benches, round: number, keep: Keep): Promise<void> {
  const { only }: Options = options
  const { product } = benches
  const versionOrder = turnOf(round, ['product', 'other'])
  for (const [name, measure] of [
    ['start', starts],
    ['memory', memoryAndIdle],
    ['import', importedRows],
  ] as const)
    for (const side of versionOrder)
      if (only.includes(name) && benches[side]) keep(name, side, await measure(benches[side]))
  // They take minutes, and each of their figures comes from thousands of messages.
  if (round === 1 && only.includes('many')) keep('many', 'product', await manyUsers(product))
  if (round === 1 && only.includes('runs')) keep('runs', 'product', await automationRuns(product))
  if (round === 1 && only.includes('turns')) await httpInTurns(benches, (side, figures) => keep('turns', side, figures))
  if (round === 1 && only.includes('alternatives')) await alternativesInTurns(benches, keep)
  if (round === 1 && only.includes('filters')) keep('filters', 'product', await messageFilters(product))
  if (round === 1 && only.includes('dashboard')) keep('dashboard', 'product', await dashboardSpeed(product))
  if (round === 1 && only.includes('reactions')) keep('reactions', 'product', await reactions(product))
  if (round === 1 && only.includes('rows')) keep('rows', 'product', await messageRows(product))
  if (round === 1 && only.includes('soak'))
    for (const side of versionOrder) if (benches[side]) keep('soak', side, await soak(benches[side]))
  for (const [name, measure] of Object.entries<Measure>(measures)) {
    if (!only.some((selected) => selected === name)) continue
    for (const side of turnOf(round, measure.sides))
      if (benches[side]) keep(name, side, await measure.run(benches[side], side))
    if (name === 'http') keep('calls', 'limit', await bareCalls(product))
  }
}

/** The sides take turns at being first: the second one finds warmer caches and fuller disks. */
function turnOf<S extends Side>(round: number, sides: readonly S[]): S[] {
  return round % 2 === 0 ? [...sides].reverse() : [...sides]
}

/** Once, whatever the rounds: each run takes minutes and its figures come from thousands of messages. */
async function steadyInTurns(engine: EngineName, benches: Benches, keep: Keep): Promise<void> {
  const [first = FEW_STORED] = options.storedCounts
  for (const storedCount of new Set([Math.min(FEW_STORED, first), ...options.storedCounts]))
    for (const side of ['other', 'product'] as const) {
      const bench = benches[side]
      // The other version is there to be compared with, once: with many more it may not even keep up.
      if (!bench || (side === 'other' && storedCount !== first)) continue
      const run = await steadyLoad(bench, storedCount)
      keep(steadyName(storedCount), side, run.figures)
      if (storedCount === FEW_STORED) continue
      panels.push({
        title: `${bench.version.label}, ${engine}, ${storedCount.toLocaleString('en')} messages stored`,
        ...run,
      })
    }
}

function progress(...[engine, name, side, figures]: [string, string, Side | Stack, Figures]): void {
  const shown = Object.entries(figures).map(([figure, value]) => `${figure} ${Math.round(value * 10) / 10}`)
  console.error(`${engine} ${name} ${side}: ${shown.join(', ')}`)
}
