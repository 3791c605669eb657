/** CPU and memory of groups of processes, from /proc. Linux only; elsewhere the figures are unknown (NaN). */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'

/** A process, every process that has the text in its command line, and the descendants of all of them. */
export interface ProcessGroup {
  pid?: number
  commandPart?: string
}

/** CPU of one process with all its threads, in user and kernel mode. */
export const cpuMicrosecondsOf = (pid: number): number => ticksOf(pid, ['user', 'system']) * MICROSECONDS_A_TICK

/** CPU of a group. The use of an ended process is part of the figure once its parent has waited for it. */
export function groupCpuMicroseconds(group: ProcessGroup): number {
  const ticks = processIds(group).map((pid) => ticksOf(pid, ['user', 'system', 'userOfEnded', 'systemOfEnded']))
  return sum(ticks) * MICROSECONDS_A_TICK
}

/** Proportional share (PSS) of a group in MB: memory that processes share counts once. */
export function groupMemory(group: ProcessGroup): number {
  const pids = processIds(group)
  return pids.length === 0 ? Number.NaN : sum(proportionalShares(pids)) / 1_024
}

export interface MemoryWatch {
  /** Highest sample in MB. */
  stop(): number
}

/** Reading a large process takes some milliseconds in which it cannot map memory: seldom, where latency counts. */
export function watchMemory(group: ProcessGroup, everyMs: number): MemoryWatch {
  let highest = groupMemory(group)
  const sample = () => {
    const now = groupMemory(group)
    // An ended process has none.
    if (now > highest || Number.isNaN(highest)) highest = now
  }
  const timer = setInterval(sample, everyMs)
  return {
    stop() {
      clearInterval(timer)
      sample()
      return highest
    },
  }
}

/** A tick is 10 ms on every Linux that Node runs on. */
const MICROSECONDS_A_TICK = 10_000

/** Fields of /proc/<pid>/stat, counted from the one after the name. */
const FIELDS = { user: 11, system: 12, userOfEnded: 13, systemOfEnded: 14 } as const

function ticksOf(pid: number, fields: readonly (keyof typeof FIELDS)[]): number {
  const values = statFields(pid)
  return values ? sum(fields.map((field) => Number(values[FIELDS[field]]))) : 0
}

function processIds({ pid, commandPart }: ProcessGroup): number[] {
  const parents = new Map<number, number>()
  for (const name of folderNames('/proc')) {
    const parent = /^\d+$/.test(name) ? statFields(Number(name))?.[1] : undefined
    if (parent) parents.set(Number(name), Number(parent))
  }
  const roots = new Set(pid === undefined ? [] : [pid])
  if (commandPart !== undefined)
    for (const id of parents.keys()) if (commandLine(id).includes(commandPart)) roots.add(id)
  const belongs = (id: number | undefined): boolean => id !== undefined && (roots.has(id) || belongs(parents.get(id)))
  return [...parents.keys()].filter(belongs)
}

/** In kB; a process that ended meanwhile counts nothing. */
function proportionalShares(pids: readonly number[]): number[] {
  const shares: number[] = []
  const foreign = new Map<string, number[]>()
  for (const pid of pids) {
    const text = readOrError(`/proc/${pid}/smaps_rollup`)
    if (typeof text === 'string') shares.push(shareIn(text))
    else if (text.code === 'EACCES') {
      const owner = ownerOf(pid)
      if (owner) foreign.set(owner, [...(foreign.get(owner) ?? []), pid])
    }
  }
  for (const [owner, owned] of foreign) shares.push(...sharesReadAs(owner, owned))
  return shares
}

/** Root without CAP_SYS_PTRACE, as in a container, reads the memory of the database's processes only with their rights. */
function sharesReadAs(owner: string, pids: readonly number[]): number[] {
  const [uid, gid] = owner.split(':')
  const files = pids.map((pid) => `/proc/${pid}/smaps_rollup`)
  const rights = ['--clear-groups', '--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override']
  const args = [`--reuid=${uid}`, `--regid=${gid}`, ...rights, 'cat', ...files]
  const { stdout } = spawnSync('setpriv', args, { cwd: '/', encoding: 'utf8' })
  const shares = [...(stdout ?? '').matchAll(/^Pss:\s*(\d+) kB/gm)].map((match) => Number(match[1]))
  // A reader that may not read anything must not look like processes without memory.
  return shares.length > 0 ? shares : [Number.NaN]
}

const shareIn = (text: string) => Number(/^Pss:\s*(\d+) kB/m.exec(text)?.[1] ?? 0)

function ownerOf(pid: number): string | undefined {
  try {
    const { uid, gid } = statSync(`/proc/${pid}`)
    return `${uid}:${gid}`
  } catch {
    return undefined
  }
}

function statFields(pid: number): string[] | undefined {
  const text = readOrError(`/proc/${pid}/stat`)
  // The name is in parentheses and may hold any character.
  return typeof text === 'string' ? text.slice(text.lastIndexOf(') ') + 2).split(' ') : undefined
}

function commandLine(pid: number): string {
  const text = readOrError(`/proc/${pid}/cmdline`)
  return typeof text === 'string' ? text.replaceAll('\0', ' ') : ''
}

function folderNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readOrError(file: string): string | NodeJS.ErrnoException {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
