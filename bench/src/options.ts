/** What the command line asks for. */
import { parseArgs } from 'node:util'
import type { EngineName } from './places.ts'

export const measureNames = [
  'start',
  'accepts',
  'http',
  'turns',
  'inline',
  'mail',
  'pace',
  'many',
  'runs',
  'filters',
  'rows',
] as const
export type MeasureName = (typeof measureNames)[number]

export interface Options {
  engines: EngineName[]
  /** Of each measurement. */
  seconds: number
  /** Seconds under load before it: for about ten, compiling costs more than serving. */
  warm: number
  rounds: number
  only: MeasureName[]
  json: boolean
  /** Users of the bulk job. */
  users: number
  /** Runs that wait. */
  waiting: number
  /** Messages in the table that filters look through. */
  messages: number
  /** Messages that are stored before anything is measured. */
  stored: number
  /** Where the product's CPU profiles go. */
  profileDir: string | undefined
}

const usage = `npm run bench -- [--engine embedded|postgres] [--seconds 8] [--warm 10] [--rounds 3]
                [--only ${measureNames.join(',')}] [--json] [--profile <folder>]
                [--users 100000] [--waiting 100000] [--messages 1000000]
                [--stored 1000000]`

/** Ends the process for `--help`, and for what it does not know. */
export function readOptions(args: string[]): Options {
  const { help, options } = parsed(args)
  if (options && !help) return options
  console[help ? 'log' : 'error'](usage)
  return process.exit(help ? 0 : 2)
}

function parsed(args: string[]): { help: boolean; options?: Options } {
  try {
    const { values } = parseArgs({ args, options: known })
    const options = checked(values)
    return { help: values.help, ...(options && { options }) }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return { help: false }
  }
}

const known = {
  help: { type: 'boolean', short: 'h', default: false },
  engine: { type: 'string' },
  seconds: { type: 'string', default: '8' },
  warm: { type: 'string', default: '10' },
  rounds: { type: 'string', default: '3' },
  only: { type: 'string', default: measureNames.join(',') },
  json: { type: 'boolean', default: false },
  profile: { type: 'string' },
  users: { type: 'string', default: '100000' },
  waiting: { type: 'string', default: '100000' },
  messages: { type: 'string', default: '1000000' },
  stored: { type: 'string', default: '1000000' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof known }>>['values']

/** Undefined when something does not make sense. */
function checked(values: Values): Options | undefined {
  const engines = (['embedded', 'postgres'] as const).filter((name) => !values.engine || values.engine === name)
  const wanted = values.only.split(',')
  const only = measureNames.filter((name) => wanted.includes(name))
  const { stored: kept } = values
  const counts = [values.seconds, values.warm, values.rounds, values.users, values.waiting, values.messages, kept].map(
    Number,
  )
  const [seconds, warm, rounds, users, waiting, messages, stored] = counts
  if (engines.length === 0 || only.length < wanted.length) return undefined
  if (!seconds || !warm || !rounds || !users || !waiting || !messages || !stored || Math.min(...counts) < 1)
    return undefined
  return {
    engines,
    seconds,
    warm,
    rounds,
    only,
    users,
    waiting,
    messages,
    stored,
    json: values.json,
    profileDir: values.profile,
  }
}
