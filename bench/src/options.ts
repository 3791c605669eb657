/** What the command line asks for. */
import { parseArgs } from 'node:util'
import type { EngineName } from './places.ts'

export const measureNames = ['start', 'accepts', 'http', 'mail', 'pace'] as const
export type MeasureName = (typeof measureNames)[number]

export interface Options {
  engines: EngineName[]
  /** Of each measurement, after as long a warm-up as a third of it, at least 2 s. */
  seconds: number
  rounds: number
  only: MeasureName[]
  json: boolean
  /** Where the product's CPU profiles go. */
  profileDir: string | undefined
}

const usage = `npm run bench -- [--engine embedded|postgres] [--seconds 8] [--rounds 3]
                [--only ${measureNames.join(',')}] [--json] [--profile <folder>]`

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
    },
  })
  const engines = (['embedded', 'postgres'] as const).filter((name) => !values.engine || values.engine === name)
  const wanted = values.only.split(',')
  const only = measureNames.filter((name) => wanted.includes(name))
  const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)]
  if (engines.length === 0 || only.length < wanted.length || !(seconds >= 1) || !(rounds >= 1)) throw new Error(usage)
  return { engines, seconds, rounds, only, json: values.json, profileDir: values.profile }
}
