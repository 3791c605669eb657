/** Kills the service again and again while clients send, and reports whether anything accepted was lost. */
import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '@postrider/server/internal/base/seeded-random.harness'
import { SECOND } from '@postrider/server/internal/base/time/duration'
import { type Audit, audit, settled } from './audit.ts'
import { checkLedger, type LedgerFindings } from './check-ledger.ts'
import { killDatabase, untilDatabaseEnds, untilEnded } from './database-processes.ts'
import { type Fleet, openFleet, type Place } from './fleet.ts'
import { emptyLedger, type Ledger } from './ledger.ts'
import { type Crash, nameOf, planCrashes } from './plan.ts'
import { makeOldPartitions, prepareCampaign } from './prepare-campaign.ts'
import { startProvider } from './provider.ts'
import { type Sender, startSender } from './sender.ts'

export interface CampaignOptions {
  place: Place
  kills: number
  /** The same seed draws the same crashes. */
  seed: number
  leaseSeconds: number
  /** Called with one line after each crash. */
  progress?(line: string): void
}

export interface Report extends Audit {
  verdict: LedgerFindings
  kills: number
  /** Processes that ended otherwise than planned, answers that may not be. */
  faults: string[]
  /** Failpoints that were not reached; these processes were killed from outside. */
  missed: string[]
  /** How long PostgreSQL ran on after a crash of the service; 0 on a server. */
  leftBehindMsMax: number
  seconds: number
}

// Enough that every commit carries a few sends, little enough for two cores to restart beside it.
const RATE = 60
/** Under this load the rarest place is passed within three seconds. */
const REACHED_MS = 8 * SECOND
/** Two seconds are promised for a machine that is not busy. */
const LEFT_BEHIND_MS = 4 * SECOND
/**
 * An outcome that could not be recorded is retried after 200 ms; the check of the ledger allows two seconds before a
 * crash.
 */
const RECORDED_MS = 1_000
/** A minute is promised. */
const ALONE_MARGIN_MS = 57 * SECOND
/** Every third crash on a local database is followed by a start at once, which has to end the leftover processes. */
const RUSHED = 3

export async function run(options: CampaignOptions): Promise<Report> {
  const { place, seed, leaseSeconds, progress = () => undefined } = options
  const began = Date.now()
  const ledger = emptyLedger()
  const fleet = await openFleet(place, place.engine === 'local' ? 1 : 2, leaseSeconds, ledger)
  const provider = await startProvider(ledger)
  const missed: string[] = []
  let leftBehindMsMax = 0
  const crashes = planCrashes(options.kills, seed, place.engine)
  // No other node takes over from a single node: it is down until it is started again, and the next crash may come
  // first.
  const alone = { takeoverMarginMs: ALONE_MARGIN_MS }
  const rules = { leaseMs: leaseSeconds * SECOND, ...(place.engine === 'local' && alone) }
  let sender: Sender | undefined

  try {
    for (const [index, crash] of crashes.entries()) {
      if (!sender && !isBeginning(crash)) {
        await prepareCampaign(fleet, provider.url)
        const random = seededRandom(seed + 1)
        const fault = (text: string) => void fleet.faults.push(text)
        sender = startSender({ ...fleet, ledger, random, rate: RATE, fault })
      }
      if (!(await crashOnce(crash, fleet, place, ledger))) missed.push(nameOf(crash))
      if (place.engine === 'local' && index % RUSHED !== 0) {
        const left = await untilDatabaseEnds(place.folder, ledger.kills.at(-1)?.gone ?? Date.now(), LEFT_BEHIND_MS)
        if (left === undefined) fleet.faults.push(`${nameOf(crash)}: PostgreSQL runs ${LEFT_BEHIND_MS} ms later`)
        else leftBehindMsMax = Math.max(leftBehindMsMax, left)
      }
      if (fleet.faults.length > 0) break
      progress(line(index, crashes, ledger, rules.leaseMs, began))
    }
    for (const [node] of fleet.urls.entries()) if (!fleet.isUp(node)) await fleet.start(node)
    await sender?.stop()
    await settled(ledger, rules)
    // A service that does not run has no metrics.
    const findings = fleet.faults.length > 0 ? { unfinished: [], flaws: [] } : await audit(fleet, ledger)
    await Promise.all(fleet.urls.map((_, node) => fleet.stop(node)))
    const kills = ledger.kills.length
    const seconds = Math.round((Date.now() - began) / SECOND)
    return {
      verdict: checkLedger(ledger, rules),
      kills,
      faults: fleet.faults,
      missed,
      leftBehindMsMax,
      seconds,
      ...findings,
    }
  } finally {
    await Promise.all(fleet.urls.map((_, node) => fleet.kill(node)))
    await provider.close()
  }
}

const BEGINNINGS: readonly string[] = ['first-start', 'after-database-start', 'mid-migration']
const isBeginning = (crash: Crash) => crash.kind === 'failpoint' && BEGINNINGS.includes(crash.name)

/** One node is down before and after. False when the crash point was not reached. */
async function crashOnce(crash: Crash, fleet: Fleet, place: Place, ledger: Ledger): Promise<boolean> {
  const [down = 0, up = down] = fleet.isUp(0) ? [1, 0] : fleet.isUp(1) ? [0, 1] : [0]
  if (crash.kind === 'failpoint') {
    if (crash.name === 'mid-partition-drop') await makeOldPartitions(place)
    const ready = await fleet.start(down, `${crash.name}:${crash.nth}`)
    if (ready && crash.name === 'mid-backup') await fleet.backUp(down)
    if (await fleet.endsWithin(down, REACHED_MS)) return true
    await fleet.kill(down)
    return false
  }
  const ready = await fleet.start(down, crash.kind === 'shutdown' ? 'during-shutdown' : undefined)
  if (!ready) return false
  await pause(crash.afterMs)
  if (crash.kind === 'shutdown') return (await fleet.stop(down)) === 'SIGKILL'
  if (crash.kind === 'database' && place.engine === 'local') {
    const at = Date.now()
    const killed = killDatabase(place.folder, crash.target)
    if (crash.target !== 'everything') {
      if (!(await untilEnded(killed, REACHED_MS))) fleet.faults.push(`${nameOf(crash)}: not all of them ended`)
      await fleet.recovers(down)
      ledger.outages.push({ at, back: Date.now() })
      // Outcomes that waited for the database are recorded now: what has arrived by now does not arrive again.
      await pause(RECORDED_MS)
    }
    await fleet.kill(down)
    return killed.length > 0
  }
  await fleet.kill(up)
  return true
}

function line(index: number, crashes: readonly Crash[], ledger: Ledger, leaseMs: number, began: number): string {
  const crash = crashes[index]
  const count = `kill ${index + 1}/${crashes.length} ${crash ? nameOf(crash) : ''}`
  // Checking the whole ledger is slow: every tenth crash is enough.
  if ((index + 1) % 10 !== 0) return count
  const { accepted, duplicates, takeoverMsMax, lost } = checkLedger(ledger, { leaseMs })
  const rate = Math.round(accepted / ((Date.now() - began) / SECOND))
  return `${count}: ${accepted} accepted (${rate}/s), ${lost.length} on their way, ${duplicates} duplicates, takeover at most ${takeoverMsMax} ms`
}

/** Everything here must be empty for the campaign to have passed. */
export function problemsOf({ verdict, faults, flaws, unfinished }: Report): Record<string, string[]> {
  const { lost, late, unexplained, doubled } = verdict
  const all = { lost, late, unexplained, doubled, unfinished, flaws, faults }
  return Object.fromEntries(Object.entries(all).filter(([, list]) => list.length > 0))
}
