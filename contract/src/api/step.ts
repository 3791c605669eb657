/** An automation step as data: its fields, an example, and its line in a simulation. */
import type { Static, TObject } from 'typebox'

export interface StepDefinition<Fields extends TObject = TObject> {
  /** Documents list steps by ascending position. */
  position: number
  /** Fields besides `action`, `if` and `ref`, after interpolation; the description is the line of the step in documents. */
  fields: Fields
  /** Fields that work in a run with a recipient. Documents show it, and tests execute it. */
  example: Static<Fields>
  /** The step can wait: other runs go on meanwhile. */
  waits?: true
  /** The step cancels other runs. */
  cancels?: true
  /** The executed step as a phrase that begins with a verb, for a simulation. */
  summary(step: ExecutedStep, format: SummaryFormat): string
}

/** An executed step without messages. */
export interface ExecutedStep {
  result: Readonly<Record<string, unknown>>
  waitedMs: number
}

/** Values as text; the reader of a simulation decides how they look. */
export interface SummaryFormat {
  /** A number with its noun: `3 runs`. */
  count(number: unknown, noun: string): string
  bytes(number: number): string
  duration(ms: number): string
  time(iso: unknown): string
  run(runId: string): string
}

export const automationStep = <const Fields extends TObject>(definition: StepDefinition<Fields>) => definition
