/** What the command line asks for. */
import { parseArgs } from 'node:util'
import type { EngineName } from './places.ts'

export const measureNames = ['start', 'accepts', 'http', 'inline', 'mail', 'pace', 'many', 'filters'] as const
export type MeasureName = (typeof measureNames)[number]

export interface Options {
  engines: EngineName[]
  /** Of each measurement, after as long a warm-up as a third of it, at least 2 s. */
  seconds: number
  rounds: number
  only: MeasureName[]
  json: boolean
  /** Users of the bulk job. */
  users: number
  /** Messages in the table that filters look through. */
  messages: number
  /** Where the product's CPU profiles go. */
  profileDir: string | undefined
}

const usage = `npm run bench -- [--engine embedded|postgres] [--seconds 8] [--rounds 3]
                [--only ${measureNames.join(',')}] [--json] [--profile <folder>]
                [--users 100000] [--messages 1000000]`

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      engine: { type: 'string' },
      seconds: { type: 'string', default: '8' },
      rounds: { type: 'string', default: '3' },
      only: { type: 'string', default: measureNames.join(',') },
      json: { type: 'boolean', default: false },
      profile: { type: 'string' },
      users: { type: 'string', default: '100000' },
      messages: { type: 'string', default: '1000000' },
    },
  })
  const engines = (['embedded', 'postgres'] as const).filter((name) => !values.engine || values.engine === name)
  const wanted = values.only.split(',')
  const only = measureNames.filter((name) => wanted.includes(name))
  const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)]
  const [users, messages] = [Number(values.users), Number(values.messages)]
  if (
    engines.length === 0 ||
    only.length < wanted.length ||
    !(seconds >= 1) ||
    !(rounds >= 1) ||
    !(users >= 1) ||
    !(messages >= 1)
  )
    throw new Error(usage)
  return { engines, seconds, rounds, only, users, messages, json: values.json, profileDir: values.profile }
}
