/** `postrider simulate <file>`: what an automation would do, as a timeline. */
import type { Simulation, SimulationBody } from '@postrider/client'
import type { Command } from 'commander'
import { assign, type Fields } from '../assign.ts'
import { exitCodes, Failure } from '../failure.ts'
import { readObject } from '../json-file.ts'
import { moment, plain, shorten } from '../plain.ts'
import { clientOf, sessionOf } from '../session.ts'
import { statusStyle } from '../status.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'

interface SimulateOptions {
  start?: string
  recipient?: string
  data?: Fields
  profile?: Fields
}

export function addSimulate(program: Command): void {
  program
    .command('simulate')
    .description('Run an automation under a clock of its own: what would be sent, when, to whom, by which channel.')
    .argument('<file>', 'JSON: an automation, the body of an invoke or of a simulation; - for standard input')
    .option('--start <moment>', 'when the run begins, in ISO 8601; now when left out')
    .option('-r, --recipient <id>', 'the recipient of the run')
    .option('-d, --data <key=value>', 'data of the run; key:=json for anything but text', assign)
    .option('-p, --profile <key=value>', 'stored profile of the recipient, for this simulation only', assign)
    .addHelpText(
      'after',
      `
Examples:
  $ postrider simulate onboarding.json --recipient user-7 --profile email=ada@example.com
  $ postrider simulate reminder.json --start 2026-03-28T09:00:00Z --data order=A17
  $ echo '{"steps":[{"action":"delay","until":"Mo-Fr 09:00-17:00"}]}' | postrider simulate -

Nothing is sent, stored or called. A simulation can also hold profiles, answers of fetched addresses ("fetched"),
statuses of messages ("statuses") and more runs ("further"): see the guide to automations.
The exit code is 1 when a run ends with an error.`,
    )
    .action(async (file: string, options: SimulateOptions, command: Command) => {
      const session = sessionOf(command)
      const simulation = await clientOf(session).simulate(bodyOf(readObject(file), options))
      session.terminal.answer(simulation, () => simulationText(session.terminal, simulation))
      if (simulation.runs.some(({ status }) => status === 'ERROR')) process.exitCode = exitCodes.failed
    })
}

/** What is given on the command line beats the file. */
export function bodyOf(file: Record<string, unknown>, options: SimulateOptions): SimulationBody {
  const { start, recipient, data, profile } = options
  const { brand, template, recipient: given, data: values, profile: own, ...rest } = file
  // An automation by itself, else the body of an invoke, whose context lies beside it.
  const body = 'steps' in file ? { automation: file } : rest
  const beside = 'steps' in file ? {} : { brand, template, recipient: given, data: values, profile: own }
  const context = {
    ...defined(beside),
    ...(file.context as object | undefined),
    ...(recipient !== undefined && { recipient }),
  } as NonNullable<SimulationBody['context']>
  if (data) context.data = { ...context.data, ...data }
  const whose = context.recipient
  if (profile && (whose === undefined || whose === null))
    throw new Failure('--profile needs a recipient', { hint: 'Give --recipient.', exitCode: exitCodes.wrong })
  const profiles = (file.profiles ?? {}) as NonNullable<SimulationBody['profiles']>
  return {
    ...body,
    context,
    ...(start !== undefined && { start }),
    ...(profile ? { profiles: { ...profiles, [String(whose)]: { ...profiles[String(whose)], ...profile } } } : {}),
  } as SimulationBody
}

const defined = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

export function simulationText(terminal: Terminal, simulation: Simulation): string {
  const { runs, timeline, start, end, complete } = simulation
  const numbers = new Map(runs.map(({ run_id }, index) => [run_id, index + 1]))
  const several = runs.length > 1
  const rows = timeline.map((step) => [
    moment(Date.parse(step.at)),
    ...(several ? [numbers.get(step.run_id)] : []),
    step.position,
    step.action,
    step.status,
    words(step),
  ])
  const style = (text: string) => statusStyle(terminal, text)
  const columns = [
    { title: 'WHEN' },
    ...(several ? [{ title: 'RUN' }] : []),
    { title: 'STEP' },
    { title: 'ACTION' },
    { title: 'STATUS', style },
    { title: 'WHAT', charactersMax: 160 },
  ]
  const ends = runs.map(({ status, error }, index) => {
    const name = several ? `Run ${index + 1} ` : ''
    return `${name}${style(status)}${error ? `: ${plain(error)}` : ''}`
  })
  const took = Date.parse(end) - Date.parse(start)
  return [
    table(columns, rows),
    `${ends.slice(0, RUNS_SHOWN).join('\n')}\nOver after ${span(took)}.`,
    complete ? '' : 'It was stopped: too much would happen to be shown.',
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Beyond it the timeline says the same better. */
const RUNS_SHOWN = 20

type Step = Simulation['timeline'][number]

function words({ reason, waited_ms, messages, request, result }: Step): string {
  const parts = [
    ...(messages ?? []).map(messageWords),
    ...(request ? [`to ${request.to.join(', ')}`] : []),
    ...(waited_ms === undefined ? [] : [`waited ${span(waited_ms)}`]),
    ...(reason === undefined ? [] : [reason]),
  ]
  if (parts.length > 0) return parts.join('; ')
  return result && Object.keys(result).length > 0 ? JSON.stringify(result) : ''
}

function messageWords({ recipient, event, channels, explanation }: NonNullable<Step['messages']>[number]): string {
  const what = event === '' ? 'a message' : event
  if (explanation && channels.length === 0) {
    const { status, reason, error } = explanation.decision
    return `${what} to ${recipient} would be ${[status, reason, error].filter(Boolean).join(': ')}`
  }
  const content = explanation?.rendered[0]?.content
  const said = content ? content.subject || content.title || content.body : ''
  const by = channels.length > 0 ? ` by ${channels.join(', ')}` : ''
  return `${what} to ${recipient}${by}${said ? `: ${shorten(plain(said), 60)}` : ''}`
}

const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
]

/** The two largest units: `2 days 3 hours`. */
export function span(ms: number): string {
  const parts: string[] = []
  let rest = ms
  for (const [length, name] of UNITS) {
    const count = Math.floor(rest / length)
    rest -= count * length
    if (count > 0 && parts.length < 2) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`)
  }
  return parts.length > 0 ? parts.join(' ') : ms === 0 ? 'no time' : `${ms} ms`
}
