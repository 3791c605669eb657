/** Kills the service again and again while clients send, and reports whether anything accepted was lost. */
import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '@postrider/server/internal/base/seeded-random.harness'
import { MINUTE, SECOND } from '@postrider/server/internal/base/time/duration'
import { type Audit, audit, recorded, settled } from './audit.ts'
import { checkLedger, type LedgerFindings } from './check-ledger.ts'
import { killDatabase, untilDatabaseEnds, untilEnded } from './database-processes.ts'
import { type Fleet, HANGS_MS, Hang, openFleet, type Place } from './fleet.ts'
import { emptyLedger, isAccepted, type Ledger } from './ledger.ts'
import { type Crash, nameOf, planCrashes } from './plan.ts'
import { makeOldPartitions, prepareCampaign } from './prepare-campaign.ts'
import { startProvider } from './provider.ts'
import { type Sender, startSender } from './sender.ts'
import { watchStandstills } from './standstills.ts'

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
  planned: number
  kills: number
  /** Processes that ended otherwise than planned, answers that may not be. */
  faults: string[]
  /** Whatever was given up: answers, and processes that did not end. */
  hangs: string[]
  /** How long PostgreSQL ran on after a crash of the service; 0 on a server. */
  leftBehindMsMax: number
  seconds: number
}

// Enough that every commit carries a few sends, little enough for two cores to restart beside it.
const RATE = 60
/** Two seconds are promised for a machine that is not busy. */
const LEFT_BEHIND_MS = 4 * SECOND
/** With fewer, crashes meet nothing in progress. */
const ACCEPTED_MIN = 300
/** A reply is recorded within this time, while there is a database. */
const RECORDED_MS = 2 * SECOND
/** Promised for a single node, which is down until it is started again; the next crash may come first. */
const TAKEOVER_ALONE_MS = MINUTE
/** Every third crash on a local database is followed by a start at once, which has to end the leftover processes. */
const RUSHED = 3

export async function run(options: CampaignOptions): Promise<Report> {
  const { place, seed, leaseSeconds, progress = () => undefined } = options
  const began = Date.now()
  const ledger = emptyLedger()
  const fleet = await openFleet(place, place.engine === 'local' ? 1 : 2, leaseSeconds, ledger)
  const leaseMs = leaseSeconds * SECOND
  const provider = await startProvider(ledger, leaseMs)
  const standstills = watchStandstills(ledger.standstills)
  const hangs: string[] = []
  const hang = (text: string) => void hangs.push(text)
  const isOver = () => fleet.faults.length > 0 || hangs.length > 0
  let leftBehindMsMax = 0
  const crashes = planCrashes(options.kills, seed, place.engine)
  const alone = { takeoverMarginMs: TAKEOVER_ALONE_MS - leaseMs }
  const rules = { leaseMs, ...(place.engine === 'local' && alone) }
  let sender: Sender | undefined

  const crashAll = async () => {
    for (const [index, crash] of crashes.entries()) {
      if (!sender && !isBeginning(crash)) {
        await prepareCampaign(fleet, provider.url)
        const random = seededRandom(seed + 1)
        const fault = (text: string) => void fleet.faults.push(text)
        sender = startSender({ ...fleet, ledger, random, rate: RATE, fault, hang })
      }
      await crashOnce(crash, fleet, place, ledger)
      if (place.engine === 'local' && index % RUSHED !== 0) {
        const left = await untilDatabaseEnds(place.folder, ledger.kills.at(-1)?.gone ?? Date.now(), HANGS_MS)
        if (left === undefined) throw new Hang(`${nameOf(crash)}: PostgreSQL runs ${HANGS_MS} ms later`)
        leftBehindMsMax = Math.max(leftBehindMsMax, left)
      }
      if (isOver()) return
      progress(line(index, crashes, ledger, leaseMs, began))
    }
    for (const [node] of fleet.urls.entries()) if (!fleet.isUp(node)) await fleet.start(node)
    await untilAccepted(ledger, isOver)
  }

  const startAgain = async () => {
    await Promise.all(fleet.urls.map((_, node) => fleet.kill(node)))
    for (const [node] of fleet.urls.entries()) await fleet.start(node)
  }
  /** False where something hangs. */
  const ends = async (work: () => Promise<void>) => {
    try {
      await work()
      return true
    } catch (error) {
      if (!(error instanceof Hang)) throw error
      hang(error.message)
      return false
    }
  }

  try {
    await ends(crashAll)
    // Nothing is lost by a hang, either: everything accepted arrives from the processes that follow.
    const isUp = (hangs.length === 0 || (await ends(startAgain))) && fleet.faults.length === 0
    await sender?.stop()
    if (isUp) await settled(ledger, rules)
    // A service that does not run has no metrics.
    const findings = isUp ? await audit(fleet, ledger) : { unfinished: [], flaws: [] }
    if (isUp) await Promise.all(fleet.urls.map((_, node) => fleet.stop(node)))
    const verdict = checkLedger(ledger, rules)
    return {
      // Where none runs, what has not arrived may still come.
      verdict: isUp ? verdict : { ...verdict, lost: [] },
      planned: crashes.length,
      kills: ledger.kills.length,
      faults: fleet.faults,
      hangs,
      leftBehindMsMax,
      seconds: Math.round((Date.now() - began) / SECOND),
      ...findings,
    }
  } finally {
    await Promise.all(fleet.urls.map((_, node) => fleet.kill(node)))
    standstills.stop()
    await provider.close()
  }
}

/** Or nothing more will be. */
async function untilAccepted({ calls }: Ledger, isOver: () => boolean): Promise<void> {
  const isEnough = () => calls.filter(isAccepted).length >= ACCEPTED_MIN
  for (const deadline = Date.now() + HANGS_MS; !isEnough() && !isOver(); await pause(100))
    if (Date.now() > deadline) throw new Hang(`Only ${calls.filter(isAccepted).length} sends were accepted`)
}

const BEGINNINGS: readonly string[] = ['first-start', 'after-database-start', 'mid-migration']
const isBeginning = (crash: Crash) => crash.kind === 'failpoint' && BEGINNINGS.includes(crash.name)

/** One node is down before and after. Under the load every failpoint is passed at last. */
async function crashOnce(crash: Crash, fleet: Fleet, place: Place, ledger: Ledger): Promise<void> {
  const [down = 0, up = down] = fleet.isUp(0) ? [1, 0] : fleet.isUp(1) ? [0, 1] : [0]
  if (crash.kind === 'failpoint') {
    const isDrop = crash.name === 'mid-partition-drop'
    if (isDrop) await makeOldPartitions(place)
    const ready = await fleet.start(down, { failpoint: `${crash.name}:${crash.nth}` })
    if (ready && crash.name === 'mid-backup') await fleet.backUp(down)
    // The node that is up may have dropped them before this one looks.
    const makeAgain = () => makeOldPartitions(place).then(() => false)
    await fleet.reached(down, isDrop && place.engine === 'postgres' ? makeAgain : undefined)
    return
  }
  const ready = await fleet.start(down, { failpoint: crash.kind === 'shutdown' ? 'during-shutdown' : undefined })
  if (!ready) return
  await pause(crash.afterMs)
  if (crash.kind === 'shutdown') {
    await fleet.stop(down)
    await fleet.reached(down)
    return
  }
  if (crash.kind === 'signal' || place.engine !== 'local') return fleet.kill(up)
  const at = Date.now()
  const killed = killDatabase(place.folder, crash.target)
  if (killed.length === 0) fleet.faults.push(`${nameOf(crash)}: no process was found`)
  if (crash.target !== 'everything') {
    if (!(await untilEnded(killed, HANGS_MS))) throw new Hang(`${nameOf(crash)}: not all of them ended`)
    await fleet.recovers(down)
    ledger.outages.push({ at, back: Date.now() })
    // Outcomes that waited for the database: what has arrived by now does not arrive again.
    if (fleet.isUp(down)) await recorded(fleet, down, ledger, at - RECORDED_MS)
  }
  await fleet.kill(down)
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

/** A promise is broken unless all of them are empty. */
export function problemsOf({ verdict, faults, flaws, unfinished, planned, kills, hangs }: Report) {
  const { lost, unexplained, doubled } = verdict
  const missing = kills === planned || hangs.length > 0 ? [] : [`${kills} of ${planned} kills`]
  return filled({ lost, unexplained, doubled, unfinished, flaws, faults, missing })
}

/** Everything that took longer than promised: the machine may have been slow. */
export function delaysOf({ verdict: { late }, leftBehindMsMax, hangs }: Report): Record<string, string[]> {
  const leftBehind = leftBehindMsMax > LEFT_BEHIND_MS ? [`PostgreSQL ran on for ${leftBehindMsMax} ms`] : []
  return filled({ late, leftBehind, hangs })
}

const filled = (all: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(all).filter(([, list]) => list.length > 0))
