/** The options of the command line. */
import { parseArgs } from 'node:util'
import type { EngineName } from './databases.ts'

const measureNames = [
  'start',
  'accepts',
  'http',
  'turns',
  'alternatives',
  'inline',
  'mail',
  'latency',
  'reactions',
  'many',
  'import',
  'runs',
  'filters',
  'dashboard',
  'rows',
  'memory',
  'steady',
  'soak',
] as const
type MeasureName = (typeof measureNames)[number]

export interface Options {
  engines: EngineName[]
  /** Length of each measurement. */
  seconds: number
  /** Seconds under load before it: for about ten, compiling costs more than serving. */
  warm: number
  rounds: number
  only: MeasureName[]
  json: boolean
  /** Users of the bulk job, and rows of the files that are imported. */
  users: number
  /** Runs that wait. */
  waiting: number
  /** Messages in the table that filters and the dashboard look through. */
  messages: number
  /** Messages in the database when a steady load begins, one load for each count, smallest first. */
  storedCounts: number[]
  /** Sends of the steady load, and while the live tail is watched. */
  perSecond: number
  /** Length of the steady load, and of the full load for minutes, after they have warmed up. */
  minutes: number
  /** Seconds for which the CPU of a product without work is watched. */
  idle: number
  /** Another built checkout, measured in turns with this one. */
  product: string | undefined
  /** The file for the picture of the steady load. */
  svg: string | undefined
  /** Where the product's CPU profiles go. */
  profileDir: string | undefined
}

const usage = `npm run bench -- [--engine local|postgres] [--seconds 8] [--warm 10] [--rounds 3]
                [--only ${measureNames.join(',')}] [--json] [--profile <folder>]
                [--users 100000] [--waiting 100000] [--messages 1000000] [--idle 60]
                [--stored 1000000[,10000000]] [--per-second 200] [--minutes 5] [--svg <file>]
                [--product <built checkout of another version>]`

/** Ends the process for `--help`, and for what it does not know. */
export function readOptions(args: string[]): Options {
  const { help, options } = parsed(args)
  if (options && !help) return options
  console[help ? 'log' : 'error'](usage)
  return process.exit(help ? 0 : 2)
}

function parsed(args: string[]): { help: boolean; options?: Options } {
  try {
    const { values } = parseArgs({ args, options: flags })
    const options = checked(values)
    return { help: values.help, ...(options && { options }) }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return { help: false }
  }
}

const flags = {
  help: { type: 'boolean', short: 'h', default: false },
  engine: { type: 'string' },
  seconds: { type: 'string', default: '8' },
  warm: { type: 'string', default: '10' },
  rounds: { type: 'string', default: '3' },
  // The alternatives need packages and a Redis of their own, the dashboard a browser; a soak takes minutes.
  only: {
    type: 'string',
    default: measureNames.filter((name) => !['alternatives', 'dashboard', 'soak'].includes(name)).join(','),
  },
  json: { type: 'boolean', default: false },
  profile: { type: 'string' },
  users: { type: 'string', default: '100000' },
  waiting: { type: 'string', default: '100000' },
  messages: { type: 'string', default: '1000000' },
  stored: { type: 'string', default: '1000000' },
  'per-second': { type: 'string', default: '200' },
  minutes: { type: 'string', default: '5' },
  idle: { type: 'string', default: '60' },
  product: { type: 'string' },
  svg: { type: 'string' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof flags }>>['values']

/** Undefined when something does not make sense. */
function checked(values: Values): Options | undefined {
  const engines = (['local', 'postgres'] as const).filter((name) => !values.engine || values.engine === name)
  const selected = values.only.split(',')
  const only = measureNames.filter((name) => selected.includes(name))
  const { seconds, warm, rounds, users, waiting, messages, stored: storedList, idle } = values
  const storedCounts = storedList
    .split(',')
    .map(Number)
    .sort((a, b) => a - b)
  const counts = [seconds, warm, rounds, users, waiting, messages, idle].map(Number).concat(storedCounts)
  const wrong = counts.some((count) => !(count >= 1))
  const [perSecond, minutes] = [Number(values['per-second']), Number(values.minutes)]
  if (engines.length === 0 || only.length < selected.length) return undefined
  if (wrong || !(perSecond > 0) || !(minutes > 0)) return undefined
  return {
    ...{ engines, only, perSecond, minutes },
    seconds: Number(seconds),
    warm: Number(warm),
    rounds: Number(rounds),
    users: Number(users),
    waiting: Number(waiting),
    messages: Number(messages),
    storedCounts,
    idle: Number(idle),
    json: values.json,
    product: values.product,
    svg: values.svg,
    profileDir: values.profile,
  }
}
