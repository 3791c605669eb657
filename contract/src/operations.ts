/** Every operation in one list, and the types that follow from it. */
import type { Static, TSchema } from 'typebox'
import { accountOperations } from './accounts.ts'
import { audienceOperations } from './audiences.ts'
import { auditEventOperations } from './audit-events.ts'
import { authOperations } from './auth.ts'
import { automationTemplateOperations } from './automation-templates.ts'
import { automationOperations } from './automations.ts'
import { brandOperations } from './brands.ts'
import { bulkOperations } from './bulk.ts'
import { deviceTokenOperations } from './device-tokens.ts'
import { digestOperations } from './digests.ts'
import { erasureOperations } from './erasures.ts'
import { eventOperations } from './events.ts'
import { explainOperations } from './explain.ts'
import { inboundOperations } from './inbound.ts'
import { keyOperations } from './keys.ts'
import { listSendOperations } from './list-send.ts'
import { listOperations } from './lists.ts'
import { mailboxOperations } from './mailbox.ts'
import { membershipOperations } from './memberships.ts'
import { messageOperations } from './messages.ts'
import { notificationCheckOperations } from './notification-checks.ts'
import { notificationContentOperations } from './notification-content.ts'
import { notificationInspectionOperations } from './notification-inspection.ts'
import { notificationOperations } from './notifications.ts'
import type { BodyOf, Operation, ParamsOf, QueryOf } from './operation.ts'
import { preferenceOperations } from './preferences.ts'
import { serviceOperations } from './probes.ts'
import { profileListOperations } from './profile-lists.ts'
import { profileOperations } from './profiles.ts'
import { providerOperations } from './providers.ts'
import { requestOperations } from './requests.ts'
import { routingOperations } from './routing.ts'
import { sectionOperations } from './sections.ts'
import { sendOperations } from './send.ts'
import { simulationOperations } from './simulation.ts'
import { tenantOperations } from './tenants.ts'
import { topicPreferenceOperations } from './topic-preferences.ts'
import { topicOperations } from './topics.ts'
import { translationOperations } from './translations.ts'
import { webhookOperations } from './webhooks.ts'

const all = [
  ...sendOperations,
  ...explainOperations,
  ...simulationOperations,
  ...profileOperations,
  ...erasureOperations,
  ...profileListOperations,
  ...listOperations,
  ...listSendOperations,
  ...deviceTokenOperations,
  ...tenantOperations,
  ...membershipOperations,
  ...accountOperations,
  ...preferenceOperations,
  ...topicPreferenceOperations,
  ...sectionOperations,
  ...topicOperations,
  ...digestOperations,
  ...audienceOperations,
  ...eventOperations,
  ...routingOperations,
  ...inboundOperations,
  ...messageOperations,
  ...requestOperations,
  ...bulkOperations,
  ...automationOperations,
  ...automationTemplateOperations,
  ...notificationOperations,
  ...notificationContentOperations,
  ...notificationCheckOperations,
  ...notificationInspectionOperations,
  ...brandOperations,
  ...translationOperations,
  ...providerOperations,
  ...webhookOperations,
  ...keyOperations,
  ...authOperations,
  ...auditEventOperations,
  ...mailboxOperations,
  ...serviceOperations,
] as const

type Known = (typeof all)[number]

export type OperationId = Known['id']
export type OperationOf<Id extends OperationId> = Extract<Known, { id: Id }>

/** What a handler is given, checked. The body of an operation with `bodyOptional` may be absent. */
export interface InputOf<Id extends OperationId> {
  params: ParamsOf<OperationOf<Id>>
  query: QueryOf<OperationOf<Id>>
  body: OperationOf<Id> extends { bodyOptional: true } ? BodyOf<OperationOf<Id>> | undefined : BodyOf<OperationOf<Id>>
}

/** The body of a reply with this status. */
export type ReplyOf<Id extends OperationId, Status extends number = 200> = OperationOf<Id>['replies'] extends {
  [S in Status]: infer Reply
}
  ? Reply extends TSchema
    ? Static<Reply>
    : undefined
  : never

/** The body of the reply to a call that went well; undefined where it has none. */
export type SuccessOf<Id extends OperationId> =
  | ReplyOf<Id, 200>
  | ReplyOf<Id, 201>
  | ReplyOf<Id, 202>
  | ReplyOf<Id, 204>

/** One function for each operation; `satisfies Handlers<…>` proves that none is missing. */
export type Handlers<Context, Result> = {
  [Id in OperationId]: (input: InputOf<Id>, context: Context) => Result
}

export const operations: readonly Operation[] = all

export const operationById = Object.fromEntries(all.map((known) => [known.id, known])) as unknown as {
  readonly [Id in OperationId]: OperationOf<Id>
}
