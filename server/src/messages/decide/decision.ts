/** The value that passes the steps of a decision, and how a step ends it. */
import type {
  Candidate,
  Channel,
  DecisionCodeOf,
  DecisionFinding,
  DecisionStep,
  MessageDevice,
  MessageStatus,
  Reason,
} from '@postrider/contract'
import type { Budget } from '../../base/budget.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { RecipientLinks } from '../../preferences/recipient-links.ts'
import type { Tracker } from '../../tracking/tracker.ts'
import type { DigestFacts, Facts, Integration, Notification } from '../facts.ts'
import type { Mode, SendInput } from '../send.ts'

/** The input of every step. */
export interface DecisionInput {
  /** Empty while a send is explained that does not exist. */
  messageId: string
  workspace: string
  mode: Mode
  input: SendInput
  /** Deadlines count from here. */
  firstDue: number
  facts: Facts
  now: number
  workspaceId: number
  /** Absent without a public address. */
  links?: RecipientLinks | undefined
  /** Absent where nothing is sent: in simulations. */
  tracker?: Tracker | undefined
}

/** The value before the first step. */
export interface BudgetedInput extends DecisionInput {
  /** For all conditions of the message together. */
  conditionBudget: Budget
}

export interface Mapped extends BudgetedInput {
  notification: Notification
}

export interface Profiled extends Mapped {
  profile: { received: JsonObject; stored: JsonObject; merged: JsonObject }
}

export interface Permitted extends Profiled {
  /** The only channels the recipient accepts, in order; undefined: any. */
  chosenChannels: readonly string[] | undefined
  /** True: where none of these channels works, those of the notification are used. */
  channelsYield?: boolean
}

/** The plan: what to try, in which order. */
export interface Routed extends Permitted {
  route: Route
  /** Those of the route, in the order of their turns. */
  candidates: readonly RouteCandidate[]
  /** Every candidate, selected or not, with the reason. */
  considered: readonly Candidate[]
}

/** The value of a decision that ended before its last step. */
export type PartialPlan = Partial<Routed> & BudgetedInput

/**
 * One integration that a message can go through, in one channel, and for a push one device.
 * `key` is the same in every decision about the message.
 */
export interface RouteCandidate {
  kind: 'candidate'
  key: string
  channel: Channel
  integration: Integration
  device?: MessageDevice
  to: unknown
}

/**
 * `single`: one after the other until one is accepted. `all`: each of them. `channel` marks the candidates of one
 * channel, `devices` those of one integration.
 */
export interface Group {
  kind: 'group'
  method: 'single' | 'all'
  channel?: Channel
  devices?: true
  routes: readonly Route[]
}

export type Route = RouteCandidate | Group

/** Final. */
export interface Ending {
  status: Extract<MessageStatus, 'UNMAPPED' | 'UNROUTABLE' | 'UNDELIVERABLE' | 'FILTERED'>
  reason?: Reason
  error: string
}

/** The recipient opted out of the notification, or of each of its channels. */
export const optedOut: Ending = {
  status: 'UNDELIVERABLE',
  reason: 'UNSUBSCRIBED',
  error: 'Notification opted out by user',
}

/** At `until` it is decided again. */
export interface Postponement {
  status: 'DELAYED'
  until: number
  error: string
}

/** It is not sent alone: it is added to the digest of its topic. */
export interface DigestStop {
  status: 'DIGESTED'
  digest: DigestFacts
}

type Stop = Ending | Postponement | DigestStop

type StepName = DecisionStep['step']

/** A result of a step, by its code; `findings.ts` has its sentence. */
export type StepFinding<Step extends StepName> = DecisionFinding<DecisionCodeOf<Step>>

/** The first finding is the result of the step, the others are notes. */
export type Findings<Finding = DecisionFinding> = readonly [Finding, ...Finding[]]

/** Made only for explanations: it costs more than deciding. */
export interface StepExplanation<Finding = DecisionFinding> extends Pick<DecisionStep, 'facts'> {
  findings: Findings<Finding>
}

/** A step adds to the value or stops the message; both can be explained. */
export type StepResult<Finding, Before extends object, After extends Before> = {
  explain(): StepExplanation<Finding>
} & ({ added: Omit<After, keyof Before> } | { stop: Stop; considered?: readonly Candidate[] })
