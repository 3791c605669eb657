/** What the system says of a process. Linux only; elsewhere the figures are not known (NaN). */
import { readFileSync } from 'node:fs'

export interface Memory {
  /** Proportional share of the process, now, in MB. */
  now: number
  /** Highest resident size since it started, in MB. */
  highest: number
}

export function memoryOf(pid: number): Memory {
  const megabytes = (file: string, name: string) =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(read(pid, file))?.[1]) / 1_024
  return { now: megabytes('smaps_rollup', 'Pss'), highest: megabytes('status', 'VmHWM') }
}

/** Of all its threads, in user and kernel mode. A tick is 10 ms on every Linux that Node runs on. */
export function cpuMicrosecondsOf(pid: number): number {
  const fields = read(pid, 'stat').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
