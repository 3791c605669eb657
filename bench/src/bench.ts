/** `npm run bench`: each figure beside its raw limit, measured in the same run on the same schema. */
import { freePort } from '@postrider/test/support/free-port'
import { startChild } from './child.ts'
import { messageFilters } from './filters.ts'
import { manyUsers } from './many.ts'
import type { Bench, Measure, Side } from './measure.ts'
import { bareCalls, measures } from './measures.ts'
import { type Options, readOptions } from './options.ts'
import { type EngineName, openPlaces } from './places.ts'
import { startProduct } from './product.ts'
import { messageRows } from './rows.ts'
import { automationRuns } from './runs.ts'
import { starts } from './starts.ts'
import { type Report, tableOf } from './table.ts'
import { httpInTurns } from './turns.ts'
import type { Ports } from './world/world.ts'

// Children that run a server end with this process, when it ends by itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const options = readOptions(process.argv.slice(2))
const reports: Partial<Record<EngineName, Report>> = {}
for (const engine of options.engines) {
  const report = await benchEngine(engine, options)
  reports[engine] = report
  if (!options.json) console.log(`${tableOf(engine, report)}\n`)
}
if (options.json) console.log(JSON.stringify(reports, null, 2))
process.exit()

async function benchEngine(engine: EngineName, options: Options): Promise<Report> {
  const { only, rounds } = options
  const places = await openPlaces(engine)
  const world = startChild(new URL('./world/world.js', import.meta.url))
  const report: Report = {}
  const keep = (name: string, side: Side, figures: Record<string, number>) => {
    progress(engine, name, side, figures)
    const ofName = (report[name] ??= {})
    ofName[side] = [...(ofName[side] ?? []), figures]
  }
  try {
    const sinks = await world.ask<Ports>('open')
    const bench: Bench = { ...options, places, world, sinks, port: await freePort() }
    await makeTemplate(bench)
    for (let round = 1; round <= rounds; round += 1) {
      if (only.includes('start')) keep('start', 'product', await starts(bench))
      // They take minutes, and each of their figures comes from thousands of messages.
      if (round === 1 && only.includes('many')) keep('many', 'product', await manyUsers(bench))
      if (round === 1 && only.includes('runs')) keep('runs', 'product', await automationRuns(bench))
      if (round === 1 && only.includes('turns'))
        await httpInTurns(bench, (side, figures) => keep('turns', side, figures))
      if (round === 1 && only.includes('filters')) keep('filters', 'product', await messageFilters(bench))
      if (round === 1 && only.includes('rows')) keep('rows', 'product', await messageRows(bench))
      for (const [name, measure] of Object.entries<Measure>(measures)) {
        if (!only.some((wanted) => wanted === name)) continue
        // Who goes first takes turns: the second one meets warmer caches and fuller disks.
        const sides = round % 2 === 0 ? [...measure.sides].reverse() : measure.sides
        for (const side of sides) keep(name, side, await measure.run(bench, side))
        if (name === 'http') keep('calls', 'limit', await bareCalls(bench))
      }
    }
    return report
  } finally {
    await world.stop()
    await places.close()
  }
}

/** The product makes the schema; everyone gets a copy. */
async function makeTemplate(bench: Bench): Promise<void> {
  const place = await bench.places.empty()
  const product = await startProduct(place, bench.port)
  await product.stop()
  bench.places.keep(place)
}

function progress(...[engine, name, side, figures]: [string, string, Side, Record<string, number>]): void {
  const shown = Object.entries(figures).map(([figure, value]) => `${figure} ${Math.round(value * 10) / 10}`)
  console.error(`${engine} ${name} ${side}: ${shown.join(', ')}`)
}
