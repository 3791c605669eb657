// biome-ignore-all format: generated
// biome-ignore-all lint/complexity/noExcessiveLinesPerFunction: generated
/** The shapes and calls of the API, generated from the contract by `npm run generate -w client`. */
import { type Call, type CallOptions, type IfAbsent, type IfUnchanged, segment } from './call.ts'
import type { ErrorCode } from './error-code.generated.ts'
import { type Listing, listing } from './listing.ts'
import type { InLocales, IntegrationChange, IntegrationOf, NoSettings, WithReferences } from './shape-parts.ts'
import type { SendCall, TemplateName, TypedBulk, TypedMessage, TypedSend } from './templates.ts'

/** A tenant, under the name of older clients. */
export interface Account {
  /** The tenant id. */
  id: string
  /** Display name. */
  name: string
  /** Values for templates. */
  properties: Record<string, unknown>
  /** Default profile of its users. */
  user_profile: Record<string, unknown>
  /** Default brand of messages for this tenant; null for none. */
  brand_id: string | null
  /** Topic defaults for its users. */
  default_preferences: {
    /** One entry for each topic. */
    items: Array<StoredTopicDefault>
  }
  /** Id of the parent tenant; null at the top level. */
  parent_account_id: string | null
}

/** A tenant, in a request of older clients. */
export interface AccountInput {
  /** Display name; available in templates as `{$.tenant.name}`. */
  name: string
  /** Topic defaults for its users. */
  default_preferences?: DefaultPreferences | null | undefined
  /** Values for templates: `{$.tenant.plan}`. At most 64 kB as JSON. */
  properties?: Record<string, unknown> | null | undefined
  /** Default profile of its users; the stored profile of a user is merged over it. At most 64 kB as JSON. */
  user_profile?: Record<string, unknown> | null | undefined
  /** Default brand of messages for this tenant. */
  brand_id?: string | null | undefined
  /** Id of the parent tenant. */
  parent_account_id?: string | null | undefined
}

/** A page of tenants. */
export interface AccountPage {
  /** Always `list`. */
  type: 'list'
  /** Items of this page. */
  items: Array<Account>
  /** Whether another page follows. */
  has_more: boolean
  /** The path of the list. */
  url: string
  /** Path and query of the next page; null on the last page. */
  next_url: string | null
  /** Value of `cursor` for the next page; null on the last page. */
  cursor: string | null
}

export interface AccountsListQuery {
  /** Items per page. Default: 20. */
  limit?: number | undefined
  /** The `cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Alias of `cursor` for older clients. */
  starting_after?: string | undefined
  /** Parent tenant of the tenants to list. */
  parent_account_id?: string | undefined
}

export interface AccountsPutUserBody {
  /** Profile of the user. */
  profile?: Record<string, unknown> | null | undefined
  /** Tenants of the user. Other memberships are unchanged. */
  accounts?: Array<{
    /** The tenant id. */
    account_id: string
    /** Profile that is merged over the profile of the user in messages for this tenant. Default: unchanged, for an existing membership. */
    profile?: Record<string, unknown> | null | undefined
  }> | null | undefined
}

/** A button or a link. */
export interface ActionElement {
  /** Always `action`. */
  type: 'action'
  /** Label. */
  content: string
  /** Target URL. */
  href: string
  /** Your own id of the action. */
  action_id?: string | undefined
  /** Appearance. Default: `button`. */
  style?: 'button' | 'link' | undefined
  /** Alignment in an email. `start` and `end` follow the direction of the language. `full`: justified. */
  align?: 'left' | 'center' | 'right' | 'start' | 'end' | 'full' | undefined
  /** Background color of the button. A CSS color; variables are allowed. */
  background_color?: string | undefined
  /** Text color. A CSS color; variables are allowed. */
  color?: string | undefined
  /** The link is not tracked, whatever else is switched on. */
  disable_tracking?: boolean | 'true' | 'false' | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<ActionElement> | undefined
}

/** The first run opens a batch and waits. Later runs add their data and end. When the batch closes, the first run continues with `count` and `items` in `data.batch`, or under the `category_key` in `data`. */
export interface AddToBatchStep {
  /** Always `add-to-batch`. */
  action: 'add-to-batch'
  /** Name of the batch. Default: the batch of this step. */
  batch_id?: string | undefined
  /** Period without new items after which the batch closes. Default: `max_wait_period`. An integer and a unit (`30 minutes`), or an ISO 8601 duration: `P1D`, `PT30M`. */
  wait_period?: string | undefined
  /** Period after which the batch closes. Maximum and default: 60 days. An integer and a unit (`30 minutes`), or an ISO 8601 duration: `P1D`, `PT30M`. */
  max_wait_period?: string | undefined
  /** Number of items that closes the batch. Default: 10,000. */
  max_items?: number | string | undefined
  retain?: Retain | undefined
  /** Runs that are counted together. `user`: runs of one recipient. `global`: all runs of this automation. `dynamic`: runs with the same key. Default: `global`. */
  scope?: 'user' | 'global' | 'dynamic' | undefined
  /** Key of the batch, for the scope `dynamic`. */
  batch_key?: string | undefined
  /** Key in `data` for the items. Default: `batch`. */
  category_key?: string | undefined
  /** Condition: an expression that must be true for the step to be executed. */
  if?: string | undefined
  /** Name of the result for later steps. */
  ref?: string | undefined
}

/** Adds the data of the run to the digest of its recipient. */
export interface AddToDigestStep {
  /** Always `add-to-digest`. */
  action: 'add-to-digest'
  /** Topic of the digest. */
  subscription_topic_id: string
  /** Condition: an expression that must be true for the step to be executed. */
  if?: string | undefined
  /** Name of the result for later steps. */
  ref?: string | undefined
}

/** Kind of the address. `chat_id`: a chat of Telegram or Discord. */
export type AddressKind = 'email' | 'phone_number' | 'device_token' | 'chat_id'

/** An API key; the key itself is not stored. */
export interface ApiKey {
  /** Id of the key, not the key itself. */
  id: string
  /** Display name. */
  name: string
  kind: KeyKind
  role: KeyRole
  environment: KeyEnvironment
  /** Time of creation. In milliseconds since the Unix epoch. */
  created: number
  /** From then on calls with it are refused; null: it is valid until it is revoked. In milliseconds since the Unix epoch. */
  expires: number | null
  /** Latest use of a key, by a program, a session or a token. */
  last_used: ApiKeyUse | null
}

/** Latest use of a key, by a program, a session or a token. */
export interface ApiKeyUse {
  /** Latest day of use, in UTC: `2026-11-29`. */
  day: string
  /** Address of the latest client of that day, to ten minutes; null where only tokens of the key called, and after the retention of messages. Masked for viewers. */
  address: string | null
}

/** Settings of Apple Push Notification service. */
export interface ApnSettings {
  /** Team id: The id of your team: ten characters. */
  teamId: string
  /** Key id: The id of the key: ten characters. */
  keyId: string
  /** Private key: The content of the .p8 file of the key. */
  privateKey: string
  /** Topic: The bundle id of the app. */
  topic: string
  /** Environment: `sandbox` for apps that Xcode installed. `production`, the default, for all other apps. */
  environment?: 'production' | 'sandbox' | undefined
  /** Time to live: How many seconds Apple keeps a push for a device that is off. With 0, Apple tries once. */
  ttl?: number | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://api.push.apple.com". */
  baseUrl?: string | undefined
}

/** One attempt to deliver through a provider. Request and reply are stored for failed attempts and for a success after another attempt of the message: of each delivery the first five attempts, then every tenth, and the one that ended it. */
export interface AttemptRecord {
  /** Number of the attempt, from 1. */
  number: number
  /** Start of the attempt. In milliseconds since the Unix epoch. */
  started: number
  /** End of the attempt; absent while it is in progress. In milliseconds since the Unix epoch. */
  ended?: number | undefined
  /** Outcome of the attempt. */
  outcome?: 'sent' | 'retry' | 'rejected' | 'in_doubt' | undefined
  /** Error of the attempt. */
  error?: string | undefined
  request?: AttemptRequest | undefined
  reply?: AttemptReply | undefined
}

/** The reply to the latest request of an attempt, with secrets masked. */
export interface AttemptReply {
  /** HTTP status or SMTP code; absent when no reply came. */
  status?: number | undefined
  /** Headers with the type of the body, request ids, limits and pauses. */
  headers?: Record<string, string> | undefined
  /** Start of the body; for SMTP the text of the reply. */
  body?: string | undefined
  /** Characters of the whole body. */
  body_size?: number | undefined
  /** Why no reply came: `dns`, `connect`, `tls`, `timeout`, `reset`, `too_large`, … */
  failure?: string | undefined
  /** The failure in words. */
  error?: string | undefined
}

/** The latest request of an attempt, with secrets masked. */
export interface AttemptRequest {
  /** Protocol of the request. */
  protocol: 'http' | 'smtp'
  /** HTTP method. */
  method?: string | undefined
  /** Address of the request; for SMTP the server: `smtp://mail.example.com:587`. */
  url: string
  /** SMTP only. */
  envelope?: {
    /** Envelope sender. */
    from: string
    /** Envelope recipients, at most 20. */
    to: Array<string>
  } | undefined
  /** Headers of the request. Headers that may carry credentials are masked. */
  headers?: Record<string, string> | undefined
  /** Start of the body; absent for mails, binary bodies and requests for tokens. */
  body?: string | undefined
  /** Characters of the whole body; bytes of a binary one. */
  body_size?: number | undefined
  /** Messages that shared the call; `body` is the part of this one. Absent for a call of its own. */
  messages?: number | undefined
}

/** A group of users who match a filter. */
export interface Audience {
  /** The audience id. */
  id: string
  /** Display name; can be empty. */
  name: string
  /** Description; can be empty. */
  description: string
  /** Filter of the audience; null matches no users. */
  filter: AudienceFilter | null
  /** Operator of a `filter` without one. Default: `AND`. */
  operator?: 'AND' | 'OR' | undefined
  /** Time of creation. ISO 8601, UTC. */
  created_at: string
  /** Time of the last change. ISO 8601, UTC. */
  updated_at: string
}

/** A condition on the profile, or a group of filters. */
export interface AudienceFilter {
  /** Operator. For a group: `AND`, `OR`. For a condition: `EQ`, `NEQ`, `GT`, `GTE`, `LT`, `LTE`, `INCLUDES`, `OMIT`, `EXISTS`, `STARTS_WITH`, `ENDS_WITH`, `IS_BEFORE`, `IS_AFTER`, `MEMBER_OF`. Optional for the outermost group. */
  operator?: AudienceOperator | undefined
  /** Condition: path of the value in the profile, with keys joined by dots (`address.country`). `tenant_id` for `MEMBER_OF`. */
  path?: string | undefined
  /** Condition: a string, number or boolean, or an array of them, any of which matches. */
  value?: AudienceValue | AudienceValue[] | undefined
  /** Group: nested filters. */
  filters?: AudienceFilter[] | undefined
  /** Alias of `filters` for older clients. */
  rules?: AudienceFilter[] | undefined
}

/** The audience, and again under `audience` for older clients. */
export interface AudienceFound {
  /** The audience id. */
  id: string
  /** Display name; can be empty. */
  name: string
  /** Description; can be empty. */
  description: string
  /** Filter of the audience; null matches no users. */
  filter: AudienceFilter | null
  /** Operator of a `filter` without one. Default: `AND`. */
  operator?: 'AND' | 'OR' | undefined
  /** Time of creation. ISO 8601, UTC. */
  created_at: string
  /** Time of the last change. ISO 8601, UTC. */
  updated_at: string
  audience: Audience
}

/** A member of an audience, with the reason. */
export interface AudienceMember {
  /** The user id. */
  member_id: string
  /** The audience id. */
  audience_id: string
  /** Latest version of the audience that the user matched; each write creates a version. */
  audience_version: number
  /** Time the user became a member. ISO 8601, UTC. */
  added_at: string
  /** The evaluated conditions with their results. */
  reason: string
}

/** Operator of a group (`AND`, `OR`) or of a condition. */
export type AudienceOperator = 'AND' | 'OR' | 'EQ' | 'NEQ' | 'GT' | 'GTE' | 'LT' | 'LTE' | 'INCLUDES' | 'OMIT' | 'EXISTS' | 'STARTS_WITH' | 'ENDS_WITH' | 'IS_BEFORE' | 'IS_AFTER' | 'MEMBER_OF'

/** The users who match a filter now. */
export interface AudiencePreview {
  /** Users of those evaluated who match. */
  matched: number
  /** Users who were evaluated, in the order of their ids. */
  evaluated: number
  /** True if every user was evaluated. */
  complete: boolean
  /** The first users who match. */
  items: Array<{
    /** The user id. */
    member_id: string
    /** The evaluated conditions with their results. */
    reason: string
  }>
}

/** A filter to try. */
export interface AudiencePreviewWrite {
  /** The filter; null matches no users. */
  filter: AudienceFilter | null
  /** Operator of a `filter` without one. Default: `AND`. */
  operator?: 'AND' | 'OR' | null | undefined
  /** Number of users to return. Default: 25. */
  limit?: number | undefined
}

/** A value in a condition. */
export type AudienceValue = string | number | boolean

/** The audience after the write. */
export interface AudienceWritten {
  audience: Audience
}

export interface AudiencesListQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 25. */
  limit?: number | undefined
}

export interface AudiencesListReply {
  items: Array<Audience>
  paging: Paging
}

export interface AudiencesMembersQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 100. */
  limit?: number | undefined
}

export interface AudiencesMembersReply {
  items: Array<AudienceMember>
  paging: Paging
}

export interface AudiencesPutBody {
  /** Display name. */
  name?: string | null | undefined
  /** Description. */
  description?: string | null | undefined
  /** Filter of the audience; null matches no users. */
  filter?: AudienceFilter | null | undefined
  /** Operator of a `filter` without one. Default: `AND`. */
  operator?: 'AND' | 'OR' | null | undefined
}

/** An administrative change. */
export interface AuditEvent {
  /** Audit event id. */
  auditEventId: string
  /** Actor of the change. */
  actor: {
    /** API key of the call: `key/backend`. */
    id: string
    /** Empty for an API key. */
    email: string
  }
  /** Id of the changed record; can be empty. */
  target: string
  source: AuditSource
  /** Time of the change. ISO 8601, UTC. */
  timestamp: string
  /** Type of the change: `key:created`. */
  type: string
  /** Caller of the change; absent for earlier changes. */
  caller?: {
    /** API key of the call, of its token, or of its session. */
    key: {
      /** Id of the key. */
      id: string
      /** Its display name at that time. */
      name: string
    }
    /** Id of the session; null for a call without one. */
    session_id: string | null
    role: KeyRole
    /** Address of the client: the other end of the connection, or as a trusted proxy (`POSTRIDER_TRUSTED_PROXIES`) saw it. */
    address: string | null
  } | undefined
}

export interface AuditEventsListQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 50. */
  limit?: number | undefined
  /** Actor of the change, as `actor.id` names it: `key/backend`. */
  actor?: string | undefined
  /** Id of the API key of the call, of its token, or of its session. */
  key_id?: string | undefined
  /** Types of the change, any of which matches: `key:created`. */
  type?: Array<string> | undefined
  /** Kind of the changed record: the part of `type` before the colon, `integration`. */
  target_kind?: string | undefined
  /** Id of the changed record. */
  target?: string | undefined
  source?: AuditSource | undefined
  /** Start, inclusive. ISO 8601 or milliseconds since the Unix epoch, as a string. */
  from?: string | undefined
  /** End, exclusive. ISO 8601 or milliseconds since the Unix epoch, as a string. */
  to?: string | undefined
}

export interface AuditEventsListReply {
  paging: Paging
  results: Array<AuditEvent>
}

/** `dashboard`: a session of a browser. `cli`: the command `postrider`, as the `User-Agent` of the call says, or directly on the database. `api`: any other call. */
export type AuditSource = 'dashboard' | 'cli' | 'api'

export interface AuthIssueTokenBody {
  /** Permissions of the token, separated by spaces: `user_id:<id>` (a user of the token; once for each user), `read:messages`, `read:user-tokens`, `write:user-tokens`, `read:brands`, `write:brands`, `read:preferences`, `write:preferences`, `inbox:read:messages`, `inbox:write:events`. Scopes of brands can be narrowed to one brand: `read:brands:<id>`. */
  scope: string
  /** Lifetime: a number of seconds, or a string such as `2 days`, `10h` or `30 minutes`. At least a second, at most 366 days. */
  expires_in: string | number
}

/** Steps, the cancelation token, and fields of a run context. */
export interface Automation {
  /** Steps, executed in this order. Actions: `send`, `send-list`, `delay`, `cancel`, `fetch-data`, `update-profile`, `get-profile`, `update-list`, `invoke`, `add-to-batch`, `add-to-digest`, `throttle`. */
  steps: Array<AutomationStep>
  /** Token to cancel runs together: a string, a template string, or `{"$ref": "data.…"}`. `cancelationToken`, `cancellation_token` and `cancellationToken` are aliases. */
  cancelation_token?: unknown | undefined
  /** Default brand of the steps. */
  brand?: string | null | undefined
  /** Default notification or mapped event of the steps. */
  template?: string | null | undefined
  /** Default recipient of the steps. */
  recipient?: string | number | null | undefined
  /** Data of the steps and their messages; the data of a step is merged over it. */
  data?: Record<string, unknown> | null | undefined
  /** Contact values of the recipient; the profile of a step is merged over it. */
  profile?: Record<string, unknown> | null | undefined
}

/** The template is valid. */
export interface AutomationInspection {
  /** Ignored parts of the automation, each with its path, and steps by which it invokes itself again and again. */
  warnings: Array<string>
}

/** An automation template to check. */
export interface AutomationInspectionInput {
  /** The template id of the write, by which a step of the automation may name it. */
  id?: string | undefined
  /** Display name. Default: the template id. */
  name?: string | null | undefined
  /** Alternative id to invoke the template; unique. */
  alias?: string | null | undefined
  /** Triggers that start runs of the template. Default: none. */
  triggers?: Array<EventTrigger | ScheduleTriggerWrite> | null | undefined
  automation: Automation
}

/** How far the runs of a version have come. */
export interface AutomationProgress {
  /** Version number; incremented by every write. */
  version: number
  /** Number of runs that are counted: the newest, up to 1,000. */
  counted: number
  /** True if that many are counted: there can be older ones. */
  more: boolean
  /** Runs by status. */
  runs: Array<RunCount>
  /** Runs by step and its status, in order; steps that have not started are left out. */
  steps: Array<StepCount>
}

/** A run with its input and status. */
export interface AutomationRun {
  /** The run id. */
  runId: string
  /** Source of the run: `api`, `event/<event>`, `schedule`, `invoke/<run id>`, `send-list/<run id>`. */
  source: Array<string>
  status: RunStatus
  /** Automation template of the run. */
  template_id?: string | undefined
  /** Start of the run. ISO 8601, UTC. */
  created_at: string
  /** Time of the last progress. ISO 8601, UTC. */
  updated_at: string
  /** Error, with the position of the failed step: `steps.0` is the first. */
  error?: string | undefined
  /** `steps` and `cancelation_token` of the run, with tokens masked. */
  automation: Record<string, unknown>
  /** Brand of the run. */
  brand?: string | undefined
  /** Template of the run. */
  template?: string | undefined
  /** Recipient of the run. */
  recipient?: string | undefined
  /** Data at the start of the run. */
  data?: Record<string, unknown> | undefined
  /** Profile at the start of the run, with tokens masked. */
  profile?: Record<string, unknown> | undefined
}

/** A step of a run. */
export interface AutomationRunStep {
  /** Run id and position of the step in `automation.steps`, from 0. */
  step_id: string
  /** Action of the step. */
  action: string
  /** Name of the step, if it has one. */
  ref?: string | undefined
  status: RunStepStatus
  /** Message that the step sent; the first of several. */
  message_id?: string | undefined
  /** Result of the step. */
  result?: Record<string, unknown> | undefined
  /** Error of the step. */
  error?: string | undefined
  /** Reason why the step was skipped, had no effect or is waiting. */
  reason?: string | undefined
  /** Start of the step; for a step that was not started, start of the run. ISO 8601, UTC. */
  created_at: string
  /** Time of the last change. ISO 8601, UTC. */
  updated_at: string
}

/** A step. Values can be references: `{ $ref: 'data.order.id' }`. */
export type AutomationStep = WithReferences<SendStep> | WithReferences<SendListStep> | WithReferences<DelayStep> | WithReferences<CancelStep> | WithReferences<FetchDataStep> | WithReferences<UpdateProfileStep> | WithReferences<GetProfileStep> | WithReferences<UpdateListStep> | WithReferences<InvokeStep> | WithReferences<AddToBatchStep> | WithReferences<AddToDigestStep> | WithReferences<ThrottleStep>

/** A stored automation. */
export interface AutomationTemplate {
  /** Template id. */
  id: string
  /** Display name. */
  name: string
  /** Time of creation. ISO 8601, UTC. */
  createdAt: string
  /** Time this version was written. ISO 8601, UTC. */
  updatedAt: string
  /** Version number; incremented by every write. */
  version: number
  /** Alternative id to invoke the template. */
  alias?: string | undefined
  /** Triggers that start runs of the template. */
  triggers?: Array<EventTrigger | ScheduleTrigger> | undefined
  automation: Automation
  /** Ignored parts of the automation, each with its path, and steps by which it invokes itself again and again. Only in replies to writes; absent when there are none. */
  warnings?: Array<string> | undefined
}

/** An automation template, in a request. */
export interface AutomationTemplateInput {
  /** Display name. Default: the template id. */
  name?: string | null | undefined
  /** Alternative id to invoke the template; unique. */
  alias?: string | null | undefined
  /** Triggers that start runs of the template. Default: none. */
  triggers?: Array<EventTrigger | ScheduleTriggerWrite> | null | undefined
  automation: Automation
}

export interface AutomationVersion {
  /** Version number; incremented by every write. */
  version: number
  /** Time the version was written. ISO 8601, UTC. */
  createdAt: string
  /** Display name. */
  name: string
  /** Alternative id to invoke the template. */
  alias?: string | undefined
  /** Triggers that start runs of the template. */
  triggers?: Array<EventTrigger | ScheduleTrigger> | undefined
  automation: Automation
}

export interface AutomationsInvokeBody {
  automation: Automation
  /** Default brand of the steps. */
  brand?: string | null | undefined
  /** Default notification or mapped event of the steps. */
  template?: string | null | undefined
  /** Default recipient of the steps. */
  recipient?: string | number | null | undefined
  /** Data of the steps and their messages; the data of a step is merged over it. */
  data?: Record<string, unknown> | null | undefined
  /** Contact values of the recipient; the profile of a step is merged over it. */
  profile?: Record<string, unknown> | null | undefined
}

export interface AutomationsProgressQuery {
  /** Version of the runs. Default: the current one. */
  version?: number | undefined
}

export interface AutomationsRunsQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 20. */
  limit?: number | undefined
  /** Status of the runs. `NOT PROCESSED` matches no run, since runs are started when they are stored. */
  status?: 'PROCESSING' | 'WAITING' | 'PROCESSED' | 'CANCELED' | 'ERROR' | 'THROTTLED' | 'NOT PROCESSED' | undefined
  /** Template of the runs, by id or alias. */
  template_id?: string | undefined
  /** Run that started the runs, by `invoke` or for a subscriber of a list. */
  parent_run_id?: string | undefined
  /** Earliest start, inclusive; ISO 8601. */
  start_date?: string | undefined
  /** Latest start, exclusive; ISO 8601. */
  end_date?: string | undefined
}

export interface AutomationsRunsReply {
  /** Runs of this page. */
  runs: Array<ShortRun>
  /** Value of `cursor` for the next page; absent on the last page. */
  next_cursor?: string | undefined
}

export interface AutomationsStepsReply {
  /** Steps, in order. */
  steps: Array<AutomationRunStep>
}

export interface AutomationsTemplatesQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 50. */
  limit?: number | undefined
  /** Accepted for older clients; templates are always listed in their current version. */
  version?: string | undefined
}

export interface AutomationsTemplatesReply {
  /** Templates of this page. */
  templates: Array<ShortAutomationTemplate>
  /** Value of `cursor` for the next page; absent on the last page. */
  cursor?: string | undefined
}

export interface AutomationsVersionsQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 50. */
  limit?: number | undefined
}

export interface AutomationsVersionsReply {
  paging: Paging
  /** Versions of this page. */
  results: Array<AutomationVersion>
}

/** Settings of Amazon SES. */
export interface AwsSesSettings {
  /** Region: The AWS region, such as us-east-1. */
  region: string
  /** Access key id: The id of the access key. It begins with AKIA, or with ASIA if the key is temporary. */
  accessKeyId: string
  /** Secret access key: The secret that signs requests. It is never sent. */
  secretAccessKey: string
  /** Session token: The session token of temporary credentials. */
  sessionToken?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. */
  baseUrl?: string | undefined
  /** From address: A verified address, or one of a verified domain. */
  fromAddress: string
  /** From name: The name of the sender. */
  fromName?: string | undefined
  /** From names by locale: Names of the sender by locale, such as `de: Beispiel; fr: Exemple`. Other locales get `fromName`. */
  fromNames?: string | undefined
  /** Reply to: The address for replies. */
  replyTo?: string | undefined
  /** Configuration set: The configuration set that publishes the events of the mails. */
  configurationSet?: string | undefined
  /** Topic ARN: The SNS topic that gets the events of the configuration set. Callbacks of other topics are refused. */
  topicArn?: string | undefined
}

/** Settings of Amazon SNS. */
export interface AwsSnsSettings {
  /** Region: The AWS region, such as us-east-1. */
  region: string
  /** Access key id: The id of the access key. It begins with AKIA, or with ASIA if the key is temporary. */
  accessKeyId: string
  /** Secret access key: The secret that signs requests. It is never sent. */
  secretAccessKey: string
  /** Session token: The session token of temporary credentials. */
  sessionToken?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. */
  baseUrl?: string | undefined
  /** Sender id: The sender that text messages show, in countries that allow it. */
  senderId?: string | undefined
  /** Origination number: The number that text messages are sent from. */
  originationNumber?: string | undefined
  /** Type of text messages: `Transactional` is the most reliable, `Promotional` costs the least. By default the setting of the account. */
  smsType?: 'Transactional' | 'Promotional' | undefined
  /** Topic ARN: The SNS topic of incoming messages. Callbacks of other topics are refused. */
  topicArn?: string | undefined
  /** Help text: The reply to a text such as HELP or INFO. Leave it empty if the provider replies itself, as Twilio does. */
  helpText?: string | undefined
}

/** The current version of a brand. */
export interface Brand {
  /** The brand id. */
  id: string
  /** Display name. */
  name: string
  /** Time of creation. In milliseconds since the Unix epoch. */
  created: number
  /** Time of the last change. In milliseconds since the Unix epoch. */
  updated: number
  /** Time this version took effect: that of the last change. In milliseconds since the Unix epoch. */
  published: number
  settings: BrandSettings
  snippets: BrandSnippets
  /** Current version: its time of creation, in ISO 8601. */
  version: string
  /** Whether messages without a brand use it. */
  default: boolean
}

/** A brand, in a request to create it. */
export interface BrandCreate {
  /** Your own id. Default: a generated id. */
  id?: string | null | undefined
  /** Display name. */
  name: string
  /** Appearance of a brand. Unknown fields are refused; fields stored for other clients can have any value. */
  settings: BrandSettings | null
  /** Reusable content that a template includes as `{{>name}}`. */
  snippets?: BrandSnippets | null | undefined
  /** True makes the brand the default of the workspace; false or absent leaves the default unchanged. */
  default?: boolean | undefined
}

/** An email with the appearance of a brand. */
export interface BrandPreview {
  /** Subject of the email. */
  subject: string
  /** Complete HTML document. */
  html: string
  /** The email as plain text. */
  text: string
  /** Parts of the content that are not rendered as written, and an email larger than Gmail shows. */
  warnings: Array<string>
}

/** Appearance of a brand. Unknown fields are refused; fields stored for other clients can have any value. */
export interface BrandSettings {
  /** Colors: a CSS color name, `#rgb`, `#rrggbb` or `rgb(…)`; other values are refused. */
  colors?: {
    /** Color of buttons and links. */
    primary?: string | null | undefined
    /** Secondary color, for templates that use it. */
    secondary?: string | null | undefined
    /** Tertiary color, for templates that use it. */
    tertiary?: string | null | undefined
  } | null | undefined
  /** Appearance of emails. */
  email?: {
    /** Header of an email. */
    header?: {
      /** Color of the bar at the top of an email. Default: no bar. */
      barColor?: string | null | undefined
      /** Logo at the top of an email. */
      logo?: {
        /** URL of the image. */
        image?: string | null | undefined
        /** URL of the image for dark screens. Default: `image`, on a light background. */
        darkImage?: string | null | undefined
        /** Width in pixels. Default: 160. */
        width?: number | null | undefined
        /** Target URL. */
        href?: string | null | undefined
      } | null | undefined
      /** Stored for other clients, without effect. */
      inheritDefault?: boolean | null | undefined
    } | null | undefined
    /** Footer of an email. */
    footer?: {
      /** Markdown below the content of an email; variables are interpolated. */
      markdown?: string | null | undefined
      /** Newer name of `markdown`, which takes precedence. */
      content?: string | null | undefined
      /** Social links below the footer. */
      social?: {
        /** Profile of the brand on Facebook. */
        facebook?: {
          /** URL of the brand on Facebook. */
          url?: string | null | undefined
        } | null | undefined
        /** Profile of the brand on Instagram. */
        instagram?: {
          /** URL of the brand on Instagram. */
          url?: string | null | undefined
        } | null | undefined
        /** Profile of the brand on LinkedIn. */
        linkedin?: {
          /** URL of the brand on LinkedIn. */
          url?: string | null | undefined
        } | null | undefined
        /** Profile of the brand on Medium. */
        medium?: {
          /** URL of the brand on Medium. */
          url?: string | null | undefined
        } | null | undefined
        /** Profile of the brand on Twitter. */
        twitter?: {
          /** URL of the brand on Twitter. */
          url?: string | null | undefined
        } | null | undefined
      } | null | undefined
      /** Stored for other clients, without effect. */
      inheritDefault?: boolean | null | undefined
    } | null | undefined
    /** Head of the HTML document of an email. */
    head?: {
      /** Markup for the `<head>` of an email, such as a `<style>`. */
      content?: string | null | undefined
      /** Stored for other clients, without effect. */
      inheritDefault?: boolean | null | undefined
    } | null | undefined
    /** Colors, font and shape of emails. */
    theme?: {
      /** Color around the card. */
      backgroundColor?: string | null | undefined
      /** Color behind the content. */
      cardColor?: string | null | undefined
      /** Color of the border of the card, and of lines. */
      borderColor?: string | null | undefined
      /** Color of texts and headings. */
      textColor?: string | null | undefined
      /** Fonts in order of preference, as in CSS: `Georgia, serif`. Default: the font of the system. */
      fontFamily?: string | null | undefined
      /** Radius of the card and of buttons in pixels. Default: 8. */
      borderRadius?: number | null | undefined
      /** Alignment of every part that has none of its own. Default: texts at the start, the rest centered. */
      align?: 'left' | 'center' | 'right' | null | undefined
      /** `light`: no dark version on dark screens. Default: `auto`. */
      colorScheme?: 'auto' | 'light' | null | undefined
      /** Colors on dark screens. Default: dark colors, with a readable version of the primary color. */
      dark?: {
        /** Color of buttons and links. */
        primaryColor?: string | null | undefined
        /** Color around the card. */
        backgroundColor?: string | null | undefined
        /** Color behind the content. */
        cardColor?: string | null | undefined
        /** Color of the border of the card, and of lines. */
        borderColor?: string | null | undefined
        /** Color of texts and headings. */
        textColor?: string | null | undefined
      } | null | undefined
    } | null | undefined
    /** Locale of texts without translations: the `lang` of an email to a recipient without a locale. Default: no `lang`. */
    locale?: string | null | undefined
    /** MJML layout, stored for other clients, without effect. */
    templateOverride?: Record<string, unknown> | null | undefined
  } | null | undefined
  /** Appearance of in-app inboxes, stored for clients. */
  inapp?: Record<string, unknown> | null | undefined
}

/** Reusable content that a template includes as `{{>name}}`. */
export interface BrandSnippets {
  /** Snippets. */
  items?: Array<{
    /** Name: letters, digits, `_` and `-`, at most 64. */
    name: string
    /** Content of the snippet. */
    value: string
    /** Always `handlebars`. */
    format?: 'handlebars' | undefined
  }> | null | undefined
}

/** A brand, in a request to replace it; absent or null parts are unchanged. */
export interface BrandWrite {
  /** Display name. */
  name: string
  /** Appearance of a brand. Unknown fields are refused; fields stored for other clients can have any value. */
  settings?: BrandSettings | null | undefined
  /** Reusable content that a template includes as `{{>name}}`. */
  snippets?: BrandSnippets | null | undefined
  /** True makes the brand the default of the workspace; false or absent leaves the default unchanged. */
  default?: boolean | undefined
}

export interface BrandsListQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 50. */
  limit?: number | undefined
}

export interface BrandsListReply {
  paging: Paging
  results: Array<Brand>
}

export interface BrandsPreviewBody {
  /** Display name, which stands for a logo that is not shown. */
  name: string
  /** Appearance of a brand. Unknown fields are refused; fields stored for other clients can have any value. */
  settings?: BrandSettings | null | undefined
  /** Reusable content that a template includes as `{{>name}}`. */
  snippets?: BrandSnippets | null | undefined
  content: ContentInput
  /** Values of the template variables. */
  data?: Record<string, unknown> | null | undefined
  /** Locale of the recipient: `de-AT`. */
  locale?: string | null | undefined
}

/** Settings of Brevo. */
export interface BrevoSettings {
  /** API key: An API key. It begins with xkeysib-. */
  apiKey: string
  /** From address: A verified sender, or an address of an authenticated domain. */
  fromAddress: string
  /** From name: The name of the sender. */
  fromName?: string | undefined
  /** From names by locale: Names of the sender by locale, such as `de: Beispiel; fr: Exemple`. Other locales get `fromName`. */
  fromNames?: string | undefined
  /** Reply to: The address for replies. */
  replyTo?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://api.brevo.com/v3". */
  baseUrl?: string | undefined
  /** Webhook token: A random text that verifies callbacks. The webhook sends it as a bearer token. */
  webhookToken?: string | undefined
}

/** The job is running. */
export interface BulkAccepted {
  /** Always `ACCEPTED`. */
  status: 'ACCEPTED'
}

export interface BulkCreateBody {
  message: BulkMessage
}

export interface BulkCreateQuery {
  /** Whether an unknown name, an unknown field, a recipient without an address or a variable without a value is a 400 instead of a status of the message. Without a value it is true. Takes precedence over the header `Prefer: handling=strict` (or `handling=lenient`), which takes precedence over the setting of the environment. */
  strict?: boolean | undefined
}

/** The job was created. */
export interface BulkCreated {
  /** The job id. */
  jobId: string
}

export interface BulkExplainBody {
  message: BulkMessage
  /** Users of the job, in order. */
  users: Array<BulkUser | Record<string, unknown>>
}

/** Forecast of a bulk job. */
export interface BulkExplanation {
  /** Why no user gets a message: an unknown event or template, or one without a published version. */
  stopped?: {
    status: MessageStatus
    code: DecisionCode
    /** Human-readable explanation. */
    error: string
  } | undefined
  /** Problems that do not depend on the user; a strict job is refused for them. */
  problems: Array<string>
  /** Ignored fields of the message and the users, each with its path. */
  warnings: Array<string>
  /** Users that the job would take, in order. */
  users: Array<BulkUserForecast>
  /** Users that the job would not take. */
  errors: Array<{
    /** Place of the user in the call. */
    user: number
    /** Reason, as when the user is added to a job. */
    error: string
  }>
}

export interface BulkIngestBody {
  /** Users to add. */
  users: Array<BulkUser>
}

/** Result of the call for its users. */
export interface BulkIngested {
  /** Number of users added by this call. */
  total: number
  /** Users that were not added. */
  errors: Array<{
    /** Reason: `Duplicate user` for one that the job has already, and a longer sentence for any other, also where the job has that recipient with other data. */
    error: string
    /** The user as sent. */
    user: Record<string, unknown>
  }>
}

/** A bulk job and its progress. */
export interface BulkJob {
  /** The message of the job, as sent. */
  definition: Record<string, unknown>
  /** Number of users added. */
  received: number
  /** Messages created so far. */
  enqueued: number
  /** Users whose message could not be created. */
  failures: number
  /** `CREATED`: users can be added, and nothing is sent. `COMPLETED`: every user has a message; `GET /messages?messageId=` lists them. `CANCELED`: it was stopped, and the users without a message get none. */
  status: 'CREATED' | 'PROCESSING' | 'COMPLETED' | 'CANCELED' | 'ERROR'
}

/** The bulk job. */
export interface BulkJobReply {
  job: BulkJob
}

/** A bulk job of a list, without its message. */
export interface BulkJobSummary {
  /** The job id. */
  jobId: string
  /** Event or template of the job; absent for content of its own. */
  event?: string | undefined
  /** Time the job was created. In milliseconds since the Unix epoch. */
  created: number
  /** Number of users added. */
  received: number
  /** Messages created so far. */
  enqueued: number
  /** Users whose message could not be created. */
  failures: number
  /** `CREATED`: users can be added, and nothing is sent. `COMPLETED`: every user has a message; `GET /messages?messageId=` lists them. `CANCELED`: it was stopped, and the users without a message get none. */
  status: 'CREATED' | 'PROCESSING' | 'COMPLETED' | 'CANCELED' | 'ERROR'
  /** Error that stopped the job. */
  error?: string | undefined
}

/** A page of bulk jobs. */
export interface BulkJobsPage {
  items: Array<BulkJobSummary>
  paging: Paging
}

export interface BulkListQuery {
  /** Status of the job; repeatable. */
  status?: Array<'CREATED' | 'PROCESSING' | 'COMPLETED' | 'CANCELED' | 'ERROR'> | undefined
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 25. */
  limit?: number | undefined
}

/** The message of every user of the job. */
export interface BulkMessage {
  /** A notification id, or a name mapped to a notification. */
  event?: string | null | undefined
  /** A notification id, its alias, or a mapped event. */
  template?: string | null | undefined
  /** Elemental JSON, or a title and a body. Variables have the form `{name}`. */
  content?: ContentInput | null | undefined
  /** A message of the second generation, without its recipients. */
  message?: Omit<MessageSend, 'to'> | null | undefined
  /** Brand of the messages. */
  brand?: string | null | undefined
  /** Values of the template variables. */
  data?: Record<string, unknown> | null | undefined
  /** Data by locale, merged over the data for users of that locale. A string is ignored. */
  locale?: Record<string, unknown> | string | null | undefined
  /** Overrides by provider, as in a send. */
  override?: Override | null | undefined
  /** Channels, and whether one or all of them are used. Groups can be nested. */
  routing?: MessageRouting | null | undefined
  /** Settings by channel. */
  channels?: SettingsByChannel<ChannelSettings> | null | undefined
  /** Settings by provider. */
  providers?: OptionsByProvider<ProviderSettings> | null | undefined
  /** Metadata stored with the message. */
  metadata?: {
    /** Your name of the event. Stored with the message, whose `event` remains the template; preferences can refer to it. */
    event?: string | null | undefined
    /** Tags for filtering messages. */
    tags?: Array<string> | null | undefined
    /** Your trace id, for filtering messages. */
    trace_id?: string | null | undefined
    /** Campaign parameters of links; stored with the message. */
    utm?: Utm | null | undefined
  } | null | undefined
  /** Timeouts of a message. */
  timeout?: MessageTimeout | null | undefined
  /** Delay before the message is sent; an empty object is no delay. The message is `DELAYED` until then. */
  delay?: Delay | null | undefined
  /** Topic of the message. */
  preferences?: {
    /** Topic that recipients can opt out of. */
    subscription_topic_id?: string | null | undefined
  } | null | undefined
  /** Tenant context. */
  context?: {
    /** Tenant in which the message is sent. */
    tenant_id?: string | null | undefined
  } | null | undefined
}

/** One user of a job. */
export interface BulkUser {
  /** Recipient id. Default: a generated id. */
  recipient?: string | null | undefined
  /** Alias of `recipient`. */
  user_id?: string | null | undefined
  /** Email address. */
  email?: string | null | undefined
  /** Contact values for this message only; merged over the stored profile. */
  profile?: Record<string, unknown> | null | undefined
  /** Merged over the data of the message, key by key. */
  data?: Record<string, unknown> | null | undefined
  /** Preferences of a recipient. */
  preferences?: Preferences | null | undefined
  /** A user, an ad-hoc contact, a list, lists by pattern, an audience or a tenant. Every other key is profile data: `slack`, `ms_teams`, `webhook`, … */
  to?: MessageRecipient | null | undefined
}

/** The forecast of the message of a user: `ROUTED`, `DELAYED` or `SIMULATED` where it would be sent, else the status that it would end or wait with. */
export interface BulkUserForecast {
  /** Place of the user in the call. */
  user: number
  /** The recipient id. */
  recipient: string
  status: MessageStatus
  reason?: Reason | undefined
  code?: DecisionCode | undefined
  /** Why it is not sent, in English. */
  error?: string | undefined
  /** Due time of a delayed message, release time of a digest, or when a held message fails. In milliseconds since the Unix epoch. */
  due_at?: number | undefined
  /** Integrations that are called first. Empty where the message is not sent. */
  deliveries: Array<{
    channel: Channel
    /** The provider: `sendgrid`. */
    provider: string
    /** The integration id. */
    integration: string
    /** Title of the integration. */
    title: string
  }>
  /** Variables without a value in any of its contents, fallbacks included, as the template has them; at most 20 of each content. Absent when there are none. */
  missing?: Array<string> | undefined
  /** Keys of the profile with a value that keeps an integration of its route from being used, such as an invalid address. Absent when there are none. */
  unusable?: Array<string> | undefined
}

/** A user of a bulk job. */
export interface BulkUserRecord {
  /** The recipient id. */
  recipient: string
  /** `ENQUEUED`: the message exists. `CANCELED`: the job was canceled before it did. */
  status: 'PENDING' | 'ENQUEUED' | 'CANCELED' | 'ERROR'
  /** Id of the message, once it exists. */
  messageId?: string | undefined
  /** Profile as sent, with tokens masked. */
  profile?: Record<string, unknown> | undefined
  /** Data as sent. */
  data?: Record<string, unknown> | undefined
  [field: string]: unknown
}

/** A page of users. */
export interface BulkUsersPage {
  /** Users in the order in which they were added. */
  items: Array<BulkUserRecord>
  paging: Paging
}

export interface BulkUsersQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 100. */
  limit?: number | undefined
}

/** Calls by result; results without a call are omitted. */
export interface CallCounts {
  /** Accepted by the provider. */
  sent?: number | undefined
  /** Rejected for the address: the integration works. */
  recipient?: number | undefined
  /** Rejected for the content: the integration works. */
  content?: number | undefined
  /** Rejected for the configuration, such as an unverified sender. */
  configuration?: number | undefined
  /** Rejected credentials. */
  authentication?: number | undefined
  /** Refused by a rate limit of the provider. */
  rate_limited?: number | undefined
  /** Calls for which no connection could be opened. */
  connection?: number | undefined
  /** Other failures: errors of the server, no answer in time. */
  failed?: number | undefined
  /** No answer after the message was handed over. */
  in_doubt?: number | undefined
}

/** Cancels every other run in progress that has the token. `canceled` in the result is the number of these runs. */
export interface CancelStep {
  /** Always `cancel`. */
  action: 'cancel'
  /** Token of the runs to cancel. */
  cancelation_token: string
  /** Condition: an expression that must be true for the step to be executed. */
  if?: string | undefined
  /** Name of the result for later steps. */
  ref?: string | undefined
}

/** Messages to cancel: `filter` or `message_ids`. */
export interface Cancellation {
  filter?: MessageFilter | undefined
  /** Ids of the messages, instead of a filter. */
  message_ids?: Array<string> | undefined
  /** Whether nothing is canceled. Default: true, unless `confirm` is given. */
  dry_run?: boolean | undefined
  /** `cancelable` of a dry run, or `remaining` of the call before: messages are canceled if no more than that many can be now. */
  confirm?: number | undefined
}

/** Messages that can be canceled, and those that were. */
export interface Cancellations {
  /** True if nothing was canceled. */
  dry_run: boolean
  /** Messages that match, have not ended and were accepted by no provider, before the call; counted up to 100,000. */
  cancelable: number
  /** Messages that were canceled; 0 for a dry run. */
  canceled: number
  /** Messages that can be canceled after the call; counted up to 100,000. The same call with this number as `confirm` cancels more of them. */
  remaining: number
  /** Those of them that a node is deciding or delivering. They are canceled unless a provider is being called; a later call cancels those whose attempt has failed. */
  in_delivery: number
  /** The first of them for a dry run, oldest first; twenty at most. */
  messages: Array<{
    /** The message id. */
    id: string
    status: MessageStatus
    /** The recipient id. */
    recipient: string
    /** Event of the send. */
    event: string
    /** Time the message was accepted. In milliseconds since the Unix epoch. */
    enqueued: number
    /** Error of the message. */
    error?: string | undefined
  }>
  /** Messages of `message_ids` that cannot be canceled, before the call; empty for a filter. */
  excluded: Array<{
    /** `not_found`: no message has the id. `canceled`: the message is canceled. `too_late`: a provider has accepted the message, or it has ended otherwise. */
    reason: 'not_found' | 'canceled' | 'too_late'
    /** Messages that are left out for this reason. */
    count: number
    /** The first of them; ten at most. */
    message_ids: Array<string>
  }>
}

/** A channel and integration that can deliver the message. */
export interface Candidate {
  channel: Channel
  /** The provider: `sendgrid`. */
  provider?: string | undefined
  /** The integration id. */
  integration?: string | undefined
  /** Title of the integration; absent when the integration has been deleted. */
  title?: string | undefined
  device?: MessageDevice | undefined
  /** Whether the candidate is tried, immediately or after earlier candidates fail. */
  selected: boolean
  reason?: CandidateReason | undefined
  /** Error in the evaluation of its condition, or why the token of the device is not used. */
  error?: string | undefined
  suppression?: CandidateSuppression | undefined
  /** Place in the order of turns. `fallback` of the rendered candidates says which ones are called only when others have failed. */
  order: number
}

/** Reason why a candidate is not used. `EXPIRED`: the `expiry` of the message has passed, and the channel is an inbox. `INCOMPLETE_PROFILE_DATA`: the profile lacks an address or key that the provider requires. `MISSING_CONFIGURATION`: the integration is disabled or incomplete. `NO_PROVIDERS`: the channel has no integration. `SANDBOX`: the mailbox is skipped because its channel, or one that is tried before or after it, has a real integration, or in production ever had one. `SUPPRESSED`: the address is on the list of suppressed addresses. `TOKEN_INACTIVE`: the token of the device is `failed`, `revoked` or expired. `UNAVAILABLE`: the call explains an outage of the integration. `UNSUBSCRIBED`: the preferences allow only other channels. */
export type CandidateReason = 'CHANNEL_DISABLED' | 'EXPIRED' | 'FILTERED' | 'INCOMPLETE_PROFILE_DATA' | 'MISSING_CONFIGURATION' | 'NO_PROVIDERS' | 'OPT_IN_REQUIRED' | 'SANDBOX' | 'SUPPRESSED' | 'TOKEN_INACTIVE' | 'UNAVAILABLE' | 'UNSUBSCRIBED'

/** The entry that suppresses the address of the candidate. */
export interface CandidateSuppression {
  /** Id of the entry in the list of suppressed addresses. */
  id: string
  reason: SuppressionReason
  /** Origin of the entry: `provider/smtp`, `inbound/twilio`, `key/backend`. */
  source: string
  /** Time at which it was added. In milliseconds since the Unix epoch. */
  created: number
}

/** A provider in the catalog. */
export interface CatalogEntry {
  /** Key of the provider. */
  provider: string
  /** Display name. */
  name: string
  channel: Channel
  /** All channels of the provider. */
  channels: Array<Channel>
  /** Short description. */
  description: string
  /** Website of the provider. */
  website?: string | undefined
  /** Required profile keys. */
  profile_keys?: Array<string> | undefined
  limits?: SizeLimits | undefined
  /** Settings by key. */
  settings: Record<string, CatalogSetting>
}

/** One setting of a provider. */
export interface CatalogSetting {
  /** Type of the setting. */
  type: 'string' | 'number' | 'integer' | 'boolean' | 'enum' | 'array' | 'object'
  /** Whether the setting is required. */
  required: boolean
  /** Values of an `enum`. */
  values?: Array<string> | undefined
  /** Whether the setting is a secret, which is never returned. */
  secret?: boolean | undefined
  /** Subject of a setting that a first delivery can do without. A setting without a group is a basic one, which a form shows first. */
  group?: 'sender' | 'oauth' | 'dkim' | 'callbacks' | 'advanced' | undefined
  /** Display name. */
  title?: string | undefined
  /** Purpose of the setting. */
  description?: string | undefined
  /** Default value. */
  default?: unknown | undefined
}

/** A message that would be another one. */
export interface ChangedMessage {
  /** The message id. */
  message_id: string
  /** The recipient id. */
  recipient: string
  /** Time the message was accepted. In milliseconds since the Unix epoch. */
  enqueued: number
  /** `status`: the result of the decision; `route`: the candidates that are tried; `content`: what is rendered. */
  differs: Array<'status' | 'route' | 'content'>
  /** Whether a candidate cannot be rendered, or the message stops, and does not with the published version. */
  fails: boolean
  published: ComparedSide
  draft: ComparedSide
}

/** A delivery channel. */
export type Channel = 'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook'

/** Content for one channel. */
export interface ChannelElement {
  /** Always `channel`. */
  type: 'channel'
  /** Channel or provider; `default` for all others. */
  channel: string
  /** Provider to which the element is limited. */
  provider?: string | undefined
  /** Nested elements. */
  elements?: Array<Element> | undefined
  /** Provider content instead of elements: `subject`, `title`, `html`, `text`; `slackBlocks` for Slack. */
  raw?: Record<string, unknown> | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<ChannelElement> | undefined
}

/** The content of a notification for one channel. */
export interface ChannelPreview {
  channel: Channel
  /** Provider whose markup the text has; absent where no provider but the mailbox serves the channel. */
  provider?: string | undefined
  content: RenderedContent
  /** Why a message would fail. For a variable without a value, `content` shows `{name}`. */
  error?: string | undefined
}

/** A channel with its own settings. */
export interface ChannelRoute {
  /** Channel or provider. */
  channel: Channel | ProviderName
  /** `single`: the first channel that succeeds. `all`: every channel. */
  method?: 'single' | 'all' | null | undefined
  /** Providers to use, in order; the id or alias of an integration selects that integration only. */
  providers?: Array<ProviderName | IntegrationId> | null | undefined
  /** Condition: an expression over `data` and `profile` that must be true. */
  if?: string | null | undefined
}

/** Settings of one channel for this message. */
export interface ChannelSettings {
  /** Brand of this channel. */
  brand_id?: string | null | undefined
  /** Providers to use, in order; the id or alias of an integration selects that integration only. */
  providers?: Array<ProviderName | IntegrationId> | null | undefined
  /** `single`: the first channel that succeeds. `all`: every channel. */
  routing_method?: 'single' | 'all' | null | undefined
  /** Condition: an expression over `data` and `profile` that must be true. */
  if?: string | null | undefined
  /** Merged over the content and options of the channel: `subject`, `from`, `cc`, … */
  override?: Record<string, unknown> | null | undefined
  /** Metadata of the channel. */
  metadata?: {
    /** Campaign parameters of links; stored with the message. */
    utm?: Utm | null | undefined
  } | null | undefined
  /** Timeouts before failover; a number is the timeout of the channel. */
  timeouts?: number | {
    /** Timeout of the channel, if another channel can follow. In milliseconds, at most 30 days. */
    channel?: number | null | undefined
    /** Timeout of one provider of the channel, if another provider can follow. In milliseconds, at most 30 days. */
    provider?: number | null | undefined
  } | null | undefined
  /** Timeouts before failover; a number is the timeout of the channel. */
  timeout?: number | {
    /** Timeout of the channel, if another channel can follow. In milliseconds, at most 30 days. */
    channel?: number | null | undefined
    /** Timeout of one provider of the channel, if another provider can follow. In milliseconds, at most 30 days. */
    provider?: number | null | undefined
  } | null | undefined
}

/** Result of one check. */
export interface Check {
  /** The subject of the check. */
  name: string
  /** `skip`: there is nothing to check. */
  state: 'ok' | 'warn' | 'fail' | 'skip'
  /** The result, as a sentence. */
  detail: string
  /** The remedy. */
  hint?: string | undefined
}

/** Circuit breaker of an integration, shared by all nodes. Any change of the integration closes it, also one that changes nothing. */
export interface CircuitBreaker {
  /** `open`: the integration is not called. `half_open`: one call at a time probes it. `closed`: it is used. */
  state: 'closed' | 'open' | 'half_open'
  /** Why it opened: calls failed, no connection could be opened, the provider refused the configuration, or the credentials. */
  reason?: 'failures' | 'connection' | 'configuration' | 'authentication' | undefined
  /** When it opened. In milliseconds since the Unix epoch. */
  since?: number | undefined
  /** When the next call may probe the integration. In milliseconds since the Unix epoch. */
  next_probe?: number | undefined
  /** Latest error of the provider. */
  error?: string | undefined
}

/** A column of `columns`. */
export interface ColumnElement {
  /** Always `column`. */
  type: 'column'
  /** Width in pixels, or in percent: `50%`. */
  width?: string | number | undefined
  /** Nested elements. */
  elements?: Array<Element> | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<ColumnElement> | undefined
}

/** Columns, side by side in an email. */
export interface ColumnsElement {
  /** Always `columns`. */
  type: 'columns'
  /** At most four columns. */
  elements?: Array<ColumnElement | CommentElement> | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<ColumnsElement> | undefined
}

/** A note for authors. Renders nothing. */
export interface CommentElement {
  /** Always `comment`. */
  type: 'comment'
  /** Text of the note. */
  comment?: string | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<CommentElement> | undefined
}

/** A message as one of the versions makes it. */
export interface ComparedSide {
  status: MessageStatus
  reason?: Reason | undefined
  /** Why the message stops, or is not rendered. */
  error?: string | undefined
  /** Candidates that are tried, in order. */
  route: Array<{
    channel: Channel
    /** The provider: `sendgrid`. */
    provider: string
    /** The integration id. */
    integration: string
  }>
  /** Content of the candidates. `content` is absent when the reply would be too large with it. */
  rendered: Array<{
    channel: Channel
    /** The provider: `sendgrid`. */
    provider: string
    content?: RenderedContent | undefined
    /** Error that prevents the request to the provider. */
    error?: string | undefined
  }>
}

/** Contact values. */
export interface ContactFields {
  /** Email address. */
  email?: string | null | undefined
  /** Phone number with country code. */
  phone_number?: string | number | null | undefined
}

/** Content as elements, and as blocks and channels. */
export interface ContentDetail {
  /** Elemental version: `2022-01-01`. */
  version: string
  /** Elements, in order. */
  elements: Array<ContentElement>
  /** The elements as a flat list, for older clients. */
  blocks: Array<{
    /** The element id. */
    id: string
    /** Block type. */
    type: 'text' | 'action' | 'image' | 'divider' | 'quote' | 'list' | 'template'
    /** Text of the block. */
    content?: string | undefined
    /** Text by locale. */
    locales?: Record<string, string> | undefined
    /** Checksum of the text; changes with the text. */
    checksum: string
  }>
  /** Subject and title by channel, for older clients. */
  channels: Array<{
    /** The channel. */
    id: string
    /** The channel. */
    type: string
    /** Subject and title. */
    content: {
      /** Subject of an email; empty on other channels. */
      subject: string
      /** Title on other channels; empty for email. */
      title: string
    }
    /** Subject or title by locale. */
    locales: Record<string, {
      /** Subject of an email. */
      subject?: string | undefined
      /** Title on other channels. */
      title?: string | undefined
    }>
    /** Checksum of the text; changes with the text. */
    checksum: string
  }>
  /** Checksum of the content; changes with any text. */
  checksum: string
}

/** An element with its id and checksum. In requests `checksum` is ignored. */
export interface ContentElement {
  /** `text`, `meta`, `action`, `image`, `channel`, … */
  type: string
  /** `id` of the element, else its position: `1.0` is the first element in the second. Positions can change, ids do not. */
  id: string
  /** MD5 of the text; changes with the text. */
  checksum: string
  [field: string]: unknown
}

/** Elemental JSON, or a title and a body. Variables have the form `{name}`. */
export type ContentInput = {
  /** Elemental version: `2022-01-01`. */
  version?: string | undefined
  /** The elements in order. */
  elements: Array<Element>
} | {
  /** Subject or title. */
  title?: string | undefined
  /** The text. */
  body: string
}

/** The content after the change. */
export interface ContentMutation {
  /** The notification id. */
  id: string
  /** Elements, in order. */
  elements: Array<ContentElement>
  state: NotificationState
  /** Elemental version. */
  version: string
}

/** A new API key. */
export interface CreatedKey {
  /** Id of the key, not the key itself. */
  id: string
  /** Display name. */
  name: string
  kind: KeyKind
  role: KeyRole
  environment: KeyEnvironment
  /** Time of creation. In milliseconds since the Unix epoch. */
  created: number
  /** From then on calls with it are refused; null: it is valid until it is revoked. In milliseconds since the Unix epoch. */
  expires: number | null
  /** Latest use of a key, by a program, a session or a token. */
  last_used: ApiKeyUse | null
  /** The API key; returned only once. */
  key: string
}

/** A new webhook. */
export interface CreatedWebhook {
  /** The webhook id. */
  id: string
  /** URL of the POST requests: http or https, without user name and password. */
  url: string
  /** Changes for which the webhook is called. */
  types: Array<WebhookType>
  /** Whether the webhook is called. While it is disabled, pending deliveries wait for up to three days, and new changes are not recorded. */
  enabled: boolean
  /** Whether the webhook has a secret, so that its calls have the headers `courier-signature` and `webhook-signature`. */
  signed: boolean
  /** Time of creation. In milliseconds since the Unix epoch. */
  created: number
  /** Time of the last change. In milliseconds since the Unix epoch. */
  updated: number
  /** Secret that signs the calls; returned only once. */
  secret?: string | undefined
}

/** Source of the data of each subscriber; the request has `recipientId` in its query. */
export interface DataSource {
  webhook: StepWebhook
  /** How new data (A) is merged into existing data (B). `replace`: A replaces B. `overwrite`: keys of A take precedence. `soft-merge`: only keys that B lacks are added. `none`: A is used only if B is empty. Default: `overwrite`. */
  merge_strategy?: 'replace' | 'overwrite' | 'soft-merge' | 'none' | undefined
}

/** A row of a queue that the server gave up, because it kept ending or blocking the process. */
export interface DeadLetter {
  /** Id of the dead letter. */
  id: string
  /** The kind of row: a message, or a row of another queue. */
  kind: 'message' | 'request' | 'run' | 'digest' | 'erasure' | 'webhook_delivery' | 'receipt'
  /** Id of the row that was given up. */
  subject_id: string
  /** The message that reports a digest; null for other kinds. */
  message_id: string | null
  /** `open`: it waits for its release. `released`: it went back to its queue. `dismissed`: it is not to go on; a release is still possible. */
  state: 'open' | 'released' | 'dismissed'
  /** Why it was given up. */
  error: string
  /** How often it was started without an outcome. */
  attempts: number
  /** Node that gave it up. */
  node: string
  /** When it was given up. In milliseconds since the Unix epoch. */
  created: number
  /** When it was released; null before. In milliseconds since the Unix epoch. */
  released: number | null
  /** When it was dismissed; null before. In milliseconds since the Unix epoch. */
  dismissed: number | null
}

export interface DeadLettersListQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 50. */
  limit?: number | undefined
  /** The kind of row: a message, or a row of another queue. */
  kind?: 'message' | 'request' | 'run' | 'digest' | 'erasure' | 'webhook_delivery' | 'receipt' | undefined
  /** `open`: it waits for its release. `released`: it went back to its queue. `dismissed`: it is not to go on; a release is still possible. */
  state?: 'open' | 'released' | 'dismissed' | undefined
}

export interface DeadLettersListReply {
  paging: Paging
  results: Array<DeadLetter>
}

/** Code of the result: `docs/decisions.md` lists all codes with their params. Existing codes never change. New versions can add codes: show the sentence of the server for a code that you do not know. */
export type DecisionCode = 'content_inline' | 'event_mapped' | 'template_mapped' | 'event_unknown' | 'template_unknown' | 'notification_unpublished' | 'profile_merged' | 'profile_stored' | 'profile_of_send' | 'tenant_merged' | 'tenant_unknown' | 'no_preference' | 'preferences_allow' | 'channels_limited' | 'required' | 'opted_out' | 'opted_out_by_actor' | 'opted_out_by_one_click' | 'opted_out_on_page' | 'not_opted_in' | 'snoozed' | 'digested' | 'topic_unknown' | 'endless_snooze' | 'due_now' | 'due_later' | 'hours_closed' | 'deadline_passed' | 'condition_met' | 'condition_unmet' | 'condition_failed' | 'routed' | 'strategy_applied' | 'strategy_unknown' | 'first_by_weight' | 'first_by_weight_anew' | 'default_channels' | 'address_suppressed' | 'route_name_unknown' | 'no_channels' | 'channels_opted_out' | 'integrations_unavailable' | 'inbox_expired' | 'channel_conditions_unmet' | 'channel_conditions_failed' | 'no_address' | 'no_providers' | 'providers_unusable' | 'rendered' | 'render_failed' | 'copies_suppressed' | 'brand_unknown' | 'snippet_missing'

/** A further result of a step. */
export interface DecisionNote {
  code: DecisionCode
  params: DecisionParams
  /** The note in one sentence. */
  text: string
}

/** Values of the code; which ones depends on the code. */
export interface DecisionParams {
  /** The event of the send. */
  event?: string | undefined
  /** The template of the send. */
  template?: string | undefined
  /** The id of the notification. */
  notification_id?: string | undefined
  /** The version of the notification, such as `v3`. */
  version?: string | undefined
  /** The id of the tenant in the send. */
  tenant_id?: string | undefined
  /** The id of the topic of the message. */
  topic_id?: string | undefined
  /** The id of the message whose link the recipient used. */
  message_id?: string | undefined
  /** The id of the routing strategy. */
  strategy_id?: string | undefined
  /** The id of the brand. */
  brand_id?: string | undefined
  /** The name of the routing strategy. */
  strategy?: string | undefined
  /** The name of the snippet. */
  snippet?: string | undefined
  /** The caller that changed the preference, such as `key/backend`. */
  actor?: string | undefined
  /** The time when the recipient was opted out. In milliseconds since the Unix epoch. */
  at?: number | undefined
  /** The time when the wait ends. In milliseconds since the Unix epoch. */
  until?: number | undefined
  /** The time until which the message could be sent. In milliseconds since the Unix epoch. */
  deadline?: number | undefined
  /** The condition of the notification. */
  condition?: string | undefined
  /** The reason why the condition cannot be evaluated, in English. */
  error?: string | undefined
  /** The channels that the preferences allow, in order. */
  channels?: Array<Channel | string> | undefined
  /** `single` tries one integration after the other until one accepts the message. `all` sends by each of them. */
  method?: 'single' | 'all' | undefined
  /** The integrations that are tried, in order. */
  integrations?: Array<{
    channel: Channel
    /** Key of the provider. */
    provider: string
    /** Title of the integration; absent when the integration has been deleted. */
    title?: string | undefined
    /** Devices that the message goes to; 0 without devices. */
    devices: number
    /** Whether it is tried only when others have failed. */
    fallback: boolean
  }> | undefined
  /** The status that the message must reach in time. Otherwise the next channel is tried. */
  criterion?: 'delivered' | 'viewed' | 'engaged' | undefined
  channel?: Channel | undefined
  /** The title of the integration. Without a title, the name of its provider. */
  title?: string | undefined
  /** The weight of the integration. */
  weight?: number | undefined
  /** The sum of the weights in the channel. */
  weight_total?: number | undefined
  /** The name in the routing or in `channels`. */
  name?: string | undefined
  /** The most similar known name. */
  suggestion?: string | undefined
  /** The reason of each suppressed address. */
  suppressions?: Array<{
    channel: Channel
    reason: SuppressionReason
    /** Origin of the entry: `provider/smtp`, `inbound/twilio`, `key/backend`. */
    source: string
    /** Time at which it was added. In milliseconds since the Unix epoch. */
    created: number
  }> | undefined
  /** The copies that are left out. */
  copies?: Array<{
    /** The address of the copy. */
    address: string
    reason: SuppressionReason
    /** Origin of the entry: `provider/smtp`, `inbound/twilio`, `key/backend`. */
    source: string
    /** Time at which it was added. In milliseconds since the Unix epoch. */
    created: number
  }> | undefined
  /** The addresses that are missing, for at most five integrations. */
  needs?: Array<{
    channel: Channel
    /** The title of the integration. Without a title, the name of its provider. */
    title: string
    /** The kind of address that is missing. */
    need: 'device_token' | 'user_id' | 'usable_value' | 'profile_key' | 'one_of_keys' | 'one_of_many_keys'
    /** Keys of the profile: those that would do, or the unusable one. */
    keys: Array<string>
    /** Number of keys that would do, where not all are listed. */
    keys_total: number
    /** Whether a token of the user would do as well. */
    or_token: boolean
    /** The device whose token is not used. */
    device?: string | undefined
    /** Why the token is not used, in English. */
    error?: string | undefined
    /** A key of the profile that is probably misspelled. */
    misspelled?: string | undefined
    /** The key that was probably meant by it. */
    suggestion?: string | undefined
  }> | undefined
  /** The integrations that cannot be used, at most five. */
  unusable?: Array<{
    channel: Channel
    /** The title of the integration. Without a title, the name of its provider. */
    title: string
    /** `disabled`: switched off; `unreadable`: its secrets cannot be read. */
    cause: 'disabled' | 'unreadable'
  }> | undefined
  /** The number of further integrations that are not listed. */
  more?: number | undefined
  /** The channels that the mailbox does not serve, because they have or had a real integration. */
  replaced_channels?: Array<Channel> | undefined
  /** The channels that the mailbox does not serve, because a `single` routing also has channels with a real integration. */
  sandbox_channels?: Array<Channel> | undefined
  /** The channels with a real integration that keep the mailbox from serving `sandbox_channels`. */
  real_channels?: Array<Channel> | undefined
  /** The number of candidates that cannot be rendered. */
  failed?: number | undefined
  /** The number of all candidates. The devices of an integration count as one. */
  total?: number | undefined
}

/** The params of each code of a decision. */
export interface DecisionParamsByCode {
  content_inline: Record<string, never>
  event_mapped: {
    /** The event of the send. */
    event: string
    /** The id of the notification. */
    notification_id: string
    /** The version of the notification, such as `v3`. */
    version: string
  }
  template_mapped: {
    /** The template of the send. */
    template: string
    /** The id of the notification. */
    notification_id: string
    /** The version of the notification, such as `v3`. */
    version: string
  }
  event_unknown: {
    /** The event of the send. */
    event: string
  }
  template_unknown: {
    /** The template of the send. */
    template: string
  }
  notification_unpublished: {
    /** The id of the notification. */
    notification_id: string
  }
  profile_merged: Record<string, never>
  profile_stored: Record<string, never>
  profile_of_send: Record<string, never>
  tenant_merged: {
    /** The id of the tenant in the send. */
    tenant_id: string
  }
  tenant_unknown: {
    /** The id of the tenant in the send. */
    tenant_id: string
  }
  no_preference: Record<string, never>
  preferences_allow: Record<string, never>
  channels_limited: {
    /** The channels that the preferences allow, in order. */
    channels: Array<Channel | string>
  }
  required: Record<string, never>
  opted_out: Record<string, never>
  opted_out_by_actor: {
    /** The caller that changed the preference, such as `key/backend`. */
    actor: string
    /** The time when the recipient was opted out. In milliseconds since the Unix epoch. */
    at: number
  }
  opted_out_by_one_click: {
    /** The time when the recipient was opted out. In milliseconds since the Unix epoch. */
    at: number
    /** The id of the message whose link the recipient used. */
    message_id?: string | undefined
  }
  opted_out_on_page: {
    /** The time when the recipient was opted out. In milliseconds since the Unix epoch. */
    at: number
    /** The id of the message whose link the recipient used. */
    message_id?: string | undefined
  }
  not_opted_in: Record<string, never>
  snoozed: {
    /** The time when the wait ends. In milliseconds since the Unix epoch. */
    until: number
  }
  digested: {
    /** The id of the topic of the message. */
    topic_id: string
    /** The time when the wait ends. In milliseconds since the Unix epoch. */
    until: number
  }
  topic_unknown: {
    /** The id of the topic of the message. */
    topic_id: string
  }
  endless_snooze: Record<string, never>
  due_now: Record<string, never>
  due_later: {
    /** The time when the wait ends. In milliseconds since the Unix epoch. */
    until: number
  }
  hours_closed: {
    /** The time when the wait ends. In milliseconds since the Unix epoch. */
    until: number
  }
  deadline_passed: {
    /** The time until which the message could be sent. In milliseconds since the Unix epoch. */
    deadline: number
  }
  condition_met: {
    /** The condition of the notification. */
    condition: string
  }
  condition_unmet: {
    /** The condition of the notification. */
    condition: string
  }
  condition_failed: {
    /** The condition of the notification. */
    condition: string
    /** The reason why the condition cannot be evaluated, in English. */
    error: string
  }
  routed: {
    /** `single` tries one integration after the other until one accepts the message. `all` sends by each of them. */
    method: 'single' | 'all'
    /** The integrations that are tried, in order. */
    integrations: Array<{
      channel: Channel
      /** Key of the provider. */
      provider: string
      /** Title of the integration; absent when the integration has been deleted. */
      title?: string | undefined
      /** Devices that the message goes to; 0 without devices. */
      devices: number
      /** Whether it is tried only when others have failed. */
      fallback: boolean
    }>
    /** The status that the message must reach in time. Otherwise the next channel is tried. */
    criterion?: 'delivered' | 'viewed' | 'engaged' | undefined
  }
  strategy_applied: {
    /** The name of the routing strategy. */
    strategy: string
  }
  strategy_unknown: {
    /** The id of the routing strategy. */
    strategy_id: string
  }
  first_by_weight: {
    channel: Channel
    /** The title of the integration. Without a title, the name of its provider. */
    title: string
    /** The weight of the integration. */
    weight: number
    /** The sum of the weights in the channel. */
    weight_total: number
  }
  first_by_weight_anew: {
    channel: Channel
    /** The title of the integration. Without a title, the name of its provider. */
    title: string
    /** The weight of the integration. */
    weight: number
    /** The sum of the weights in the channel. */
    weight_total: number
  }
  default_channels: Record<string, never>
  address_suppressed: {
    /** The reason of each suppressed address. */
    suppressions: Array<{
      channel: Channel
      reason: SuppressionReason
      /** Origin of the entry: `provider/smtp`, `inbound/twilio`, `key/backend`. */
      source: string
      /** Time at which it was added. In milliseconds since the Unix epoch. */
      created: number
    }>
  }
  route_name_unknown: {
    /** The name in the routing or in `channels`. */
    name: string
    /** The most similar known name. */
    suggestion?: string | undefined
  }
  no_channels: Record<string, never>
  channels_opted_out: Record<string, never>
  integrations_unavailable: Record<string, never>
  inbox_expired: Record<string, never>
  channel_conditions_unmet: Record<string, never>
  channel_conditions_failed: {
    /** The reason why the condition cannot be evaluated, in English. */
    error: string
  }
  no_address: {
    /** The addresses that are missing, for at most five integrations. */
    needs: Array<{
      channel: Channel
      /** The title of the integration. Without a title, the name of its provider. */
      title: string
      /** The kind of address that is missing. */
      need: 'device_token' | 'user_id' | 'usable_value' | 'profile_key' | 'one_of_keys' | 'one_of_many_keys'
      /** Keys of the profile: those that would do, or the unusable one. */
      keys: Array<string>
      /** Number of keys that would do, where not all are listed. */
      keys_total: number
      /** Whether a token of the user would do as well. */
      or_token: boolean
      /** The device whose token is not used. */
      device?: string | undefined
      /** Why the token is not used, in English. */
      error?: string | undefined
      /** A key of the profile that is probably misspelled. */
      misspelled?: string | undefined
      /** The key that was probably meant by it. */
      suggestion?: string | undefined
    }>
    /** The number of further integrations that are not listed. */
    more: number
    /** The channels that the mailbox does not serve, because a `single` routing also has channels with a real integration. */
    sandbox_channels: Array<Channel>
    /** The channels with a real integration that keep the mailbox from serving `sandbox_channels`. */
    real_channels: Array<Channel>
  }
  no_providers: Record<string, never>
  providers_unusable: {
    /** The integrations that cannot be used, at most five. */
    unusable: Array<{
      channel: Channel
      /** The title of the integration. Without a title, the name of its provider. */
      title: string
      /** `disabled`: switched off; `unreadable`: its secrets cannot be read. */
      cause: 'disabled' | 'unreadable'
    }>
    /** The number of further integrations that are not listed. */
    more: number
    /** The channels that the mailbox does not serve, because they have or had a real integration. */
    replaced_channels: Array<Channel>
    /** The channels that the mailbox does not serve, because a `single` routing also has channels with a real integration. */
    sandbox_channels: Array<Channel>
    /** The channels with a real integration that keep the mailbox from serving `sandbox_channels`. */
    real_channels: Array<Channel>
  }
  rendered: Record<string, never>
  render_failed: {
    /** The number of candidates that cannot be rendered. */
    failed: number
    /** The number of all candidates. The devices of an integration count as one. */
    total: number
  }
  copies_suppressed: {
    /** The copies that are left out. */
    copies: Array<{
      /** The address of the copy. */
      address: string
      reason: SuppressionReason
      /** Origin of the entry: `provider/smtp`, `inbound/twilio`, `key/backend`. */
      source: string
      /** Time at which it was added. In milliseconds since the Unix epoch. */
      created: number
    }>
  }
  brand_unknown: {
    /** The id of the brand. */
    brand_id: string
  }
  snippet_missing: {
    /** The name of the snippet. */
    snippet: string
  }
}

/** One step of the decision. */
export interface DecisionStep {
  /** Decision step; steps run in this order until one stops. */
  step: 'map' | 'profile' | 'preferences' | 'window' | 'route' | 'render'
  /** Whether the message passed the step. */
  outcome: 'passed' | 'stopped'
  code: DecisionCode
  params: DecisionParams
  /** Further results of the step. Absent when there are none. */
  notes?: Array<DecisionNote> | undefined
  /** Result in sentences, with the notes. */
  summary: string
  /** Values used by the step, with tokens masked. */
  facts: Record<string, unknown>
}

/** Topic defaults of a tenant. */
export interface DefaultPreferences {
  /** One entry for each topic. */
  items?: Array<TopicDefault> | null | undefined
}

/** Delay before the message is sent; an empty object is no delay. The message is `DELAYED` until then. */
export interface Delay {
  /** Milliseconds to wait, at most two years; rounded up to the next minute. Ignored beside `until`. */
  duration?: number | null | undefined
  /** ISO 8601 time before which nothing is sent, at most two years ahead; or opening hours during which the message is sent, such as `Mo-Fr 08:00-18:00`, in the time zone of each recipient. */
  until?: string | null | undefined
  /** Time zone of the opening hours for all recipients: `Europe/Vienna` or `+02:00`. */
  timezone?: string | null | undefined
}

/** Waits for a `duration`, or `until` a time. If both are set, `until` takes precedence. If the time is in the past, or neither is set, the step does not wait. */
export interface DelayStep {
  /** Always `delay`. */
  action: 'delay'
  /** An integer and a unit (`2 days`), or an ISO 8601 duration. Months and years are calendar units, in UTC. */
  duration?: string | undefined
  /** An ISO 8601 time, such as `20240408T080910.123`, or opening hours: `Mo-Fr 08:00-18:00`. */
  until?: string | undefined
  /** Time zone of `until`. Default: `zoneinfo` or `timezone` of the profile, else UTC. */
  timezone?: string | undefined
  /** Condition: an expression that must be true for the step to be executed. */
  if?: string | undefined
  /** Name of the result for later steps. */
  ref?: string | undefined
}

/** Delivery of one candidate. */
export interface DeliveryRecord {
  /** Delivery id, the same for all attempts. */
  id: string
  channel: Channel
  /** The provider: `sendgrid`. */
  provider: string
  /** The integration id. */
  integration: string
  /** Title of the integration; absent when the integration has been deleted. */
  title?: string | undefined
  device?: MessageDevice | undefined
  status: DeliveryStatus
  /** Attempts, oldest first; limited to the latest ones. The node that makes an attempt shows it while it is in progress. */
  attempts: Array<AttemptRecord>
  /** Total number of attempts. */
  attempts_total: number
  /** Time of the next attempt. In milliseconds since the Unix epoch. */
  next_attempt_at?: number | undefined
  /** Error of the latest attempt. */
  error?: string | undefined
  reason?: Reason | undefined
  /** Identifiers of the message at the provider. */
  reference?: Record<string, unknown> | undefined
}

/** Status of a delivery (message × channel × integration); `ROUTED` until a provider accepts it. */
export type DeliveryStatus = 'ROUTED' | 'SENT' | 'DELIVERED' | 'OPENED' | 'CLICKED' | 'UNDELIVERABLE'

/** The device. */
export interface Device {
  /** App id. */
  app_id?: string | null | undefined
  /** Advertising id. */
  ad_id?: string | null | undefined
  /** Device id. */
  device_id?: string | null | undefined
  /** Platform: `ios`. */
  platform?: string | null | undefined
  /** Manufacturer. */
  manufacturer?: string | null | undefined
  /** Model. */
  model?: string | null | undefined
}

/** A device token of a user. */
export interface DeviceToken {
  /** Push provider that issued the token. */
  provider_key: 'apn' | 'firebase-fcm' | 'expo' | 'onesignal' | 'web-push'
  /** The device. */
  device?: Device | null | undefined
  /** Data sent by the device at registration. */
  tracking?: Tracking | null | undefined
  /** Custom properties. */
  properties?: Record<string, unknown> | null | undefined
  /** Expiry of the token; `false` for never. */
  expiry_date: string | false
  /** Status; `failed` and `revoked` tokens are not used. */
  status: 'active' | 'unknown' | 'failed' | 'revoked'
  /** Reason for the status. */
  status_reason?: string | null | undefined
  /** The token. */
  token: string
}

/** A device token, in a request. A token with all of its fields has at most 16 kB. */
export interface DeviceTokenInput {
  /** Push provider that issued the token. */
  provider_key: 'apn' | 'firebase-fcm' | 'expo' | 'onesignal' | 'web-push'
  /** The device. */
  device?: Device | null | undefined
  /** Data sent by the device at registration. */
  tracking?: Tracking | null | undefined
  /** Custom properties. */
  properties?: Record<string, unknown> | null | undefined
  /** Expiry of the token; `false` for never. Default: 61 days from now. */
  expiry_date?: string | false | null | undefined
  /** Status; `failed` and `revoked` tokens are not used. Default: `active`. */
  status?: 'active' | 'unknown' | 'failed' | 'revoked' | undefined
  /** Reason for the status. */
  status_reason?: string | null | undefined
  /** The token; it must equal the token in the path. */
  token?: string | undefined
}

export interface DeviceTokensListReply {
  /** The tokens. */
  tokens: Array<DeviceToken>
}

export interface DeviceTokensPatchBody {
  /** Operations, applied in order. */
  patch: Array<PatchOperation>
}

/** Results of the checks of a server. */
export interface Diagnostics {
  /** Checks, in order of execution. */
  checks: Array<Check>
}

/** A category of events in a digest. */
export interface DigestCategory {
  /** Top-level key in the data of an event that puts the event into the category; also the key in the data of the digest. */
  category_key: string
  /** Events to retain: the `FIRST` or `LAST`, or those with the `HIGHEST` or `LOWEST` value at `sort_key`. `NONE`: all, up to the maximum. */
  retain: 'FIRST' | 'LAST' | 'HIGHEST' | 'LOWEST' | 'NONE'
  /** Maximum number of events in the digest; all events are counted. */
  limit: number
  /** Path of the number or time in the event that `HIGHEST` and `LOWEST` compare: `likes`, `post.likes`. */
  sort_key?: string | undefined
}

/** A category of events in a digest, in a request. */
export interface DigestCategoryWrite {
  /** Top-level key in the data of an event that puts the event into the category; also the key in the data of the digest. */
  category_key: string
  /** Events to retain: the `FIRST` or `LAST`, or those with the `HIGHEST` or `LOWEST` value at `sort_key`. `NONE`: all, up to the maximum. Default: `FIRST`. */
  retain?: 'FIRST' | 'LAST' | 'HIGHEST' | 'LOWEST' | 'NONE' | 'first' | 'last' | 'highest' | 'lowest' | 'none' | null | undefined
  /** Maximum number of events in the digest; all events are counted. Default: 10. */
  limit?: number | null | undefined
  /** Path of the number or time in the event that `HIGHEST` and `LOWEST` compare: `likes`, `post.likes`. */
  sort_key?: string | null | undefined
}

/** An open digest: collected events for one recipient and topic. */
export interface DigestInstance {
  /** The digest id. */
  digest_instance_id: string
  /** The recipient. */
  user_id: string
  /** Tenant of the digest; null outside any tenant. */
  tenant_id: string | null
  /** The topic. */
  topic_id: string
  /** Schedule of the recipient at the last event. */
  schedule_id: string
  /** Always `IN_PROGRESS`; a released digest is a message. */
  status: 'IN_PROGRESS'
  /** Number of events. */
  event_count: number
  /** Number of events by category; an event can belong to several. */
  category_key_counts: Record<string, number>
  /** Categories at the time of the last event. */
  categories: Array<DigestCategory>
  /** Time of the first event. ISO 8601, UTC. */
  created_at: string
  /** Time of release. ISO 8601, UTC. */
  releases_at: string
}

/** A page of open digests. */
export interface DigestInstances {
  /** Always `list`. */
  type: 'list'
  /** Items of this page. */
  items: Array<DigestInstance>
  /** Whether another page follows. */
  has_more: boolean
  /** The path of the list. */
  url: string
  /** Path and query of the next page; null on the last page. */
  next_url: string | null
  /** Value of `cursor` for the next page; null on the last page. */
  cursor: string | null
}

/** A release schedule of a digest. */
export interface DigestSchedule {
  /** Id of the schedule. */
  schedule_id: string
  /** Frequency. `instant`: events are released at once; those that come together are one digest. */
  frequency?: 'instant' | 'daily' | 'weekdays' | 'weekly' | 'custom_days' | 'monthly' | undefined
  /** Time of day, `HH:MM`; required for every frequency except `instant`. */
  time?: string | undefined
  /** Time zone of `time` and the days, including daylight saving time. Default: UTC. IANA name: `Europe/Berlin`. */
  timezone?: string | undefined
  /** Day of the week, for `weekly`. */
  day_of_week?: 'sunday' | 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | undefined
  /** Days of the week, for `custom_days`. */
  days_of_week?: Array<'sunday' | 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday'> | undefined
  /** Day of the month, for `monthly`; in shorter months the last day. */
  day_of_month?: number | undefined
  /** Replaces `frequency` and its fields. Cron fields: minute, hour, day of month, month, day of week, as in `0 9 * * MON-FRI`; `L` is the last day of the month. */
  cron?: string | undefined
  /** Whether recipients without a choice are on this schedule. Default: the first schedule. */
  is_default: boolean
  /** Whether the schedule is disabled; recipients who chose it are on the default schedule. */
  disabled: boolean
}

/** A release schedule of a digest, in a request. */
export interface DigestScheduleWrite {
  /** Id of the schedule to change; without it a new schedule is created. */
  schedule_id?: string | null | undefined
  /** Frequency. `instant`: events are released at once; those that come together are one digest. */
  frequency?: 'instant' | 'daily' | 'weekdays' | 'weekly' | 'custom_days' | 'monthly' | null | undefined
  /** Time of day, `HH:MM`; required for every frequency except `instant`. */
  time?: string | null | undefined
  /** Time zone of `time` and the days, including daylight saving time. Default: UTC. IANA name: `Europe/Berlin`. */
  timezone?: string | null | undefined
  /** Day of the week, for `weekly`. */
  day_of_week?: 'sunday' | 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | null | undefined
  /** Days of the week, for `custom_days`. */
  days_of_week?: Array<'sunday' | 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday'> | null | undefined
  /** Day of the month, for `monthly`; in shorter months the last day. */
  day_of_month?: number | null | undefined
  /** Replaces `frequency` and its fields. Cron fields: minute, hour, day of month, month, day of week, as in `0 9 * * MON-FRI`; `L` is the last day of the month. */
  cron?: string | null | undefined
  /** Whether recipients without a choice are on this schedule. Default: the first schedule. */
  is_default?: boolean | null | undefined
  /** Whether the schedule is disabled; recipients who chose it are on the default schedule. */
  disabled?: boolean | null | undefined
}

/** Data of one category in the template. */
export interface DigestedCategory {
  /** Number of events of the category. */
  count: number
  /** Retained events, in order. */
  items: Array<Record<string, unknown>>
}

export interface DigestsInstancesQuery {
  /** Items per page. Default: 20. */
  limit?: number | undefined
  /** The `cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Alias of `cursor` for older clients. */
  starting_after?: string | undefined
}

export interface DigestsListReply {
  /** Oldest first. */
  items: Array<OpenDigest>
}

export interface DigestsReleaseOneBody {
  /** The recipient. */
  user_id: string
  /** Tenant of the digest. Default: outside any tenant. */
  tenant_id?: string | null | undefined
}

/** Settings of Discord. */
export interface DiscordSettings {
  /** Bot token: The token of the bot, without the word Bot. */
  botToken: string
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://discord.com/api/v10". */
  baseUrl?: string | undefined
}

/** A horizontal line. */
export interface DividerElement {
  /** Always `divider`. */
  type: 'divider'
  /** Line color. A CSS color; variables are allowed. */
  color?: string | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<DividerElement> | undefined
}

/** A content element. Send elements unknown to this version with `postrider.call`. */
export type Element = TextElement | MetaElement | ChannelElement | ActionElement | ImageElement | DividerElement | GroupElement | QuoteElement | HtmlElement | ListElement | ListItemElement | TableElement | TableRowElement | TableCellElement | CommentElement | ColumnsElement | ColumnElement

/** Record of an erasure; it does not contain the user id. */
export interface Erasure {
  /** Erasure id. */
  erasureId: string
  /** `PROCESSING`: nothing is sent to the user, and new sends are erased too. `COMPLETED`: all data is erased; the id can be used again. `ERROR`: repeated failures; another erase call continues the erasure. */
  status: 'PROCESSING' | 'COMPLETED' | 'ERROR'
  /** Pseudonym that replaces the user id in messages; the same for the same id. */
  pseudonym: string
  /** Time of the request. In milliseconds since the Unix epoch. */
  begun: number
  /** Time of completion. In milliseconds since the Unix epoch. */
  completed?: number | undefined
  removed: Removed
}

/** An event name and the notification to which it is mapped. */
export interface EventMapping {
  /** The event name. */
  event: string
  /** The notification id. */
  id: string
  /** Always `notification`. */
  type: 'notification'
}

/** Starts a run for each inbound event of this name. */
export interface EventTrigger {
  /** Always `event`. */
  type: 'event'
  /** The `event` of `POST /inbound/courier`. Its properties are the data of the run, its user is the recipient. */
  event: string
}

export interface EventsListReply {
  results: Array<EventMapping>
}

export interface EventsPutBody {
  /** The notification id. */
  id: string
  /** Always `notification`. */
  type: 'notification'
}

export interface EventsRoutingBody {
  /** Recipients of the preview. */
  recipients: Array<{
    /** The recipient id. */
    recipient: string
    /** Values of the template variables. */
    data?: Record<string, unknown> | null | undefined
    /** Contact values, merged over the stored profile. */
    profile?: Record<string, unknown> | null | undefined
    /** Preferences that take precedence over the stored ones. */
    preferences?: Preferences | null | undefined
  }>
}

export interface ExplainQuery {
  /** Explains an outage: ids or aliases of integrations, or keys of providers, that are taken for down. Candidates that would have their turn without them are selected; the others have the reason `UNAVAILABLE`. */
  unavailable?: Array<string> | undefined
}

/** A decision with its facts. */
export interface Explanation {
  /** Result of the decision: `ROUTED` (the message goes to providers), `HELD` (it waits for a repair) or the status that stops it. */
  decision: {
    status: MessageStatus
    reason?: Reason | undefined
    /** Human-readable explanation. */
    error?: string | undefined
    /** Due time of a delayed message, release time of the digest of the message, or when a held message fails. In milliseconds since the Unix epoch. */
    due_at?: number | undefined
    /** True for a send whose first calls test integrations that have refused it for their settings: another rejection holds the message for a repair. */
    held_if_rejected?: boolean | undefined
    /** When the send is due and decided: until then it is `DELAYED`. Absent for a send without a delay. In milliseconds since the Unix epoch. */
    delayed_until?: number | undefined
  }
  /** The notification; absent when the event is unmapped. */
  notification?: {
    /** The notification id. */
    id: string
    /** `draft` or a published version: `v3`. */
    version: string
  } | undefined
  /** Decision steps, in order. */
  steps: Array<DecisionStep>
  /** All candidates, in order. */
  candidates: Array<Candidate>
  /** Rendered content of the selected candidates. */
  rendered: Array<RenderedCandidate>
  /** Mistakes in the message that do not stop it, in words: ignored parts of the request and variables without a value, each with its path, names of nothing, an email larger than Gmail shows. Absent when there are none. */
  warnings?: Array<string> | undefined
  /** Merged profile, with tokens masked. */
  profile: Record<string, unknown>
}

/** Settings of Expo. */
export interface ExpoSettings {
  /** Access token: Required if enhanced push security is on. */
  accessToken?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://exp.host". */
  baseUrl?: string | undefined
}

/** Requests a JSON object from a URL. The object replaces the data of the run, or is merged into them. */
export interface FetchDataStep {
  /** Always `fetch-data`. */
  action: 'fetch-data'
  webhook: StepWebhook
  /** How new data (A) is merged into existing data (B). `replace`: A replaces B. `overwrite`: keys of A take precedence. `soft-merge`: only keys that B lacks are added. `none`: A is used only if B is empty. Default: `replace`, which discards the data of the run. */
  merge_strategy?: 'replace' | 'overwrite' | 'soft-merge' | 'none' | undefined
  /** Value of the header `Idempotency-Key`. Default: a key of the step, the same for every attempt. */
  idempotency_key?: string | undefined
  /** Accepted for older clients, without effect. */
  idempotency_expiry?: unknown | undefined
  /** Condition: an expression that must be true for the step to be executed. */
  if?: string | undefined
  /** Name of the result for later steps. */
  ref?: string | undefined
}

/** A mistake in a message: `event_unknown` (no notification is mapped to the event), `template_unknown` (the template does not exist), `notification_unpublished` (the notification has no published version), `field_ignored` (the send has a field that is not read), `tenant_unknown` (the tenant does not exist), `topic_unknown` (the topic does not exist), `locale_unknown` (the locale of the recipient is not a language), `time_zone_unknown` (a time zone does not exist), `strategy_unknown` (the routing strategy does not exist), `route_name_unknown` (a name in the routing is neither a channel nor a provider with an integration), `brand_unknown` (the brand does not exist), `snippet_missing` (the brand has no snippet of that name), `variable_missing` (a variable in the content has no value), `variable_empty` (a variable of the profile is empty), `translation_missing` (a text has no translation), `element_unknown` (the content has an element that does not exist), `element_field_ignored` (an element of the content has a field or a value without effect), `content_altered` (a part of the content is not shown as it was written), `links_empty` (a link for the recipient is empty), `mail_large` (the mail is larger than Gmail shows), `copies_refused` (the mail server did not take a copy). Later versions can have further codes. */
export type FindingCode = 'event_unknown' | 'template_unknown' | 'notification_unpublished' | 'field_ignored' | 'tenant_unknown' | 'topic_unknown' | 'locale_unknown' | 'time_zone_unknown' | 'strategy_unknown' | 'route_name_unknown' | 'brand_unknown' | 'snippet_missing' | 'variable_missing' | 'variable_empty' | 'translation_missing' | 'element_unknown' | 'element_field_ignored' | 'content_altered' | 'links_empty' | 'mail_large' | 'copies_refused'

/** Settings of Firebase Cloud Messaging. */
export interface FirebaseFcmSettings {
  /** Service account: The JSON file of a service account that may send messages of the project. */
  serviceAccount: string
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://fcm.googleapis.com". */
  baseUrl?: string | undefined
}

/** Copies a stored profile into the data of the run. */
export interface GetProfileStep {
  /** Always `get-profile`. */
  action: 'get-profile'
  /** User whose profile is read. */
  user_id: string | number
  /** Path in `data` for the profile: `profile`, `people.owner`. Default: the top level. */
  path?: string | undefined
  /** How new data (A) is merged into existing data (B). `replace`: A replaces B. `overwrite`: keys of A take precedence. `soft-merge`: only keys that B lacks are added. `none`: A is used only if B is empty. Default: `overwrite`. */
  merge_strategy?: 'replace' | 'overwrite' | 'soft-merge' | 'none' | undefined
  /** Tenant in which the profile is read. */
  tenant_id?: string | undefined
  /** Condition: an expression that must be true for the step to be executed. */
  if?: string | undefined
  /** Name of the result for later steps. */
  ref?: string | undefined
}

/** Settings of Gmail. */
export interface GmailSettings {
  /** Client id: The id of an OAuth client in your Google Cloud project. Needs a refresh token. */
  clientId?: string | undefined
  /** Client secret: The secret of the client. */
  clientSecret?: string | undefined
  /** Refresh token: The refresh token of a mailbox that has consented to the scope `https://www.googleapis.com/auth/gmail.send`. */
  refreshToken?: string | undefined
  /** Service account: Instead of a client: the JSON file of a service account with domain-wide delegation for the same scope. */
  serviceAccount?: string | undefined
  /** User: The mailbox that the service account sends from. By default the from address. */
  user?: string | undefined
  /** Token URL: The URL that issues access tokens to the client. Default: "https://oauth2.googleapis.com/token". */
  tokenUrl?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://gmail.googleapis.com". */
  baseUrl?: string | undefined
  /** From address: The from address: the mailbox, or an address that it may send as. */
  fromAddress: string
  /** From name: The name of the sender. */
  fromName?: string | undefined
  /** From names by locale: Names of the sender by locale, such as `de: Beispiel; fr: Exemple`. Other locales get `fromName`. */
  fromNames?: string | undefined
  /** Reply to: The address for replies. */
  replyTo?: string | undefined
}

/** Elements that share a condition or loop. */
export interface GroupElement {
  /** Always `group`. */
  type: 'group'
  /** Nested elements. */
  elements?: Array<Element> | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<GroupElement> | undefined
}

/** A channel in a history event. */
export interface HistoryChannel {
  /** Channel of the notification; empty when none was considered. */
  id: string
  /** Display name. */
  label?: string | undefined
}

/** A history event of a message; its fields depend on `type`. */
export type HistoryEvent = {
  /** The message was accepted. */
  type: 'ENQUEUED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  /** Event of the send. */
  event: string
  /** The recipient id. */
  recipient: string
  /** Data of the send. */
  data: Record<string, unknown>
  /** Profile of the send, with tokens masked. */
  profile: Record<string, unknown>
  /** Override of the send, with secrets masked. */
  override: Record<string, unknown>
  /** Mistakes in the message, in words: fields of the send that are not read, names of nothing, variables without a value, content that is not rendered as written, an email larger than Gmail shows, copies that the mail server did not take. Absent when there are none. */
  findings?: Array<string> | undefined
} | {
  /** The message is delayed. */
  type: 'DELAYED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  /** Due time. In milliseconds since the Unix epoch. */
  until: number
} | {
  /** The event is mapped to a notification. */
  type: 'MAPPED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  /** Event of the send. */
  event_id: string
  /** The notification id. */
  notification_id: string
  /** Mistakes in the message, in words: fields of the send that are not read, names of nothing, variables without a value, content that is not rendered as written, an email larger than Gmail shows, copies that the mail server did not take. Absent when there are none. */
  findings?: Array<string> | undefined
} | {
  /** The event is not mapped to a notification. */
  type: 'UNMAPPED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  /** Event of the send. */
  event_id: string
  /** Mistakes in the message, in words: fields of the send that are not read, names of nothing, variables without a value, content that is not rendered as written, an email larger than Gmail shows, copies that the mail server did not take. Absent when there are none. */
  findings?: Array<string> | undefined
} | {
  /** The profiles were merged. Tokens are masked. */
  type: 'PROFILE_LOADED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  /** Profile of the send. */
  received_profile: Record<string, unknown>
  /** Stored profile at that time. */
  stored_profile: Record<string, unknown>
  /** Merged profile that was used. */
  merged_profile: Record<string, unknown>
  /** Mistakes in the message, in words: fields of the send that are not read, names of nothing, variables without a value, content that is not rendered as written, an email larger than Gmail shows, copies that the mail server did not take. Absent when there are none. */
  findings?: Array<string> | undefined
} | {
  /** A condition stopped the message. */
  type: 'FILTERED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  reason: Reason
  /** The condition, and the error if it could not be evaluated. */
  error_message?: string | undefined
} | {
  /** A send limit stopped the message. */
  type: 'THROTTLED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
} | {
  /** The message was added to a digest. */
  type: 'DIGESTED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  /** Topic of the digest. */
  topic_id: string
  /** Latest release time of the digest. In milliseconds since the Unix epoch. */
  until: number
} | {
  /** The content was rendered for one channel. */
  type: 'RENDERED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  device?: MessageDevice | undefined
  /** URLs of the rendered parts; parts that do not exist are omitted. */
  output: {
    /** Root-relative URL of the HTML. */
    html?: string | undefined
    /** Root-relative URL of the title. */
    title?: string | undefined
    /** Root-relative URL of the short form. */
    body?: string | undefined
    /** Root-relative URL of the subject. */
    subject?: string | undefined
    /** Root-relative URL of the plain text. */
    text?: string | undefined
    /** Root-relative URL of the blocks. */
    blocks?: string | undefined
  }
  sms?: SmsSegments | undefined
  /** Mistakes in the message, in words: fields of the send that are not read, names of nothing, variables without a value, content that is not rendered as written, an email larger than Gmail shows, copies that the mail server did not take. Absent when there are none. */
  findings?: Array<string> | undefined
} | {
  /** A mock key stopped the message before the provider call. */
  type: 'SIMULATED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  device?: MessageDevice | undefined
} | {
  /** An attempt failed and will be retried, or the integration must not be called yet. */
  type: 'DELIVERING'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  device?: MessageDevice | undefined
  /** Number of the failed attempt; with `held_back` of the last one. */
  attempt: number
  /** Why no call is made: the circuit breaker of the integration is open, or a limit of it is reached. Otherwise absent. */
  held_back?: 'circuit_breaker' | 'limit' | undefined
  /** Error of the attempt, or why no call was made. */
  error: string
  /** Time of the next attempt. In milliseconds since the Unix epoch. */
  next_attempt_at?: number | undefined
} | {
  /** The message waits until an integration is repaired. */
  type: 'HELD'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  /** When it fails at the latest. In milliseconds since the Unix epoch. */
  until: number
  reason?: Reason | undefined
  /** Error of the integration that has to be repaired. */
  error_message?: string | undefined
  /** Mistakes in the message, in words: fields of the send that are not read, names of nothing, variables without a value, content that is not rendered as written, an email larger than Gmail shows, copies that the mail server did not take. Absent when there are none. */
  findings?: Array<string> | undefined
} | {
  /** A message that waited for an integration, or was given up, goes on. */
  type: 'RELEASED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  /** `repair`: an integration was added or changed, a test of it went well, or its circuit breaker closed. `call`: `POST /messages/release`. `settings`: `hold_misconfigured` was switched off. `dead_letter`: `POST /dead-letters/:id/release`. */
  cause: 'repair' | 'call' | 'settings' | 'dead_letter'
  /** The integration that was added or changed, or works again. */
  integration_id?: string | undefined
  /** `dead_letter`: author of the release, `key/backend` or `operator`. */
  source?: string | undefined
} | {
  /** The provider accepted the message. */
  type: 'SENT'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  device?: MessageDevice | undefined
  /** Identifiers of the message at the provider. */
  reference?: Record<string, unknown> | undefined
  /** Mistakes in the message, in words: fields of the send that are not read, names of nothing, variables without a value, content that is not rendered as written, an email larger than Gmail shows, copies that the mail server did not take. Absent when there are none. */
  findings?: Array<string> | undefined
} | {
  /** A mail server could not deliver the message yet, and keeps trying. */
  type: 'DEFERRED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  device?: MessageDevice | undefined
  /** Reason of the mail server. */
  error_message?: string | undefined
} | {
  /** A copy of the mail, which the mail server had refused for now, was accepted. */
  type: 'COPY_SENT'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  device?: MessageDevice | undefined
  /** Address of the copy. */
  address?: string | undefined
} | {
  /** A copy of the mail, which the mail server had refused for now, was given up. */
  type: 'COPY_UNDELIVERABLE'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  device?: MessageDevice | undefined
  /** Address of the copy. */
  address?: string | undefined
  /** Reason of the mail server, or why it was not sent. */
  error_message?: string | undefined
} | {
  /** The message was delivered. */
  type: 'DELIVERED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  device?: MessageDevice | undefined
  /** Identifiers of the message at the provider. */
  reference?: Record<string, unknown> | undefined
} | {
  /** The message was opened. */
  type: 'OPENED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  device?: MessageDevice | undefined
  /** A program did it: a proxy that fetches pictures ahead, a scanner that follows links. The status stays. */
  automated?: true | undefined
  /** Why a program is assumed, where the server tracked it: `head` (a request of the headers only), `prefetch` (its headers or name say so), `privacy_proxy` (Apple Mail), `scanner`, `program`, `instant` (within two seconds of sending), `unopened` (a click within ten seconds, without an open), `burst` (several links within a second). */
  automated_reason?: 'head' | 'prefetch' | 'privacy_proxy' | 'scanner' | 'program' | 'instant' | 'unopened' | 'burst' | undefined
} | {
  /** A link was clicked. Each link has one event; a program has one for all. */
  type: 'CLICKED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  device?: MessageDevice | undefined
  /** A program did it: a proxy that fetches pictures ahead, a scanner that follows links. The status stays. */
  automated?: true | undefined
  /** Why a program is assumed, where the server tracked it: `head` (a request of the headers only), `prefetch` (its headers or name say so), `privacy_proxy` (Apple Mail), `scanner`, `program`, `instant` (within two seconds of sending), `unopened` (a click within ten seconds, without an open), `burst` (several links within a second). */
  automated_reason?: 'head' | 'prefetch' | 'privacy_proxy' | 'scanner' | 'program' | 'instant' | 'unopened' | 'burst' | undefined
  /** Address of the link, where it is known. */
  url?: string | undefined
} | {
  /** The recipient reported the message as spam. */
  type: 'COMPLAINED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  device?: MessageDevice | undefined
} | {
  /** The recipient unsubscribed at the provider. */
  type: 'UNSUBSCRIBED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  device?: MessageDevice | undefined
} | {
  /** A candidate failed, or the recipient opted out. */
  type: 'UNDELIVERABLE'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration?: HistoryIntegration | undefined
  device?: MessageDevice | undefined
  /** Error message of the provider. */
  error_message?: string | undefined
  reason?: Reason | undefined
  reasonCode?: ReasonCode | undefined
  suppressed?: SuppressionReason | undefined
} | {
  /** No channel or provider could be chosen. */
  type: 'UNROUTABLE'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  reason: Reason
  /** Missing configuration or profile data. */
  error_message?: string | undefined
} | {
  /** The message was canceled. */
  type: 'CANCELED'
  /** Time of the event. In milliseconds since the Unix epoch. */
  ts: number
  /** Origin of the cancellation: `key/backend`, `operator` (the command on a database without a server), or `erasure` for a message of a person who was erased. Absent where it was not recorded. */
  source?: string | undefined
}

/** An integration in a history event. */
export interface HistoryIntegration {
  /** The integration id. */
  id: string
  /** The provider: `sendgrid`. */
  provider: string
}

/** Type of a history event. */
export type HistoryType = 'ENQUEUED' | 'DELAYED' | 'MAPPED' | 'UNMAPPED' | 'PROFILE_LOADED' | 'FILTERED' | 'THROTTLED' | 'DIGESTED' | 'RENDERED' | 'SIMULATED' | 'DELIVERING' | 'HELD' | 'RELEASED' | 'SENT' | 'DEFERRED' | 'COPY_SENT' | 'COPY_UNDELIVERABLE' | 'DELIVERED' | 'OPENED' | 'CLICKED' | 'COMPLAINED' | 'UNSUBSCRIBED' | 'UNDELIVERABLE' | 'UNROUTABLE' | 'CANCELED'

/** HTML markup. */
export interface HtmlElement {
  /** Always `html`. */
  type: 'html'
  /** HTML markup, for email only. */
  content: string
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<HtmlElement> | undefined
}

/** The key and the session of a call, and where it acts. */
export interface Identity {
  /** Id of the session; null for a call with an API key. */
  session_id: string | null
  key: SessionKey
  kind: KeyKind
  role: KeyRole
  environment: KeyEnvironment
  /** Environments that the session can be switched to, the present one included. */
  environments: Array<KeyEnvironment>
  /** When the session ends unless it is used before; null for a call with an API key. In milliseconds since the Unix epoch. */
  expires: number | null
}

/** An image. */
export interface ImageElement {
  /** Always `image`. */
  type: 'image'
  /** URL of the image. */
  src: string
  /** Target URL. */
  href?: string | undefined
  /** Alternative text. */
  alt_text?: string | undefined
  /** Alignment in an email. `start` and `end` follow the direction of the language. `full`: justified. */
  align?: 'left' | 'center' | 'right' | 'start' | 'end' | 'full' | undefined
  /** Width in pixels, or in percent: `50%`. */
  width?: string | number | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<ImageElement> | undefined
}

/** The profile of a recipient. */
export interface ImportedProfile {
  /** The recipient id. */
  id: string
  /** Profile data with any keys. Common keys: `email`, `phone_number`, `locale`, `zoneinfo`, and one object per chat provider. */
  profile: Record<string, unknown>
}

/** The event is stored. */
export interface InboundReply {
  /** The `messageId` of the event. */
  messageId: string
}

export interface InboundTrackEventBody {
  /** Event name. */
  event: string
  /** Your own unique id of the occurrence. */
  messageId: string
  /** Always `track`. */
  type: 'track'
  /** Properties of the event, with any keys. */
  properties: Record<string, unknown>
  /** User of the event. */
  userId?: string | null | undefined
}

/** Channels, and whether one or all of them are used. */
export interface InlineRouting {
  /** `single`: the first channel that succeeds. `all`: every channel. */
  method: 'single' | 'all'
  /** Channels (email, sms, push, direct_message, inbox, webhook) or providers, in order of preference. */
  channels: Array<Channel | ProviderName>
}

/** A provider with credentials and settings. */
export interface Integration {
  /** The integration id. */
  id: IntegrationId
  /** Provider, as in the catalog. */
  provider: string
  channel: Channel
  /** All channels of the integration; `channel` is the first. */
  channels: Array<Channel>
  /** Display name. */
  title: string
  /** Alternative id, unique in the workspace. */
  alias?: string | undefined
  /** Settings; every secret is `********`. */
  settings: Record<string, unknown>
  /** Whether the integration is used for sending. */
  enabled: boolean
  /** True if the secrets were encrypted with another secret key; the integration is not used until they are set again. */
  unreadable?: true | undefined
  /** Priority; integrations of a channel are tried in ascending order. */
  priority: number
  /** Address under which the provider reports the later results of messages; absent where it has no callbacks. It begins with `POSTRIDER_PUBLIC_URL`. */
  callback_url?: string | undefined
  /** Share of the messages of a channel among its enabled integrations with a weight. Each of those messages tries the integration first that its id chooses, then the others by priority. */
  weight?: number | undefined
  limits?: IntegrationLimits | undefined
  tracking?: TrackingTerms | undefined
  /** Calls of this day of UTC; present with a limit per second or day. */
  used_today?: number | undefined
  circuit_breaker?: CircuitBreaker | undefined
  /** Time of creation. In milliseconds since the Unix epoch. */
  created: number
  /** Time of the last change. In milliseconds since the Unix epoch. */
  updated?: number | undefined
}

/** Fields of integrations of every provider. */
export interface IntegrationFields {
  /** Channel of the integration. Default: every channel of the provider. */
  channel?: 'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook' | undefined
  /** Display name. Default: the title of the provider. */
  title?: string | undefined
  /** Alternative id, unique in the workspace. */
  alias?: string | null | undefined
  /** Whether the integration is used for sending. */
  enabled?: boolean | undefined
  /** Priority; integrations of a channel are tried in ascending order. */
  priority?: number | undefined
  /** Share of the messages of a channel among its enabled integrations with a weight. Each of those messages tries the integration first that its id chooses, then the others by priority. */
  weight?: number | null | undefined
  limits?: IntegrationLimitsWrite | undefined
  /** Switches of one channel. An omitted switch is decided by the next wider setting. */
  tracking?: TrackingTerms | null | undefined
}

/** Limits of the calls of an integration. A message that finds one reached tries the next integration, or waits; that uses up no attempt. */
export interface IntegrationLimits {
  /** Calls that may start per second, evenly spaced, over all nodes. 0.5 is one in two seconds. */
  per_second?: number | undefined
  /** Calls that may be in progress at a time; the nodes divide them. */
  concurrency?: number | undefined
  /** Calls that may start in a day of UTC, over all nodes. */
  per_day?: number | undefined
}

/** Limits of the calls of an integration, in a request. Omitted ones are unchanged; null removes one. */
export interface IntegrationLimitsWrite {
  /** Calls that may start per second, evenly spaced, over all nodes. 0.5 is one in two seconds. */
  per_second?: number | null | undefined
  /** Calls that may be in progress at a time; the nodes divide them. */
  concurrency?: number | null | undefined
  /** Calls that may start in a day of UTC, over all nodes. */
  per_day?: number | null | undefined
}

/** A change of an integration. Omitted fields are unchanged; null removes a setting, a limit, the weight or the tracking. Any change closes the circuit breaker. */
export type IntegrationUpdate = IntegrationChange<SettingsByProvider, IntegrationFields>

/** An integration, in a request. Default: `enabled` true, `priority` 0. */
export type IntegrationWrite = IntegrationOf<SettingsByProvider, IntegrationFields>

/** Starts a run of an automation template and does not wait for it. `context` is merged over the context of this run. */
export interface InvokeStep {
  /** Always `invoke`. */
  action: 'invoke'
  /** Id or alias of an automation template. */
  template: string
  context?: RunContext | undefined
  /** Condition: an expression that must be true for the step to be executed. */
  if?: string | undefined
  /** Name of the result for later steps. */
  ref?: string | undefined
}

/** A token; it cannot be retrieved again. */
export interface IssuedToken {
  /** Token (JWT), sent as `Authorization: Bearer <token>`. */
  token: string
}

/** Environment of the key; environments share no data. */
export type KeyEnvironment = 'production' | 'test'

/** `published` (`pk_…`) sends published notifications, `draft` (`dk_…`) sends drafts, `mock` (`mk_…`) renders without calling providers. Draft and mock keys change drafts, saved views, their tokens and sessions, and what keys of their kind have sent; only published keys change anything else. */
export type KeyKind = 'published' | 'draft' | 'mock'

/** `full` may do everything that the kind permits. `editor` reads everything, changes notifications, brands, translations and routing strategies, and previews them; it sends nothing. `reader` reads everything and changes nothing. `viewer` reads, with personal data masked. */
export type KeyRole = 'full' | 'editor' | 'reader' | 'viewer'

export interface KeysCreateBody {
  /** Display name. Default: the kind. */
  name?: string | undefined
  kind?: KeyKind | undefined
  role?: KeyRole | undefined
  environment?: KeyEnvironment | undefined
  /** When it expires. Default: never. A time (ISO 8601 or milliseconds since the Unix epoch, as a string), or a length from now such as `90 days`. */
  expires?: string | null | undefined
}

export interface KeysListReply {
  results: Array<ApiKey>
}

export interface KeysUpdateBody {
  /** When it expires; null: it is valid until it is revoked. A time (ISO 8601 or milliseconds since the Unix epoch, as a string), or a length from now such as `90 days`. */
  expires: string | null
}

/** A list of subscribed recipients. */
export interface List {
  /** List id: 1 to 4 parts, separated by dots. */
  id: string
  /** Display name. */
  name: string
  /** Time of creation. ISO 8601, UTC. */
  created: string
  /** Time of the last change, subscriptions excluded. ISO 8601, UTC. */
  updated: string
  preferences?: Preferences | undefined
}

/** A list. */
export interface ListElement {
  /** Always `list`. */
  type: 'list'
  /** Numbered or bulleted. Default: `unordered`. */
  list_type?: 'ordered' | 'unordered' | undefined
  /** Stored without effect; bullets are not replaced. */
  imgSrc?: string | undefined
  /** Stored without effect; bullets are not replaced. */
  imgHref?: string | undefined
  /** List items. */
  elements?: Array<ListItemElement | CommentElement> | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<ListElement> | undefined
}

/** Restrictions of a list or an audience. */
export interface ListFields {
  /** With a list or an audience: filters that every recipient must match. */
  filters?: Array<MembershipFilter> | null | undefined
}

/** An item of a list. */
export interface ListItemElement {
  /** Always `list-item`. */
  type: 'list-item'
  /** Text in Markdown. */
  content?: string | undefined
  /** Background color. A CSS color; variables are allowed. */
  background_color?: string | undefined
  /** Nested elements. */
  elements?: Array<Element> | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<ListItemElement> | undefined
}

/** One notification to all subscribers of a list. */
export interface ListSendBody {
  /** List id. Either `list` or `pattern` is required. */
  list?: string | null | undefined
  /** Pattern of list ids: `team.*`, `team.**`. */
  pattern?: string | null | undefined
  /** A notification id, or a name mapped to a notification (`PUT /events/:event_id`). */
  event: string
  /** Brand of the message. */
  brand?: string | null | undefined
  /** Values of the template variables. */
  data?: Record<string, unknown> | null | undefined
  /** Overrides by provider: `override.<provider>.body` is merged over the request to the provider, `override.<provider>.config` over the settings of its integration. */
  override?: Override | null | undefined
  /** Preferences for this message; they take precedence over the stored ones. */
  preferences?: Preferences | null | undefined
  /** Delay before the message is sent. */
  delay?: Delay | null | undefined
}

/** A recipient subscribed to a list. */
export interface ListSubscription {
  /** The recipient id. */
  recipientId: string
  /** Time of the subscription. ISO 8601, UTC. */
  created: string
  preferences?: Preferences | undefined
}

/** A recipient to subscribe. */
export interface ListSubscriptionWrite {
  /** The recipient id. */
  recipientId: string
  /** Preferences of the recipient for messages to the list. */
  preferences?: Preferences | null | undefined
}

/** Recipients to subscribe: an object with `recipients`, a single subscription, or an array. */
export type ListSubscriptionsWrite = {
  /** Subscriptions or recipient ids. If a recipient occurs twice, the last entry applies. */
  recipients: Array<ListSubscriptionWrite | string>
} | ListSubscriptionWrite | Array<ListSubscriptionWrite | string>

export interface ListsListQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 25. */
  limit?: number | undefined
  /** Pattern of list ids: `*` matches one part, `**` at the end one or more; `news.*.eu`, `news.**`. */
  pattern?: string | undefined
}

export interface ListsListReply {
  paging: Paging
  /** Ordered by id. */
  items: Array<List>
  /** Alias of `items`. */
  results: Array<List>
}

export interface ListsPutBody {
  /** Display name. */
  name: string
  /** Default preferences of all subscribers. Default: none. */
  preferences?: Preferences | null | undefined
}

export interface ListsSendQuery {
  /** Whether an unknown name, an unknown field, a recipient without an address or a variable without a value is a 400 instead of a status of the message. Without a value it is true. Takes precedence over the header `Prefer: handling=strict` (or `handling=lenient`), which takes precedence over the setting of the environment. */
  strict?: boolean | undefined
}

export interface ListsSubscribeBody {
  /** Preferences of the recipient for messages to the list. */
  preferences?: Preferences | null | undefined
}

export interface ListsSubscriptionsQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 100. */
  limit?: number | undefined
}

export interface ListsSubscriptionsReply {
  paging: Paging
  /** Ordered by recipient id. */
  items: Array<ListSubscription>
}

/** A message captured by the sandbox. */
export interface MailboxItem {
  /** Mailbox item id. */
  id: string
  /** Message id. */
  message_id: string
  channel: Channel
  /** The recipient id. */
  recipient: string
  /** Time of capture. In milliseconds since the Unix epoch. */
  received: number
  /** Captured request: address and rendered content. */
  content: Record<string, unknown>
}

export interface MailboxListQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 25. */
  limit?: number | undefined
  /** Channel of the items. */
  channel?: 'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook' | undefined
  /** Recipient of the items. */
  recipient?: string | undefined
  /** Message of the items. */
  message_id?: string | undefined
}

export interface MailboxListReply {
  paging: Paging
  results: Array<MailboxItem>
  /** Channels that the sandbox serves now: those without an enabled integration; in production a channel that ever had one does not return. */
  channels: Array<Channel>
}

/** Settings of Mailbox. */
export type MailboxSettings = NoSettings

/** Settings of Mailgun. */
export interface MailgunSettings {
  /** API key: A key of the account, or a sending key of the domain. */
  apiKey: string
  /** Domain: The sending domain, such as mg.example.com. */
  domain: string
  /** From address: An address of the domain. */
  fromAddress: string
  /** From name: The name of the sender. */
  fromName?: string | undefined
  /** From names by locale: Names of the sender by locale, such as `de: Beispiel; fr: Exemple`. Other locales get `fromName`. */
  fromNames?: string | undefined
  /** Reply to: The address for replies. */
  replyTo?: string | undefined
  /** Region: The region of the domain. Default: "us". */
  region?: 'us' | 'eu' | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. */
  baseUrl?: string | undefined
  /** HTTP webhook signing key: Verifies callbacks. Mailgun shows this key under API Security, HTTP webhook signing key. */
  webhookSigningKey?: string | undefined
}

/** Settings of Mailjet. */
export interface MailjetSettings {
  /** API key: The public key of the pair. */
  apiKey: string
  /** Secret key: The private key of the pair. */
  secretKey: string
  /** From address: A validated sender, or an address of a validated domain. */
  fromAddress: string
  /** From name: The name of the sender. */
  fromName?: string | undefined
  /** From names by locale: Names of the sender by locale, such as `de: Beispiel; fr: Exemple`. Other locales get `fromName`. */
  fromNames?: string | undefined
  /** Reply to: The address for replies. */
  replyTo?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://api.mailjet.com". */
  baseUrl?: string | undefined
  /** Webhook password: A random text that verifies callbacks. It is the password in the URL that you enter at Mailjet. */
  webhookPassword?: string | undefined
}

/** Membership of a user in a tenant. */
export interface Membership {
  /** The user id. */
  user_id: string
  /** The tenant id. */
  tenant_id: string
  /** Always `user`. */
  type: 'user'
  /** Profile that is merged over the profile of the user in messages for this tenant. */
  profile: Record<string, unknown>
}

/** Restricts the recipients to members of a tenant. */
export interface MembershipFilter {
  /** Always `MEMBER_OF`. */
  operator: 'MEMBER_OF'
  /** Key of the value; both keys stand for a tenant. */
  path: 'account_id' | 'tenant_id'
  /** The tenant id. */
  value: string
}

/** A page of memberships. */
export interface MembershipPage {
  /** Always `list`. */
  type: 'list'
  /** Items of this page. */
  items: Array<Membership>
  /** Whether another page follows. */
  has_more: boolean
  /** The path of the list. */
  url: string
  /** Path and query of the next page; null on the last page. */
  next_url: string | null
  /** Value of `cursor` for the next page; null on the last page. */
  cursor: string | null
}

export interface MembershipsAddBody {
  /** Tenants. If a tenant occurs twice, the last entry applies. */
  tenants: Array<{
    /** The tenant id. */
    tenant_id: string
    /** Profile that is merged over the profile of the user in messages for this tenant. Default: unchanged, for an existing membership. */
    profile?: Record<string, unknown> | null | undefined
  }>
}

export interface MembershipsListQuery {
  /** Items per page. Default: 20. */
  limit?: number | undefined
  /** The `cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Alias of `cursor` for older clients. */
  starting_after?: string | undefined
}

export interface MembershipsPutBody {
  /** Profile that is merged over the profile of the user in messages for this tenant. Default: unchanged, for an existing membership. */
  profile?: Record<string, unknown> | null | undefined
}

/** A message. Times of stages that it has not reached are omitted. */
export interface Message {
  /** The message id. */
  id: string
  status: MessageStatus
  /** The recipient id. */
  recipient: string
  /** Event of the send; empty when the send has inline content. */
  event: string
  /** The notification id; empty when there is none. Until the message is decided, the notification to which its event is currently mapped. */
  notification: string
  /** Time the message was accepted. In milliseconds since the Unix epoch. */
  enqueued: number
  /** Time a provider first accepted the message. In milliseconds since the Unix epoch. */
  sent?: number | undefined
  /** Time of the first confirmed delivery. In milliseconds since the Unix epoch. */
  delivered?: number | undefined
  /** Time the message was first opened. In milliseconds since the Unix epoch. */
  opened?: number | undefined
  /** Time a link was first clicked. In milliseconds since the Unix epoch. */
  clicked?: number | undefined
  /** Time the message was canceled. In milliseconds since the Unix epoch. */
  canceledAt?: number | undefined
  /** Human-readable error. */
  error?: string | undefined
  reason?: Reason | undefined
  reasonCode?: ReasonCode | undefined
  /** Mistakes in the message, which its history has in words. Absent when there are none. */
  findings?: Array<FindingCode> | undefined
  /** Tags of the send. */
  tags?: Array<string> | undefined
  /** List of the send. */
  listId?: string | undefined
  /** Message id of the send to the list. */
  listMessageId?: string | undefined
  /** Automation run that sent the message; for `send-list`, the run with this step. */
  runId?: string | undefined
  /** Bulk job of the message. */
  jobId?: string | undefined
  /** `Idempotency-Key` of the send. */
  idempotencyKey?: string | undefined
  retry?: MessageRetry | undefined
  /** Email address or telephone number of a recipient without a user id. */
  address?: string | undefined
  /** `DELAYED`: when the message is due. `HELD`: when it fails unless an integration is repaired. In milliseconds since the Unix epoch. */
  until?: number | undefined
  /** `HELD`: ids of the integrations that refused it, and whose repair it waits for. Absent where no integration could be used. */
  heldFor?: Array<string> | undefined
  /** Origin of the cancellation: `key/backend`, `operator` (the command on a database without a server), or `erasure` for a message of a person who was erased. Absent where it was not recorded. */
  canceledBy?: string | undefined
  /** Time its request was paused: it waits until the request is resumed. In milliseconds since the Unix epoch. */
  paused?: number | undefined
  /** Author of the pause: `key/backend`, or `operator` (the command without a server). */
  pausedBy?: string | undefined
  /** Since when deliveries are paused: every message that has not ended waits until they are resumed. In milliseconds since the Unix epoch. */
  deliveriesPaused?: number | undefined
  /** Deliveries, in the order of their attempts; only in a list with `include=providers`. */
  providers?: Array<MessageProvider> | undefined
}

/** A message with its deliveries. */
export interface MessageDetail {
  /** The message id. */
  id: string
  status: MessageStatus
  /** The recipient id. */
  recipient: string
  /** Event of the send; empty when the send has inline content. */
  event: string
  /** The notification id; empty when there is none. Until the message is decided, the notification to which its event is currently mapped. */
  notification: string
  /** Time the message was accepted. In milliseconds since the Unix epoch. */
  enqueued: number
  /** Time a provider first accepted the message. In milliseconds since the Unix epoch. */
  sent?: number | undefined
  /** Time of the first confirmed delivery. In milliseconds since the Unix epoch. */
  delivered?: number | undefined
  /** Time the message was first opened. In milliseconds since the Unix epoch. */
  opened?: number | undefined
  /** Time a link was first clicked. In milliseconds since the Unix epoch. */
  clicked?: number | undefined
  /** Time the message was canceled. In milliseconds since the Unix epoch. */
  canceledAt?: number | undefined
  /** Human-readable error. */
  error?: string | undefined
  reason?: Reason | undefined
  reasonCode?: ReasonCode | undefined
  /** Mistakes in the message, which its history has in words. Absent when there are none. */
  findings?: Array<FindingCode> | undefined
  /** Tags of the send. */
  tags?: Array<string> | undefined
  /** List of the send. */
  listId?: string | undefined
  /** Message id of the send to the list. */
  listMessageId?: string | undefined
  /** Automation run that sent the message; for `send-list`, the run with this step. */
  runId?: string | undefined
  /** Bulk job of the message. */
  jobId?: string | undefined
  /** `Idempotency-Key` of the send. */
  idempotencyKey?: string | undefined
  retry?: MessageRetry | undefined
  /** Email address or telephone number of a recipient without a user id. */
  address?: string | undefined
  /** `DELAYED`: when the message is due. `HELD`: when it fails unless an integration is repaired. In milliseconds since the Unix epoch. */
  until?: number | undefined
  /** `HELD`: ids of the integrations that refused it, and whose repair it waits for. Absent where no integration could be used. */
  heldFor?: Array<string> | undefined
  /** Origin of the cancellation: `key/backend`, `operator` (the command on a database without a server), or `erasure` for a message of a person who was erased. Absent where it was not recorded. */
  canceledBy?: string | undefined
  /** Time its request was paused: it waits until the request is resumed. In milliseconds since the Unix epoch. */
  paused?: number | undefined
  /** Author of the pause: `key/backend`, or `operator` (the command without a server). */
  pausedBy?: string | undefined
  /** Since when deliveries are paused: every message that has not ended waits until they are resumed. In milliseconds since the Unix epoch. */
  deliveriesPaused?: number | undefined
  /** The message that this one replays. */
  replayOf?: string | undefined
  /** Messages that replay this one, oldest first; ten at most. */
  replayedAs?: Array<string> | undefined
  /** Deliveries, in the order of their attempts; for a message that the recipient opted out of, one entry with the reason. */
  providers: Array<MessageProvider>
}

/** Device of a push delivery; its token is not shown. */
export interface MessageDevice {
  /** Id of the device: the same in every message, derived from its token. */
  id: string
  /** Model and platform, where they were stored with the token. */
  name?: string | undefined
}

/** A decision with its facts and deliveries. */
export interface MessageExplanation {
  /** The message and its current status. */
  message: {
    /** The message id. */
    id: string
    status: MessageStatus
  }
  /** Result of the decision: `ROUTED` (the message goes to providers), `HELD` (it waits for a repair) or the status that stops it. */
  decision: {
    status: MessageStatus
    reason?: Reason | undefined
    /** Human-readable explanation. */
    error?: string | undefined
    /** Due time of a delayed message, release time of the digest of the message, or when a held message fails. In milliseconds since the Unix epoch. */
    due_at?: number | undefined
    /** True for a send whose first calls test integrations that have refused it for their settings: another rejection holds the message for a repair. */
    held_if_rejected?: boolean | undefined
    /** When the send is due and decided: until then it is `DELAYED`. Absent for a send without a delay. In milliseconds since the Unix epoch. */
    delayed_until?: number | undefined
  }
  /** The notification; absent when the event is unmapped. */
  notification?: {
    /** The notification id. */
    id: string
    /** `draft` or a published version: `v3`. */
    version: string
  } | undefined
  /** Decision steps, in order. */
  steps: Array<DecisionStep>
  /** All candidates, in order. */
  candidates: Array<Candidate>
  /** Rendered content of the selected candidates. */
  rendered: Array<RenderedCandidate>
  /** Mistakes in the message that do not stop it, in words: ignored parts of the request and variables without a value, each with its path, names of nothing, an email larger than Gmail shows. Absent when there are none. */
  warnings?: Array<string> | undefined
  /** Merged profile, with tokens masked. */
  profile: Record<string, unknown>
  /** Deliveries so far. */
  deliveries: Array<DeliveryRecord>
}

/** Conditions of `GET /messages`, all of which must match. */
export interface MessageFilter {
  /** Address of the person: an email address, a telephone number, the id of a chat. Messages that name it or were sent to it, and those for users who have it in their profile now or as their id; not those that had it as a copy. */
  address?: string | undefined
  /** Whether archived messages are included. */
  archived?: boolean | undefined
  /** Channels that were tried, any of which matches. */
  channel?: Array<string> | undefined
  /** Another name of `address`. */
  email?: string | undefined
  /** Minimum time of acceptance, exclusive: ISO 8601 or milliseconds since the epoch. */
  enqueued_after?: string | undefined
  /** Maximum time of acceptance, exclusive: ISO 8601 or milliseconds since the epoch. */
  enqueued_before?: string | undefined
  /** Part of the error, in any case: `530`, `timeout`. */
  error?: string | undefined
  /** Event of the send. */
  event?: string | undefined
  /** Reasons, none of which matches; messages without a reason match. */
  except_reason?: Array<Reason> | undefined
  /** Findings, any of which matches. */
  finding?: Array<FindingCode> | undefined
  /** List of the send. */
  list?: string | undefined
  /** Message id, or id of the send. */
  messageId?: string | undefined
  /** The notification id. */
  notification?: string | undefined
  /** Providers, any of which matches. */
  provider?: Array<string> | undefined
  /** Reasons, any of which matches. */
  reason?: Array<Reason> | undefined
  /** The recipient id. */
  recipient?: string | undefined
  /** With `true`, only messages that no provider has accepted and that wait for another attempt: those with `retry`. */
  retrying?: boolean | undefined
  /** Automation run of the message; for `send-list`, the run with this step. */
  runId?: string | undefined
  /** Statuses, any of which matches. */
  status?: Array<MessageStatus> | undefined
  /** Tags, any of which matches. */
  tag?: Array<string> | undefined
  /** Comma-separated tags, any of which matches. */
  tags?: Array<string> | undefined
  /** Tenant of the message. */
  tenant_id?: string | undefined
  /** Trace id of the send. */
  traceId?: string | undefined
}

/** Rendered content for one channel. */
export interface MessageOutput {
  /** The channel. */
  channel: string
  /** Channel id, as in the history. */
  channel_id: string
  content: RenderedContent
}

/** One delivery of a message. */
export interface MessageProvider {
  /** The provider: `sendgrid`. Absent when the message ended before the choice of a provider. */
  provider?: string | undefined
  /** The integration id. */
  integration?: string | undefined
  status: DeliveryStatus
  channel?: {
    /** Channel, for chat with the provider: `direct_message:slack`. */
    key: string
    /** Display name. */
    name: string
    /** Channel of the notification that was rendered. */
    template: string
  } | undefined
  device?: MessageDevice | undefined
  /** Time a provider first accepted the message. In milliseconds since the Unix epoch. */
  sent?: number | undefined
  /** Time of the first confirmed delivery. In milliseconds since the Unix epoch. */
  delivered?: number | undefined
  /** Time the message was first opened. In milliseconds since the Unix epoch. */
  opened?: number | undefined
  /** Time a link was first clicked. In milliseconds since the Unix epoch. */
  clicked?: number | undefined
  /** Calls of the provider; 0 when it was never called. */
  attempts?: number | undefined
  /** The part of an `all` routing that has the delivery, counted from 0; absent in other routings. Parts are used side by side; deliveries of one part follow each other. */
  branch?: number | undefined
  /** Error of the delivery. */
  error?: string | undefined
  /** Identifiers of the message at the provider. */
  reference?: Record<string, unknown> | undefined
}

/** The delivery whose next attempt comes first. Present while no provider has accepted the message and a delivery waits after a failure, a limit or an open circuit breaker. */
export interface MessageRetry {
  channel: Channel
  /** The provider: `sendgrid`. */
  provider: string
  /** The integration id. */
  integration: string
  device?: MessageDevice | undefined
  /** Error of the last attempt, or why the integration was not called. */
  error?: string | undefined
  /** Calls so far; 0 when the integration was not called yet. */
  attempts: number
  /** Time of the next attempt. In milliseconds since the Unix epoch. */
  next_attempt_at: number
}

/** Channels, and whether one or all of them are used. Groups can be nested. */
export interface MessageRouting {
  /** `single`: the first channel that succeeds. `all`: every channel. */
  method?: 'single' | 'all' | null | undefined
  /** Channels in order of preference. Default: those of the notification, else every configured channel. */
  channels?: Array<Channel | ProviderName | ChannelRoute | NestedRouting> | null | undefined
}

/** Content, recipients and options of a message. Unknown keys are ignored. */
export interface MessageSend {
  /** Recipients. An empty object or array is a recipient without an address. */
  to: MessageRecipient | Array<MessageRecipient>
  /** A notification id, its alias, or a mapped event. */
  template?: string | null | undefined
  /** Elemental JSON, or a title and a body. Variables have the form `{name}`. */
  content?: ContentInput | null | undefined
  /** Values of the template variables. */
  data?: Record<string, unknown> | null | undefined
  /** Brand of the message. */
  brand_id?: string | null | undefined
  /** Channels, and whether one or all of them are used. Groups can be nested. */
  routing?: MessageRouting | null | undefined
  /** Settings by channel. */
  channels?: SettingsByChannel<ChannelSettings> | null | undefined
  /** Settings by provider. */
  providers?: OptionsByProvider<ProviderSettings> | null | undefined
  /** Metadata stored with the message. */
  metadata?: {
    /** Your name of the event. Stored with the message, whose `event` remains the template; preferences can refer to it. */
    event?: string | null | undefined
    /** Tags for filtering messages. */
    tags?: Array<string> | null | undefined
    /** Your trace id, for filtering messages. */
    trace_id?: string | null | undefined
    /** Campaign parameters of links; stored with the message. */
    utm?: Utm | null | undefined
  } | null | undefined
  /** Topic of the message. */
  preferences?: {
    /** Topic that recipients can opt out of. */
    subscription_topic_id?: string | null | undefined
  } | null | undefined
  /** Timeouts of a message. */
  timeout?: MessageTimeout | null | undefined
  /** Timeouts of a message. */
  timeouts?: MessageTimeout | null | undefined
  /** Delay before the message is sent; an empty object is no delay. The message is `DELAYED` until then. */
  delay?: Delay | null | undefined
  /** After this time the message is not added to an inbox; other channels are unaffected. If both fields are set, the earlier time applies. */
  expiry?: {
    /** Expiry time: ISO 8601, or milliseconds since the Unix epoch. */
    expires_at?: string | number | null | undefined
    /** Time from the due time to the expiry: milliseconds, or an ISO 8601 duration (`P1DT4H`). */
    expires_in?: string | number | null | undefined
  } | null | undefined
  /** Tenant context. */
  context?: {
    /** Tenant in which the message is sent. */
    tenant_id?: string | null | undefined
  } | null | undefined
}

/** One message to one recipient or to many. */
export interface MessageSendBody {
  message: MessageSend
}

/** Status of a message: `ENQUEUED` (accepted, not yet processed), `DELAYED` (waiting for its delay), `ROUTED` (channels chosen, not yet accepted by a provider), `HELD` (waiting until an integration is repaired, where the workspace holds such messages), `SENT` (accepted by a provider), `DELIVERED` (delivery confirmed by the provider), `OPENED` (opened for the first time), `CLICKED` (a link was clicked for the first time), `UNMAPPED` (the event is not mapped to a notification), `UNROUTABLE` (no channel or provider could be chosen), `UNDELIVERABLE` (rejected, bounced, opted out, or every attempt failed), `FILTERED` (stopped by a condition), `CANCELED` (canceled through the API), `THROTTLED` (stopped by a send limit), `DIGESTED` (added to a digest), `SIMULATED` (sent with a mock key: rendered, no provider called). */
export type MessageStatus = 'ENQUEUED' | 'DELAYED' | 'ROUTED' | 'HELD' | 'SENT' | 'DELIVERED' | 'OPENED' | 'CLICKED' | 'UNMAPPED' | 'UNROUTABLE' | 'UNDELIVERABLE' | 'FILTERED' | 'CANCELED' | 'THROTTLED' | 'DIGESTED' | 'SIMULATED'

/** Timeouts of a message. */
export interface MessageTimeout {
  /** Timeout of the whole message, from its due time. In milliseconds, at most 30 days. */
  message?: number | null | undefined
  /** Timeout of a channel, if another channel can follow. In milliseconds: one number, or a map of numbers by name. */
  channel?: number | ByChannel<number> | null | undefined
  /** Timeout of a provider, if another provider can follow. In milliseconds: one number, or a map of numbers by name. */
  provider?: number | ByProvider<number> | null | undefined
  /** Wait for the criterion before the next channel is used. In milliseconds, at most 30 days. */
  escalation?: number | null | undefined
  /** Status that the message must reach, or the next channel is used. */
  criteria?: 'no-escalation' | 'delivered' | 'viewed' | 'engaged' | null | undefined
}

/** Settings of MessageBird. */
export interface MessagebirdSettings {
  /** Access key: A live key of the account. */
  accessKey: string
  /** Originator: The sender: a number, or a sender id of up to 11 letters and digits. */
  originator: string
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://rest.messagebird.com". */
  baseUrl?: string | undefined
  /** Signing key: Verifies callbacks. MessageBird shows this key under Developer settings, Signed requests. */
  signingKey?: string | undefined
  /** Help text: The reply to a text such as HELP or INFO. Leave it empty if the provider replies itself, as Twilio does. */
  helpText?: string | undefined
}

export interface MessagesExplainQuery {
  /** `decision` (default): with the data as of the decision. `now`: with the present templates, profiles, preferences and integrations, as a resend would be decided. */
  as_of?: 'decision' | 'now' | undefined
}

export interface MessagesHistoryQuery {
  type?: HistoryType | undefined
}

export interface MessagesHistoryReply {
  results: Array<HistoryEvent>
}

export interface MessagesListQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page, 100 at most without `after`. Default: 10. */
  limit?: number | undefined
  /** A message id: only later messages are listed, oldest first. Not with `cursor`. */
  after?: string | undefined
  /** Address of the person: an email address, a telephone number, the id of a chat. Messages that name it or were sent to it, and those for users who have it in their profile now or as their id; not those that had it as a copy. */
  address?: string | undefined
  /** Whether archived messages are included. */
  archived?: boolean | undefined
  /** Channels that were tried, any of which matches. */
  channel?: Array<string> | undefined
  /** Another name of `address`. */
  email?: string | undefined
  /** Minimum time of acceptance, exclusive: ISO 8601 or milliseconds since the epoch. */
  enqueued_after?: string | undefined
  /** Maximum time of acceptance, exclusive: ISO 8601 or milliseconds since the epoch. */
  enqueued_before?: string | undefined
  /** Part of the error, in any case: `530`, `timeout`. */
  error?: string | undefined
  /** Event of the send. */
  event?: string | undefined
  /** Reasons, none of which matches; messages without a reason match. */
  except_reason?: Array<Reason> | undefined
  /** Findings, any of which matches. */
  finding?: Array<FindingCode> | undefined
  /** List of the send. */
  list?: string | undefined
  /** Message id, or id of the send. */
  messageId?: string | undefined
  /** The notification id. */
  notification?: string | undefined
  /** Providers, any of which matches. */
  provider?: Array<string> | undefined
  /** Reasons, any of which matches. */
  reason?: Array<Reason> | undefined
  /** The recipient id. */
  recipient?: string | undefined
  /** With `true`, only messages that no provider has accepted and that wait for another attempt: those with `retry`. */
  retrying?: boolean | undefined
  /** Automation run of the message; for `send-list`, the run with this step. */
  runId?: string | undefined
  /** Statuses, any of which matches. */
  status?: Array<MessageStatus> | undefined
  /** Tags, any of which matches. */
  tag?: Array<string> | undefined
  /** Comma-separated tags, any of which matches. */
  tags?: Array<string> | undefined
  /** Tenant of the message. */
  tenant_id?: string | undefined
  /** Trace id of the send. */
  traceId?: string | undefined
  /** Fields that are added: `providers`, the deliveries of each message, with `retry` where one waits for another attempt and `heldFor` where the message is held, and `address`, `until`, `canceledBy`, `paused`, `pausedBy` and `deliveriesPaused` where they apply. */
  include?: 'providers' | undefined
}

export interface MessagesListReply {
  paging: Paging
  results: Array<Message>
}

export interface MessagesOutputReply {
  results: Array<MessageOutput>
}

/** The subject or title. Renders nothing in place. */
export interface MetaElement {
  /** Always `meta`. */
  type: 'meta'
  /** Subject of an email; title on other channels. */
  title?: string | undefined
  /** Text that inboxes show after the subject of an email. It is not shown in the email. */
  preheader?: string | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<MetaElement> | undefined
}

/** Messages of the environment in a part of the window. */
export interface MetricsBucket {
  /** Start of the bucket, inclusive. Those of a day are days of UTC. In milliseconds since the Unix epoch. */
  start: number
  /** Messages accepted in the bucket. */
  accepted: number
  /** Messages that ended in the bucket. */
  finished: number
  /** The finished messages by status, most frequent first. */
  statuses: Array<{
    /** The status with which messages ended. */
    status: 'ENQUEUED' | 'DELAYED' | 'ROUTED' | 'HELD' | 'SENT' | 'DELIVERED' | 'OPENED' | 'CLICKED' | 'UNMAPPED' | 'UNROUTABLE' | 'UNDELIVERABLE' | 'FILTERED' | 'CANCELED' | 'THROTTLED' | 'DIGESTED' | 'SIMULATED'
    /** How many ended so in that time. */
    count: number
  }>
}

/** Messages of the environment in a window of time. */
export interface MetricsSummary {
  /** Start of the window, inclusive: `from` rounded down to a full minute. In milliseconds since the Unix epoch. */
  from: number
  /** End of the window, exclusive: `to` rounded up to a full minute. In milliseconds since the Unix epoch. */
  to: number
  /** Messages accepted in the window. */
  accepted: number
  /** Messages that ended in the window, whatever their status; also those accepted before it. */
  finished: number
  /** Messages that have not ended now, delayed ones included. Exact up to 25,000; beyond that it follows from the counts. */
  waiting: number
  /** Those among them that wait for the repair of an integration; 25,000 at most. */
  held: number
  /** Those among them that wait for their delay; 25,000 at most. */
  delayed: number
  /** Sends to lists, audiences and tenants that wait for their time: their recipients are found then, and no message of them is counted before. 1,000 at most. */
  scheduled_requests: number
  /** Requests that are paused; 1,000 at most. */
  paused_requests: number
  /** Age of the oldest waiting message in milliseconds; a delay counts only once it is over, and held messages do not count. Null when none waits. */
  oldest: number | null
  /** The finished messages by status, most frequent first. */
  statuses: Array<{
    /** The status with which messages ended. */
    status: 'ENQUEUED' | 'DELAYED' | 'ROUTED' | 'HELD' | 'SENT' | 'DELIVERED' | 'OPENED' | 'CLICKED' | 'UNMAPPED' | 'UNROUTABLE' | 'UNDELIVERABLE' | 'FILTERED' | 'CANCELED' | 'THROTTLED' | 'DIGESTED' | 'SIMULATED'
    /** How many ended so in that time. */
    count: number
  }>
  /** The same by reason, for those that have one. `UNSUBSCRIBED` and `OPT_IN_REQUIRED` are no failures: the recipient decides. A receipt that comes after the end, such as a bounce, changes no count. */
  reasons: Array<{
    /** The status with which messages ended. */
    status: 'ENQUEUED' | 'DELAYED' | 'ROUTED' | 'HELD' | 'SENT' | 'DELIVERED' | 'OPENED' | 'CLICKED' | 'UNMAPPED' | 'UNROUTABLE' | 'UNDELIVERABLE' | 'FILTERED' | 'CANCELED' | 'THROTTLED' | 'DIGESTED' | 'SIMULATED'
    reason: Reason
    /** How many ended so in the window. */
    count: number
  }>
  /** Deliveries of the finished messages by channel. */
  channels: Array<{
    /** The channel. */
    channel: 'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook'
    /** Deliveries that the provider accepted. */
    sent: number
    /** Accepted deliveries that were confirmed. */
    delivered: number
    /** Deliveries that ended without success, also where another provider took over. */
    failed: number
  }>
  /** The same by provider and channel. */
  providers: Array<{
    /** The provider: `sendgrid`. */
    provider: string
    /** The channel. */
    channel: 'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook'
    /** Deliveries that the provider accepted. */
    sent: number
    /** Accepted deliveries that were confirmed. */
    delivered: number
    /** Deliveries that ended without success, also where another provider took over. */
    failed: number
  }>
  /** With `bucket`: the parts of the window, oldest first, also those without messages. */
  buckets?: Array<MetricsBucket> | undefined
}

export interface MetricsSummaryQuery {
  /** Start, inclusive. ISO 8601 or milliseconds since the Unix epoch, as a string. */
  from?: string | undefined
  /** End, exclusive; now unless given. ISO 8601 or milliseconds since the Unix epoch, as a string. */
  to?: string | undefined
  /** Length: `15m`, `24h`, `7 days`, or ISO 8601 (`PT24H`); `24h` unless given. */
  window?: string | undefined
  /** Length of the parts in `buckets`. Times more than a day ago have counts by the hour: `1h` or `1d` for those. */
  bucket?: '1m' | '5m' | '1h' | '1d' | undefined
}

/** Settings of Microsoft Teams. */
export interface MsteamsSettings {
  /** Workflow webhook: The webhook of a workflow. If it is set, every message goes there. */
  webhookUrl?: string | undefined
}

/** A device token, in a request for several. A token with all of its fields has at most 16 kB. */
export interface NamedDeviceToken {
  /** Push provider that issued the token. */
  provider_key: 'apn' | 'firebase-fcm' | 'expo' | 'onesignal' | 'web-push'
  /** The device. */
  device?: Device | null | undefined
  /** Data sent by the device at registration. */
  tracking?: Tracking | null | undefined
  /** Custom properties. */
  properties?: Record<string, unknown> | null | undefined
  /** Expiry of the token; `false` for never. Default: 61 days from now. */
  expiry_date?: string | false | null | undefined
  /** Status; `failed` and `revoked` tokens are not used. Default: `active`. */
  status?: 'active' | 'unknown' | 'failed' | 'revoked' | undefined
  /** Reason for the status. */
  status_reason?: string | null | undefined
  /** The token. */
  token: string
}

/** Choice for a topic, with the topic id. */
export interface NamedTopicChoice {
  /** The topic id. */
  topic_id: string
  status: PreferenceStatus
  /** Whether only the channels of `custom_routing` are used, in order. */
  has_custom_routing?: boolean | null | undefined
  /** Channels to use, in order. */
  custom_routing?: Array<PreferredChannel> | null | undefined
  /** Schedule of the digest of the topic; null for the default schedule. Default: unchanged. */
  digest_schedule_id?: string | null | undefined
}

/** A nested group: `{method, channels}`. */
export interface NestedRouting {
  /** `single` or `all`. Default: `single`. */
  method?: 'single' | 'all' | undefined
  /** Channels, providers or nested groups. */
  channels: Array<Channel | ProviderName | ChannelRoute | NestedRouting>
}

/** An address to suppress. Without `kind` an address with an `@` is an email address, and a telephone number is a phone number. Default of `reason`: `manual`. */
export interface NewSuppression {
  /** The address. Email addresses are compared in lower case, phone numbers by their digits with the country code, device tokens and ids of chats as they are. */
  address: string
  kind?: AddressKind | undefined
  reason?: SuppressionReason | undefined
  /** Time from which it has no effect. Default: never. ISO 8601 or milliseconds since the Unix epoch, as a string. */
  ends?: string | null | undefined
  /** Note for people; not a secret. */
  note?: string | null | undefined
}

/** A notification with its content. */
export interface Notification {
  /** The notification id. */
  id: string
  state: NotificationState
  /** Time of creation. In milliseconds since the Unix epoch. */
  created: number
  /** API key that created the notification. */
  creator: string
  /** Time of the last change. In milliseconds since the Unix epoch. */
  updated?: number | undefined
  /** API key of the last change. */
  updater?: string | undefined
  /** Display name. */
  name: string
  /** Tags for filtering. */
  tags: Array<string>
  /** Brand; null for the default brand of the workspace. */
  brand: {
    /** The brand id. */
    id: string
  } | null
  /** Topic that recipients can opt out of; null for none. */
  subscription: {
    /** The topic id. */
    topic_id: string
  } | null
  /** Routing; null for the channels of the content, else every channel in the default order. */
  routing: NotificationRouting | null
  content: NotificationContent
  /** Alternative id for sends. */
  alias?: string | undefined
  settings: NotificationSettings
  /** Version: `draft`, or a published version such as `v3`. */
  version: string
}

/** Effects of publishing on recent messages. */
export interface NotificationChanges {
  /** The published version: `v3`. */
  published: string
  /** Messages that were compared. */
  compared: number
  /** Those among them that differ. */
  changed: number
  /** Those among the changed ones that fail. */
  failed: number
  /** Time the oldest compared message was accepted; null for none. In milliseconds since the Unix epoch. */
  oldest: number | null
  /** False when the time for the comparison ran out before all messages were compared. */
  complete: boolean
  /** Changed messages, newest first; those that fail go before the others. */
  results: Array<ChangedMessage>
}

/** One check of a submission. */
export interface NotificationCheck {
  /** Your own id of the check. */
  id: string
  /** Always `custom`. */
  type: 'custom'
  /** Status of the check. */
  status: 'PENDING' | 'RESOLVED' | 'FAILED'
  /** Time of the last change. In milliseconds since the Unix epoch. */
  updated: number
}

/** The checks of a submission. */
export interface NotificationChecks {
  /** Checks, in the order of the request. */
  checks: Array<NotificationCheck>
}

/** Content as Elemental JSON. */
export interface NotificationContent {
  /** Elemental version: `2022-01-01`. */
  version: string
  /** The elements in order. */
  elements: Array<Element>
}

/** A notification, in a request. */
export interface NotificationInput {
  /** Display name. */
  name: string
  content: ContentInput
  /** Tags for filtering. */
  tags?: Array<string> | undefined
  /** Brand; null for the default brand of the workspace. */
  brand?: {
    /** The brand id. */
    id: string
  } | null | undefined
  /** Topic that recipients can opt out of; null for none. */
  subscription?: {
    /** The topic id. */
    topic_id: string
  } | null | undefined
  /** Routing; null for the channels of the content, else every channel in the default order. */
  routing?: NotificationRouting | null | undefined
  /** Alternative id for sends. */
  alias?: string | null | undefined
  settings?: NotificationSettings | undefined
}

/** Variables, snippets and warnings of a notification. */
export interface NotificationInspection {
  /** Variables of the content, of every channel and locale, and of `settings.if`; objects before their keys. */
  variables: Array<TemplateVariable>
  /** Snippets of the brand used by the notification; their variables are not listed. */
  snippets: Array<string>
  /** Parts of the content that are not rendered as written, each with its path; and an email larger than Gmail shows. */
  warnings: Array<string>
}

/** A notification as it would be rendered for a recipient. */
export interface NotificationPreview {
  /** The stored notification; absent for one of the request. */
  notification?: {
    /** The notification id. */
    id: string
    /** `draft` or a published version: `v3`. */
    version: string
  } | undefined
  /** Locale of the recipient; absent where there is none. */
  locale?: string | undefined
  /** The content by channel, in order. */
  results: Array<ChannelPreview>
  /** Variables without a value, as they are written. */
  missing: Array<string>
  /** Mistakes, in words: variables without a value and other parts that are not rendered as written, each with its path, names of nothing, an email larger than Gmail shows. */
  warnings: Array<string>
}

/** A notification (`notification_id` or `notification`), and for whom it is rendered. */
export interface NotificationPreviewRequest {
  /** A stored notification: its id or alias, or an event that is mapped to it. */
  notification_id?: string | undefined
  /** With `notification_id`: `draft`, `published` or a version such as `v3`. Default: `published`, else `draft`. */
  version?: string | undefined
  notification?: NotificationInput | undefined
  /** A user, whose stored profile is used. Default: a sample user without a profile. */
  recipient?: string | undefined
  /** Profile values: merged over the stored profile, key by key. */
  profile?: Record<string, unknown> | null | undefined
  /** Values of the template variables. */
  data?: Record<string, unknown> | null | undefined
  /** Locale of the content; it takes precedence over that of the profile. */
  locale?: string | undefined
  /** Brand. Default: that of the tenant, of the notification or of the workspace. */
  brand_id?: string | undefined
  /** Tenant in which it would be sent. */
  tenant_id?: string | undefined
  /** Channels (email, sms, push, direct_message, inbox, webhook), or providers for text in their markup. Default: those of its routing or its content, else email, sms, push and every other channel with an integration. */
  channels?: Array<string> | undefined
}

/** Inline routing, or the id of a stored strategy. */
export type NotificationRouting = InlineRouting | {
  /** Id of a stored routing strategy. */
  strategy_id: string
}

/** Settings of a notification. Unknown settings are refused. */
export interface NotificationSettings {
  /** `default`: an interrupted attempt is retried. `at_most_once`: an interrupted attempt is not retried, and no other provider follows; for messages of which a second one does harm. */
  delivery_policy?: 'default' | 'at_most_once' | undefined
  /** Treatment of variables without a value. `keep`: the recipient reads `{name}`. `fail`: content with such a variable is not sent. `empty`: the variable is left out. Absent: the setting `on_missing_variable` of the environment. */
  on_missing_variable?: 'keep' | 'fail' | 'empty' | undefined
  /** Category of the notification, for which recipients can have preferences. */
  category?: string | undefined
  tracking?: TrackingSettings | undefined
  /** Condition: an expression that must be true for the notification to be sent. */
  if?: string | undefined
}

/** `PUBLISHED` publishes the content immediately; `DRAFT` stores it as the draft, which keys of the kind `draft` use. With the header `Prefer: handling=strict`, content with an element that does not exist is not published (400). */
export type NotificationState = 'DRAFT' | 'PUBLISHED'

/** A notification in a list. */
export interface NotificationSummary {
  /** The notification id. */
  id: string
  state: NotificationState
  /** Time of creation. In milliseconds since the Unix epoch. */
  created: number
  /** API key that created the notification. */
  creator: string
  /** Time of the last change. In milliseconds since the Unix epoch. */
  updated?: number | undefined
  /** API key of the last change. */
  updater?: string | undefined
  /** Display name. */
  name: string
  /** Alternative id for sends. */
  alias?: string | undefined
  /** Alias of `name` for older clients. */
  title: string
  /** Alias of `created` for older clients. In milliseconds since the Unix epoch. */
  created_at: number
  /** Alias of `updated` for older clients; `created` if the notification never changed. In milliseconds since the Unix epoch. */
  updated_at: number
  /** Routing in effect. */
  routing: {
    /** `single`: the first channel that succeeds. `all`: every channel. */
    method: 'single' | 'all'
    /** Channels, in order. */
    channels: Array<string>
  }
  /** Tags. */
  tags: Array<string> | {
    data: Array<{
      /** The tag. */
      id: string
      /** The tag. */
      name: string
    }>
  } | null
  /** Topic id; null for none. */
  topic_id: string | null
  /** Note of the author. */
  note?: string | undefined
}

/** Events and automations that lead to a notification. */
export interface NotificationUses {
  /** Events that are mapped to the notification, by name. */
  events: Array<string>
  /** Automation templates whose version in force sends it, by id. */
  automations: Array<{
    /** The automation template id. */
    id: string
    /** Alternative id. */
    alias?: string | undefined
    /** Display name. */
    name: string
    /** Steps that name the notification, its alias or one of its events. */
    steps: Array<string>
  }>
  /** Time its latest message was accepted; null for none that is stored. In milliseconds since the Unix epoch. */
  last_message: number | null
  /** False when there are more than 100 of a kind. */
  complete: boolean
}

/** One version of a notification. */
export interface NotificationVersion {
  /** `draft`, or a published version such as `v3`. */
  version: string
  /** Time of publishing; for the draft, of the last change. In milliseconds since the Unix epoch. */
  created: number
  /** API key that created the version. */
  creator: string
  /** For the draft: whether it differs from the published version. */
  has_changes?: boolean | undefined
}

/** A notification, and whether it is published. */
export interface NotificationWrite {
  notification: NotificationInput
  state?: NotificationState | undefined
}

export interface NotificationsChangesBody {
  notification?: NotificationInput | undefined
  /** Messages that are compared. Default: 100. */
  limit?: number | undefined
}

export interface NotificationsContentQuery {
  /** `draft`, `published` or a version such as `v3`. Default: `published`, else `draft`. */
  version?: string | undefined
}

export interface NotificationsGetQuery {
  /** `draft`, `published` or a version such as `v3`. Default: `published`, else `draft`. */
  version?: string | undefined
}

export interface NotificationsListQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 50. */
  limit?: number | undefined
  /** Whether notes of the authors are included. */
  notes?: boolean | undefined
  /** Event; only its mapped notification is listed. */
  event_id?: string | undefined
}

export interface NotificationsListReply {
  paging: Paging
  results: Array<NotificationSummary>
}

export interface NotificationsPublishBody {
  /** Version to publish, such as `v3`. Default: `draft`. */
  version?: string | undefined
}

export interface NotificationsReplaceChecksBody {
  /** All checks of the submission. */
  checks: Array<{
    /** Your own id of the check. */
    id: string
    /** Always `custom`. */
    type: 'custom'
    /** Status of the check. */
    status: 'PENDING' | 'RESOLVED' | 'FAILED'
  }>
}

export interface NotificationsReplaceContentBody {
  content: ContentInput
  state?: NotificationState | undefined
}

export interface NotificationsReplaceElementBody {
  /** Type of the element. */
  type: string
  /** Fields of the element. */
  data?: Record<string, unknown> | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for conditions of other elements. */
  ref?: string | undefined
  /** Channels to which the element is limited. */
  channels?: Array<string> | undefined
  state?: NotificationState | undefined
  [field: string]: unknown
}

export interface NotificationsReplaceLocaleBody {
  /** Elements with their fields in this locale. */
  elements: Array<{
    /** `id` of an element, else its position such as `1.0`. */
    id: string
    [field: string]: unknown
  }>
  state?: NotificationState | undefined
}

export interface NotificationsRestoreBody {
  /** Version to restore, such as `v3`, or `published`. */
  version: string
  state?: NotificationState | undefined
}

export interface NotificationsVersionsQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 50. */
  limit?: number | undefined
}

export interface NotificationsVersionsReply {
  paging: Paging
  versions: Array<NotificationVersion>
}

/** The process is alive. */
export interface Ok {
  /** Always `ok`. */
  status: 'ok'
}

/** Step at which a throttled run continues. */
export interface OnThrottle {
  /** `ref` of a later step at which a throttled run continues instead of ending. */
  '$node_id': string
}

/** An open digest with its data. */
export interface OpenDigest {
  /** The digest id. */
  digest_instance_id: string
  /** The recipient. */
  user_id: string
  /** Tenant of the digest; null outside any tenant. */
  tenant_id: string | null
  /** The topic. */
  topic_id: string
  /** Schedule of the recipient at the last event. */
  schedule_id: string
  /** Always `IN_PROGRESS`; a released digest is a message. */
  status: 'IN_PROGRESS'
  /** Number of events. */
  event_count: number
  /** Number of events by category; an event can belong to several. */
  category_key_counts: Record<string, number>
  /** Categories at the time of the last event. */
  categories: Array<DigestCategory>
  /** Time of the first event. ISO 8601, UTC. */
  created_at: string
  /** Time of release. ISO 8601, UTC. */
  releases_at: string
  /** Current data of the template. */
  data: Record<string, {
    /** Number of events of the category. */
    count: number
    /** Data of the retained events. */
    items: Array<Record<string, unknown>>
  }>
}

/** A rule of older clients, stored without effect. */
export interface OtherRule {
  /** Kind of rule, without effect. */
  type: 'channel_preferences' | 'status'
  /** Start of the rule. Default: immediately. ISO 8601 or milliseconds since the Unix epoch, as a string. */
  start?: string | null | undefined
  /** End of the rule. ISO 8601 or milliseconds since the Unix epoch, as a string. */
  until?: string | null | undefined
}

/** A recent message in an outage. */
export interface OutageMessage {
  /** The message id. */
  message_id: string
  /** The recipient id. */
  recipient: string
  /** Time the message was accepted. In milliseconds since the Unix epoch. */
  enqueued: number
  result: OutageResult
  /** The integrations that accepted it; where none did, those that were tried, or this one where none was. */
  before: Array<OutageRoute>
  /** The integrations that would be called; empty when it waits or is not delivered. */
  during: Array<OutageRoute>
  /** For `other_channel`: the time after which the other channel has its turn, at most. Absent when it is used at once. */
  failover_ms?: number | undefined
  reason?: Reason | undefined
  code?: DecisionCode | undefined
  /** The last step of the decision in words, or why its content cannot be rendered. */
  summary: string
}

/** How a message would go: `same`: it was sent by other integrations anyway; `other_integration`: by another integration of the channel; `other_channel`: by another channel; `fewer_channels`: only by those of its other channels that it was sent by anyway; `waits`: only the missing integrations could deliver it, and it is tried until they are back or its time is over; `not_delivered`: it would not be delivered at all. */
export type OutageResult = 'same' | 'other_integration' | 'other_channel' | 'fewer_channels' | 'waits' | 'not_delivered'

/** An integration that a message is sent by. */
export interface OutageRoute {
  channel: Channel
  /** The provider: `sendgrid`. */
  provider: string
  /** The integration id. */
  integration: string
  /** Title of the integration; absent when the integration has been deleted. */
  title?: string | undefined
}

/** Settings of Outlook. */
export interface OutlookSettings {
  /** Tenant id: The directory (tenant) of the app: its id or domain. Required without a refresh token. Default: "common". */
  tenantId?: string | undefined
  /** Client id: The id of the app registration. */
  clientId: string
  /** Client secret: A secret of the app. */
  clientSecret?: string | undefined
  /** Refresh token: The refresh token of a mailbox that has consented to `Mail.Send`. Without it, the app signs in as itself. */
  refreshToken?: string | undefined
  /** User: The mailbox to send from, if the app signs in as itself. By default the from address. */
  user?: string | undefined
  /** Token URL: The URL that issues access tokens. By default that of the tenant at https://login.microsoftonline.com. */
  tokenUrl?: string | undefined
  /** Scope: The scope of the access token in a national cloud, such as `https://graph.microsoft.us/.default`. */
  scope?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://graph.microsoft.com". */
  baseUrl?: string | undefined
  /** From address: The from address: the mailbox, or an address that it may send as. */
  fromAddress: string
  /** From name: The name of the sender. */
  fromName?: string | undefined
  /** From names by locale: Names of the sender by locale, such as `de: Beispiel; fr: Exemple`. Other locales get `fromName`. */
  fromNames?: string | undefined
  /** Reply to: The address for replies. */
  replyTo?: string | undefined
}

/** Position of a page in its list. */
export interface Paging {
  /** Value of `cursor` for the next page. Present when `more` is true. */
  cursor?: string | undefined
  /** Whether another page follows. */
  more: boolean
}

/** A JSON Patch operation (RFC 6902). */
export interface PatchOperation {
  /** Operation. */
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  /** JSON Pointer into the profile or token; a top-level key is `/<key>` or, for some clients, `<key>`. */
  path: string
  /** Source of `move` and `copy`. */
  from?: string | undefined
  /** Value of `add`, `replace` and `test`; any JSON. */
  value?: unknown | undefined
}

/** Settings of Plivo. */
export interface PlivoSettings {
  /** Auth ID: The id of the account. It begins with MA or SA. */
  authId: string
  /** Auth token: The token of the account. */
  authToken: string
  /** From: The sender: a number or a sender id. */
  from?: string | undefined
  /** Powerpack UUID: A Powerpack that chooses the sender, instead of `from`. */
  powerpackUuid?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://api.plivo.com/v1". */
  baseUrl?: string | undefined
  /** Help text: The reply to a text such as HELP or INFO. Leave it empty if the provider replies itself, as Twilio does. */
  helpText?: string | undefined
}

/** Settings of Postmark. */
export interface PostmarkSettings {
  /** Server token: A token of the server, from its API Tokens. */
  serverToken: string
  /** From address: A confirmed sender signature, or an address of a verified domain. */
  fromAddress: string
  /** From name: The name of the sender. */
  fromName?: string | undefined
  /** From names by locale: Names of the sender by locale, such as `de: Beispiel; fr: Exemple`. Other locales get `fromName`. */
  fromNames?: string | undefined
  /** Reply to: The address for replies. */
  replyTo?: string | undefined
  /** Message stream: The message stream that mails go through; outbound by default. */
  messageStream?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://api.postmarkapp.com". */
  baseUrl?: string | undefined
  /** Webhook token: A random text that verifies callbacks. The webhook sends it in the header X-Postrider-Token. */
  webhookToken?: string | undefined
}

/** Preference of a recipient for one notification or category. */
export interface Preference {
  status?: PreferenceStatus | undefined
  /** Channels to use, in order; empty: any channel. */
  channel_preferences?: Array<{
    channel: PreferredChannel
  }> | null | undefined
  /** Time-limited rules. */
  rules?: Array<Snooze | OtherRule> | null | undefined
}

/** A category with its notifications. */
export interface PreferenceCategory {
  /** Notification id or category. */
  id: string
  /** Display name. */
  title: string
  /** Configuration of the choice. */
  config: {
    /** `OPT_IN`: sent only to recipients who opted in. `OPT_OUT`: sent unless the recipient opted out. `REQUIRED`: sent to all recipients. */
    type: 'OPT_IN' | 'OPT_OUT' | 'REQUIRED'
  }
  /** Notifications of the category. */
  notifications: Array<PreferenceEntry>
}

/** An entry of the ledger of consent; a `status` of null removed the choice, so that its default applies. */
export interface PreferenceChange {
  /** Id of the entry. */
  id: string
  /** Topic of the choice; absent in a change of `preferences`, and for a recipient who unsubscribed at a provider. */
  topic_id?: string | undefined
  /** Tenant in which the choice applies; absent: everywhere. */
  tenant_id?: string | undefined
  /** `OPTED_IN`, `OPTED_OUT`, or `REQUIRED` (sent regardless of the choice of the recipient). */
  status?: PreferenceStatus | null | undefined
  /** The only channels, in order; absent: no channels were chosen. */
  custom_routing?: Array<PreferredChannel> | undefined
  /** Schedule chosen for the digest of the topic. */
  digest_schedule_id?: string | undefined
  /** Preferences by notification and category after the change. */
  preferences?: {
    /** By notification id or event. */
    notifications: Record<string, Preference>
    /** By category. */
    categories: Record<string, Preference>
  } | undefined
  /** How it was changed. `api`: by a call. `one_click`: by the unsubscribe button of a mail program. `page`: on the page for recipients. `provider`: reported by a provider. `erasure`: removed with the user. */
  source: 'api' | 'one_click' | 'page' | 'provider' | 'erasure'
  /** API key (`key/backend`), provider (`provider/sendgrid`), or `recipient`. */
  actor: string
  /** Message whose link or receipt it was. */
  message_id?: string | undefined
  /** Address of the browser or mail service. */
  ip?: string | undefined
  /** Name of the browser or mail service. */
  user_agent?: string | undefined
  /** Time of the change. In milliseconds since the Unix epoch. */
  created: number
}

/** A notification or category for which recipients can have preferences. */
export interface PreferenceEntry {
  /** Notification id or category. */
  id: string
  /** Display name. */
  title: string
  /** Configuration of the choice. */
  config: {
    /** `OPT_IN`: sent only to recipients who opted in. `OPT_OUT`: sent unless the recipient opted out. `REQUIRED`: sent to all recipients. */
    type: 'OPT_IN' | 'OPT_OUT' | 'REQUIRED'
  }
}

/** `OPTED_IN`, `OPTED_OUT`, or `REQUIRED` (sent regardless of the choice of the recipient). */
export type PreferenceStatus = 'OPTED_IN' | 'OPTED_OUT' | 'REQUIRED'

/** Preferences of a recipient. */
export interface Preferences {
  /** Preferences by notification id or event. */
  notifications?: Record<string, Preference> | null | undefined
  /** Preferences by category. */
  categories?: Record<string, Preference> | null | undefined
}

export interface PreferencesDeleteTopicQuery {
  /** Tenant in which the preferences apply. Default: outside any tenant. */
  tenant_id?: string | undefined
}

export interface PreferencesHistoryQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 50. */
  limit?: number | undefined
  /** Only this topic. */
  topic_id?: string | undefined
}

export interface PreferencesHistoryReply {
  paging: Paging
  results: Array<PreferenceChange>
}

export interface PreferencesListReply {
  /** Notifications without a category. */
  uncategorized: Array<PreferenceEntry>
  /** Categories with their notifications. */
  categories: Array<PreferenceCategory>
}

export interface PreferencesPutTopicBody {
  topic: TopicChoice
}

export interface PreferencesPutTopicQuery {
  /** Tenant in which the preferences apply. Default: outside any tenant. */
  tenant_id?: string | undefined
}

export interface PreferencesPutTopicReply {
  /** Always `success`. */
  message: 'success'
}

export interface PreferencesReplaceTopicsBody {
  /** All choices of the user. */
  topics: Array<NamedTopicChoice>
}

export interface PreferencesReplaceTopicsQuery {
  /** Tenant in which the preferences apply. Default: outside any tenant. */
  tenant_id?: string | undefined
}

export interface PreferencesReplaceTopicsReply {
  /** Stored choices after the call. */
  items: Array<StoredTopicChoice>
  /** Ids of the topics that reverted to their default. */
  deleted: Array<string>
}

export interface PreferencesTopicQuery {
  /** Tenant in which the preferences apply. Default: outside any tenant. */
  tenant_id?: string | undefined
}

export interface PreferencesTopicReply {
  topic: TopicPreference
}

export interface PreferencesTopicsQuery {
  /** Tenant in which the preferences apply. Default: outside any tenant. */
  tenant_id?: string | undefined
}

export interface PreferencesTopicsReply {
  paging: Paging
  /** One entry for each topic. */
  items: Array<TopicPreference>
}

export interface PreferencesUpdateTopicsBody {
  /** Choices to store. */
  topics: Array<NamedTopicChoice>
}

export interface PreferencesUpdateTopicsQuery {
  /** Tenant in which the preferences apply. Default: outside any tenant. */
  tenant_id?: string | undefined
}

export interface PreferencesUpdateTopicsReply {
  /** Stored choices after the call. */
  items: Array<StoredTopicChoice>
  /** Choices that were rejected. */
  errors: Array<TopicError>
}

/** A channel. `banner` is a channel of older clients, stored without effect. */
export type PreferredChannel = 'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook' | 'banner'

/** A stored profile with the preferences of its recipient. */
export interface Profile {
  /** Profile data with any keys. Common keys: `email`, `phone_number`, `locale`, `zoneinfo`, and one object per chat provider. */
  profile: Record<string, unknown>
  preferences: Preferences
}

/** A profile as an entry of a list. Long values are cut. */
export interface ProfileSummary {
  /** The recipient id. */
  id: string
  /** The name to show: `name` of the profile, else its `given_name` and `family_name`, else `nickname`. */
  name: string | null
  /** `email` of the profile. */
  email: string | null
  /** `phone_number` of the profile. */
  phone_number: string | null
  /** Time of creation. In milliseconds since the Unix epoch. */
  created: number
  /** Time of the last change. In milliseconds since the Unix epoch. */
  updated: number
}

export interface ProfilesDeleteQuery {
  /** Whether the user is erased everywhere: messages, lists, tenants, devices, jobs. */
  erase?: boolean | undefined
}

export interface ProfilesImportBody {
  /** Profiles by recipient. */
  profiles: Array<ImportedProfile | Record<string, unknown>>
  /** Whether a profile replaces the stored one. Default: false, it is merged key by key. */
  replace?: boolean | undefined
}

/** Result of the call for its profiles. */
export interface ProfilesImported {
  /** Number of profiles of the call that were written. */
  written: number
  /** Profiles that were not written, in the order of the call. */
  errors: Array<RowError>
  /** Profiles that were written with a value of no use, in the order of the call. */
  warnings: Array<{
    /** Place of the row in the call, from 0. */
    row: number
    /** The recipient id. */
    id: string
    /** Sentences about values that nothing can use, at most 10. */
    warnings: Array<string>
  }>
}

export interface ProfilesListQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 50. */
  limit?: number | undefined
  /** The beginning of an id, an email address, a name, a family name or a telephone number with its country code. */
  search?: string | undefined
}

export interface ProfilesListReply {
  paging: Paging
  results: Array<ProfileSummary>
}

export interface ProfilesListsQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 25. */
  limit?: number | undefined
}

export interface ProfilesListsReply {
  paging: Paging
  /** Ordered by id. */
  results: Array<List>
}

export interface ProfilesMergeBody {
  /** Profile data with any keys. Common keys: `email`, `phone_number`, `locale`, `zoneinfo`, and one object per chat provider. */
  profile?: Record<string, unknown> | undefined
  /** Operations, applied in order, all or none. An empty array changes nothing. */
  patch?: Array<PatchOperation> | undefined
}

export interface ProfilesReplaceBody {
  /** Profile data with any keys. Common keys: `email`, `phone_number`, `locale`, `zoneinfo`, and one object per chat provider. */
  profile: Record<string, unknown>
}

export interface ProfilesSubscribeBody {
  /** Subscriptions. If a list occurs twice, the last entry applies. */
  lists: Array<{
    /** The list id. */
    listId: string
    /** Preferences of the recipient for messages to the list. */
    preferences?: Preferences | null | undefined
  }>
}

/** Calls of an integration over time, summed over all nodes. */
export interface ProviderHealth {
  integration: {
    /** The integration id. */
    id: string
    /** The provider: `sendgrid`. */
    provider: string
    /** Display name. */
    title: string
  }
  /** Start of the window, widened to a bucket. In milliseconds since the Unix epoch. */
  from: number
  /** End of the window: now. In milliseconds since the Unix epoch. */
  to: number
  circuit_breaker: CircuitBreaker
  /** Calls of the provider. */
  calls: number
  results: CallCounts
  /** Latency that half of the calls do not exceed, approximately. */
  p50_ms?: number | undefined
  /** The same for 95 %. */
  p95_ms?: number | undefined
  /** Share of the calls that the integration is not at fault for, from 0 to 1. */
  working?: number | undefined
  /** The latest failure of the window that the integration is at fault for. */
  last_error?: {
    /** Time of the call. In milliseconds since the Unix epoch. */
    at: number
    /** Result of the call, as in `results`. */
    result: string
    /** Error of the provider; addresses of recipients are masked. */
    error: string
  } | undefined
  /** End of the latest call of the window that the integration answered as it should. Later than `last_error`: it works again. In milliseconds since the Unix epoch. */
  last_success?: number | undefined
  /** The calls over time, oldest first; times without a call are omitted. */
  buckets: Array<{
    /** Start of the bucket. In milliseconds since the Unix epoch. */
    at: number
    /** Length: 5 minutes, or an hour where it is more than a day ago. */
    span_ms: number
    /** Calls of the provider. */
    calls: number
    results: CallCounts
    /** Latency that half of the calls do not exceed, approximately. */
    p50_ms?: number | undefined
    /** The same for 95 %. */
    p95_ms?: number | undefined
  }>
}

/** Recent messages without an integration. */
export interface ProviderOutage {
  integration: {
    /** The integration id. */
    id: string
    /** The provider: `sendgrid`. */
    provider: string
    /** Display name. */
    title: string
  }
  /** Messages that were decided again. */
  compared: number
  /** The messages by result. */
  counts: {
    /** Messages that other integrations sent anyway. */
    same: number
    /** Messages that go by another integration of the channel. */
    other_integration: number
    /** Messages that go by another channel. */
    other_channel: number
    /** Messages that lose a channel, and go by the others. */
    fewer_channels: number
    /** Messages that wait until the integration is back. */
    waits: number
    /** Messages that are not delivered. */
    not_delivered: number
  }
  /** Time the oldest of them was accepted; null for none. In milliseconds since the Unix epoch. */
  oldest: number | null
  /** False when the search ended before it had found `limit` messages: older ones may exist. */
  complete: boolean
  /** The messages, newest first. */
  results: Array<OutageMessage>
}

/** Settings of one provider for this message. */
export interface ProviderSettings {
  /** `body` is merged over the request to the provider, `config` over the settings of the integration. */
  override?: Record<string, unknown> | null | undefined
  /** Condition: an expression over `data` and `profile` that must be true. */
  if?: string | null | undefined
  /** Metadata of the provider. */
  metadata?: {
    /** Campaign parameters of links; stored with the message. */
    utm?: Utm | null | undefined
  } | null | undefined
  /** Timeout of this provider, if another provider can follow. In milliseconds, at most 30 days. */
  timeouts?: number | null | undefined
  /** Older name of `timeouts`; a value below 1,000 is in seconds. */
  timeout?: number | null | undefined
}

/** Result of a test of an integration. */
export interface ProviderTest {
  /** Whether everything that was tried went well. */
  ok: boolean
  integration: {
    /** The integration id. */
    id: string
    /** The provider: `sendgrid`. */
    provider: string
    /** Display name. */
    title: string
  }
  sign_in: {
    /** `ok`: the provider accepts the credentials, or takes connections where it has no such call. `skip`: only a message would show it. */
    state: 'ok' | 'fail' | 'skip'
    /** The result, as a sentence. */
    detail: string
    /** The remedy. */
    hint?: string | undefined
    /** Names of the settings to correct: the credentials, the address, or those of its encryption. Absent where it is none of them. */
    settings?: Array<string> | undefined
    /** How long it took, in milliseconds. */
    took_ms?: number | undefined
  }
  /** The test message, where one was sent. */
  message?: {
    /** The message id; its history and explanation are those of any message. */
    id: string
    channel: Channel
    status: MessageStatus
    /** `sent`: the provider accepted it. `retry`: a temporary failure, which a test does not repeat. `rejected`: a permanent one. `in_doubt`: no answer came after the message was handed over. `not_called`: nothing was sent. `no_answer`: the time of the test is over. */
    outcome: 'sent' | 'retry' | 'rejected' | 'in_doubt' | 'not_called' | 'no_answer'
    /** Cause of a rejection: the integration, the address, or the content. */
    cause?: 'configuration' | 'recipient' | 'content' | undefined
    /** Error of the provider. */
    error?: string | undefined
    /** The remedy. */
    hint?: string | undefined
    /** Identifiers of the message at the provider. */
    reference?: Record<string, unknown> | undefined
    /** How long it took, in milliseconds. */
    took_ms?: number | undefined
  } | undefined
}

/** A test of an integration; without an address nothing is sent. */
export interface ProviderTestBody {
  /** Address to send to: an email address, a phone number, a channel, a token of a device, a web address. */
  to?: string | undefined
  /** Recipient with a stored profile, instead of an address. */
  recipient?: string | undefined
  /** Profile values, instead of an address or over those of the recipient. */
  profile?: Record<string, unknown> | undefined
  /** Whether a message is sent. Default: true with `to`, `recipient` or `profile`. Needed where the settings name the address. */
  send?: boolean | undefined
  /** Channel of the message. Default: the first of the integration. */
  channel?: 'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook' | undefined
  /** Subject or title of the message. */
  subject?: string | undefined
  /** Text of the message. */
  text?: string | undefined
  /** How long to wait for the provider. Default: 45000. */
  timeout_ms?: number | undefined
  /** Settings to sign in with, which are not stored. Absent ones are those of the integration, as is a secret that is sent as its mask; null removes one. Not with a message. */
  settings?: Record<string, unknown> | undefined
}

export interface ProvidersCatalogQuery {
  /** Keys of the providers to list. */
  keys?: Array<string> | undefined
  /** Part of the name of the providers. */
  name?: string | undefined
  /** Channel of the providers. */
  channel?: 'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook' | undefined
}

export interface ProvidersCatalogReply {
  paging: Paging
  results: Array<CatalogEntry>
}

export interface ProvidersHealthQuery {
  /** Length: `15m`, `24h`, `7 days`, or ISO 8601 (`PT24H`); `24h` unless given. */
  window?: string | undefined
}

export interface ProvidersListQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 50. */
  limit?: number | undefined
}

export interface ProvidersListReply {
  paging: Paging
  results: Array<Integration>
}

export interface ProvidersOutageQuery {
  /** Messages that are decided again. Default: 50. */
  limit?: number | undefined
  /** Further integrations that are down: ids or aliases of integrations, or keys of providers. */
  unavailable?: Array<string> | undefined
}

/** The published version. */
export interface Published {
  /** Id of the preference page; constant. */
  page_id: string
  /** Version number; increases with each call. */
  published_version: number
  /** Time of publishing, ISO 8601. */
  published_at: string
  /** API key of the call. */
  published_by: string
  /** Always null. */
  preview_url: null
}

/** A quotation. */
export interface QuoteElement {
  /** Always `quote`. */
  type: 'quote'
  /** Text in Markdown. */
  content: string
  /** Alignment in an email. `start` and `end` follow the direction of the language. `full`: justified. */
  align?: 'left' | 'center' | 'right' | 'start' | 'end' | 'full' | undefined
  /** Color of the line at the left. A CSS color; variables are allowed. */
  border_color?: string | undefined
  /** Text size. Default: `text`. */
  text_style?: 'text' | 'subtext' | 'h1' | 'h2' | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<QuoteElement> | undefined
}

/** The server is ready. */
export interface Ready {
  /** Always `ok`. */
  status: 'ok'
  /** True while deliveries are paused: sends are accepted, and nothing is sent. */
  paused?: boolean | undefined
  /** Since when they are paused; absent unless they are. In milliseconds since the Unix epoch. */
  paused_since?: number | undefined
}

/** Reason why a message was not delivered; `error` has the explanation. `NO_CHANNELS`: the routing has no channel. `NO_PROVIDERS`: no integration of the channels can be used. `INCOMPLETE_PROFILE_DATA`: the profile has no address that an integration can use. `IN_DOUBT`: an at-most-once attempt was interrupted and is not retried. `EXPIRED`: the time limit of the message passed. `SUPPRESSED`: every usable address is suppressed. `FAILED`: internal error. */
export type Reason = 'FILTERED' | 'NO_CHANNELS' | 'NO_PROVIDERS' | 'INCOMPLETE_PROFILE_DATA' | 'OPT_IN_REQUIRED' | 'PROVIDER_ERROR' | 'UNPUBLISHED' | 'UNSUBSCRIBED' | 'BOUNCED' | 'FAILED' | 'IN_DOUBT' | 'EXPIRED' | 'SUPPRESSED'

/** Kind of bounce: `HARD` is permanent, `SOFT` is temporary. */
export type ReasonCode = 'HARD' | 'SOFT'

/** Fields of every recipient. */
export interface RecipientFields {
  /** Merged over the data of the message, key by key. A string is ignored. */
  data?: Record<string, unknown> | string | null | undefined
  /** Language and region: `de-AT`. */
  locale?: string | null | undefined
  /** Time zone as IANA name or offset: `Europe/Vienna`, `+02:00`. */
  timezone?: string | null | undefined
  /** Preferences of a recipient. */
  preferences?: Preferences | null | undefined
  /** Tenant context. */
  context?: {
    /** Same as the top-level `tenant_id`. */
    tenant_id?: string | null | undefined
  } | null | undefined
}

/** Which held messages to release; all of them without a condition. */
export interface Release {
  filter?: MessageFilter | undefined
  /** Ids of held messages, instead of a filter. */
  message_ids?: Array<string> | undefined
  /** `cursor` of the call before: only messages after those that it released. */
  cursor?: string | undefined
  /** Whether the messages are only counted, and none is released. Default: false. */
  dry_run?: boolean | undefined
}

/** Result of a release. */
export interface Released {
  /** True if nothing was released. */
  dry_run: boolean
  /** Messages that were released; 0 for a dry run. */
  released: number
  /** Whether further ones match: the same call with `cursor` releases them. */
  more: boolean
  /** Present if `more`: the place of the last released message. */
  cursor?: string | undefined
  /** Held messages that match, for a dry run; counted up to 100,000. */
  releasable?: number | undefined
  /** The first of them for a dry run, oldest first; twenty at most. */
  messages?: Array<{
    /** The message id. */
    id: string
    /** The recipient id. */
    recipient: string
    /** Event of the send. */
    event: string
    /** Time the message was accepted. In milliseconds since the Unix epoch. */
    enqueued: number
    /** Error of the integration that has to be repaired. */
    error?: string | undefined
  }> | undefined
}

/** Number of erased records by kind; kinds without records are omitted. */
export interface Removed {
  /** Profiles. */
  profiles?: number | undefined
  /** Preferences of the first generation. */
  preferences?: number | undefined
  /** Choices for topics. */
  topicPreferences?: number | undefined
  /** Subscriptions to lists. */
  listSubscriptions?: number | undefined
  /** Memberships in tenants. */
  memberships?: number | undefined
  /** Device tokens. */
  deviceTokens?: number | undefined
  /** Memberships in audiences. */
  audienceMembers?: number | undefined
  /** Automation runs that referred to the user; they are ended and their data is deleted. */
  automationRuns?: number | undefined
  /** Entries among the recipients of sends to several. */
  requestRecipients?: number | undefined
  /** Users of bulk jobs. */
  bulkUsers?: number | undefined
  /** Messages; status, times and providers remain, under the pseudonym. */
  messages?: number | undefined
  /** Digests that were not yet released. */
  digests?: number | undefined
  /** Messages, included above, that were not yet sent. */
  canceledMessages?: number | undefined
  /** Mailbox items. */
  mailbox?: number | undefined
  /** Mails for copies that a mail server had refused for now. */
  deferredCopies?: number | undefined
  /** Mails about messages of the user that were not understood. */
  unrecognizedBounces?: number | undefined
  /** Suppressed addresses: bounces are removed, the others remain without a readable address. */
  suppressions?: number | undefined
  /** Replies stored for an `Idempotency-Key`. */
  keptReplies?: number | undefined
  /** Inbound events. */
  inboundEvents?: number | undefined
  /** Saved views that name the user. */
  views?: number | undefined
  /** Webhook deliveries. */
  webhookDeliveries?: number | undefined
  /** Recorded changes of preferences; they remain, under the pseudonym. */
  preferenceChanges?: number | undefined
  /** Audit events; they remain, under the pseudonym. */
  auditEvents?: number | undefined
}

/** Rendered content of one candidate. Before a send that is due it says whether its integration can be called now: `circuit_breaker` is present while it is not closed. */
export interface RenderedCandidate {
  channel: Channel
  /** The provider: `sendgrid`. */
  provider: string
  /** The integration id. */
  integration: string
  /** Title of the integration; absent when the integration has been deleted. */
  title?: string | undefined
  content: RenderedContent
  /** Request to the provider with overrides merged in, without secrets. */
  draft?: Record<string, unknown> | undefined
  /** Error that prevents the request to the provider. */
  error?: string | undefined
  /** Whether it is called only when others have failed. Absent where the content cannot be rendered, unless `held_back` comes before that. */
  fallback?: boolean | undefined
  /** Why no call is made: the circuit breaker of the integration is open, or a limit of it is reached. Otherwise absent. */
  held_back?: 'circuit_breaker' | 'limit' | undefined
  /** With `held_back`: about when it may be called, if it has its turn. In milliseconds since the Unix epoch. */
  next_attempt_at?: number | undefined
  circuit_breaker?: CircuitBreaker | undefined
}

/** The rendered content for one channel; parts that the channel does not have are empty, and `sms` is absent. */
export interface RenderedContent {
  /** Complete HTML document; email only. */
  html: string
  /** Title of a push, inbox or chat message. */
  title: string
  /** Short form, shown by SMS and push. */
  body: string
  /** Email subject. */
  subject: string
  /** The whole content as plain text. */
  text: string
  /** The rendered text by block. */
  blocks: Array<{
    /** Block type. */
    type: string
    /** Text of the block. */
    text: string
  }>
  sms?: SmsSegments | undefined
}

/** A replay of messages, and its progress. */
export interface Replay {
  /** Id of the replay; `GET /messages?traceId=` lists its messages. */
  id: string
  /** `PROCESSING`: messages are being created. `COMPLETED`: every one is created. `CANCELED`: it was stopped. */
  status: 'PROCESSING' | 'COMPLETED' | 'CANCELED' | 'ERROR'
  /** Time the replay was started. In milliseconds since the Unix epoch. */
  created: number
  /** Messages that could be replayed when it started. */
  replayable: number
  /** Messages created so far. */
  replayed: number
  /** Messages that could not be created. */
  failures: number
  /** Messages that were confirmed and could not be replayed when their turn came. */
  excluded: Array<{
    /** `not_found`: the message is past retention. `erased`: the recipient was erased. `content_expired`: the request with its content is past retention. */
    reason: 'not_found' | 'erased' | 'content_expired'
    /** Messages that are left out for this reason. */
    count: number
  }>
  /** Messages that are created a minute, evenly spaced. Default: 600. */
  rate_per_minute: number
  /** Error that stopped the replay. */
  error?: string | undefined
}

/** Messages that a replay sends, and those it leaves out. */
export interface ReplayPlan {
  /** True if nothing was sent. */
  dry_run: boolean
  /** Id of the replay that was started. */
  id?: string | undefined
  /** Messages that can be replayed. */
  replayable: number
  /** A digest of their ids, for the call with `confirm`. */
  set: string
  /** The first of them, oldest first; twenty at most. */
  messages: Array<{
    /** The message id. */
    id: string
    status: MessageStatus
    /** The recipient id. */
    recipient: string
    /** Event of the send. */
    event: string
    /** Time the message was accepted. In milliseconds since the Unix epoch. */
    enqueued: number
    /** Error of the message. */
    error?: string | undefined
  }>
  /** Messages that match and are left out. */
  excluded: Array<{
    /** `not_found`: no message has the id. `erased`: the recipient was erased, or is being erased. `in_progress`: the message has not ended. `content_expired`: the request with its content is past retention. `already_replayed`: a replay has sent it again, or it is what a replay has sent; `include_replayed` sends it once more. */
    reason: 'not_found' | 'erased' | 'in_progress' | 'content_expired' | 'already_replayed'
    /** Messages that are left out for this reason. */
    count: number
    /** The first of them; ten at most. */
    message_ids: Array<string>
  }>
  /** Messages that are created a minute, evenly spaced. Default: 600. */
  rate_per_minute: number
  /** How long the replay takes at that rate. */
  duration_ms: number
}

/** Messages to replay: `filter` or `message_ids`. */
export interface ReplayWrite {
  filter?: MessageFilter | undefined
  /** Ids of the messages, instead of a filter. */
  message_ids?: Array<string> | undefined
  /** Whether nothing is sent. Default: true, unless `confirm` is given. */
  dry_run?: boolean | undefined
  /** `replayable` of a dry run: the replay starts if that many messages can be replayed now. */
  confirm?: number | undefined
  /** `set` of a dry run: the replay starts if the same messages can be replayed now, not only as many. */
  set?: string | undefined
  /** Messages that are created a minute, evenly spaced. Default: 600. */
  rate_per_minute?: number | undefined
  /** Whether messages that were replayed before are replayed again. */
  include_replayed?: boolean | undefined
}

/** The request is stored and will be processed. */
export interface RequestReply {
  /** Request id. For one recipient it is also the message id; for several, `GET /messages?traceId=` lists the messages. */
  requestId: string
}

export interface RequestsListQuery {
  /** Status of the request; repeatable. */
  status?: Array<'CREATED' | 'PROCESSING' | 'PAUSED' | 'COMPLETED' | 'CANCELED' | 'ERROR'> | undefined
  /** Kind of request; repeatable. */
  kind?: Array<'send' | 'list' | 'bulk' | 'replay'> | undefined
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 25. */
  limit?: number | undefined
}

/** A page of requests. */
export interface RequestsPage {
  items: Array<SendRequestSummary>
  paging: Paging
}

/** Settings of Resend. */
export interface ResendSettings {
  /** API key: A key with sending access. */
  apiKey: string
  /** From address: An address of a verified domain. */
  fromAddress: string
  /** From name: The name of the sender. */
  fromName?: string | undefined
  /** From names by locale: Names of the sender by locale, such as `de: Beispiel; fr: Exemple`. Other locales get `fromName`. */
  fromNames?: string | undefined
  /** Reply to: The address for replies. */
  replyTo?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://api.resend.com". */
  baseUrl?: string | undefined
  /** Webhook signing secret: Verifies callbacks: the Signing Secret of the webhook at Resend. It begins with whsec_. */
  webhookSecret?: string | undefined
}

/** Items to return, up to half of the maximum size of run data. Default: the first 100. `count` in the data is the number of all items. */
export interface Retain {
  /** Items to return. */
  type: 'first' | 'last' | 'highest' | 'lowest'
  /** Number of items. Default: 10. */
  count?: number | undefined
  /** Path in the item of the value that `highest` and `lowest` compare. */
  sort_key?: string | undefined
}

/** Routing of a send to one recipient. */
export interface RoutingResult {
  /** The recipient id. */
  recipient: string
  /** Result of the routing. */
  routing: {
    /** Reason why the channel is not used. */
    reason: 'CHANNEL_DISABLED' | 'FILTERED' | 'INCOMPLETE_PROFILE_DATA' | 'MISSING_CONFIGURATION' | 'NO_PROVIDERS' | 'UNMAPPED' | 'UNPUBLISHED'
    /** Always false: nothing would be sent. */
    selected: false
  } | {
    /** Channels, in order. */
    channelsSummary: Array<{
      /** The channel. */
      channel: string
      /** Reason why the channel is not used. */
      reason?: 'CHANNEL_DISABLED' | 'FILTERED' | 'INCOMPLETE_PROFILE_DATA' | 'MISSING_CONFIGURATION' | 'NO_PROVIDERS' | 'UNMAPPED' | 'UNPUBLISHED' | undefined
      /** Whether the channel would be used, immediately or after earlier channels fail. */
      selected: boolean
      /** `always`: each channel is used. `bestOf`: the first channel that succeeds. */
      type: 'always' | 'bestOf'
    }>
    preferences: Preferences
  }
}

/** Results in the order of the recipients. */
export interface RoutingResults {
  /** One array for each recipient. */
  results: Array<Array<RoutingResult>>
}

export interface RoutingStrategiesListQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 20. */
  limit?: number | undefined
}

export interface RoutingStrategiesListReply {
  paging: Paging
  results: Array<RoutingStrategySummary>
}

export interface RoutingStrategiesNotificationsQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 20. */
  limit?: number | undefined
}

export interface RoutingStrategiesNotificationsReply {
  paging: Paging
  results: Array<NotificationSummary>
}

/** A routing that notifications share. */
export interface RoutingStrategy {
  /** The strategy id. */
  id: string
  /** Display name. */
  name: string
  /** Description. */
  description: string | null
  /** Tags, for your own order. */
  tags: Array<string>
  /** Time of creation. In milliseconds since the Unix epoch. */
  created: number
  /** API key that created the strategy. */
  creator: string
  /** Time of the last change. In milliseconds since the Unix epoch. */
  updated?: number | undefined
  /** API key of the last change. */
  updater?: string | undefined
  routing: MessageRouting
  /** Settings by channel; those of a send take precedence. */
  channels: Record<string, ChannelSettings | null>
  /** Settings by provider; those of a send take precedence. An `override` has no `config` here. */
  providers: Record<string, ProviderSettings | null>
}

/** A routing strategy, in a request to create it. */
export interface RoutingStrategyCreate {
  /** Your own id; the id of an archived record is not free. Default: a generated id. */
  id?: string | null | undefined
  /** Display name. */
  name: string
  routing: MessageRouting
  /** Settings by channel; those of a send take precedence. */
  channels?: Record<string, ChannelSettings | null> | null | undefined
  /** Settings by provider; those of a send take precedence. An `override` has no `config` here. */
  providers?: Record<string, ProviderSettings | null> | null | undefined
  /** Description. */
  description?: string | null | undefined
  /** Tags, for your own order. */
  tags?: Array<string> | null | undefined
}

/** A routing strategy without its routing. */
export interface RoutingStrategySummary {
  /** The strategy id. */
  id: string
  /** Display name. */
  name: string
  /** Description. */
  description: string | null
  /** Tags, for your own order. */
  tags: Array<string>
  /** Time of creation. In milliseconds since the Unix epoch. */
  created: number
  /** API key that created the strategy. */
  creator: string
  /** Time of the last change. In milliseconds since the Unix epoch. */
  updated?: number | undefined
  /** API key of the last change. */
  updater?: string | undefined
}

/** A routing strategy, in a request to replace it. */
export interface RoutingStrategyWrite {
  /** Display name. */
  name: string
  routing: MessageRouting
  /** Settings by channel; those of a send take precedence. */
  channels?: Record<string, ChannelSettings | null> | null | undefined
  /** Settings by provider; those of a send take precedence. An `override` has no `config` here. */
  providers?: Record<string, ProviderSettings | null> | null | undefined
  /** Description. */
  description?: string | null | undefined
  /** Tags, for your own order. */
  tags?: Array<string> | null | undefined
}

/** A row of a call that was refused; the others were written. */
export interface RowError {
  /** Place of the row in the call, from 0. */
  row: number
  /** The recipient id, where the row has one. */
  id?: string | undefined
  /** Why it was refused: the message that a call of its own would get. */
  error: string
  code: ErrorCode
  /** The faulty field of the row, where it is known. */
  param?: string | undefined
}

/** Default values for the fields of every step. */
export interface RunContext {
  /** Default brand of the steps. */
  brand?: string | null | undefined
  /** Default notification or mapped event of the steps. */
  template?: string | null | undefined
  /** Default recipient of the steps. */
  recipient?: string | number | null | undefined
  /** Data of the steps and their messages; the data of a step is merged over it. */
  data?: Record<string, unknown> | null | undefined
  /** Contact values of the recipient; the profile of a step is merged over it. */
  profile?: Record<string, unknown> | null | undefined
}

export interface RunCount {
  status: RunStatus
  /** Number of runs. */
  count: number
}

/** The run is stored and started. */
export interface RunStarted {
  /** Id of the run. */
  runId: string
}

/** Status of a run: `PROCESSING` (the next step is in progress), `WAITING` (in a delay or batch, or between two attempts), `PROCESSED` (all steps are done), `CANCELED`, `ERROR` (a step failed; later steps were not started), `THROTTLED` (stopped by a throttle). */
export type RunStatus = 'PROCESSING' | 'WAITING' | 'PROCESSED' | 'CANCELED' | 'ERROR' | 'THROTTLED'

/** Status of a step: as of a run, or `SKIPPED` (its `if` was false, or its recipient opted out of the digest) or `NOT PROCESSED` (not started); `CANCELED` is the step at which its run was canceled. `COMPUTING` is a value of the API that is not used. */
export type RunStepStatus = 'PROCESSING' | 'WAITING' | 'PROCESSED' | 'CANCELED' | 'ERROR' | 'THROTTLED' | 'SKIPPED' | 'NOT PROCESSED' | 'COMPUTING'

/** Starts a run at each time of the schedule; of the times missed while no server was running, only the latest. `data.scheduled_for` is the scheduled time. */
export interface ScheduleTrigger {
  /** Always `schedule`. */
  type: 'schedule'
  /** Start times. Cron fields: minute, hour, day of month, month, day of week, as in `0 9 * * MON-FRI`; `L` is the last day of the month. */
  cron: string
  /** Time zone of the schedule. IANA name: `Europe/Berlin`. */
  timezone: string
}

/** Starts a run at each time of the schedule, in a request. */
export interface ScheduleTriggerWrite {
  /** Always `schedule`. */
  type: 'schedule'
  /** Start times. Cron fields: minute, hour, day of month, month, day of week, as in `0 9 * * MON-FRI`; `L` is the last day of the month. */
  cron: string
  /** Time zone of the schedule. Default: UTC. IANA name: `Europe/Berlin`. */
  timezone?: string | null | undefined
}

/** A section with its topics. */
export interface Section {
  /** The section id. */
  id: string
  /** Display name. */
  name: string
  /** Channels of topics without channels of their own. */
  routing_options: Array<Channel>
  /** Whether `routing_options` apply to its topics. */
  has_custom_routing: boolean
  /** Time of creation. ISO 8601, UTC. */
  created: string
  /** API key that created the record. */
  creator: string
  /** Time of the last change. ISO 8601, UTC. */
  updated: string
  /** API key of the last change. */
  updater: string
  /** Topics of the section, oldest first. */
  topics: Array<Topic>
}

/** A section, in a request to create it. */
export interface SectionCreate {
  /** Your own id; the id of an archived record is not free. Default: a generated id. */
  id?: string | null | undefined
  /** Display name. */
  name: string
  /** Channels of topics without channels of their own, if `has_custom_routing` is true. */
  routing_options?: Array<Channel> | null | undefined
  /** Whether `routing_options` apply to its topics. Default: false. */
  has_custom_routing?: boolean | null | undefined
}

/** A section, in a request to replace it. */
export interface SectionWrite {
  /** Display name. */
  name: string
  /** Channels of topics without channels of their own, if `has_custom_routing` is true. */
  routing_options?: Array<Channel> | null | undefined
  /** Whether `routing_options` apply to its topics. Default: false. */
  has_custom_routing?: boolean | null | undefined
}

export interface SectionsListReply {
  results: Array<Section>
}

/** One notification to one recipient. */
export interface SendBody {
  /** A notification id, or a name mapped to a notification (`PUT /events/:event_id`). */
  event: string
  /** Stable id of the recipient, independent of addresses. */
  recipient: string | number
  /** Contact values for this message only: merged over the stored profile, key by key, and not stored. */
  profile?: Record<string, unknown> | null | undefined
  /** Values of the template variables. */
  data?: Record<string, unknown> | null | undefined
  /** Brand of the message. */
  brand?: string | null | undefined
  /** Overrides by provider: `override.<provider>.body` is merged over the request to the provider, `override.<provider>.config` over the settings of its integration. */
  override?: Override | null | undefined
  /** Preferences for this message; they take precedence over the stored ones. */
  preferences?: Preferences | null | undefined
  /** Delay before the message is sent. */
  delay?: Delay | null | undefined
}

/** Sends to all subscribers of a list. With a data source, it starts a run for each subscriber. */
export interface SendListStep {
  /** Always `send-list`. */
  action: 'send-list'
  /** The list id. */
  list: string
  /** Notification or mapped event. Default: the template of the run. */
  template?: TemplateName | undefined
  data_source?: DataSource | undefined
  /** Brand. Default: the brand of the run. */
  brand?: string | undefined
  /** Merged over the data of the run. */
  data?: Record<string, unknown> | undefined
  /** Overrides by provider. */
  override?: Override | undefined
  /** Idempotency key: a send with a key that was used before is not repeated. If it was used for another recipient, the run ends with an error. */
  idempotency_key?: string | undefined
  /** Expiry of the idempotency key: a time in ISO 8601, seconds or milliseconds, or a duration (`1 day`), between a day and a year ahead. Default, also for unreadable values: 25 hours. */
  idempotency_expiry?: unknown | undefined
  /** Condition: an expression that must be true for the step to be executed. */
  if?: string | undefined
  /** Name of the result for later steps. */
  ref?: string | undefined
}

export interface SendQuery {
  /** Whether an unknown name, an unknown field, a recipient without an address or a variable without a value is a 400 instead of a status of the message. Without a value it is true. Takes precedence over the header `Prefer: handling=strict` (or `handling=lenient`), which takes precedence over the setting of the environment. */
  strict?: boolean | undefined
}

/** The message is stored and will be processed. */
export interface SendReply {
  /** Id of the message. */
  messageId: string
}

/** A send to one or many recipients, and its progress. */
export interface SendRequest {
  /** The request id. */
  requestId: string
  /** Kind of request: send, send to a list, bulk job, or replay. */
  kind: 'send' | 'list' | 'bulk' | 'replay'
  /** `CREATED`: a bulk job that was not run. `PROCESSING`: recipients are being resolved, or will be at its time. `PAUSED`: it was paused, and nothing is sent until it is resumed. `COMPLETED`: every recipient has a message. `CANCELED`: it was stopped. */
  status: 'CREATED' | 'PROCESSING' | 'PAUSED' | 'COMPLETED' | 'CANCELED' | 'ERROR'
  /** Event or template of the send; absent for content of its own, and where an older version made it. */
  event?: string | undefined
  /** Time the request was accepted. In milliseconds since the Unix epoch. */
  created: number
  /** Author of the request: `key/<name>`, `operator`; absent for an automation, and where an older version made it. */
  source?: string | undefined
  /** Nothing is sent before this time: the delay of the send. In milliseconds since the Unix epoch. */
  notBefore?: number | undefined
  /** Messages created so far. */
  enqueued: number
  /** Recipients whose message could not be created. */
  failures: number
  /** Whether its messages are omitted from lists. */
  archived: boolean
  /** Author of the pause or the cancellation: `key/<name>`, `operator`. */
  stoppedBy?: string | undefined
  /** Time the request was paused or canceled. In milliseconds since the Unix epoch. */
  stopped?: number | undefined
  /** Error that stopped the request. */
  error?: string | undefined
  /** The messages created so far by status, most frequent first; the first 100,000 of them are counted. */
  statuses: Array<{
    status: MessageStatus
    /** Messages with this status. */
    count: number
  }>
  /** Those of them that a node is deciding or delivering now; counted up to 1,000. */
  inDelivery: number
}

/** A send to many recipients in a list, without the statuses of its messages. */
export interface SendRequestSummary {
  /** The request id. */
  requestId: string
  /** Kind of request: send, send to a list, bulk job, or replay. */
  kind: 'send' | 'list' | 'bulk' | 'replay'
  /** `CREATED`: a bulk job that was not run. `PROCESSING`: recipients are being resolved, or will be at its time. `PAUSED`: it was paused, and nothing is sent until it is resumed. `COMPLETED`: every recipient has a message. `CANCELED`: it was stopped. */
  status: 'CREATED' | 'PROCESSING' | 'PAUSED' | 'COMPLETED' | 'CANCELED' | 'ERROR'
  /** Event or template of the send; absent for content of its own, and where an older version made it. */
  event?: string | undefined
  /** Time the request was accepted. In milliseconds since the Unix epoch. */
  created: number
  /** Author of the request: `key/<name>`, `operator`; absent for an automation, and where an older version made it. */
  source?: string | undefined
  /** Nothing is sent before this time: the delay of the send. In milliseconds since the Unix epoch. */
  notBefore?: number | undefined
  /** Messages created so far. */
  enqueued: number
  /** Recipients whose message could not be created. */
  failures: number
  /** Whether its messages are omitted from lists. */
  archived: boolean
  /** Author of the pause or the cancellation: `key/<name>`, `operator`. */
  stoppedBy?: string | undefined
  /** Time the request was paused or canceled. In milliseconds since the Unix epoch. */
  stopped?: number | undefined
  /** Error that stopped the request. */
  error?: string | undefined
}

/** Sends a message to one recipient. With `message`, the step can send to many recipients. */
export interface SendStep {
  /** Always `send`. */
  action: 'send'
  /** Recipient. Default: the recipient of the run. */
  recipient?: string | number | undefined
  /** Notification or mapped event. Default: the template of the run. */
  template?: TemplateName | undefined
  /** Merged over the profile of the run. */
  profile?: Record<string, unknown> | undefined
  /** Brand. Default: the brand of the run. */
  brand?: string | undefined
  /** Merged over the data of the run. */
  data?: Record<string, unknown> | undefined
  /** Overrides by provider. */
  override?: Override | undefined
  /** Idempotency key: a send with a key that was used before is not repeated. If it was used for another recipient, the run ends with an error. */
  idempotency_key?: string | undefined
  /** Expiry of the idempotency key: a time in ISO 8601, seconds or milliseconds, or a duration (`1 day`), between a day and a year ahead. Default, also for unreadable values: 25 hours. */
  idempotency_expiry?: unknown | undefined
  message?: StepMessage | undefined
  /** Condition: an expression that must be true for the step to be executed. */
  if?: string | undefined
  /** Name of the result for later steps. */
  ref?: string | undefined
}

/** Settings of SendGrid. */
export interface SendgridSettings {
  /** API key: A key with the permission "Mail Send". */
  apiKey: string
  /** From address: A verified sender. */
  fromAddress: string
  /** From name: The name of the sender. */
  fromName?: string | undefined
  /** From names by locale: Names of the sender by locale, such as `de: Beispiel; fr: Exemple`. Other locales get `fromName`. */
  fromNames?: string | undefined
  /** Reply to: The address for replies. */
  replyTo?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://api.sendgrid.com". */
  baseUrl?: string | undefined
  /** Webhook verification key: Verifies callbacks. SendGrid shows this key under Mail Settings, Event Webhook, Signature Verification. */
  webhookKey?: string | undefined
}

export interface ServiceDocumentQuery {
  /** Words to search for; only on `/docs/search`. */
  q?: string | undefined
}

/** A session of a key. */
export interface Session {
  /** Id of the session, not its token. */
  id: string
  key: SessionKey
  environment: KeyEnvironment
  /** Whether the call was made with this session. */
  current: boolean
  /** When it was signed in. In milliseconds since the Unix epoch. */
  created: number
  /** When it was last used, to some minutes. In milliseconds since the Unix epoch. */
  last_seen: number
  /** When it ends unless it is used before. In milliseconds since the Unix epoch. */
  expires: number
}

/** The API key that signed in. */
export interface SessionKey {
  /** Id of the key. */
  id: string
  /** Display name of the key. */
  name: string
  environment: KeyEnvironment
}

export interface SessionsListReply {
  results: Array<Session>
}

export interface SessionsSignInBody {
  /** An API key of this server. */
  key?: string | undefined
  /** A sign-in link, or what follows `#link=` in it, in place of the key: works once, within 10 minutes. */
  link?: string | undefined
}

export interface SessionsSwitchBody {
  environment: KeyEnvironment
}

/** Settings of an environment. */
export interface Settings {
  /** Whether a message waits as `HELD` instead of failing when integrations refuse it for their configuration (credentials, an unverified sender, switched off) and nothing else is left to try. It waits until an integration is repaired, at most as long as its timeout and 7 days. */
  hold_misconfigured: boolean
  /** Treatment of variables without a value, in content of a send and in templates whose `settings.on_missing_variable` does not say. `keep`: the recipient reads `{name}`. `fail`: content with such a variable is not sent. `empty`: the variable is left out. */
  on_missing_variable: 'keep' | 'fail' | 'empty'
}

/** Settings by provider. Providers of later servers can be added by declaration merging. */
export interface SettingsByProvider {
  /** Messages of a bot to channels and users of Discord. */
  discord: DiscordSettings
  /** Adaptive Cards to channels and chats of Microsoft Teams, by the webhook of a workflow. */
  msteams: MsteamsSettings
  /** Messages to Slack channels and users. */
  slack: SlackSettings
  /** Messages of a bot to chats of Telegram. */
  telegram: TelegramSettings
  /** Templates and texts through the Cloud API of WhatsApp. */
  whatsapp: WhatsappSettings
  /** Mail through Amazon Simple Email Service. */
  'aws-ses': AwsSesSettings
  /** Mail through Brevo. */
  brevo: BrevoSettings
  /** Mail from a Gmail or Google Workspace mailbox. */
  gmail: GmailSettings
  /** Mail through Mailgun. */
  mailgun: MailgunSettings
  /** Mail through Mailjet. */
  mailjet: MailjetSettings
  /** Mail from an Outlook or Microsoft 365 mailbox. */
  outlook: OutlookSettings
  /** Mail through Postmark. */
  postmark: PostmarkSettings
  /** Mail through Resend. */
  resend: ResendSettings
  /** Mail through Twilio SendGrid. */
  sendgrid: SendgridSettings
  /** Mail through any SMTP server. */
  smtp: SmtpSettings
  /** Mail through SparkPost. */
  sparkpost: SparkpostSettings
  /** A sandbox that keeps messages instead of sending them. */
  mailbox: MailboxSettings
  /** Push to iOS, iPadOS, macOS, watchOS and tvOS. */
  apn: ApnSettings
  /** Push to apps that are built with Expo. */
  expo: ExpoSettings
  /** Push to Android, iOS and browsers through Firebase. */
  'firebase-fcm': FirebaseFcmSettings
  /** Push to browsers with your own VAPID keys, without an account anywhere. */
  'web-push': WebPushSettings
  /** Text messages and pushes through Amazon Simple Notification Service. */
  'aws-sns': AwsSnsSettings
  /** Text messages through MessageBird. */
  messagebird: MessagebirdSettings
  /** Text messages through Plivo. */
  plivo: PlivoSettings
  /** Text messages through Telnyx. */
  telnyx: TelnyxSettings
  /** Text messages through Twilio. */
  twilio: TwilioSettings
  /** Text messages through the SMS API of Vonage. */
  vonage: VonageSettings
  /** The message as JSON to any address. */
  webhook: WebhookSettings
}

/** Result of a test of settings that are not stored. */
export interface SettingsTest {
  /** False for a sign-in that failed. */
  ok: boolean
  sign_in: {
    /** `ok`: the provider accepts the credentials, or takes connections where it has no such call. `skip`: only a message would show it. */
    state: 'ok' | 'fail' | 'skip'
    /** The result, as a sentence. */
    detail: string
    /** The remedy. */
    hint?: string | undefined
    /** Names of the settings to correct: the credentials, the address, or those of its encryption. Absent where it is none of them. */
    settings?: Array<string> | undefined
    /** How long it took, in milliseconds. */
    took_ms?: number | undefined
  }
}

/** A change of settings. Omitted ones are unchanged. */
export interface SettingsWrite {
  /** Whether a message waits as `HELD` instead of failing when integrations refuse it for their configuration (credentials, an unverified sender, switched off) and nothing else is left to try. It waits until an integration is repaired, at most as long as its timeout and 7 days. */
  hold_misconfigured?: boolean | undefined
  /** Treatment of variables without a value, in content of a send and in templates whose `settings.on_missing_variable` does not say. `keep`: the recipient reads `{name}`. `fail`: content with such a variable is not sent. `empty`: the variable is left out. */
  on_missing_variable?: 'keep' | 'fail' | 'empty' | undefined
}

export interface ShortAutomationTemplate {
  /** Template id. */
  id: string
  /** Display name. */
  name: string
  /** Time of creation. ISO 8601, UTC. */
  createdAt: string
  /** Time this version was written. ISO 8601, UTC. */
  updatedAt: string
  /** Always `published`: writes take effect immediately. The version number is in the template itself. */
  version: 'published'
  /** Triggers that start runs of the template. */
  triggers?: Array<EventTrigger | ScheduleTrigger> | undefined
  /** The run of the template that started last; absent without runs. */
  latest_run?: {
    /** The run id. */
    run_id: string
    /** Source of the run: `api`, `event/<event>`, `schedule`, `invoke/<run id>`, `send-list/<run id>`. */
    source: Array<string>
    status: RunStatus
    /** Automation template of the run. */
    template_id?: string | undefined
    /** Start of the run. ISO 8601, UTC. */
    created_at: string
  } | undefined
}

export interface ShortRun {
  /** The run id. */
  run_id: string
  /** Source of the run: `api`, `event/<event>`, `schedule`, `invoke/<run id>`, `send-list/<run id>`. */
  source: Array<string>
  status: RunStatus
  /** Automation template of the run. */
  template_id?: string | undefined
  /** Start of the run. ISO 8601, UTC. */
  created_at: string
}

/** An address that signs a browser in, once. */
export interface SignInLink {
  /** Address of the dashboard with the link; the public address of this server. */
  url: string
  /** When it ends, used or not. In milliseconds since the Unix epoch. */
  expires: number
}

/** A digest that would be released as one message, without events that are already stored. */
export interface SimulatedDigest {
  /** Topic of the digest. */
  topic_id: string
  /** Schedule of the recipient. */
  schedule_id: string
  /** Recipient of the digest. */
  recipient: string
  /** Tenant of the digest; absent outside any tenant. */
  tenant_id?: string | undefined
  /** Number of events of this simulation in the digest. */
  collected: number
  /** Time of the first event. ISO 8601, UTC. */
  opened_at: string
  /** Time of release. ISO 8601, UTC. */
  released_at: string
  /** Data of the template by category; omitted after the first megabyte of a simulation. */
  data?: Record<string, DigestedCategory> | undefined
  message: SimulatedMessage
}

/** A message that would be sent. */
export interface SimulatedMessage {
  /** Id in this simulation. */
  message_id: string
  /** Recipient of the message. */
  recipient: string
  /** Notification or event; empty for inline content. */
  event: string
  /** Time of the decision and of sending, if a delay or opening hours defer it; channels and explanation are those at that time. Opening hours are not evaluated for a message without an explanation. ISO 8601, UTC. */
  due_at?: string | undefined
  /** Channels, in order: all are used, or each if the earlier ones fail. Empty if the message would not be sent. */
  channels: Array<string>
  explanation?: Explanation | undefined
}

/** A simulated run. */
export interface SimulatedRun {
  /** Id in this simulation. */
  run_id: string
  /** Source of the run. */
  source: Array<string>
  /** Status of the run at the end. */
  status: 'PROCESSING' | 'WAITING' | 'PROCESSED' | 'CANCELED' | 'ERROR' | 'THROTTLED'
  /** Error of the run. */
  error?: string | undefined
}

/** A step of a simulated run. */
export interface SimulatedStep {
  /** Start of the step. ISO 8601, UTC. */
  at: string
  /** The run id. */
  run_id: string
  /** Position of the step, from 0. */
  position: number
  /** The action. */
  action: string
  /** Status of the step; `CANCELED`: another run canceled it while it was waiting. */
  status: 'PROCESSED' | 'SKIPPED' | 'WAITING' | 'ERROR' | 'THROTTLED' | 'CANCELED' | 'PROCESSING'
  /** Reason why the step was skipped, failed or is waiting. */
  reason?: string | undefined
  /** End of the step. ISO 8601, UTC. */
  ended_at?: string | undefined
  /** Duration in milliseconds, if the step waited. */
  waited_ms?: number | undefined
  /** Result of the step. */
  result?: Record<string, unknown> | undefined
  /** Messages of the step; for a send to many recipients, those of the first ones. */
  messages?: Array<SimulatedMessage> | undefined
  /** A send to many recipients. */
  request?: {
    /** Human-readable names of the lists, audiences, tenants and users. */
    to: Array<string>
    /** Number of distinct recipients, up to 1,000; the first 100 are in `messages`. */
    recipients: number
    /** True if counting stopped at the maximum: there can be more recipients. */
    more?: boolean | undefined
  } | undefined
}

/** Result of a simulation: runs, timeline and digests. */
export interface Simulation {
  /** Start of the simulation. ISO 8601, UTC. */
  start: string
  /** End of the last step; delayed messages and digests can be sent later. ISO 8601, UTC. */
  end: string
  /** False if the simulation was stopped at a limit: 1,000 runs, 10,000 iterations or five seconds of processing. */
  complete: boolean
  /** Runs; the first is the requested one. */
  runs: Array<SimulatedRun>
  /** All steps of all runs, ordered by time. */
  timeline: Array<SimulatedStep>
  /** Ignored parts of the automations, each with its path. Absent when there are none. */
  warnings?: Array<string> | undefined
  /** Digests with events of `add-to-digest` and of explained messages on topics with a digest, and their release. */
  digests: Array<SimulatedDigest>
}

/** An automation, and the data of its simulation. */
export interface SimulationBody {
  automation?: Automation | undefined
  /** Id or alias of an automation template, instead of `automation`. */
  template_id?: string | undefined
  context?: RunContext | undefined
  /** Start of the run: ISO 8601, or milliseconds since the Unix epoch. Default: now. */
  start?: string | number | undefined
  /** Profiles by recipient; stored profiles are used for other recipients. Audience members are always resolved from stored profiles. */
  profiles?: Record<string, Record<string, unknown>> | undefined
  /** Subscribers by list, without preferences of the list; stored subscribers are used for other lists. */
  lists?: Record<string, Array<string>> | undefined
  /** Responses by URL, with or without its query. No HTTP request is made: other URLs have no response. */
  fetched?: Record<string, Record<string, unknown>> | undefined
  /** HTTP statuses of these responses by URL. Default: 200. A URL that is only listed here has an empty body, and so has any with 204, 205 or 304. */
  fetched_status?: Record<string, number> | undefined
  /** Statuses of messages by the `ref` of their step or by event. Default: the result of the explanation (`UNROUTABLE`, `DIGESTED`), `DELAYED` until the due time, or `SENT` for a message that is sent or not explained. */
  statuses?: Record<string, MessageStatus> | undefined
  /** Automations by name for the step `invoke`; they take precedence over stored ones. */
  templates?: Record<string, Automation> | undefined
  /** Further runs, to simulate batches, throttles and tokens. Default automation: that of the first run. */
  further?: Array<{
    /** Time after the start: `2 hours`, `P1D`. */
    after: string
    context?: RunContext | undefined
    automation?: Automation | undefined
  }> | undefined
}

/** The sizes that the service publishes. A larger message is rejected before it leaves. */
export interface SizeLimits {
  /** Bytes of the request that hands a message over. */
  request_bytes?: number | undefined
  /** Characters of a field of that request, by its dotted path, without its markup. */
  characters?: Record<string, number> | undefined
  /** Bytes of the payload of a push. */
  payload_bytes?: number | undefined
  /** Segments of the text message in a field, by its dotted path: of 153 characters of GSM-7, or 67 of Unicode. */
  segments?: Record<string, number> | undefined
}

/** Settings of Slack. */
export interface SlackSettings {
  /** Access token: The bot token for profiles without a token of their own. */
  accessToken?: string | undefined
  /** Incoming webhook: An incoming webhook. If it is set, every message goes there. */
  webhookUrl?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://slack.com/api". */
  baseUrl?: string | undefined
}

/** Encoding and length of the short form as an SMS. */
export interface SmsSegments {
  /** `UCS-2` as soon as one character is not in the alphabet of GSM-7. */
  encoding: 'GSM-7' | 'UCS-2'
  /** Messages that carriers make of it, each usually paid for: up to 160 units of GSM-7 or 70 of UCS-2 in one, else 153 or 67 in each. */
  segments: number
  /** Unicode characters. */
  characters: number
  /** Septets of GSM-7, of which `€[]{}~^|\` take two; 16-bit units of UCS-2, of which emoji take two. */
  units: number
}

/** Settings of SMTP. */
export interface SmtpSettings {
  /** Host: The name of the mail server. */
  host: string
  /** Port: The port of the mail server; 587 by default. */
  port?: number | undefined
  /** Security: `tls` from the first byte (default on port 465), `starttls` (default on other ports), or `opportunistic`: STARTTLS if offered. */
  security?: 'tls' | 'starttls' | 'opportunistic' | undefined
  /** User: The user name to sign in with. */
  user?: string | undefined
  /** Password: The password to sign in with. */
  password?: string | undefined
  /** Client id: The OAuth 2.0 client to sign in with (XOAUTH2), instead of a password. */
  clientId?: string | undefined
  /** Client secret: The secret of the client, if it has one. */
  clientSecret?: string | undefined
  /** Refresh token: The refresh token of a user who has consented. Without it, the client signs in as itself. */
  refreshToken?: string | undefined
  /** Token URL: The URL that issues access tokens, such as `https://oauth2.googleapis.com/token`. */
  tokenUrl?: string | undefined
  /** Scope: The scope of the access token, such as `https://outlook.office365.com/.default`. */
  scope?: string | undefined
  /** Access token: An access token that does not expire, instead of a client. Postrider does not renew it. */
  accessToken?: string | undefined
  /** DKIM domain: The domain that signs the mails: that of the from address. */
  dkimDomain?: string | undefined
  /** DKIM selector: The selector of the key, or several in the order of the keys, such as `s1, s2`. DNS: `<selector>._domainkey.<domain>`. */
  dkimSelector?: string | undefined
  /** DKIM private key: The private key as PEM, RSA or Ed25519. Write several keys one after the other. */
  dkimPrivateKey?: string | undefined
  /** From address: The from address of the mails. */
  fromAddress: string
  /** From name: The name of the sender. */
  fromName?: string | undefined
  /** From names by locale: Names of the sender by locale, such as `de: Beispiel; fr: Exemple`. Other locales get `fromName`. */
  fromNames?: string | undefined
  /** Reply to: The address for replies. */
  replyTo?: string | undefined
  /** Bounce address: The address for bounces, with at most 11 characters before the @. Mails get the envelope sender `bounces+<token>@…`. */
  bounceAddress?: string | undefined
  /** Webhook token: A random text that verifies bounces posted to the callback address. */
  webhookToken?: string | undefined
}

/** Nothing is sent from its start until its end. Without an end it is stored without effect. */
export interface Snooze {
  /** Kind of rule. Default: `snooze`. */
  type?: 'snooze' | undefined
  /** Start of the rule. Default: immediately. ISO 8601 or milliseconds since the Unix epoch, as a string. */
  start?: string | null | undefined
  /** End of the snooze. Without it the rule has no effect. ISO 8601 or milliseconds since the Unix epoch, as a string. */
  until?: string | null | undefined
}

/** Settings of SparkPost. */
export interface SparkpostSettings {
  /** API key: A key with the permission "Transmissions: Read/Write". */
  apiKey: string
  /** From address: An address of a verified sending domain. */
  fromAddress: string
  /** From name: The name of the sender. */
  fromName?: string | undefined
  /** From names by locale: Names of the sender by locale, such as `de: Beispiel; fr: Exemple`. Other locales get `fromName`. */
  fromNames?: string | undefined
  /** Reply to: The address for replies. */
  replyTo?: string | undefined
  /** Region: The region of the account. Default: "us". */
  region?: 'us' | 'eu' | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. */
  baseUrl?: string | undefined
  /** Webhook token: A random text that verifies callbacks. The webhook sends it as the password of basic authentication. */
  webhookToken?: string | undefined
}

export interface StepCount {
  /** Position of the step, from 0. */
  position: number
  status: RunStepStatus
  /** Number of runs. */
  count: number
}

/** A message of a step; missing fields come from the step, else from the run. */
export interface StepMessage {
  /** Recipients. An empty object or array is a recipient without an address. */
  to?: MessageRecipient | Array<MessageRecipient> | undefined
  /** A notification id, its alias, or a mapped event. */
  template?: TemplateName | null | undefined
  /** Elemental JSON, or a title and a body. Variables have the form `{name}`. */
  content?: ContentInput | null | undefined
  /** Values of the template variables. */
  data?: Record<string, unknown> | null | undefined
  /** Brand of the message. */
  brand_id?: string | null | undefined
  /** Channels, and whether one or all of them are used. Groups can be nested. */
  routing?: MessageRouting | null | undefined
  /** Settings by channel. */
  channels?: SettingsByChannel<ChannelSettings> | null | undefined
  /** Settings by provider. */
  providers?: OptionsByProvider<ProviderSettings> | null | undefined
  /** Metadata stored with the message. */
  metadata?: {
    /** Your name of the event. Stored with the message, whose `event` remains the template; preferences can refer to it. */
    event?: string | null | undefined
    /** Tags for filtering messages. */
    tags?: Array<string> | null | undefined
    /** Your trace id, for filtering messages. */
    trace_id?: string | null | undefined
    /** Campaign parameters of links; stored with the message. */
    utm?: Utm | null | undefined
  } | null | undefined
  /** Topic of the message. */
  preferences?: {
    /** Topic that recipients can opt out of. */
    subscription_topic_id?: string | null | undefined
  } | null | undefined
  /** Timeouts of a message. */
  timeout?: MessageTimeout | null | undefined
  /** Timeouts of a message. */
  timeouts?: MessageTimeout | null | undefined
  /** Delay before the message is sent; an empty object is no delay. The message is `DELAYED` until then. */
  delay?: Delay | null | undefined
  /** After this time the message is not added to an inbox; other channels are unaffected. If both fields are set, the earlier time applies. */
  expiry?: {
    /** Expiry time: ISO 8601, or milliseconds since the Unix epoch. */
    expires_at?: string | number | null | undefined
    /** Time from the due time to the expiry: milliseconds, or an ISO 8601 duration (`P1DT4H`). */
    expires_in?: string | number | null | undefined
  } | null | undefined
  /** Tenant context. */
  context?: {
    /** Tenant in which the message is sent. */
    tenant_id?: string | null | undefined
  } | null | undefined
}

/** An HTTP request. */
export interface StepWebhook {
  /** URL (http or https) that returns JSON. Values interpolated after the origin are percent-encoded, including `/`: a value is part of one path segment or one query value. Values that form the origin or the whole URL are used unchanged. */
  url: string
  /** HTTP method. Default: `GET`. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined
  /** Headers of the request. They are readable in the template; runs show them masked. */
  headers?: Record<string, unknown> | undefined
  /** Parameters added to the query. */
  params?: Record<string, unknown> | undefined
  /** Request body; an object is sent as JSON. Not sent with `GET`. */
  body?: Record<string, unknown> | string | undefined
}

/** The stored preferences of a recipient. */
export interface StoredPreferences {
  /** Preferences by notification id or event. */
  notifications: Record<string, Preference>
  /** Preferences by category. */
  categories: Record<string, Preference>
}

/** Stored choice of a user for a topic. */
export interface StoredTopicChoice {
  /** The topic id. */
  topic_id: string
  status: PreferenceStatus
  /** Whether only the channels of `custom_routing` are used. */
  has_custom_routing: boolean
  /** Channels to use, in order. */
  custom_routing: Array<PreferredChannel>
  /** Schedule chosen for the digest of the topic; absent for the default schedule. */
  digest_schedule_id?: string | undefined
}

/** A stored topic default of a tenant. */
export interface StoredTopicDefault {
  /** The topic id. */
  id: string
  /** Default status for users without a choice. */
  status: string
  /** Whether `custom_routing` applies. */
  has_custom_routing: boolean
  /** Channels to use, in order. */
  custom_routing: Array<string>
}

/** The change is stored. */
export interface Success {
  /** Always `SUCCESS`. */
  status: 'SUCCESS'
}

/** A suppressed address. */
export interface Suppression {
  /** Id of the entry. */
  id: string
  kind: AddressKind
  /** The address in the form in which it is compared; null after the erasure of its user. */
  address: string | null
  reason: SuppressionReason
  /** Origin of the entry: `provider/smtp`, a text message of the recipient (`inbound/twilio`), or the API key of the call (`key/backend`). */
  source: string
  /** The message whose delivery added it. */
  message_id?: string | undefined
  /** Note of the call that added it. */
  note?: string | undefined
  /** Time at which it was added. In milliseconds since the Unix epoch. */
  created: number
  /** Time from which it has no effect; absent: until it is removed. In milliseconds since the Unix epoch. */
  ends?: number | undefined
}

/** Why nothing is sent to the address. `hard_bounce`: the address does not exist. `complaint`: a mail was reported as spam. `invalid_address`: the number or device token is not in use. `unsubscribed`: the recipient unsubscribed at the provider, or answered STOP. `manual`: added by an operator. */
export type SuppressionReason = 'hard_bounce' | 'complaint' | 'invalid_address' | 'unsubscribed' | 'manual'

export interface SuppressionsAddBody {
  /** The addresses. */
  suppressions: Array<NewSuppression>
}

export interface SuppressionsAddReply {
  /** Number of addresses that were added. */
  added: number
  /** Number of addresses that were on the list already. */
  existing: number
}

export interface SuppressionsImportBody {
  /** The addresses. */
  suppressions: Array<NewSuppression | Record<string, unknown>>
}

/** Result of the call for its addresses. */
export interface SuppressionsImported {
  /** Number of addresses that were added. */
  added: number
  /** Number of addresses that were on the list already. */
  existing: number
  /** Addresses that were refused, in the order of the call. */
  errors: Array<RowError>
}

export interface SuppressionsListQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 50. */
  limit?: number | undefined
  /** Only this address. Email addresses are compared in lower case, phone numbers by their digits with the country code, device tokens and ids of chats as they are. */
  address?: string | undefined
  kind?: AddressKind | undefined
  reason?: SuppressionReason | undefined
}

export interface SuppressionsListReply {
  paging: Paging
  results: Array<Suppression>
}

/** The state of the installation. */
export interface System {
  /** Time of the reply. In milliseconds since the Unix epoch. */
  at: number
  /** Version of the node that answers. */
  version: string
  /** Id of the node that answers. */
  node: string
  /** Days for which messages are kept. */
  retention_days: number
  /** The value of `POSTRIDER_PUBLIC_URL` on the node that answers; null unless it is set. */
  public_url: string | null
  /** Since when deliveries are paused; null unless they are. In milliseconds since the Unix epoch. */
  paused_since: number | null
  /** The key that paused them, `key/<name>`, or `operator`; null unless they are, and after `postrider serve --paused`. */
  paused_by: string | null
  /** Parts that could not be read within 2 seconds. */
  failures: Array<{
    /** The part, which is null. */
    part: 'nodes' | 'lanes' | 'queues' | 'traffic' | 'storage' | 'statements' | 'migrations' | 'checks' | 'providers' | 'dead_letters'
    /** Why it could not be read. */
    message: string
  }>
  /** Nodes of the last day, those that live first. */
  nodes: Array<SystemNode> | null
  /** Messages that have not ended, by lane. */
  lanes: Array<{
    /** The lane. */
    lane: 'transactional' | 'automation' | 'bulk'
    /** Messages that are due later, or that a node works on. */
    waiting: number
    /** Messages that are due and wait for a node. */
    overdue: number
    /** How long the first of those has been due; null without any. */
    oldest_ms: number | null
  }> | null
  /** Every queue. */
  queues: Array<{
    /** The queue. */
    queue: string
    /** How long its first row has been due; null when none is. */
    overdue_ms: number | null
  }> | null
  /** Messages by the minute, oldest first; the last one is not over. */
  traffic: Array<{
    /** Start of the minute. In milliseconds since the Unix epoch. */
    at: number
    /** Messages accepted in it. */
    accepted: number
    /** Messages that ended in it. */
    finished: number
    /** Those of them that ended as `UNDELIVERABLE`. */
    undelivered: number
  }> | null
  storage: {
    /** Size of the database. */
    bytes: number
    /** Start of the oldest week of messages. In milliseconds since the Unix epoch. */
    oldest_week: number | null
    /** When the oldest message that has ended was accepted; null without any. In milliseconds since the Unix epoch. */
    oldest_message: number | null
    /** Copies by `postrider backup`; null with a database server, which has tools of its own. */
    backup: {
      /** When the last one started that was read to its end; null without any. In milliseconds since the Unix epoch. */
      last: number | null
    } | null
    /** The largest tables. */
    tables: Array<{
      /** The table, with its partitions. */
      name: string
      /** Its size with indexes. */
      bytes: number
      /** Its rows, estimated. */
      rows: number
    }>
  } | null
  statements: {
    /** Whether the database has the extension `pg_stat_statements`. */
    tracked: boolean
    /** Statements by their total time; empty unless tracked. */
    slowest: Array<{
      /** The statement, shortened; its values are parameters. */
      text: string
      /** How often it ran. */
      calls: number
      /** Its mean time. */
      mean_ms: number
      /** All of its time. */
      total_ms: number
    }>
    /** Statements that have been running for a second. */
    running: Array<{
      /** The statement, shortened. */
      text: string
      /** How long it has been running. */
      ms: number
      /** The event that it waits for; null while it works. */
      waits_for: string | null
    }>
  } | null
  migrations: {
    /** Version of the schema. */
    applied: number
    /** Migrations that the next start applies. */
    pending: Array<string>
  } | null
  /** Checks of `postrider doctor` that call no provider. */
  checks: Array<{
    /** The check. */
    name: string
    /** Its result. */
    state: 'ok' | 'warn' | 'fail' | 'skip'
    /** A sentence about it. */
    detail: string
    /** A remedy. */
    hint?: string | undefined
  }> | null
  /** Integrations of the environment of the key. */
  providers: Array<{
    /** The integration. */
    id: string
    /** Its provider. */
    provider: string
    /** Its display name. */
    title: string
    /** Whether it is used. */
    enabled: boolean
    /** `open`: the integration is not called. `half_open`: one call at a time probes it. `closed`: it is used. */
    circuit_breaker: 'closed' | 'open' | 'half_open'
    /** When its circuit breaker opened; null while it is closed. In milliseconds since the Unix epoch. */
    open_since: number | null
    /** When the day of UTC ends whose calls are used up; null while its limit per day leaves some. In milliseconds since the Unix epoch. */
    limited_until: number | null
    /** Its calls in the last hour. */
    calls: number
    /** The share of calls that it answered; null without calls. */
    working: number | null
    /** 95th percentile of their time. */
    p95_ms: number | null
    last_error: {
      /** Time of its last error. In milliseconds since the Unix epoch. */
      at: number
      /** Its text. */
      error: string
    } | null
  }> | null
  dead_letters: {
    /** Open dead letters of the environment; 1,000 at most. */
    open: number
    /** Those of the last 24 hours. */
    recent: number
  } | null
}

/** A process of this installation. */
export interface SystemNode {
  /** Id of the node, new with each start. */
  id: string
  /** Version of the server. */
  version: string
  /** `dead`: not seen for 45 seconds, without having stopped. */
  state: 'alive' | 'dead' | 'stopped'
  /** Whether it takes calls, delivers, or both. */
  role: 'all' | 'api' | 'worker'
  /** When it started. In milliseconds since the Unix epoch. */
  started: number
  /** When it was last seen. In milliseconds since the Unix epoch. */
  seen: number
  /** When it stopped; null while it runs, and for one that died. In milliseconds since the Unix epoch. */
  stopped: number | null
  /** Messages it works on. */
  in_flight: number
  /** Provider calls in progress. */
  calls: number
  /** Its connections to the database. */
  connections: {
    /** Connections of its pool. */
    open: number
    /** Those that are free. */
    idle: number
    /** Statements that wait for one. */
    waiting: number
  }
  /** Memory of its process; null for a node of an earlier release. */
  memory_bytes: number | null
  /** 99th percentile of the delay of its event loop, in the ten seconds before it was last seen; null for a node of an earlier release. */
  event_loop_p99_ms: number | null
  /** Messages without delay whose first provider call began in the last minutes. */
  started_messages: number
  /** Their median time from acceptance to that call; null without any. */
  p50_ms: number | null
  /** The 95th percentile of it. */
  p95_ms: number | null
  /** Messages that a dead node left and no other node has taken over yet, 1,000 at most; null for other nodes, and where counting takes too long. */
  abandoned: number | null
}

/** A cell of a row. */
export interface TableCellElement {
  /** Always `table-cell`. */
  type: 'table-cell'
  /** Text in Markdown. */
  content?: string | undefined
  /** Alignment in an email. `start` and `end` follow the direction of the language. `full`: justified. */
  align?: 'left' | 'center' | 'right' | 'start' | 'end' | 'full' | undefined
  /** Text color. A CSS color; variables are allowed. */
  color?: string | undefined
  /** Background color. A CSS color; variables are allowed. */
  background_color?: string | undefined
  /** Nested elements. */
  elements?: Array<Element> | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<TableCellElement> | undefined
}

/** A table; its columns stay side by side on narrow screens. */
export interface TableElement {
  /** Always `table`. */
  type: 'table'
  /** Rows. */
  elements?: Array<TableRowElement | CommentElement> | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<TableElement> | undefined
}

/** A row of a table. */
export interface TableRowElement {
  /** Always `table-row`. */
  type: 'table-row'
  /** Row of column titles. */
  header?: boolean | 'true' | 'false' | undefined
  /** Cells. */
  elements?: Array<TableCellElement | CommentElement> | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<TableRowElement> | undefined
}

/** Settings of Telegram. */
export interface TelegramSettings {
  /** Bot token: The token from @BotFather: a number, a colon and letters. */
  botToken: string
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://api.telegram.org". */
  baseUrl?: string | undefined
}

/** Settings of Telnyx. */
export interface TelnyxSettings {
  /** API key: An API key. It begins with KEY. */
  apiKey: string
  /** From: The sender: a number, a short code or a sender id. */
  from?: string | undefined
  /** Messaging profile id: A messaging profile, which chooses the sender from its pool. Required if `from` is a sender id. */
  messagingProfileId?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://api.telnyx.com/v2". */
  baseUrl?: string | undefined
  /** Segments at most: The maximum of segments. Raise it if the messaging profile has `auto_chunk_long_messages`, or the route takes more. Default: 10. */
  segmentsMax?: number | undefined
  /** Public key: Verifies callbacks. Telnyx shows this key in Mission Control under Keys & Credentials, Public Key. */
  publicKey?: string | undefined
  /** Help text: The reply to a text such as HELP or INFO. Leave it empty if the provider replies itself, as Twilio does. */
  helpText?: string | undefined
}

/** A variable that a notification reads from `data`. */
export interface TemplateVariable {
  /** Path in `data`, from the outermost key. `[]` stands for every item of a list. */
  path: Array<string>
  /** `text`: rendered as text. `list`: iterated by a loop. `object`: read by its keys. `any`: only used by a condition or a helper. */
  kind: 'text' | 'list' | 'object' | 'any'
  /** False if the variable is read only under a condition, or has a default. */
  required: boolean
}

/** A customer of yours, with its defaults. */
export interface Tenant {
  /** The tenant id. */
  id: string
  /** Display name. */
  name: string
  /** Values for templates. */
  properties: Record<string, unknown>
  /** Default profile of its users. */
  user_profile: Record<string, unknown>
  /** Default brand of messages for this tenant; null for none. */
  brand_id: string | null
  /** Topic defaults for its users. */
  default_preferences: {
    /** One entry for each topic. */
    items: Array<StoredTopicDefault>
  }
  /** Id of the parent tenant; null at the top level. */
  parent_tenant_id: string | null
}

/** Members of a tenant. */
export interface TenantFields {
  /** With a tenant: whether members of its child tenants are included. */
  include_children?: boolean | null | undefined
}

/** A tenant, in a request. */
export interface TenantInput {
  /** Display name; available in templates as `{$.tenant.name}`. */
  name: string
  /** Topic defaults for its users. */
  default_preferences?: DefaultPreferences | null | undefined
  /** Values for templates: `{$.tenant.plan}`. At most 64 kB as JSON. */
  properties?: Record<string, unknown> | null | undefined
  /** Default profile of its users; the stored profile of a user is merged over it. At most 64 kB as JSON. */
  user_profile?: Record<string, unknown> | null | undefined
  /** Default brand of messages for this tenant. */
  brand_id?: string | null | undefined
  /** Id of the parent tenant. */
  parent_tenant_id?: string | null | undefined
}

/** A page of tenants. */
export interface TenantPage {
  /** Always `list`. */
  type: 'list'
  /** Items of this page. */
  items: Array<Tenant>
  /** Whether another page follows. */
  has_more: boolean
  /** The path of the list. */
  url: string
  /** Path and query of the next page; null on the last page. */
  next_url: string | null
  /** Value of `cursor` for the next page; null on the last page. */
  cursor: string | null
}

export interface TenantsListQuery {
  /** Items per page. Default: 20. */
  limit?: number | undefined
  /** The `cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Alias of `cursor` for older clients. */
  starting_after?: string | undefined
  /** Parent tenant of the tenants to list. */
  parent_tenant_id?: string | undefined
}

export interface TenantsUsersQuery {
  /** Items per page. Default: 20. */
  limit?: number | undefined
  /** The `cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Alias of `cursor` for older clients. */
  starting_after?: string | undefined
}

/** A block of text. */
export interface TextElement {
  /** Always `text`. */
  type: 'text'
  /** Text in Markdown. */
  content?: string | undefined
  /** Spans, instead of `content`. */
  elements?: Array<TextSpan> | undefined
  /** Alignment in an email. `start` and `end` follow the direction of the language. `full`: justified. */
  align?: 'left' | 'center' | 'right' | 'start' | 'end' | 'full' | undefined
  /** Text size. Default: `text`. */
  text_style?: 'text' | 'subtext' | 'h1' | 'h2' | undefined
  /** Text color. A CSS color; variables are allowed. */
  color?: string | undefined
  /** Bold text. */
  bold?: boolean | 'true' | 'false' | undefined
  /** Italic text. */
  italic?: boolean | 'true' | 'false' | undefined
  /** Struck-through text. */
  strikethrough?: boolean | 'true' | 'false' | undefined
  /** Underlined text. */
  underline?: boolean | 'true' | 'false' | undefined
  /** Id of the element for translation and replacement. */
  id?: string | undefined
  /** Condition: an expression that must be true for the element to be rendered. */
  if?: string | undefined
  /** Expression that returns a list; the element is rendered once for each item. */
  loop?: string | undefined
  /** Name for later conditions: `refs.<ref>.visible` is whether the element is rendered. */
  ref?: string | undefined
  /** Channels or providers to which the element is limited. */
  channels?: Array<string> | undefined
  /** Translated fields by locale. */
  locales?: InLocales<TextElement> | undefined
}

/** A span of text with its own formatting. */
export interface TextSpan {
  /** Kind of span. */
  type: 'string' | 'link' | 'img'
  /** Text of the span. */
  content?: string | undefined
  /** Target URL of a link or image. */
  href?: string | undefined
  /** URL of an image. */
  src?: string | undefined
  /** Alternative text of an image. */
  alt_text?: string | undefined
  /** Bold text. */
  bold?: boolean | 'true' | 'false' | undefined
  /** Italic text. */
  italic?: boolean | 'true' | 'false' | undefined
  /** Struck-through text. */
  strikethrough?: boolean | 'true' | 'false' | undefined
  /** Underlined text. */
  underline?: boolean | 'true' | 'false' | undefined
}

/** Lets a limited number of runs pass in a period. Other runs end with the status `THROTTLED`, or continue at the step that `on_throttle` names. */
export interface ThrottleStep {
  /** Always `throttle`. */
  action: 'throttle'
  /** Number of runs that pass in one period. */
  max_allowed: number | string
  /** Length of the period, at most 366 days; it begins with the first run that passes. An integer and a unit (`30 minutes`), or an ISO 8601 duration: `P1D`, `PT30M`. */
  period: string
  /** Runs that are counted together. `user`: runs of one recipient. `global`: all runs of this automation. `dynamic`: runs with the same key. Default: `global`. */
  scope?: 'user' | 'global' | 'dynamic' | undefined
  /** Key by which runs are counted, for the scope `dynamic`. */
  throttle_key?: string | undefined
  /** Stored in the result of the step; no alert is sent. */
  should_alert?: boolean | undefined
  on_throttle?: OnThrottle | undefined
  /** Condition: an expression that must be true for the step to be executed. */
  if?: string | undefined
  /** Name of the result for later steps. */
  ref?: string | undefined
}

/** A subject that recipients can opt in to or out of. */
export interface Topic {
  /** The topic id. */
  id: string
  /** Display name. */
  name: string
  default_status: PreferenceStatus
  /** Channels for users without a choice; empty: the channels of the notification. */
  routing_options: Array<Channel>
  /** Further choices that a preference page can offer. */
  allowed_preferences: Array<'snooze' | 'channel_preferences'>
  /** Whether emails on the topic get a List-Unsubscribe header. */
  include_unsubscribe_header: boolean
  /** Custom data. */
  topic_data: Record<string, unknown>
  digest?: TopicDigest | undefined
  /** Time of creation. ISO 8601, UTC. */
  created: string
  /** API key that created the record. */
  creator: string
  /** Time of the last change. ISO 8601, UTC. */
  updated: string
  /** API key of the last change. */
  updater: string
}

/** Choice for a topic, in a request. */
export interface TopicChoice {
  status: PreferenceStatus
  /** Whether only the channels of `custom_routing` are used, in order. */
  has_custom_routing?: boolean | null | undefined
  /** Channels to use, in order. */
  custom_routing?: Array<PreferredChannel> | null | undefined
  /** Schedule of the digest of the topic; null for the default schedule. Default: unchanged. */
  digest_schedule_id?: string | null | undefined
}

/** A topic, in a request to create it. */
export interface TopicCreate {
  /** Your own id; the id of an archived record is not free. Default: a generated id. */
  id?: string | null | undefined
  /** Display name. */
  name: string
  default_status: PreferenceStatus
  /** Channels for users without a choice; empty: the channels of the notification. */
  routing_options?: Array<Channel> | null | undefined
  /** Further choices that a preference page can offer; stored, not enforced. */
  allowed_preferences?: Array<'snooze' | 'channel_preferences'> | null | undefined
  /** Whether emails on the topic get a List-Unsubscribe header. Default: true. */
  include_unsubscribe_header?: boolean | null | undefined
  /** Custom data, at most 16 kB. */
  topic_data?: Record<string, unknown> | null | undefined
  /** Digest of the topic; null removes it. Default: unchanged. */
  digest?: TopicDigestWrite | null | undefined
}

/** Default of a tenant for one topic. */
export interface TopicDefault {
  /** The topic id. */
  id: string
  /** Default status for users without a choice. */
  status: 'OPTED_IN' | 'OPTED_OUT' | 'REQUIRED'
  /** Whether `custom_routing` applies. */
  has_custom_routing?: boolean | null | undefined
  /** Channels to use, in order. */
  custom_routing?: Array<'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook'> | null | undefined
}

/** Default for a topic, in a request. */
export interface TopicDefaultWrite {
  status: PreferenceStatus
  /** Whether only the channels of `custom_routing` are used, in order. */
  has_custom_routing?: boolean | null | undefined
  /** Channels to use, in order. */
  custom_routing?: Array<PreferredChannel> | null | undefined
}

/** The digest of a topic. */
export interface TopicDigest {
  /** Notification of the digest: its id, its alias, or a mapped event. */
  template_id: string
  /** Release schedules; each recipient is on one of them. */
  schedules: Array<DigestSchedule>
  /** Categories of events. */
  categories: Array<DigestCategory>
}

/** The digest of a topic, in a request. */
export interface TopicDigestWrite {
  /** Notification of the digest: its id, its alias, or a mapped event. */
  template_id: string
  /** All schedules; schedules that are not listed are removed. Without this field the schedules are unchanged. */
  schedules?: Array<DigestScheduleWrite> | null | undefined
  /** Categories of events. Default: one category `digest` with all events. */
  categories?: Array<DigestCategoryWrite> | null | undefined
  /** Always `false`: a digest without events is not sent. */
  trigger_empty?: false | null | undefined
}

/** A choice that was not stored. */
export interface TopicError {
  /** Topic id, as sent. */
  topic_id: string
  /** Reason why the choice cannot be stored. */
  reason: string
}

/** Preference of a user for a topic: `status` is the choice of the user, else `default_status`, which is the default of the tenant, else of the topic. */
export interface TopicPreference {
  /** The topic id. */
  topic_id: string
  /** Display name of the topic. */
  topic_name: string
  /** Section of the topic. */
  section_id: string
  /** Display name of the section. */
  section_name: string
  default_status: PreferenceStatus
  status: PreferenceStatus
  /** Whether only the channels of `custom_routing` are used. */
  has_custom_routing: boolean
  /** Channels to use, in order. */
  custom_routing: Array<PreferredChannel>
  /** Schedule chosen for the digest of the topic; absent for the default schedule. */
  digest_schedule_id?: string | undefined
}

/** A topic, in a request to replace it. */
export interface TopicWrite {
  /** Display name. */
  name: string
  default_status: PreferenceStatus
  /** Channels for users without a choice; empty: the channels of the notification. */
  routing_options?: Array<Channel> | null | undefined
  /** Further choices that a preference page can offer; stored, not enforced. */
  allowed_preferences?: Array<'snooze' | 'channel_preferences'> | null | undefined
  /** Whether emails on the topic get a List-Unsubscribe header. Default: true. */
  include_unsubscribe_header?: boolean | null | undefined
  /** Custom data, at most 16 kB. */
  topic_data?: Record<string, unknown> | null | undefined
  /** Digest of the topic; null removes it. Default: unchanged. */
  digest?: TopicDigestWrite | null | undefined
}

export interface TopicsListReply {
  results: Array<Topic>
}

/** Data sent by the device at registration. */
export interface Tracking {
  /** Version of the operating system. */
  os_version?: string | null | undefined
  /** IP address. */
  ip?: string | null | undefined
  /** Latitude. */
  lat?: string | null | undefined
  /** Longitude. */
  long?: string | null | undefined
}

/** Switches of tracking, by channel. */
export interface TrackingSettings {
  email?: TrackingTerms | undefined
  sms?: TrackingTerms | undefined
  push?: TrackingTerms | undefined
  direct_message?: TrackingTerms | undefined
  inbox?: TrackingTerms | undefined
  webhook?: TrackingTerms | undefined
}

/** Switches of one channel. An omitted switch is decided by the next wider setting. */
export interface TrackingTerms {
  /** An email has a pixel; a push has `trackingUrl` in its data. Default: false. */
  open?: boolean | undefined
  /** Links lead through the server: those in the HTML of an email, and in the text of an SMS or chat message. Default: false. */
  click?: boolean | undefined
  /** With `click`, also the links in the text part of an email. Default: false. */
  text?: boolean | undefined
}

/** The contents of a catalog. */
export interface TranslationReport {
  /** Texts with a translation. */
  entries: number
  /** Lines that cannot be read, each with its reason. The entries around them are used. */
  problems: Array<string>
  /** Parts of the header that are not used, and what is used instead. */
  warnings: Array<string>
}

/** A catalog without its content. */
export interface TranslationSummary {
  /** Always `default`. */
  domain: string
  /** Locale of the catalog. */
  locale: string
  /** Length of the catalog. */
  characters: number
  /** Time of the last change. In milliseconds since the Unix epoch. */
  updated: number
}

export interface TranslationsInspectBody {
  /** A locale: `de`, `pt-BR`; `default` for every locale. */
  locale?: string | undefined
  /** Catalog in PO format. */
  content: string
}

export interface TranslationsListReply {
  /** The catalogs. */
  results: Array<TranslationSummary>
}

/** Settings of Twilio. */
export interface TwilioSettings {
  /** Account SID: The SID of the account. It begins with AC. */
  accountSid: string
  /** Auth token: The token of the account. */
  authToken: string
  /** From: The sender: a number or a sender id. */
  from?: string | undefined
  /** Messaging service SID: A messaging service that chooses the sender, instead of `from`. */
  messagingServiceSid?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://api.twilio.com". */
  baseUrl?: string | undefined
  /** Help text: The reply to a text such as HELP or INFO. Leave it empty if the provider replies itself, as Twilio does. */
  helpText?: string | undefined
}

/** A mail that came to a bounce address and was not understood. */
export interface UnrecognizedBounce {
  /** Id of the mail. */
  id: string
  /** The message that its bounce address names. */
  message_id: string
  /** When it came in. In milliseconds since the Unix epoch. */
  created: number
  /** As the mail server handed it over: empty for that of a mail system, null for a mail that was posted. */
  envelope_sender: string | null
  /** The mail as it came: its first 16 kB, each byte as a character (Latin-1). The token of a bounce address is masked where it stands in plain text; encoded text can have it. */
  mail: string
}

export interface UnrecognizedBouncesListQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 10. */
  limit?: number | undefined
}

export interface UnrecognizedBouncesListReply {
  paging: Paging
  results: Array<UnrecognizedBounce>
}

/** Subscribes a recipient to a list, or unsubscribes it. */
export interface UpdateListStep {
  /** Always `update-list`. */
  action: 'update-list'
  /** The list id. */
  list: string
  /** `subscribe`: the list is created if necessary, and preferences of an existing subscription are unchanged. `unsubscribe`: without effect if the recipient is not subscribed. */
  operation: 'subscribe' | 'unsubscribe'
  /** User to subscribe or unsubscribe. Default: the recipient of the run. */
  recipient_id?: string | number | undefined
  /** Condition: an expression that must be true for the step to be executed. */
  if?: string | undefined
  /** Name of the result for later steps. */
  ref?: string | undefined
}

/** Writes a stored profile. */
export interface UpdateProfileStep {
  /** Always `update-profile`. */
  action: 'update-profile'
  /** User whose profile is written. */
  recipient_id: string | number
  /** The new profile data. */
  profile: Record<string, unknown>
  /** How new data (A) is merged into existing data (B). `replace`: A replaces B. `overwrite`: keys of A take precedence. `soft-merge`: only keys that B lacks are added. `none`: A is used only if B is empty. Default: `replace`. */
  merge?: 'replace' | 'overwrite' | 'soft-merge' | 'none' | undefined
  /** Condition: an expression that must be true for the step to be executed. */
  if?: string | undefined
  /** Name of the result for later steps. */
  ref?: string | undefined
}

/** A user, also in a tenant. */
export interface UserFields {
  /** User id. Without any id the other keys form an ad-hoc contact, for which an id is generated. */
  user_id: string | number | null
  /** With `user_id`: tenant in which the user is addressed. Alone: all members of the tenant. */
  tenant_id?: string | null | undefined
  /** Older name of `tenant_id`. */
  account_id?: string | null | undefined
}

/** Campaign parameters of links; stored with the message. */
export interface Utm {
  /** `utm_source` of links. */
  source?: string | null | undefined
  /** `utm_medium` of links. */
  medium?: string | null | undefined
  /** `utm_campaign` of links. */
  campaign?: string | null | undefined
  /** `utm_term` of links. */
  term?: string | null | undefined
  /** `utm_content` of links. */
  content?: string | null | undefined
}

/** Translations of existing texts. */
export interface Variations {
  /** Texts of elements by locale; other fields of a block are ignored. */
  blocks?: Array<{
    /** `id` of an element, else its position such as `1.0`. */
    id: string
    /** Text by locale. */
    locales?: Record<string, string> | undefined
  }> | undefined
  /** Subjects or titles of channels by locale. */
  channels?: Array<{
    /** The channel. */
    id: string
    /** Subject or title by locale. */
    locales?: Record<string, {
      /** Subject of an email. */
      subject?: string | undefined
      /** Title on other channels. */
      title?: string | undefined
    }> | undefined
  }> | undefined
}

/** Saved filters of a page. */
export interface View {
  /** Its name, unique in the environment. */
  name: string
  /** The page that it is a view of, such as `messages`. */
  page: string
  /** The filters of the page, as the page writes them: at most 8192 bytes of JSON. */
  filters: Record<string, unknown>
  /** Time of creation. In milliseconds since the Unix epoch. */
  created: number
  /** Time of the last change. In milliseconds since the Unix epoch. */
  updated: number
}

export interface ViewsListQuery {
  /** The page that it is a view of, such as `messages`. */
  page?: string | undefined
}

export interface ViewsListReply {
  results: Array<View>
}

export interface ViewsPutBody {
  /** The page that it is a view of, such as `messages`. */
  page: string
  /** The filters of the page, as the page writes them: at most 8192 bytes of JSON. */
  filters: Record<string, unknown>
}

/** Settings of Vonage. */
export interface VonageSettings {
  /** API key: The key of the account. */
  apiKey: string
  /** API secret: The secret of the account. */
  apiSecret: string
  /** From: The sender: a number, or a sender id of up to 11 letters and digits. */
  from: string
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://rest.nexmo.com". */
  baseUrl?: string | undefined
  /** Signature secret: Verifies callbacks: the Signature secret in the API Settings of the Vonage dashboard. */
  signatureSecret?: string | undefined
  /** Help text: The reply to a text such as HELP or INFO. Leave it empty if the provider replies itself, as Twilio does. */
  helpText?: string | undefined
}

/** Settings of Web Push. */
export interface WebPushSettings {
  /** Subject: Your contact for push services: `mailto:` and an address, or an https URL. */
  subject: string
  /** Public key: The public key of the pair: the `applicationServerKey` of subscriptions. `postrider providers vapid-keys` makes a pair. */
  publicKey: string
  /** Private key: The private key of the pair. */
  privateKey: string
  /** Time to live: How many seconds push services keep a push for a browser that is off. Default: 2419200. */
  ttl?: number | undefined
}

/** A URL that is called for changes. Its secret is not returned. */
export interface Webhook {
  /** The webhook id. */
  id: string
  /** URL of the POST requests: http or https, without user name and password. */
  url: string
  /** Changes for which the webhook is called. */
  types: Array<WebhookType>
  /** Whether the webhook is called. While it is disabled, pending deliveries wait for up to three days, and new changes are not recorded. */
  enabled: boolean
  /** Whether the webhook has a secret, so that its calls have the headers `courier-signature` and `webhook-signature`. */
  signed: boolean
  /** Time of creation. In milliseconds since the Unix epoch. */
  created: number
  /** Time of the last change. In milliseconds since the Unix epoch. */
  updated: number
}

/** Delivery of one change to one webhook. */
export interface WebhookDelivery {
  /** Delivery id; every attempt has it, or that of `replay_of`, in the header `webhook-id`. */
  id: string
  /** Type of the change. */
  type: string
  /** Status of the delivery; `FAILED` deliveries are not retried. */
  status: 'WAITING' | 'DELIVERED' | 'FAILED'
  /** Number of attempts so far. */
  attempts: number
  /** Time of the change. In milliseconds since the Unix epoch. */
  created: number
  /** Message of the change. */
  message_id?: string | undefined
  /** Time of the 2xx response. In milliseconds since the Unix epoch. */
  delivered?: number | undefined
  /** Time of the next attempt. In milliseconds since the Unix epoch. */
  next_attempt_at?: number | undefined
  /** Time of the last attempt. In milliseconds since the Unix epoch. */
  attempted?: number | undefined
  /** Error of the last attempt. */
  error?: string | undefined
  /** Reply to the last attempt; absent when there was none. */
  reply?: {
    /** HTTP status. */
    status: number
    /** The first 1000 characters of the body. */
    body: string
  } | undefined
  /** The first delivery of the change, whose id the calls of this one have. */
  replay_of?: string | undefined
}

/** Settings of Webhook. */
export interface WebhookSettings {
  /** URL: The URL for recipients whose profile has none. */
  url?: string | undefined
  /** Method: The HTTP method; POST by default. */
  method?: 'POST' | 'PUT' | 'PATCH' | 'GET' | 'DELETE' | undefined
  /** Authentication: How requests authenticate. */
  authentication?: 'none' | 'basic' | 'bearer' | undefined
  /** User name: For basic authentication. */
  username?: string | undefined
  /** Password: For basic authentication. */
  password?: string | undefined
  /** Token: For bearer authentication. */
  token?: string | undefined
  /** Profile: `expanded` adds the profile of the recipient to the body; `limited`, the default, does not. */
  profile?: 'limited' | 'expanded' | undefined
}

/** Type of change for which a webhook is called: `message:updated` (the status of a message changed; `data` is the message as `GET /messages/:message_id` shows it), `notification:published` (a version of a notification was published), `notification:submitted` (checks of a submission were written for the first time), `notification:submission_canceled` (the checks of a submission were deleted), `audiences:created` (an audience was written for the first time), `audiences:updated` (an audience was written again), `audiences:deleted` (an audience was deleted), `audiences:calculated` (all users were evaluated after a write of an audience), `audiences:user:matched` (a user became a member of an audience), `audiences:user:unmatched` (a user is no longer a member of an audience), `preferences:user:updated` (the preferences of a user were written), `sms:received` (a text message came in at a number of an integration). */
export type WebhookType = 'message:updated' | 'notification:published' | 'notification:submitted' | 'notification:submission_canceled' | 'audiences:created' | 'audiences:updated' | 'audiences:deleted' | 'audiences:calculated' | 'audiences:user:matched' | 'audiences:user:unmatched' | 'preferences:user:updated' | 'sms:received'

export interface WebhooksCreateBody {
  /** URL of the POST requests: http or https, without user name and password. */
  url: string
  /** Changes for which the webhook is called. */
  types?: Array<WebhookType> | undefined
  /** Whether the webhook is called. While it is disabled, pending deliveries wait for up to three days, and new changes are not recorded. */
  enabled?: boolean | undefined
  /** Secret that signs the calls; null for no signature. Default: a generated secret. */
  secret?: string | null | undefined
}

export interface WebhooksDeliveriesQuery {
  /** The `paging.cursor` of the previous page. It never expires. */
  cursor?: string | undefined
  /** Items per page. Default: 50. */
  limit?: number | undefined
  /** Status of the deliveries. */
  status?: 'WAITING' | 'DELIVERED' | 'FAILED' | undefined
}

export interface WebhooksDeliveriesReply {
  paging: Paging
  results: Array<WebhookDelivery>
}

export interface WebhooksListReply {
  results: Array<Webhook>
}

export interface WebhooksUpdateBody {
  /** URL of the POST requests: http or https, without user name and password. */
  url?: string | undefined
  /** Changes for which the webhook is called. */
  types?: Array<WebhookType> | undefined
  /** Whether the webhook is called. While it is disabled, pending deliveries wait for up to three days, and new changes are not recorded. */
  enabled?: boolean | undefined
  /** New secret; null removes it. */
  secret?: string | null | undefined
}

/** Settings of WhatsApp. */
export interface WhatsappSettings {
  /** Phone number id: The id of the sender at Meta, not its number. */
  phoneNumberId: string
  /** Access token: A token of a system user with whatsapp_business_messaging. */
  accessToken: string
  /** Template: An approved template with one variable in its body. The variable gets the text of the message. */
  template?: string | undefined
  /** Language of the template: The language code of the template at Meta. Default: "en_US". */
  templateLanguage?: string | undefined
  /** Base URL: The URL of the API. Change it for a proxy or another region. Default: "https://graph.facebook.com/v23.0". */
  baseUrl?: string | undefined
  /** App secret: Verifies callbacks. Meta shows it under App settings, Basic, App secret. */
  appSecret?: string | undefined
  /** Verify token: A text of your choice. Meta repeats it when it verifies the callback address. */
  verifyToken?: string | undefined
}

/** A provider that this version knows; `SettingsByProvider` takes others by declaration merging. */
export type ProviderName = Extract<keyof SettingsByProvider, string>

declare const integration: unique symbol
/** The id of an integration as the API returns it; write one that comes from elsewhere as `id as IntegrationId`. */
export type IntegrationId = string & { readonly [integration]: true }

export type ByChannel<Value> = { [Name in Channel]?: Value | null | undefined }
export type ByProvider<Value> = { [Name in ProviderName]?: Value | null | undefined }

/** Profile data of providers. Add keys of your own by declaration merging. */
export interface ProfileFields {
  slack?: Record<string, unknown> | null | undefined
  ms_teams?: Record<string, unknown> | null | undefined
  webhook?: Record<string, unknown> | null | undefined
}

/** Without any id the contact values stand for themselves. */
export interface ContactRecipient extends RecipientFields, ContactFields, ProfileFields {}
export interface UserRecipient extends RecipientFields, ContactFields, UserFields, ProfileFields {}
export interface ListRecipient extends RecipientFields, ListFields {
  /** Id of a list: all of its subscribers. */
  list_id: string
}
export interface ListPatternRecipient extends RecipientFields, ListFields {
  /** Pattern of list ids, such as `team.*` or `team.**`: all subscribers of the matching lists. */
  list_pattern: string
}
export interface AudienceRecipient extends RecipientFields, ListFields {
  /** Id of an audience: all of its members. */
  audience_id: string
}
export type TenantRecipient = RecipientFields & TenantFields & ({ tenant_id: string } | { account_id: string })

export type MessageRecipient =
  | UserRecipient
  | ContactRecipient
  | ListRecipient
  | ListPatternRecipient
  | AudienceRecipient
  | TenantRecipient

/** Replaces parts of the content and the options of a channel. */
export interface ChannelOverride {
  subject?: string | undefined
  title?: string | undefined
  body?: string | undefined
  html?: string | undefined
  text?: string | undefined
  /** A brand by its id, or parts of one. */
  brand?: string | Record<string, unknown> | undefined
}

/** Email also takes the sender and what stands in the head of the mail. */
export interface EmailOverride extends ChannelOverride {
  from?: unknown
  replyTo?: unknown
  reply_to?: unknown
  cc?: unknown
  bcc?: unknown
  headers?: Record<string, string> | undefined
  attachments?: readonly unknown[] | undefined
}

export type OverrideByChannel = { [Name in Channel]?: (Name extends 'email' ? EmailOverride : ChannelOverride) | null }

/** Settings of each channel for a message, with the override of that channel. */
export type SettingsByChannel<Settings> = {
  [Name in Channel]?:
    | (Omit<Settings, 'override'> & {
        /** Merged over the content and options of the channel. */
        override?: (Name extends 'email' ? EmailOverride : ChannelOverride) | null | undefined
      })
    | null
    | undefined
}

/** `config` is merged over the settings of the integration, `body` over the request to the provider. */
export interface ProviderOverride<Settings> {
  config?: Partial<Settings> | undefined
  body?: Record<string, unknown> | undefined
  /** Further fields that are merged over the request, as the provider documents them. */
  [field: string]: unknown
}

/** Settings of each provider for a message, with its override. */
export type OptionsByProvider<Options> = {
  [Name in ProviderName]?:
    | (Omit<Options, 'override'> & { override?: ProviderOverride<SettingsByProvider[Name]> | null | undefined })
    | null
    | undefined
}

/** Overrides of the first generation: by provider, by channel, and of the brand. */
export type Override = {
  [Name in ProviderName]?: ProviderOverride<SettingsByProvider[Name]> | null | undefined
} & {
  channel?: OverrideByChannel | null | undefined
  brand?: string | Record<string, unknown> | null | undefined
}

/** All calls of the API, bound to `call`. */
export const api = (call: Call) => ({
  /** Send a notification. Replies as soon as the message is durably stored. An unknown event, a missing address or an opt-out is not an error of this call: it becomes the status of the message. A strict send (`?strict=true`, the header `Prefer: handling=strict` or the setting of the environment) returns 400 for all of these except the opt-out. A body with `message` is of the second generation: it supports several recipients, inline content and routing, and returns 202 with a request id. A body of the first generation can also be an urlencoded form with nested keys in brackets, `profile[email]=…`. `POST /send`. */
  send: ((body: SendBody | MessageSendBody, options?: CallOptions & SendQuery) => call({ method: 'POST', path: `/send`, body, options, query: { strict: options?.strict } })) as SendCall<SendBody, SendReply, MessageSendBody, RequestReply, CallOptions & SendQuery>,
  /** Explain a send without sending. Accepts the body of a send of either generation, for one recipient, and returns the decision, every candidate, the rendered content and the ignored parts of the body. Nothing is stored and no provider is called. `POST /explain`. */
  explain: (body: TypedSend<SendBody> | TypedMessage<MessageSendBody>, options?: CallOptions & ExplainQuery): Promise<Explanation> =>
    call<Explanation>({ method: 'POST', path: `/explain`, body, options, query: { unavailable: options?.unavailable } }),
  /** Simulate an automation. Runs an automation in memory with a simulated clock and returns every message with its channels and rendered content, every digest with its events, every skipped step with the reason, and every wait. Nothing is sent or stored, no HTTP request is made, and delays take no time. Brands, notifications, preferences and integrations are the current ones. `POST /automations/simulate`. */
  simulate: (body: SimulationBody, options?: CallOptions): Promise<Simulation> =>
    call<Simulation>({ method: 'POST', path: `/automations/simulate`, body, options }),
  /** Status, history and rendered content of messages. */
  messages: {
    /** List messages. Newest first, ten a page. All filters must match. With `after`, the messages that follow one, oldest first: a client follows new messages by calling again with the id of the last one that it has. Messages of the last second come with a later call, so that none is left out; those of a send to many have the time of the send in their ids, and are left out when they are made later. `GET /messages`. */
    list: (query?: MessagesListQuery, options?: CallOptions): Listing<MessagesListReply, Message> =>
      listing((cursor) => call<MessagesListReply>({ method: 'GET', path: `/messages`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Get a message. `GET /messages/:message_id`. */
    get: (messageId: string, options?: CallOptions): Promise<MessageDetail> =>
      call<MessageDetail>({ method: 'GET', path: `/messages/${segment(messageId)}`, options }),
    /** Get the history of a message. `GET /messages/:message_id/history`. */
    history: (messageId: string, query?: MessagesHistoryQuery, options?: CallOptions): Promise<MessagesHistoryReply> =>
      call<MessagesHistoryReply>({ method: 'GET', path: `/messages/${segment(messageId)}/history`, options, query: { ...query } }),
    /** Get the rendered content of a message. Rendered content by channel. `GET /messages/:message_id/output`. */
    output: (messageId: string, options?: CallOptions): Promise<MessagesOutputReply> =>
      call<MessagesOutputReply>({ method: 'GET', path: `/messages/${segment(messageId)}/output`, options }),
    /** Get one rendered part. The URLs in a `RENDERED` event refer to this operation. HTML is returned as `text/html` in a sandbox, blocks as JSON, all other parts as plain text. `GET /messages/:message_id/output/:render_id/:part`. */
    outputPart: (messageId: string, renderId: string, part: 'html' | 'subject' | 'title' | 'body' | 'text' | 'blocks', options?: CallOptions): Promise<string> =>
      call<string>({ method: 'GET', path: `/messages/${segment(messageId)}/output/${segment(renderId)}/${segment(part)}`, text: true, options }),
    /** Cancel a message. After a 200 no provider is called any more. Canceling is idempotent. When it is too late, the reply is 409 with the unchanged message. `POST /messages/:message_id/cancel`. */
    cancel: (messageId: string, options?: CallOptions): Promise<MessageDetail> =>
      call<MessageDetail>({ method: 'POST', path: `/messages/${segment(messageId)}/cancel`, options }),
    /** Explain a message. The decision on the message with its facts, and every delivery with its attempts; with `as_of=now`, how the same inputs would be decided now. `GET /messages/:message_id/explain`. */
    explain: (messageId: string, query?: MessagesExplainQuery, options?: CallOptions): Promise<MessageExplanation> =>
      call<MessageExplanation>({ method: 'GET', path: `/messages/${segment(messageId)}/explain`, options, query: { ...query } }),
    /** Resend a message. Creates a new message with the same inputs, which is decided immediately, with the mode of the calling key and the current data of the recipient. `POST /messages/:message_id/resend`. */
    resend: (messageId: string, options?: CallOptions): Promise<SendReply> =>
      call<SendReply>({ method: 'POST', path: `/messages/${segment(messageId)}/resend`, options }),
    /** Archive a message. Alias of `PUT /requests/:request_id/archive` for an older client. `PUT /messages/:message_id/output`. */
    archive: (messageId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/messages/${segment(messageId)}/output`, options }),
    /** Cancel messages. Without `confirm` it is a dry run: how many messages can be canceled, and which are the first. With `confirm`, the `cancelable` of the dry run, each is canceled as `POST /messages/:message_id/cancel` does, up to 1,000 a call, newest first. Repeat the call with `remaining` as `confirm` until `remaining` or `canceled` is 0; a call that was interrupted is repeated in the same way. Messages that are sent meanwhile do not stand in the way; if more can be canceled by then than `confirm` says, the reply is 409 `count_changed`. The filter `messageId` with the id of a bulk job selects its messages; cancel the job first, so that it makes no more. `POST /messages/cancel`. */
    cancelMany: (body: Cancellation, options?: CallOptions): Promise<Cancellations> =>
      call<Cancellations>({ method: 'POST', path: `/messages/cancel`, body, options }),
    /** Release held messages. Held messages are tried again now, each with an event `RELEASED` in its history; those that an integration refuses again are held again. Up to 1,000 a call, oldest first. With `dry_run` they are counted, and the first ones shown. A change of an integration, and a successful test of it, release its messages without this call. `POST /messages/release`. */
    release: (body?: Release, options?: CallOptions): Promise<Released> =>
      call<Released>({ method: 'POST', path: `/messages/release`, body, options }),
  },
  /** Sending messages again, for example those that failed during an outage. */
  replays: {
    /** Replay messages. Without `confirm` it is a dry run: how many messages can be replayed, which are the first, and why others are left out. With `confirm`, the `replayable` of the dry run, each of them is sent again as a new message with the same inputs, in the mode of the calling key; it is decided anew, with the current templates, profiles, preferences, suppressed addresses and limits. Exactly the messages that were counted by the call with `confirm` are replayed, whatever becomes of them and of others later; those that are erased or past retention when their turn comes are counted in `excluded` of the replay. They are replayed oldest first, in the background, at most `rate_per_minute`; 100,000 messages a call. If another number can be replayed by then, or, where `set` of the dry run is given, other messages, the reply is 409 `count_changed`. A workspace has one replay at a time: while one is in progress, a call with `confirm` is 409 `conflict`, whose message names the replay; wait until it has ended, or cancel it. `POST /messages/replay`. */
    create: (body: ReplayWrite, options?: CallOptions): Promise<ReplayPlan> =>
      call<ReplayPlan>({ method: 'POST', path: `/messages/replay`, body, options }),
    /** Get a replay. `GET /messages/replay/:replay_id`. */
    get: (replayId: string, options?: CallOptions): Promise<Replay> =>
      call<Replay>({ method: 'GET', path: `/messages/replay/${segment(replayId)}`, options }),
    /** Cancel a replay. No further messages are created; those created already are sent, and canceled where the replay was paused. Canceling is idempotent. A replay that has ended otherwise is 409. `POST /messages/replay/:replay_id/cancel`. */
    cancel: (replayId: string, options?: CallOptions): Promise<Replay> =>
      call<Replay>({ method: 'POST', path: `/messages/replay/${segment(replayId)}/cancel`, options }),
  },
  /** Sends to many recipients: their progress, and how to stop them. */
  requests: {
    /** List requests. Sends to lists, audiences, tenants and several recipients, bulk jobs and replays, newest first. A send to one recipient is a message: `GET /messages`. `GET /requests`. */
    list: (query?: RequestsListQuery, options?: CallOptions): Listing<RequestsPage, SendRequestSummary> =>
      listing((cursor) => call<RequestsPage>({ method: 'GET', path: `/requests`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Get a request. Progress of a send to many recipients; `GET /messages?traceId=` lists its messages. A send to one recipient is complete immediately. `GET /requests/:request_id`. */
    get: (requestId: string, options?: CallOptions): Promise<SendRequest> =>
      call<SendRequest>({ method: 'GET', path: `/requests/${segment(requestId)}`, options }),
    /** Cancel a request. Stops a send to many recipients for good, before and while it runs: no further messages are created, and after the reply no node begins to call a provider for one. Calls in progress (`inDelivery`) end by themselves, and what they have sent counts. The other messages end as `CANCELED`, with the key of this call in their history: some thousands before the reply, the rest in the background, also when a node dies. Canceling is idempotent; a request whose messages have all ended is 409. A message id cancels that message. `POST /requests/:request_id/cancel`. */
    cancel: (requestId: string, options?: CallOptions): Promise<SendRequest> =>
      call<SendRequest>({ method: 'POST', path: `/requests/${segment(requestId)}/cancel`, options }),
    /** Pause a request. No further messages are created, and after the reply no node begins to call a provider for one, until the request is resumed; calls in progress end by themselves. A message whose time comes meanwhile is `ENQUEUED`. The time limits of those that were decided go on. Pausing is idempotent and has no end of its own; a request whose messages have all ended, or that was canceled, is 409. `POST /requests/:request_id/pause`. */
    pause: (requestId: string, options?: CallOptions): Promise<SendRequest> =>
      call<SendRequest>({ method: 'POST', path: `/requests/${segment(requestId)}/pause`, options }),
    /** Resume a request. Ends the pause of a request: its messages go on at once, or at their time. Resuming is idempotent; a canceled request is 409. `POST /requests/:request_id/resume`. */
    resume: (requestId: string, options?: CallOptions): Promise<SendRequest> =>
      call<SendRequest>({ method: 'POST', path: `/requests/${segment(requestId)}/resume`, options }),
    /** Archive a request. Omits its messages, including those not yet created, from `GET /messages` unless `archived=true`. Messages are otherwise unchanged, and pending ones are still sent. A message id archives that message. `PUT /requests/:request_id/archive`. */
    archive: (requestId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/requests/${segment(requestId)}/archive`, options }),
  },
  /** Bulk jobs: one message to many users, added in parts. */
  bulk: {
    /** List bulk jobs. Newest first. `GET /bulk`. */
    list: (query?: BulkListQuery, options?: CallOptions): Listing<BulkJobsPage, BulkJobSummary> =>
      listing((cursor) => call<BulkJobsPage>({ method: 'GET', path: `/bulk`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Create a bulk job. Nothing is sent until the job has users and is run. A strict call (`?strict=true`, as for `POST /send`) returns 400 for problems that would affect the message of every user; users are not checked. `POST /bulk`. */
    create: (body: TypedBulk<BulkCreateBody>, options?: CallOptions & BulkCreateQuery): Promise<BulkCreated> =>
      call<BulkCreated>({ method: 'POST', path: `/bulk`, body, options, query: { strict: options?.strict } }),
    /** Explain a bulk job without sending. The message of a job and some of its users, as in `POST /bulk` and `POST /bulk/:job_id`: the forecast for each user, as of now. At most 100 users a call; without users the message alone is checked. Nothing is stored, no provider is called, and an `Idempotency-Key` has no effect. `POST /explain/bulk`. */
    explain: (body: BulkExplainBody, options?: CallOptions): Promise<BulkExplanation> =>
      call<BulkExplanation>({ method: 'POST', path: `/explain/bulk`, body, options }),
    /** Add users to a bulk job. At most 1,000 users a call, in any number of calls, until the job is run. A user who is already in the job, does not match the schema or has no recipient is refused with a reason; the others are added. A job has one message for each recipient: two with other data, such as two invoices, are two jobs. `POST /bulk/:job_id`. */
    ingest: (jobId: string, body: BulkIngestBody, options?: CallOptions): Promise<BulkIngested> =>
      call<BulkIngested>({ method: 'POST', path: `/bulk/${segment(jobId)}`, body, options }),
    /** Run a bulk job. Starts sending to its users; no more users can be added. A job runs once, and a canceled one never. `POST /bulk/:job_id/run`. */
    run: (jobId: string, options?: CallOptions): Promise<BulkAccepted> =>
      call<BulkAccepted>({ method: 'POST', path: `/bulk/${segment(jobId)}/run`, options }),
    /** Cancel a bulk job. No further messages are created; those created already are sent, and canceled where the job was paused. A job that was not run cannot be run any more. Canceling is idempotent; a job that has ended otherwise is 409. Messages that were created during the call may be missing in the counts of the reply. `POST /bulk/:job_id/cancel`. */
    cancel: (jobId: string, options?: CallOptions): Promise<BulkJobReply> =>
      call<BulkJobReply>({ method: 'POST', path: `/bulk/${segment(jobId)}/cancel`, options }),
    /** Get a bulk job. `GET /bulk/:job_id`. */
    get: (jobId: string, options?: CallOptions): Promise<BulkJobReply> =>
      call<BulkJobReply>({ method: 'GET', path: `/bulk/${segment(jobId)}`, options }),
    /** Get a bulk job by its run. Alias of `GET /bulk/:job_id` for an older client. `GET /bulk/:job_id/run`. */
    getRun: (jobId: string, options?: CallOptions): Promise<BulkJobReply> =>
      call<BulkJobReply>({ method: 'GET', path: `/bulk/${segment(jobId)}/run`, options }),
    /** List the users of a bulk job. `GET /bulk/:job_id/users`. */
    users: (jobId: string, query?: BulkUsersQuery, options?: CallOptions): Listing<BulkUsersPage, BulkUserRecord> =>
      listing((cursor) => call<BulkUsersPage>({ method: 'GET', path: `/bulk/${segment(jobId)}/users`, options, query: { ...query, ...cursor } }), (page) => page.items),
  },
  /** Profiles of recipients: addresses and other data. */
  profiles: {
    /** List and search profiles. Newest first. With `search`: those whose id, email address, name, family name (these in any case) or telephone number (by its digits) begins with it, in the order of what begins with it. A page of a search can have fewer entries than its limit although more follow. `GET /profiles`. */
    list: (query?: ProfilesListQuery, options?: CallOptions): Listing<ProfilesListReply, ProfileSummary> =>
      listing((cursor) => call<ProfilesListReply>({ method: 'GET', path: `/profiles`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Import profiles. At most 1,000 profiles a call, stored together. Each is merged or replaced as by a call of its own, in the order of the call; one that is refused is listed in `errors`, and the others are written. The same call again leaves the same profiles. A call whose profiles, or the stored ones that they are merged into, are too large together is 413: send fewer at once. `POST /imports/profiles`. */
    import: (body: ProfilesImportBody, options?: CallOptions): Promise<ProfilesImported> =>
      call<ProfilesImported>({ method: 'POST', path: `/imports/profiles`, body, options }),
    /** Get a profile. `GET /profiles/:user_id`. */
    get: (userId: string, options?: CallOptions): Promise<Profile> =>
      call<Profile>({ method: 'GET', path: `/profiles/${segment(userId)}`, options }),
    /** Merge into a profile. Objects are merged key by key; arrays and scalar values are replaced. Creates the profile when it does not exist. A body with `patch` and without `profile` is handled as PATCH. `POST /profiles/:user_id`. */
    merge: (userId: string, body: ProfilesMergeBody, options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'POST', path: `/profiles/${segment(userId)}`, body, options }),
    /** Replace a profile. Creates the profile, or replaces the whole of it. Preferences are unchanged. `PUT /profiles/:user_id`. */
    replace: (userId: string, body: ProfilesReplaceBody, options?: CallOptions & IfAbsent): Promise<Success> =>
      call<Success>({ method: 'PUT', path: `/profiles/${segment(userId)}`, body, options }),
    /** Patch a profile. JSON Patch (RFC 6902) against the profile. A failed `test` or a missing path rejects the whole patch. Creates the profile when it does not exist. `PATCH /profiles/:user_id`. */
    patch: (userId: string, body: {
      /** Operations, applied in order, all or none. An empty array changes nothing. */
      patch: Array<PatchOperation>
    } | Array<PatchOperation>, options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'PATCH', path: `/profiles/${segment(userId)}`, body, options }),
    /** Delete a profile. Deletes the profile and the preferences; unknown ids succeed. With `erase` all other data of the user is erased too, and the reply is 202 with the record of the erasure: the profile is deleted and no more messages are sent; the remaining data is erased in the background. `DELETE /profiles/:user_id`. */
    delete: (userId: string, query?: ProfilesDeleteQuery, options?: CallOptions): Promise<Success | Erasure> =>
      call<Success | Erasure>({ method: 'DELETE', path: `/profiles/${segment(userId)}`, options, query: { ...query } }),
    /** List the lists of a recipient. Includes the preferences of each subscription. Empty for a recipient without lists or without a profile. `GET /profiles/:user_id/lists`. */
    lists: (userId: string, query?: ProfilesListsQuery, options?: CallOptions): Listing<ProfilesListsReply, List> =>
      listing((cursor) => call<ProfilesListsReply>({ method: 'GET', path: `/profiles/${segment(userId)}/lists`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Subscribe a recipient to lists. Other subscriptions and omitted preferences are unchanged. Creates lists that do not exist. `POST /profiles/:user_id/lists`. */
    subscribe: (userId: string, body: ProfilesSubscribeBody, options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'POST', path: `/profiles/${segment(userId)}/lists`, body, options }),
    /** Unsubscribe a recipient from every list. Includes deleted lists: restoring one does not restore the subscription. `DELETE /profiles/:user_id/lists`. */
    unsubscribe: (userId: string, options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'DELETE', path: `/profiles/${segment(userId)}/lists`, options }),
  },
  /** Addresses that nothing is sent to: bounced, not in use, unsubscribed, complained, or listed by hand. */
  suppressions: {
    /** List suppressed addresses. Newest first. Entries whose time is over are not listed. `GET /suppressions`. */
    list: (query?: SuppressionsListQuery, options?: CallOptions): Listing<SuppressionsListReply, Suppression> =>
      listing((cursor) => call<SuppressionsListReply>({ method: 'GET', path: `/suppressions`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Suppress addresses. An address that is on the list keeps its entry, whatever its reason: remove it first to change it. All are added, or none. `POST /suppressions`. */
    add: (body: SuppressionsAddBody, options?: CallOptions): Promise<SuppressionsAddReply> =>
      call<SuppressionsAddReply>({ method: 'POST', path: `/suppressions`, body, options }),
    /** Import suppressed addresses. As the call that suppresses addresses, but one that is refused is listed in `errors`, and the others are added. The same call again adds nothing. `POST /imports/suppressions`. */
    import: (body: SuppressionsImportBody, options?: CallOptions): Promise<SuppressionsImported> =>
      call<SuppressionsImported>({ method: 'POST', path: `/imports/suppressions`, body, options }),
    /** Remove an address from the list. The next send to the address is tried. Providers keep lists of their own: remove it there, too. Unknown ids succeed. `DELETE /suppressions/:suppression_id`. */
    delete: (suppressionId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/suppressions/${segment(suppressionId)}`, options }),
  },
  /** Records of erased users. */
  erasures: {
    /** Get an erasure. Record of `DELETE /profiles/:user_id?erase=true`, with the number of records erased so far. `GET /erasures/:erasure_id`. */
    get: (erasureId: string, options?: CallOptions): Promise<Erasure> =>
      call<Erasure>({ method: 'GET', path: `/erasures/${segment(erasureId)}`, options }),
  },
  /** Lists of subscribed recipients, for sends to all of them. */
  lists: {
    /** List lists. `GET /lists`. */
    list: (query?: ListsListQuery, options?: CallOptions): Listing<ListsListReply, List> =>
      listing((cursor) => call<ListsListReply>({ method: 'GET', path: `/lists`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Get a list. `GET /lists/:list_id`. */
    get: (listId: string, options?: CallOptions): Promise<List> =>
      call<List>({ method: 'GET', path: `/lists/${segment(listId)}`, options }),
    /** Create or replace a list. Subscriptions are unchanged. A deleted list is created again, without subscriptions. `PUT /lists/:list_id`. */
    put: (listId: string, body: ListsPutBody, options?: CallOptions & IfAbsent): Promise<void> =>
      call<void>({ method: 'PUT', path: `/lists/${segment(listId)}`, body, options }),
    /** Delete a list. The list is hidden, with its subscriptions, until it is restored or created again. `DELETE /lists/:list_id`. */
    delete: (listId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/lists/${segment(listId)}`, options }),
    /** Restore a deleted list. Restores the list with its subscriptions. A list that is not deleted is unchanged. `PUT /lists/:list_id/restore`. */
    restore: (listId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/lists/${segment(listId)}/restore`, options }),
    /** List the subscriptions of a list. `GET /lists/:list_id/subscriptions`. */
    subscriptions: (listId: string, query?: ListsSubscriptionsQuery, options?: CallOptions): Listing<ListsSubscriptionsReply, ListSubscription> =>
      listing((cursor) => call<ListsSubscriptionsReply>({ method: 'GET', path: `/lists/${segment(listId)}/subscriptions`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Replace the subscriptions of a list. Replaces all subscriptions and their preferences. Creates the list if necessary. `PUT /lists/:list_id/subscriptions`. */
    replaceSubscriptions: (listId: string, body: ListSubscriptionsWrite, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/lists/${segment(listId)}/subscriptions`, body, options }),
    /** Subscribe recipients to a list. Other subscriptions are unchanged, and so are omitted preferences of recipients who are already subscribed. Creates the list if necessary. `POST /lists/:list_id/subscriptions`. */
    addSubscriptions: (listId: string, body: ListSubscriptionsWrite, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'POST', path: `/lists/${segment(listId)}/subscriptions`, body, options }),
    /** Subscribe a recipient to a list. Omitted preferences are unchanged. Creates the list if necessary. `PUT /lists/:list_id/subscriptions/:user_id`. */
    subscribe: (listId: string, userId: string, body?: ListsSubscribeBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/lists/${segment(listId)}/subscriptions/${segment(userId)}`, body, options }),
    /** Unsubscribe a recipient from a list. `DELETE /lists/:list_id/subscriptions/:user_id`. */
    unsubscribe: (listId: string, userId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/lists/${segment(listId)}/subscriptions/${segment(userId)}`, options }),
    /** Send to a list. Replies as soon as the request is durably stored; recipients are resolved afterwards, each once. `GET /messages?messageId=` or `?list=` lists the messages, and `GET /requests/:request_id` has the progress. A list that does not exist has no subscribers; a strict call (`?strict=true`, as for `POST /send`) returns 400 for it, and for problems that would affect the message of every recipient. `POST /send/list`. */
    send: (body: ListSendBody, options?: CallOptions & ListsSendQuery): Promise<SendReply> =>
      call<SendReply>({ method: 'POST', path: `/send/list`, body, options, query: { strict: options?.strict } }),
  },
  /** Tokens of the devices of a user, issued by push providers. */
  deviceTokens: {
    /** List the device tokens of a user. Newest first. `GET /users/:user_id/tokens`. */
    list: (userId: string, options?: CallOptions): Promise<DeviceTokensListReply> =>
      call<DeviceTokensListReply>({ method: 'GET', path: `/users/${segment(userId)}/tokens`, options }),
    /** Get a device token. `GET /users/:user_id/tokens/:token`. */
    get: (userId: string, token: string, options?: CallOptions): Promise<DeviceToken> =>
      call<DeviceToken>({ method: 'GET', path: `/users/${segment(userId)}/tokens/${segment(token)}`, options }),
    /** Store several device tokens. Replaces tokens that exist; other tokens of the user are unchanged. A user has at most 100; expired tokens do not count. Without a body nothing changes. `PUT /users/:user_id/tokens`. */
    add: (userId: string, body?: Array<NamedDeviceToken> | {
      /** The tokens. */
      tokens: Array<NamedDeviceToken>
    }, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/users/${segment(userId)}/tokens`, body, options }),
    /** Store a device token. `PUT /users/:user_id/tokens/:token`. */
    put: (userId: string, token: string, body: DeviceTokenInput, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/users/${segment(userId)}/tokens/${segment(token)}`, body, options }),
    /** Patch a device token. JSON Patch (RFC 6902) against the token as returned; all operations or none. `PATCH /users/:user_id/tokens/:token`. */
    patch: (userId: string, token: string, body: DeviceTokensPatchBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PATCH', path: `/users/${segment(userId)}/tokens/${segment(token)}`, body, options }),
    /** Delete a device token. Unknown tokens succeed. `DELETE /users/:user_id/tokens/:token`. */
    delete: (userId: string, token: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/users/${segment(userId)}/tokens/${segment(token)}`, options }),
  },
  /** Your customers: hierarchy, user profiles, properties and defaults. */
  tenants: {
    /** List tenants. Ordered by id. `GET /tenants`. */
    list: (query?: TenantsListQuery, options?: CallOptions): Listing<TenantPage, Tenant> =>
      listing((cursor) => call<TenantPage>({ method: 'GET', path: `/tenants`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Get a tenant. `GET /tenants/:tenant_id`. */
    get: (tenantId: string, options?: CallOptions): Promise<Tenant> =>
      call<Tenant>({ method: 'GET', path: `/tenants/${segment(tenantId)}`, options }),
    /** Create or replace a tenant. Omitted fields are cleared; its users are unchanged. The parent must exist. A tenant and its ancestors form at most 10 levels, without cycles. `PUT /tenants/:tenant_id`. */
    put: (tenantId: string, body: TenantInput, options?: CallOptions & IfAbsent): Promise<Tenant> =>
      call<Tenant>({ method: 'PUT', path: `/tenants/${segment(tenantId)}`, body, options }),
    /** Delete a tenant. Removes its memberships; profiles of users are unchanged. A tenant with child tenants returns 409. `DELETE /tenants/:tenant_id`. */
    delete: (tenantId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/tenants/${segment(tenantId)}`, options }),
    /** List the users of a tenant. Direct members only, ordered by id. `GET /tenants/:tenant_id/users`. */
    users: (tenantId: string, query?: TenantsUsersQuery, options?: CallOptions): Listing<MembershipPage, Membership> =>
      listing((cursor) => call<MembershipPage>({ method: 'GET', path: `/tenants/${segment(tenantId)}/users`, options, query: { ...query, ...cursor } }), (page) => page.items),
  },
  /** Memberships of users in tenants, each with its own profile. */
  memberships: {
    /** List the tenants of a user. Ordered by id. Empty for a user without tenants and for an unknown user. `GET /users/:user_id/tenants`. */
    list: (userId: string, query?: MembershipsListQuery, options?: CallOptions): Listing<MembershipPage, Membership> =>
      listing((cursor) => call<MembershipPage>({ method: 'GET', path: `/users/${segment(userId)}/tenants`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Add a user to tenants. Adds all memberships or, if a tenant does not exist, none. Other memberships of the user are unchanged. `PUT /users/:user_id/tenants`. */
    add: (userId: string, body: MembershipsAddBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/users/${segment(userId)}/tenants`, body, options }),
    /** Remove a user from every tenant. `DELETE /users/:user_id/tenants`. */
    clear: (userId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/users/${segment(userId)}/tenants`, options }),
    /** Add a user to a tenant. `PUT /users/:user_id/tenants/:tenant_id`. */
    put: (userId: string, tenantId: string, body?: MembershipsPutBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/users/${segment(userId)}/tenants/${segment(tenantId)}`, body, options }),
    /** Remove a user from a tenant. Succeeds if the user is not a member. `DELETE /users/:user_id/tenants/:tenant_id`. */
    remove: (userId: string, tenantId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/users/${segment(userId)}/tenants/${segment(tenantId)}`, options }),
  },
  /** Tenants under the names of older clients. */
  accounts: {
    /** List tenants (as accounts). `GET /accounts`. */
    list: (query?: AccountsListQuery, options?: CallOptions): Listing<AccountPage, Account> =>
      listing((cursor) => call<AccountPage>({ method: 'GET', path: `/accounts`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Get a tenant (as an account). `GET /accounts/:account_id`. */
    get: (accountId: string, options?: CallOptions): Promise<Account> =>
      call<Account>({ method: 'GET', path: `/accounts/${segment(accountId)}`, options }),
    /** Create or replace a tenant (as an account). `PUT /accounts/:account_id`. */
    put: (accountId: string, body: AccountInput, options?: CallOptions): Promise<Account> =>
      call<Account>({ method: 'PUT', path: `/accounts/${segment(accountId)}`, body, options }),
    /** Delete a tenant (as an account). `DELETE /accounts/:account_id`. */
    delete: (accountId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/accounts/${segment(accountId)}`, options }),
    /** Write the profile and tenants of a user. Replaces the profile, if present, and adds the user to the tenants, all or nothing. `PUT /users/:user_id`. */
    putUser: (userId: string, body: AccountsPutUserBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/users/${segment(userId)}`, body, options }),
    /** Add a user to tenants (as accounts). The body is an array, or an object with `accounts`. `PUT /users/:user_id/accounts`. */
    addUser: (userId: string, body: Array<{
      /** The tenant id. */
      account_id: string
      /** Profile that is merged over the profile of the user in messages for this tenant. Default: unchanged, for an existing membership. */
      profile?: Record<string, unknown> | null | undefined
    }> | {
      /** Tenants of the user. Other memberships are unchanged. */
      accounts: Array<{
        /** The tenant id. */
        account_id: string
        /** Profile that is merged over the profile of the user in messages for this tenant. Default: unchanged, for an existing membership. */
        profile?: Record<string, unknown> | null | undefined
      }>
    }, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/users/${segment(userId)}/accounts`, body, options }),
  },
  /** Preferences of recipients: by notification and category (first generation), and by topic (second generation). */
  preferences: {
    /** List notifications and categories with preferences. Published notifications by category (`settings.category`). `GET /preferences`. */
    list: (options?: CallOptions): Promise<PreferencesListReply> =>
      call<PreferencesListReply>({ method: 'GET', path: `/preferences`, options }),
    /** Get the preferences of a recipient. Preferences by notification and category. The maps are empty when nothing is stored. `GET /preferences/:recipient_id`. */
    get: (recipientId: string, options?: CallOptions): Promise<StoredPreferences> =>
      call<StoredPreferences>({ method: 'GET', path: `/preferences/${segment(recipientId)}`, options }),
    /** Replace the preferences of a recipient. Replaces each of the two maps that is present; an omitted map is unchanged. `PUT /preferences/:recipient_id`. */
    replace: (recipientId: string, body: Preferences, options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'PUT', path: `/preferences/${segment(recipientId)}`, body, options }),
    /** Merge into the preferences of a recipient. Merges entries key by key; arrays in them are replaced. `PATCH /preferences/:recipient_id`. */
    merge: (recipientId: string, body: Preferences, options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'PATCH', path: `/preferences/${segment(recipientId)}`, body, options }),
    /** List a user's preferences by topic. Every topic of the workspace with the preference of the user. `GET /users/:user_id/preferences`. */
    topics: (userId: string, query?: PreferencesTopicsQuery, options?: CallOptions): Promise<PreferencesTopicsReply> =>
      call<PreferencesTopicsReply>({ method: 'GET', path: `/users/${segment(userId)}/preferences`, options, query: { ...query } }),
    /** Replace a user's choices for all topics. Topics that are not listed revert to their default. A choice that cannot be stored rejects the whole call. `PUT /users/:user_id/preferences`. */
    replaceTopics: (userId: string, body: PreferencesReplaceTopicsBody, query?: PreferencesReplaceTopicsQuery, options?: CallOptions): Promise<PreferencesReplaceTopicsReply> =>
      call<PreferencesReplaceTopicsReply>({ method: 'PUT', path: `/users/${segment(userId)}/preferences`, body, options, query: { ...query } }),
    /** Store a user's choices for some topics. Other topics are unchanged. Choices that cannot be stored are listed in `errors`; the others are stored. `POST /users/:user_id/preferences`. */
    updateTopics: (userId: string, body: PreferencesUpdateTopicsBody, query?: PreferencesUpdateTopicsQuery, options?: CallOptions): Promise<PreferencesUpdateTopicsReply> =>
      call<PreferencesUpdateTopicsReply>({ method: 'POST', path: `/users/${segment(userId)}/preferences`, body, options, query: { ...query } }),
    /** Get a user's preference for a topic. `GET /users/:user_id/preferences/:topic_id`. */
    topic: (userId: string, topicId: string, query?: PreferencesTopicQuery, options?: CallOptions): Promise<PreferencesTopicReply> =>
      call<PreferencesTopicReply>({ method: 'GET', path: `/users/${segment(userId)}/preferences/${segment(topicId)}`, options, query: { ...query } }),
    /** Store a user's choice for a topic. `OPTED_OUT` unsubscribes the user from the topic. Users cannot opt out of a required topic. `PUT /users/:user_id/preferences/:topic_id`. */
    putTopic: (userId: string, topicId: string, body: PreferencesPutTopicBody, query?: PreferencesPutTopicQuery, options?: CallOptions): Promise<PreferencesPutTopicReply> =>
      call<PreferencesPutTopicReply>({ method: 'PUT', path: `/users/${segment(userId)}/preferences/${segment(topicId)}`, body, options, query: { ...query } }),
    /** Delete a user's choice for a topic. The default applies again. Succeeds if there is no choice. `DELETE /users/:user_id/preferences/:topic_id`. */
    deleteTopic: (userId: string, topicId: string, query?: PreferencesDeleteTopicQuery, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/users/${segment(userId)}/preferences/${segment(topicId)}`, options, query: { ...query } }),
    /** List the changes of a user's preferences. The ledger of consent, newest first: who changed what, when and from where. Entries are never changed; an erasure removes the user from them. `ip` and `user_agent` are cleared when the retention of messages is over. `GET /users/:user_id/preference-history`. */
    history: (userId: string, query?: PreferencesHistoryQuery, options?: CallOptions): Listing<PreferencesHistoryReply, PreferenceChange> =>
      listing((cursor) => call<PreferencesHistoryReply>({ method: 'GET', path: `/users/${segment(userId)}/preference-history`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Set the default of a tenant for a topic. Applies in the tenant and its descendants to users without a choice. `PUT /tenants/:tenant_id/default_preferences/items/:topic_id`. */
    putTenantDefault: (tenantId: string, topicId: string, body: TopicDefaultWrite, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/tenants/${segment(tenantId)}/default_preferences/items/${segment(topicId)}`, body, options }),
    /** Remove the default of a tenant for a topic. Succeeds if there is no default. `DELETE /tenants/:tenant_id/default_preferences/items/:topic_id`. */
    deleteTenantDefault: (tenantId: string, topicId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/tenants/${segment(tenantId)}/default_preferences/items/${segment(topicId)}`, options }),
  },
  /** Groups of topics. */
  sections: {
    /** List sections with their topics. Oldest first. `GET /preferences/sections`. */
    list: (options?: CallOptions): Promise<SectionsListReply> =>
      call<SectionsListReply>({ method: 'GET', path: `/preferences/sections`, options }),
    /** Create a section. `POST /preferences/sections`. */
    create: (body: SectionCreate, options?: CallOptions): Promise<Section> =>
      call<Section>({ method: 'POST', path: `/preferences/sections`, body, options }),
    /** Get a section with its topics. `GET /preferences/sections/:section_id`. */
    get: (sectionId: string, options?: CallOptions): Promise<Section> =>
      call<Section>({ method: 'GET', path: `/preferences/sections/${segment(sectionId)}`, options }),
    /** Replace a section. Omitted fields are cleared. Topics are unchanged. `PUT /preferences/sections/:section_id`. */
    replace: (sectionId: string, body: SectionWrite, options?: CallOptions): Promise<Section> =>
      call<Section>({ method: 'PUT', path: `/preferences/sections/${segment(sectionId)}`, body, options }),
    /** Archive a section. A section with topics returns 409; archive the topics first. `DELETE /preferences/sections/:section_id`. */
    archive: (sectionId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/preferences/sections/${segment(sectionId)}`, options }),
    /** Publish the sections and topics. Only increments a version number, for clients that require it: changes of sections and topics take effect immediately. `POST /preferences/publish`. */
    publish: (options?: CallOptions): Promise<Published> =>
      call<Published>({ method: 'POST', path: `/preferences/publish`, options }),
  },
  /** Subjects that recipients can opt in to or out of. */
  topics: {
    /** List the topics of a section. Oldest first. `GET /preferences/sections/:section_id/topics`. */
    list: (sectionId: string, options?: CallOptions): Promise<TopicsListReply> =>
      call<TopicsListReply>({ method: 'GET', path: `/preferences/sections/${segment(sectionId)}/topics`, options }),
    /** Create a topic. An id is unique in the workspace, whatever the section. `POST /preferences/sections/:section_id/topics`. */
    create: (sectionId: string, body: TopicCreate, options?: CallOptions): Promise<Topic> =>
      call<Topic>({ method: 'POST', path: `/preferences/sections/${segment(sectionId)}/topics`, body, options }),
    /** Get a topic. `GET /preferences/sections/:section_id/topics/:topic_id`. */
    get: (sectionId: string, topicId: string, options?: CallOptions): Promise<Topic> =>
      call<Topic>({ method: 'GET', path: `/preferences/sections/${segment(sectionId)}/topics/${segment(topicId)}`, options }),
    /** Replace a topic. Omitted fields are cleared, except `digest`. Choices of users are unchanged. `PUT /preferences/sections/:section_id/topics/:topic_id`. */
    replace: (sectionId: string, topicId: string, body: TopicWrite, options?: CallOptions): Promise<Topic> =>
      call<Topic>({ method: 'PUT', path: `/preferences/sections/${segment(sectionId)}/topics/${segment(topicId)}`, body, options }),
    /** Archive a topic. The topic is hidden and its default no longer applies. Users who opted out still receive no messages on the topic. `DELETE /preferences/sections/:section_id/topics/:topic_id`. */
    archive: (sectionId: string, topicId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/preferences/sections/${segment(sectionId)}/topics/${segment(topicId)}`, options }),
  },
  /** Events that are collected for a recipient and sent as one message. */
  digests: {
    /** List a user's open digests. Includes the current data of the template. `GET /users/:user_id/digests`. */
    list: (userId: string, options?: CallOptions): Promise<DigestsListReply> =>
      call<DigestsListReply>({ method: 'GET', path: `/users/${segment(userId)}/digests`, options }),
    /** List the open digests of a schedule. One digest for each recipient, oldest first. `GET /digests/schedules/:schedule_id/instances`. */
    instances: (scheduleId: string, query?: DigestsInstancesQuery, options?: CallOptions): Listing<DigestInstances, DigestInstance> =>
      listing((cursor) => call<DigestInstances>({ method: 'GET', path: `/digests/schedules/${segment(scheduleId)}/instances`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Release the digests of a schedule now. Each open digest becomes a message within about a second. Succeeds if there is none. `POST /digests/schedules/:schedule_id/trigger`. */
    release: (scheduleId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'POST', path: `/digests/schedules/${segment(scheduleId)}/trigger`, options }),
    /** Release a recipient's digest now. Succeeds if there is no open digest. `POST /preferences/sections/:section_id/topics/:topic_id/digest/release`. */
    releaseOne: (sectionId: string, topicId: string, body: DigestsReleaseOneBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'POST', path: `/preferences/sections/${segment(sectionId)}/topics/${segment(topicId)}/digest/release`, body, options }),
    /** Remove the digest of a topic. No more events are collected. Open digests are released on schedule. `DELETE /preferences/sections/:section_id/topics/:topic_id/digest`. */
    turnOff: (sectionId: string, topicId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/preferences/sections/${segment(sectionId)}/topics/${segment(topicId)}/digest`, options }),
  },
  /** Groups of users who currently match a filter. */
  audiences: {
    /** List audiences. `GET /audiences`. */
    list: (query?: AudiencesListQuery, options?: CallOptions): Listing<AudiencesListReply, Audience> =>
      listing((cursor) => call<AudiencesListReply>({ method: 'GET', path: `/audiences`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Get an audience. `GET /audiences/:audience_id`. */
    get: (audienceId: string, options?: CallOptions): Promise<AudienceFound> =>
      call<AudienceFound>({ method: 'GET', path: `/audiences/${segment(audienceId)}`, options }),
    /** Create or change an audience. Omitted fields are unchanged. Members are recomputed at a few thousand users a second; until a user is evaluated, the list of members has the previous result. `PUT /audiences/:audience_id`. */
    put: (audienceId: string, body: AudiencesPutBody, options?: CallOptions & IfAbsent): Promise<AudienceWritten> =>
      call<AudienceWritten>({ method: 'PUT', path: `/audiences/${segment(audienceId)}`, body, options }),
    /** Preview an audience. The users who match a filter that is not stored. At most 20,000 users are evaluated, for about a second: `complete` says whether these were all. Nothing is written. `POST /audiences/preview`. */
    preview: (body: AudiencePreviewWrite, options?: CallOptions): Promise<AudiencePreview> =>
      call<AudiencePreview>({ method: 'POST', path: `/audiences/preview`, body, options }),
    /** Delete an audience. `DELETE /audiences/:audience_id`. */
    delete: (audienceId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/audiences/${segment(audienceId)}`, options }),
    /** List the members of an audience. Ordered by id. A change of a profile takes effect within a second. `GET /audiences/:audience_id/members`. */
    members: (audienceId: string, query?: AudiencesMembersQuery, options?: CallOptions): Listing<AudiencesMembersReply, AudienceMember> =>
      listing((cursor) => call<AudiencesMembersReply>({ method: 'GET', path: `/audiences/${segment(audienceId)}/members`, options, query: { ...query, ...cursor } }), (page) => page.items),
  },
  /** Event names that are mapped to notifications. */
  events: {
    /** List event mappings. `GET /events`. */
    list: (options?: CallOptions): Promise<EventsListReply> =>
      call<EventsListReply>({ method: 'GET', path: `/events`, options }),
    /** Get an event mapping. `GET /events/:event_id`. */
    get: (eventId: string, options?: CallOptions): Promise<EventMapping> =>
      call<EventMapping>({ method: 'GET', path: `/events/${segment(eventId)}`, options }),
    /** Map an event to a notification. Creates or changes the mapping. The notification need not exist yet. `PUT /events/:event_id`. */
    put: (eventId: string, body: EventsPutBody, options?: CallOptions & IfAbsent): Promise<Success> =>
      call<Success>({ method: 'PUT', path: `/events/${segment(eventId)}`, body, options }),
    /** Delete an event mapping. `DELETE /events/:event_id`. */
    delete: (eventId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/events/${segment(eventId)}`, options }),
    /** Preview the routing of an event. Returns the channels that a send to at most 100 recipients would use. Nothing is stored and no provider is called. `POST /explain` has more detail for one recipient. `POST /send/:event/routing`. */
    routing: (event: string, body: EventsRoutingBody, options?: CallOptions): Promise<RoutingResults> =>
      call<RoutingResults>({ method: 'POST', path: `/send/${segment(event)}/routing`, body, options }),
  },
  /** Events in your systems that start automations. */
  inbound: {
    /** Track an inbound event. Replies when the event is durably stored. A repeated `messageId` returns 409, so that retries are safe. `POST /inbound/courier`. */
    trackEvent: (body: InboundTrackEventBody, options?: CallOptions): Promise<InboundReply> =>
      call<InboundReply>({ method: 'POST', path: `/inbound/courier`, body, options }),
  },
  /** Opens and clicks of messages. Off until it is switched on for a channel here, for a notification, an integration or a message; it requires `POSTRIDER_PUBLIC_URL`. */
  tracking: {
    /** Get the tracking settings. `GET /tracking`. */
    get: (options?: CallOptions): Promise<TrackingSettings> =>
      call<TrackingSettings>({ method: 'GET', path: `/tracking`, options }),
    /** Replace the tracking settings. Messages that are rendered from now on are tracked by it. Links in messages that were sent keep working. `PUT /tracking`. */
    replace: (body: TrackingSettings, options?: CallOptions): Promise<TrackingSettings> =>
      call<TrackingSettings>({ method: 'PUT', path: `/tracking`, body, options }),
  },
  /** Sequences of steps over time, for one or many recipients: runs and templates. */
  automations: {
    /** Run an automation. Starts a run of the steps in the body. Fields of the run context are also accepted in `automation`; those beside it take precedence. `POST /automations/invoke`. */
    invoke: (body: AutomationsInvokeBody, options?: CallOptions): Promise<RunStarted> =>
      call<RunStarted>({ method: 'POST', path: `/automations/invoke`, body, options }),
    /** Run an automation template. Starts a run of the current steps of the template. `POST /automations/:template_id/invoke`. */
    invokeTemplate: (templateId: string, body?: RunContext, options?: CallOptions): Promise<RunStarted> =>
      call<RunStarted>({ method: 'POST', path: `/automations/${segment(templateId)}/invoke`, body, options }),
    /** List runs. Newest first. `GET /automations/runs`. */
    runs: (query?: AutomationsRunsQuery, options?: CallOptions): Listing<AutomationsRunsReply, ShortRun> =>
      listing((cursor) => call<AutomationsRunsReply>({ method: 'GET', path: `/automations/runs`, options, query: { ...query, ...cursor } }), (page) => page.runs),
    /** Get a run. `GET /automations/runs/:run_id`. */
    run: (runId: string, options?: CallOptions): Promise<AutomationRun> =>
      call<AutomationRun>({ method: 'GET', path: `/automations/runs/${segment(runId)}`, options }),
    /** List the steps of a run. All steps of the automation, in order. `GET /messages?runId=` lists the messages they sent, including those of `send-list`. `GET /automations/runs/:run_id/steps`. */
    steps: (runId: string, options?: CallOptions): Promise<AutomationsStepsReply> =>
      call<AutomationsStepsReply>({ method: 'GET', path: `/automations/runs/${segment(runId)}/steps`, options }),
    /** Cancel a run. Starts no further steps of the run, or of the runs that it started for subscribers of lists, even if the run itself has ended. Runs that it started by `invoke` continue, and messages already sent are not canceled. Canceling is idempotent. Returns 409 if all of these runs have ended otherwise. `POST /automations/runs/:run_id/cancel`. */
    cancelRun: (runId: string, options?: CallOptions): Promise<AutomationRun> =>
      call<AutomationRun>({ method: 'POST', path: `/automations/runs/${segment(runId)}/cancel`, options }),
    /** List automation templates. Ordered by id. `GET /automations`. */
    templates: (query?: AutomationsTemplatesQuery, options?: CallOptions): Listing<AutomationsTemplatesReply, ShortAutomationTemplate> =>
      listing((cursor) => call<AutomationsTemplatesReply>({ method: 'GET', path: `/automations`, options, query: { ...query, ...cursor } }), (page) => page.templates),
    /** Write an automation template. Creates the template or a new version of it, even if nothing changed. Runs in progress keep the steps of their start. Its entity tag is `version` in quotes: `"3"`. `PUT /automations/templates/:template_id`. */
    putTemplate: (templateId: string, body: AutomationTemplateInput, options?: CallOptions & IfAbsent & IfUnchanged): Promise<AutomationTemplate> =>
      call<AutomationTemplate>({ method: 'PUT', path: `/automations/templates/${segment(templateId)}`, body, options }),
    /** Get an automation template. `GET /automations/templates/:template_id`. */
    template: (templateId: string, options?: CallOptions): Promise<AutomationTemplate> =>
      call<AutomationTemplate>({ method: 'GET', path: `/automations/templates/${segment(templateId)}`, options }),
    /** List the versions of an automation template. Newest first, with their full content. Versions of a template that was deleted start again at 1. `GET /automations/templates/:template_id/versions`. */
    versions: (templateId: string, query?: AutomationsVersionsQuery, options?: CallOptions): Listing<AutomationsVersionsReply, AutomationVersion> =>
      listing((cursor) => call<AutomationsVersionsReply>({ method: 'GET', path: `/automations/templates/${segment(templateId)}/versions`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Count the runs of an automation template by step. Runs that started while the version was in force, by status, and by the status of each of its steps. Steps have the positions of that version. `GET /automations/templates/:template_id/progress`. */
    progress: (templateId: string, query?: AutomationsProgressQuery, options?: CallOptions): Promise<AutomationProgress> =>
      call<AutomationProgress>({ method: 'GET', path: `/automations/templates/${segment(templateId)}/progress`, options, query: { ...query } }),
    /** Check an automation template. Accepts the body of a write without storing it. Returns 400 if the write would be refused; the uniqueness of the alias is not checked. `POST /automations/inspect`. */
    inspect: (body: AutomationInspectionInput, options?: CallOptions): Promise<AutomationInspection> =>
      call<AutomationInspection>({ method: 'POST', path: `/automations/inspect`, body, options }),
    /** Delete an automation template. Requires the id, not the alias. Runs of the template continue. `DELETE /automations/templates/:template_id`. */
    deleteTemplate: (templateId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/automations/templates/${segment(templateId)}`, options }),
  },
  /** Templates: content in Elemental JSON, routing and settings, with a draft and published versions. */
  notifications: {
    /** List notifications. Newest first, without archived notifications. `GET /notifications`. */
    list: (query?: NotificationsListQuery, options?: CallOptions): Listing<NotificationsListReply, NotificationSummary> =>
      listing((cursor) => call<NotificationsListReply>({ method: 'GET', path: `/notifications`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Create a notification. Creates a draft unless `state` is `PUBLISHED`. `POST /notifications`. */
    create: (body: NotificationWrite, options?: CallOptions): Promise<Notification> =>
      call<Notification>({ method: 'POST', path: `/notifications`, body, options }),
    /** Get a notification. `GET /notifications/:id`. */
    get: (id: string, query?: NotificationsGetQuery, options?: CallOptions): Promise<Notification> =>
      call<Notification>({ method: 'GET', path: `/notifications/${segment(id)}`, options, query: { ...query } }),
    /** Replace a notification. Replaces the draft; with `state` `PUBLISHED` the draft is published in the same call. Its entity tag is `updated` (`created` if it never changed) in quotes. `PUT /notifications/:id`. */
    replace: (id: string, body: NotificationWrite, options?: CallOptions & IfUnchanged): Promise<Notification> =>
      call<Notification>({ method: 'PUT', path: `/notifications/${segment(id)}`, body, options }),
    /** Archive a notification. The notification can no longer be sent. Messages that used it remain readable. `DELETE /notifications/:id`. */
    archive: (id: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/notifications/${segment(id)}`, options }),
    /** Publish a notification. Publishes the draft or, with `version`, an earlier version. With the header `Prefer: handling=strict`, content with an element that does not exist is refused with 400. `POST /notifications/:id/publish`. */
    publish: (id: string, body?: NotificationsPublishBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'POST', path: `/notifications/${segment(id)}/publish`, body, options }),
    /** Restore a version of a notification. Makes an earlier version the draft, as a version of its own; with `state` `PUBLISHED` it is published in the same call. `GET /notifications/:id?version=v3` shows what a version holds. `POST /notifications/:id/restore`. */
    restore: (id: string, body: NotificationsRestoreBody, options?: CallOptions): Promise<Notification> =>
      call<Notification>({ method: 'POST', path: `/notifications/${segment(id)}/restore`, body, options }),
    /** List the versions of a notification. The draft first, then published versions, newest first. `GET /notifications/:id/versions`. */
    versions: (id: string, query?: NotificationsVersionsQuery, options?: CallOptions): Listing<NotificationsVersionsReply, NotificationVersion> =>
      listing((cursor) => call<NotificationsVersionsReply>({ method: 'GET', path: `/notifications/${segment(id)}/versions`, options, query: { ...query, ...cursor } }), (page) => page.versions),
    /** Check a notification and list its variables. Accepts the body of a write without storing it. Returns 400 if the write would be refused or, with `state` `PUBLISHED`, if the notification could not be published. `POST /notifications/inspect`. */
    inspect: (body: NotificationWrite, options?: CallOptions): Promise<NotificationInspection> =>
      call<NotificationInspection>({ method: 'POST', path: `/notifications/inspect`, body, options }),
    /** See what publishing would change. Decides and renders the latest messages of the notification, of the last 24 hours, with its draft and with its published version, and compares both. Profiles, preferences, brands and integrations are those of now. Nothing is stored and no provider is called. Messages of erased recipients are left out. `POST /notifications/:id/changes`. */
    changes: (id: string, body?: NotificationsChangesBody, options?: CallOptions): Promise<NotificationChanges> =>
      call<NotificationChanges>({ method: 'POST', path: `/notifications/${segment(id)}/changes`, body, options }),
    /** Get the checks of a submission. `GET /notifications/:id/:submission_id/checks`. */
    checks: (id: string, submissionId: string, options?: CallOptions): Promise<NotificationChecks> =>
      call<NotificationChecks>({ method: 'GET', path: `/notifications/${segment(id)}/${segment(submissionId)}/checks`, options }),
    /** Replace the checks of a submission. Checks are only stored; publishing does not wait for them. `PUT /notifications/:id/:submission_id/checks`. */
    replaceChecks: (id: string, submissionId: string, body: NotificationsReplaceChecksBody, options?: CallOptions): Promise<NotificationChecks> =>
      call<NotificationChecks>({ method: 'PUT', path: `/notifications/${segment(id)}/${segment(submissionId)}/checks`, body, options }),
    /** Delete the checks of a submission. `DELETE /notifications/:id/:submission_id/checks`. */
    deleteChecks: (id: string, submissionId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/notifications/${segment(id)}/${segment(submissionId)}/checks`, options }),
    /** Get the content of a notification. `GET /notifications/:id/content`. */
    content: (id: string, query?: NotificationsContentQuery, options?: CallOptions): Promise<ContentDetail> =>
      call<ContentDetail>({ method: 'GET', path: `/notifications/${segment(id)}/content`, options, query: { ...query } }),
    /** Get the draft content of a notification. `GET /notifications/:id/draft/content`. */
    draftContent: (id: string, options?: CallOptions): Promise<ContentDetail> =>
      call<ContentDetail>({ method: 'GET', path: `/notifications/${segment(id)}/draft/content`, options }),
    /** Replace the content of a notification. Other parts of the notification are unchanged. With `state` `PUBLISHED` the draft is published in the same call. `PUT /notifications/:id/content`. */
    replaceContent: (id: string, body: NotificationsReplaceContentBody, options?: CallOptions): Promise<ContentMutation> =>
      call<ContentMutation>({ method: 'PUT', path: `/notifications/${segment(id)}/content`, body, options }),
    /** Replace an element of a notification. Changes the draft. The fields of the element are in `data` or beside `type`. The id is unchanged; if the type is unchanged, omitted nested elements and locales are unchanged too. `PUT /notifications/:id/elements/:element_id`. */
    replaceElement: (id: string, elementId: string, body: NotificationsReplaceElementBody, options?: CallOptions): Promise<ContentMutation> =>
      call<ContentMutation>({ method: 'PUT', path: `/notifications/${segment(id)}/elements/${segment(elementId)}`, body, options }),
    /** Translate a notification. Changes the draft: sets the fields of the listed elements in this locale; other elements are unchanged. `PUT /notifications/:id/locales/:locale`. */
    replaceLocale: (id: string, locale: string, body: NotificationsReplaceLocaleBody, options?: CallOptions): Promise<ContentMutation> =>
      call<ContentMutation>({ method: 'PUT', path: `/notifications/${segment(id)}/locales/${segment(locale)}`, body, options }),
    /** Translate the published version. Adds locales to the published version and to the draft, and publishes the published version again. `POST /notifications/:id/variations`. */
    translate: (id: string, body: Variations, options?: CallOptions): Promise<Record<string, unknown>> =>
      call<Record<string, unknown>>({ method: 'POST', path: `/notifications/${segment(id)}/variations`, body, options }),
    /** Translate the draft. `POST /notifications/:id/draft/variations`. */
    translateDraft: (id: string, body: Variations, options?: CallOptions): Promise<Record<string, unknown>> =>
      call<Record<string, unknown>>({ method: 'POST', path: `/notifications/${segment(id)}/draft/variations`, body, options }),
    /** Preview a notification. Renders a stored notification, or one that is not stored, for a recipient and for each channel. Addresses, preferences, conditions and integrations do not stop it: `POST /explain` says what would become of a send. Links to unsubscribe are samples. Nothing is stored and no provider is called. `POST /notifications/preview`. */
    preview: (body: NotificationPreviewRequest, options?: CallOptions): Promise<NotificationPreview> =>
      call<NotificationPreview>({ method: 'POST', path: `/notifications/preview`, body, options }),
    /** List what uses a notification. The events that are mapped to the notification and the automations that send it. Names that an automation fills in when it runs are not found. `GET /notifications/:id/uses`. */
    uses: (id: string, options?: CallOptions): Promise<NotificationUses> =>
      call<NotificationUses>({ method: 'GET', path: `/notifications/${segment(id)}/uses`, options }),
  },
  /** Channels and their order, stored once and used by every notification whose `routing` is `{"strategy_id": …}`. */
  routingStrategies: {
    /** List routing strategies. Newest first, without their routing. `GET /routing-strategies`. */
    list: (query?: RoutingStrategiesListQuery, options?: CallOptions): Listing<RoutingStrategiesListReply, RoutingStrategySummary> =>
      listing((cursor) => call<RoutingStrategiesListReply>({ method: 'GET', path: `/routing-strategies`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Create a routing strategy. `POST /routing-strategies`. */
    create: (body: RoutingStrategyCreate, options?: CallOptions): Promise<RoutingStrategy> =>
      call<RoutingStrategy>({ method: 'POST', path: `/routing-strategies`, body, options }),
    /** Get a routing strategy. `GET /routing-strategies/:id`. */
    get: (id: string, options?: CallOptions): Promise<RoutingStrategy> =>
      call<RoutingStrategy>({ method: 'GET', path: `/routing-strategies/${segment(id)}`, options }),
    /** Replace a routing strategy. Fields that are absent are removed. Every message that is decided a second later goes by the new routing, also one that is tried again. `PUT /routing-strategies/:id`. */
    replace: (id: string, body: RoutingStrategyWrite, options?: CallOptions): Promise<RoutingStrategy> =>
      call<RoutingStrategy>({ method: 'PUT', path: `/routing-strategies/${segment(id)}`, body, options }),
    /** Archive a routing strategy. No notification may use it: give those another routing first. `DELETE /routing-strategies/:id`. */
    archive: (id: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/routing-strategies/${segment(id)}`, options }),
    /** List the notifications of a routing strategy. Those whose draft or published version uses it, newest first. `GET /routing-strategies/:id/notifications`. */
    notifications: (id: string, query?: RoutingStrategiesNotificationsQuery, options?: CallOptions): Listing<RoutingStrategiesNotificationsReply, NotificationSummary> =>
      listing((cursor) => call<RoutingStrategiesNotificationsReply>({ method: 'GET', path: `/routing-strategies/${segment(id)}/notifications`, options, query: { ...query, ...cursor } }), (page) => page.results),
  },
  /** Appearance that notifications share: colors, logo, footer, snippets. */
  brands: {
    /** List brands. Newest first. `GET /brands`. */
    list: (query?: BrandsListQuery, options?: CallOptions): Listing<BrandsListReply, Brand> =>
      listing((cursor) => call<BrandsListReply>({ method: 'GET', path: `/brands`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Create a brand. The brand is not the default unless `default` is true. `POST /brands`. */
    create: (body: BrandCreate, options?: CallOptions): Promise<Brand> =>
      call<Brand>({ method: 'POST', path: `/brands`, body, options }),
    /** Render an email with a brand without storing it. Settings and content are checked as a write checks them. Nothing is stored and nothing is sent. `POST /brands/preview`. */
    preview: (body: BrandsPreviewBody, options?: CallOptions): Promise<BrandPreview> =>
      call<BrandPreview>({ method: 'POST', path: `/brands/preview`, body, options }),
    /** Get a brand. `GET /brands/:brand_id`. */
    get: (brandId: string, options?: CallOptions): Promise<Brand> =>
      call<Brand>({ method: 'GET', path: `/brands/${segment(brandId)}`, options }),
    /** Replace a brand. Creates a new version that takes effect immediately. Parts that are present are replaced as a whole; absent parts are unchanged. Messages that are already decided keep their version. `PUT /brands/:brand_id`. */
    replace: (brandId: string, body: BrandWrite, options?: CallOptions): Promise<Brand> =>
      call<Brand>({ method: 'PUT', path: `/brands/${segment(brandId)}`, body, options }),
    /** Delete a brand. The default brand cannot be deleted: make another brand the default first. Notifications and sends with the deleted brand use the default. `DELETE /brands/:brand_id`. */
    delete: (brandId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/brands/${segment(brandId)}`, options }),
  },
  /** Gettext catalogs by locale, which translate the texts of `{{t "…"}}` in templates and brands. */
  translations: {
    /** List translations. All catalogs, by locale, without their content. `GET /translations`. */
    list: (options?: CallOptions): Promise<TranslationsListReply> =>
      call<TranslationsListReply>({ method: 'GET', path: `/translations`, options }),
    /** Check translations. Reads a catalog as templates will read it, and stores nothing. `POST /translations/inspect`. */
    inspect: (body: TranslationsInspectBody, options?: CallOptions): Promise<TranslationReport> =>
      call<TranslationReport>({ method: 'POST', path: `/translations/inspect`, body, options }),
    /** Get the translations of a locale. Returns the catalog as one JSON string. `GET /translations/:domain/:locale`. */
    get: (domain: 'default', locale: string, options?: CallOptions): Promise<string> =>
      call<string>({ method: 'GET', path: `/translations/${segment(domain)}/${segment(locale)}`, options }),
    /** Replace the translations of a locale. The body is a JSON string or plain text, stored as it is. Templates use it within a second. A line that cannot be read is skipped; `POST /translations/inspect` reports it. `PUT /translations/:domain/:locale`. */
    put: (domain: 'default', locale: string, body: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/translations/${segment(domain)}/${segment(locale)}`, body, options }),
    /** Delete the translations of a locale. Later messages are translated by the less specific catalogs, or not at all. `DELETE /translations/:domain/:locale`. */
    delete: (domain: 'default', locale: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/translations/${segment(domain)}/${segment(locale)}`, options }),
  },
  /** Integrations with providers, and the provider catalog. */
  providers: {
    /** List integrations. `GET /providers`. */
    list: (query?: ProvidersListQuery, options?: CallOptions): Listing<ProvidersListReply, Integration> =>
      listing((cursor) => call<ProvidersListReply>({ method: 'GET', path: `/providers`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** List the provider catalog. `GET /providers/catalog`. */
    catalog: (query?: ProvidersCatalogQuery, options?: CallOptions): Promise<ProvidersCatalogReply> =>
      call<ProvidersCatalogReply>({ method: 'GET', path: `/providers/catalog`, options, query: { ...query } }),
    /** Create an integration. `POST /providers`. */
    create: (body: IntegrationWrite, options?: CallOptions): Promise<Integration> =>
      call<Integration>({ method: 'POST', path: `/providers`, body, options }),
    /** Test settings before an integration has them. Takes the body of `POST /providers`, checks it the same way, and signs in to the provider with its settings, or makes an authorized call without side effects. Nothing is stored and nothing is sent. 30 tests a minute, together with those of integrations. `POST /providers/test`. */
    testSettings: (body: IntegrationWrite, options?: CallOptions): Promise<SettingsTest> =>
      call<SettingsTest>({ method: 'POST', path: `/providers/test`, body, options }),
    /** Get an integration. `GET /providers/:id`. */
    get: (id: string, options?: CallOptions): Promise<Integration> =>
      call<Integration>({ method: 'GET', path: `/providers/${segment(id)}`, options }),
    /** Change an integration. Omitted fields are unchanged. A change of the server address requires the secrets again. Messages in progress use the new settings from their next attempt. `PUT /providers/:id`. */
    update: (id: string, body: IntegrationUpdate, options?: CallOptions): Promise<Integration> =>
      call<Integration>({ method: 'PUT', path: `/providers/${segment(id)}`, body, options }),
    /** Delete an integration. `DELETE /providers/:id`. */
    delete: (id: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/providers/${segment(id)}`, options }),
    /** Test an integration. Signs in to the provider, or makes an authorized call without side effects, and sends one message where `to`, `recipient`, `profile` or `send` says so: through this integration only, without failover and retries, within its limits. A sign-in that does not fail closes an open circuit breaker before the message. A test that goes well releases messages that are held for the integration. With `settings` it signs in with a change before it is stored: the breaker and held messages stay as they are. 30 tests a minute. While deliveries are paused, a test with a message is 409 `conflict`. `POST /providers/:id/test`. */
    test: (id: string, body?: ProviderTestBody, options?: CallOptions): Promise<ProviderTest> =>
      call<ProviderTest>({ method: 'POST', path: `/providers/${segment(id)}/test`, body, options }),
    /** Get the health of an integration. Calls of the last 24 hours, or of `window` (30 days at most), by result and latency, with the circuit breaker as it is now. Each node adds its calls every ten seconds, and the one that answers before it answers; a process that is killed loses those of that time. `GET /providers/:id/health`. */
    health: (id: string, query?: ProvidersHealthQuery, options?: CallOptions): Promise<ProviderHealth> =>
      call<ProviderHealth>({ method: 'GET', path: `/providers/${segment(id)}/health`, options, query: { ...query } }),
    /** Simulate an outage of an integration. Decides the latest messages that had the integration among their candidates again, as if it were down, and says which route each would take. Profiles, preferences, templates and integrations are those of now. Integrations whose circuit breaker is open, or whose calls of the day are used up, are taken for down, too. Nothing is stored and no provider is called. Messages of mock keys, tests of integrations and messages of erased recipients are left out. `GET /providers/:id/outage`. */
    outage: (id: string, query?: ProvidersOutageQuery, options?: CallOptions): Promise<ProviderOutage> =>
      call<ProviderOutage>({ method: 'GET', path: `/providers/${segment(id)}/outage`, options, query: { ...query } }),
  },
  /** How an environment treats its messages. */
  settings: {
    /** Get the settings. `GET /settings`. */
    get: (options?: CallOptions): Promise<Settings> =>
      call<Settings>({ method: 'GET', path: `/settings`, options }),
    /** Change the settings. Omitted settings are unchanged. `PUT /settings`. */
    update: (body: SettingsWrite, options?: CallOptions): Promise<Settings> =>
      call<Settings>({ method: 'PUT', path: `/settings`, body, options }),
  },
  /** URLs of yours that are called for changes. */
  webhooks: {
    /** List webhooks. `GET /webhooks`. */
    list: (options?: CallOptions): Promise<WebhooksListReply> =>
      call<WebhooksListReply>({ method: 'GET', path: `/webhooks`, options }),
    /** Create a webhook. Takes effect within a second. Without `types` and `enabled` the webhook is enabled and called for `message:updated`. A workspace has at most 20. `POST /webhooks`. */
    create: (body: WebhooksCreateBody, options?: CallOptions): Promise<CreatedWebhook> =>
      call<CreatedWebhook>({ method: 'POST', path: `/webhooks`, body, options }),
    /** Get a webhook. `GET /webhooks/:id`. */
    get: (id: string, options?: CallOptions): Promise<Webhook> =>
      call<Webhook>({ method: 'GET', path: `/webhooks/${segment(id)}`, options }),
    /** Change a webhook. Omitted fields are unchanged. Deliveries in progress use the new settings from their next attempt. `PUT /webhooks/:id`. */
    update: (id: string, body: WebhooksUpdateBody, options?: CallOptions): Promise<Webhook> =>
      call<Webhook>({ method: 'PUT', path: `/webhooks/${segment(id)}`, body, options }),
    /** Delete a webhook. Pending deliveries are discarded. `DELETE /webhooks/:id`. */
    delete: (id: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/webhooks/${segment(id)}`, options }),
    /** List the deliveries of a webhook. Newest first. `GET /webhooks/:id/deliveries`. */
    deliveries: (id: string, query?: WebhooksDeliveriesQuery, options?: CallOptions): Listing<WebhooksDeliveriesReply, WebhookDelivery> =>
      listing((cursor) => call<WebhooksDeliveriesReply>({ method: 'GET', path: `/webhooks/${segment(id)}/deliveries`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Replay a delivery. Calls the webhook once more for the same change, as a new delivery with attempts of its own, for three days. A message is shown as it is now. The header `webhook-id` is that of the first delivery, so that receivers recognize the change. While the webhook is disabled the delivery waits. `POST /webhooks/:id/deliveries/:delivery_id/replay`. */
    replay: (id: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery> =>
      call<WebhookDelivery>({ method: 'POST', path: `/webhooks/${segment(id)}/deliveries/${segment(deliveryId)}/replay`, options }),
  },
  /** API keys of the workspace. */
  keys: {
    /** List API keys. `GET /keys`. */
    list: (options?: CallOptions): Promise<KeysListReply> =>
      call<KeysListReply>({ method: 'GET', path: `/keys`, options }),
    /** Create an API key. Default: `published`, of role `full`, in the environment of the calling key. Unknown fields are refused. `POST /keys`. */
    create: (body?: KeysCreateBody, options?: CallOptions): Promise<CreatedKey> =>
      call<CreatedKey>({ method: 'POST', path: `/keys`, body, options }),
    /** Set when an API key expires. Calls with the key, its tokens and its sessions are refused from then on with 401. 409 `in_use` where no other published key of role `full` is valid for 14 days longer. `PATCH /keys/:id`. */
    update: (id: string, body: KeysUpdateBody, options?: CallOptions): Promise<ApiKey> =>
      call<ApiKey>({ method: 'PATCH', path: `/keys/${segment(id)}`, body, options }),
    /** Revoke an API key. The key is rejected immediately. 409 `in_use` where no other published key of role `full` is valid for 14 days. `DELETE /keys/:id`. */
    revoke: (id: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/keys/${segment(id)}`, options }),
  },
  /** Sessions of a browser, signed in with an API key. */
  sessions: {
    /** Sign in. Starts a session with an API key, or with the text of a sign-in link, and sets its cookie, which scripts cannot read. The session ends 12 hours after its last use, 30 days after it began, or with its key. Calls with the cookie need the header `x-postrider-session: 1` and no `Authorization`; with the name of an environment instead of `1`, a call is refused (409 `environment_switched`) once the session was switched to another one; with the id of a key in `x-postrider-session-key`, it is refused (401 `session_expired`) once another key has signed in. A key has at most 50 sessions: another one ends the one that was used longest ago. `POST /session`. */
    signIn: (body: SessionsSignInBody, options?: CallOptions): Promise<Identity> =>
      call<Identity>({ method: 'POST', path: `/session`, body, options }),
    /** Create a sign-in link. A link to the dashboard that signs a browser in with the API key of the call: once, and within 10 minutes. A browser sends nothing after `#` of an address, so that the link is in no log of a proxy. A session cannot make one. `POST /session/links`. */
    createLink: (options?: CallOptions): Promise<SignInLink> =>
      call<SignInLink>({ method: 'POST', path: `/session/links`, options }),
    /** Get the key and the environment of the caller. A session that has ended gets 401 with the code `session_expired`. `GET /session`. */
    identity: (options?: CallOptions): Promise<Identity> =>
      call<Identity>({ method: 'GET', path: `/session`, options }),
    /** Switch the environment of the session. A session can act in the environment of its key, and a session of a published key of production in every other one. `PUT /session`. */
    switch: (body: SessionsSwitchBody, options?: CallOptions): Promise<Identity> =>
      call<Identity>({ method: 'PUT', path: `/session`, body, options }),
    /** Sign out. Ends the session and removes its cookie. `DELETE /session`. */
    signOut: (options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/session`, options }),
    /** List sessions. Sessions of the keys of this environment, the one used last first. `GET /sessions`. */
    list: (options?: CallOptions): Promise<SessionsListReply> =>
      call<SessionsListReply>({ method: 'GET', path: `/sessions`, options }),
    /** Revoke a session. The session is refused from then on, on other nodes within a second. `DELETE /sessions/:id`. */
    revoke: (id: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/sessions/${segment(id)}`, options }),
  },
  /** Tokens for browsers and apps. */
  auth: {
    /** Issue a token. Issues a token for a browser or an app, which must not contain an API key. The token belongs to the environment of the calling key and is revoked with it, on other nodes within a second. Operations without a scope in this reference require an API key; a token gets 403 for them and for operations outside its scope. `POST /auth/issue-token`. */
    issueToken: (body: AuthIssueTokenBody, options?: CallOptions): Promise<IssuedToken> =>
      call<IssuedToken>({ method: 'POST', path: `/auth/issue-token`, body, options }),
  },
  /** Filters of a page of the dashboard, saved under a name, shared by all users of the environment. */
  views: {
    /** List saved views. In the order of their names. `GET /views`. */
    list: (query?: ViewsListQuery, options?: CallOptions): Promise<ViewsListReply> =>
      call<ViewsListReply>({ method: 'GET', path: `/views`, options, query: { ...query } }),
    /** Save a view. Creates the view, or replaces the one of that name. An environment has at most 100. `PUT /views/:name`. */
    put: (name: string, body: ViewsPutBody, options?: CallOptions & IfAbsent): Promise<View> =>
      call<View>({ method: 'PUT', path: `/views/${segment(name)}`, body, options }),
    /** Delete a view. `DELETE /views/:name`. */
    delete: (name: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/views/${segment(name)}`, options }),
  },
  /** Administrative changes with their actor. */
  auditEvents: {
    /** List audit events. Newest first. All filters must match. `GET /audit-events`. */
    list: (query?: AuditEventsListQuery, options?: CallOptions): Listing<AuditEventsListReply, AuditEvent> =>
      listing((cursor) => call<AuditEventsListReply>({ method: 'GET', path: `/audit-events`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Get an audit event. `GET /audit-events/:audit_event_id`. */
    get: (auditEventId: string, options?: CallOptions): Promise<AuditEvent> =>
      call<AuditEvent>({ method: 'GET', path: `/audit-events/${segment(auditEventId)}`, options }),
  },
  /** The built-in sandbox, which captures messages instead of sending them. */
  mailbox: {
    /** List mailbox items. Newest first. `GET /mailbox`. */
    list: (query?: MailboxListQuery, options?: CallOptions): Listing<MailboxListReply, MailboxItem> =>
      listing((cursor) => call<MailboxListReply>({ method: 'GET', path: `/mailbox`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Get a mailbox item. `GET /mailbox/:id`. */
    get: (id: string, options?: CallOptions): Promise<MailboxItem> =>
      call<MailboxItem>({ method: 'GET', path: `/mailbox/${segment(id)}`, options }),
  },
  /** Mails that came to a bounce address and were neither understood nor an answer. They change nothing; they are kept so that their format can be added. */
  unrecognizedBounces: {
    /** List unrecognized bounces. Newest first. The latest hundred of the workspace are kept for 14 days, at most three of one message. `postrider inspect bounces` says how each is read. `GET /unrecognized-bounces`. */
    list: (query?: UnrecognizedBouncesListQuery, options?: CallOptions): Listing<UnrecognizedBouncesListReply, UnrecognizedBounce> =>
      listing((cursor) => call<UnrecognizedBouncesListReply>({ method: 'GET', path: `/unrecognized-bounces`, options, query: { ...query, ...cursor } }), (page) => page.results),
  },
  /** Rows of the queues that the server gave up, because they kept ending or blocking the process that worked on them. */
  deadLetters: {
    /** List dead letters. Newest first. They are kept as long as messages (`POSTRIDER_RETENTION_DAYS`), and a digest or receipt that was given up as long as its dead letter. `GET /dead-letters`. */
    list: (query?: DeadLettersListQuery, options?: CallOptions): Listing<DeadLettersListReply, DeadLetter> =>
      listing((cursor) => call<DeadLettersListReply>({ method: 'GET', path: `/dead-letters`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Release a dead letter. Puts what was given up back into its queue, as if it had never been started: it goes on within a second, and what it does then cannot be taken back. A message gets an event `RELEASED`, and its deadline counts anew. A dead letter that was released is returned as it is. The reply is 409 when what was given up has changed since: it was erased, deleted, requested again, or its week is past retention. `POST /dead-letters/:id/release`. */
    release: (id: string, options?: CallOptions): Promise<DeadLetter> =>
      call<DeadLetter>({ method: 'POST', path: `/dead-letters/${segment(id)}/release`, options }),
    /** Dismiss a dead letter. It is not open any more, so that lists and checks leave it out; what was given up stays as it is until the retention of its dead letter, and can be released until then. A dead letter that was dismissed is returned as it is; one that was released is 409 `conflict`. `POST /dead-letters/:id/dismiss`. */
    dismiss: (id: string, options?: CallOptions): Promise<DeadLetter> =>
      call<DeadLetter>({ method: 'POST', path: `/dead-letters/${segment(id)}/dismiss`, options }),
  },
  /** The state of the whole installation, for the person on call. */
  system: {
    /** Get the state of the system. Nodes, queues, traffic, the database, the checks of `postrider doctor` that call no provider, integrations and dead letters. All parts are read at the same time, each within 2 seconds; one that fails or does not answer in time is null and named in `failures`, and the others are there. Figures are those of the whole installation, integrations and dead letters those of the environment. Row counts and long backlogs are estimates, so that it is cheap to read every few seconds. `GET /system`. */
    get: (options?: CallOptions): Promise<System> =>
      call<System>({ method: 'GET', path: `/system`, options }),
  },
  /** Counts of messages by status, channel and provider. */
  metrics: {
    /** Summarize messages. Counts messages of the environment of the key: accepted and finished in a window, and waiting now. The window is `from` until `to`, or `window` until `to` or from `from` on; the last 24 hours unless given, 92 days at most. Its ends are widened to full minutes, and where they are more than a day ago to full hours; the reply has them. With `bucket` the window is also divided into parts, at most 500, and its ends are widened to full ones. Counts are kept as long as messages (`POSTRIDER_RETENTION_DAYS`). `GET /metrics/summary`. */
    summary: (query?: MetricsSummaryQuery, options?: CallOptions): Promise<MetricsSummary> =>
      call<MetricsSummary>({ method: 'GET', path: `/metrics/summary`, options, query: { ...query } }),
  },
  /** Probes, metrics, documents and maintenance of a server. */
  service: {
    /** Check that the process is alive. `GET /livez`. */
    livez: (options?: CallOptions): Promise<Ok> =>
      call<Ok>({ method: 'GET', path: `/livez`, options }),
    /** Check that the server is ready. Returns 503 while the server starts or stops, or cannot reach its database or write to it, for example because its disk is full; the message has the reason. `GET /readyz`. */
    readyz: (options?: CallOptions): Promise<Ready> =>
      call<Ready>({ method: 'GET', path: `/readyz`, options }),
    /** Get metrics for Prometheus. A key is required unless the caller is a program on the same machine: from a loopback address, with a loopback `Host`, and without headers of a browser (`Origin`, `Referer`, `Sec-Fetch-Site`) or a proxy (`Forwarded`, `X-Forwarded-For`, `X-Real-Ip`, `Via`). Pages of other origins cannot read it. `GET /metrics`. */
    metrics: (options?: CallOptions): Promise<string> =>
      call<string>({ method: 'GET', path: `/metrics`, text: true, options }),
    /** Get the OpenAPI 3.1 document. `GET /openapi.json`. */
    openapi: (options?: CallOptions): Promise<Record<string, unknown>> =>
      call<Record<string, unknown>>({ method: 'GET', path: `/openapi.json`, options }),
    /** Get the reference as a web page. `GET /docs`. */
    docs: (options?: CallOptions): Promise<string> =>
      call<string>({ method: 'GET', path: `/docs`, text: true, options }),
    /** Get a guide, a picture of one or a file of the reference page. Guides are listed on `/docs/guides`; `/docs/plain` is the reference without scripts; `/docs/search` searches all of them. `GET /docs/:name`. */
    document: (name: string, query?: ServiceDocumentQuery, options?: CallOptions): Promise<string> =>
      call<string>({ method: 'GET', path: `/docs/${segment(name)}`, text: true, options, query: { ...query } }),
    /** Run the checks of a server. Checks the process and each enabled integration of the environment from this server: by signing in, by an authorized request without side effects or, where every request has a side effect, by opening a connection. Nothing is sent. Looks up the DNS records of the domains of their senders, at most 20: MX, SPF, DKIM and DMARC, and PTR for mail servers. Takes a few seconds. `GET /diagnostics`. */
    diagnostics: (options?: CallOptions): Promise<Diagnostics> =>
      call<Diagnostics>({ method: 'GET', path: `/diagnostics`, options }),
    /** Pause deliveries. Pauses deliveries of every environment on every node, until `POST /resume`, also over restarts. Calls are answered and sends are accepted; no message, webhook, run of an automation, schedule or digest starts. Provider calls in progress end: the reply comes when they have, or after a second. The time limits of messages go on. A pause that exists stays as it is. Requires a `published` key of the production environment. `POST /pause`. */
    pause: (options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'POST', path: `/pause`, options }),
    /** Resume deliveries after a pause. Resumes deliveries on every node after `POST /pause` or `postrider serve --paused`. Requires a `published` key of the production environment. No effect if deliveries are not paused. `POST /resume`. */
    resume: (options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'POST', path: `/resume`, options }),
    /** Copy the local database while it runs. Returns a gzipped tar archive of the database folder at one point in time, with every environment. Requires a `published` key of the production environment. Returns 400 if the database is set by `POSTRIDER_DATABASE_URL`: use `pg_dump` instead. `POST /backup`. */
    backup: (options?: CallOptions): Promise<ReadableStream<Uint8Array>> =>
      call<ReadableStream<Uint8Array>>({ method: 'POST', path: `/backup`, stream: true, options }),
  },
})

type Api = ReturnType<typeof api>

/** One property for each resource; `Postrider` inherits them. */
export class ApiResources implements Api {
  /** Sends a notification to one or more recipients. */
  readonly send: Api['send']
  /** Previews the decision on a send, without sending. */
  readonly explain: Api['explain']
  /** Simulates an automation in memory, without waiting. */
  readonly simulate: Api['simulate']
  /** Status, history and rendered content of messages. */
  readonly messages: Api['messages']
  /** Sending messages again, for example those that failed during an outage. */
  readonly replays: Api['replays']
  /** Sends to many recipients: their progress, and how to stop them. */
  readonly requests: Api['requests']
  /** Bulk jobs: one message to many users, added in parts. */
  readonly bulk: Api['bulk']
  /** Profiles of recipients: addresses and other data. */
  readonly profiles: Api['profiles']
  /** Addresses that nothing is sent to: bounced, not in use, unsubscribed, complained, or listed by hand. */
  readonly suppressions: Api['suppressions']
  /** Records of erased users. */
  readonly erasures: Api['erasures']
  /** Lists of subscribed recipients, for sends to all of them. */
  readonly lists: Api['lists']
  /** Tokens of the devices of a user, issued by push providers. */
  readonly deviceTokens: Api['deviceTokens']
  /** Your customers: hierarchy, user profiles, properties and defaults. */
  readonly tenants: Api['tenants']
  /** Memberships of users in tenants, each with its own profile. */
  readonly memberships: Api['memberships']
  /** Tenants under the names of older clients. */
  readonly accounts: Api['accounts']
  /** Preferences of recipients: by notification and category (first generation), and by topic (second generation). */
  readonly preferences: Api['preferences']
  /** Groups of topics. */
  readonly sections: Api['sections']
  /** Subjects that recipients can opt in to or out of. */
  readonly topics: Api['topics']
  /** Events that are collected for a recipient and sent as one message. */
  readonly digests: Api['digests']
  /** Groups of users who currently match a filter. */
  readonly audiences: Api['audiences']
  /** Event names that are mapped to notifications. */
  readonly events: Api['events']
  /** Events in your systems that start automations. */
  readonly inbound: Api['inbound']
  /** Opens and clicks of messages. Off until it is switched on for a channel here, for a notification, an integration or a message; it requires `POSTRIDER_PUBLIC_URL`. */
  readonly tracking: Api['tracking']
  /** Sequences of steps over time, for one or many recipients: runs and templates. */
  readonly automations: Api['automations']
  /** Templates: content in Elemental JSON, routing and settings, with a draft and published versions. */
  readonly notifications: Api['notifications']
  /** Channels and their order, stored once and used by every notification whose `routing` is `{"strategy_id": …}`. */
  readonly routingStrategies: Api['routingStrategies']
  /** Appearance that notifications share: colors, logo, footer, snippets. */
  readonly brands: Api['brands']
  /** Gettext catalogs by locale, which translate the texts of `{{t "…"}}` in templates and brands. */
  readonly translations: Api['translations']
  /** Integrations with providers, and the provider catalog. */
  readonly providers: Api['providers']
  /** How an environment treats its messages. */
  readonly settings: Api['settings']
  /** URLs of yours that are called for changes. */
  readonly webhooks: Api['webhooks']
  /** API keys of the workspace. */
  readonly keys: Api['keys']
  /** Sessions of a browser, signed in with an API key. */
  readonly sessions: Api['sessions']
  /** Tokens for browsers and apps. */
  readonly auth: Api['auth']
  /** Filters of a page of the dashboard, saved under a name, shared by all users of the environment. */
  readonly views: Api['views']
  /** Administrative changes with their actor. */
  readonly auditEvents: Api['auditEvents']
  /** The built-in sandbox, which captures messages instead of sending them. */
  readonly mailbox: Api['mailbox']
  /** Mails that came to a bounce address and were neither understood nor an answer. They change nothing; they are kept so that their format can be added. */
  readonly unrecognizedBounces: Api['unrecognizedBounces']
  /** Rows of the queues that the server gave up, because they kept ending or blocking the process that worked on them. */
  readonly deadLetters: Api['deadLetters']
  /** The state of the whole installation, for the person on call. */
  readonly system: Api['system']
  /** Counts of messages by status, channel and provider. */
  readonly metrics: Api['metrics']
  /** Probes, metrics, documents and maintenance of a server. */
  readonly service: Api['service']

  constructor(call: Call) {
    const calls = api(call)
    this.send = calls.send
    this.explain = calls.explain
    this.simulate = calls.simulate
    this.messages = calls.messages
    this.replays = calls.replays
    this.requests = calls.requests
    this.bulk = calls.bulk
    this.profiles = calls.profiles
    this.suppressions = calls.suppressions
    this.erasures = calls.erasures
    this.lists = calls.lists
    this.deviceTokens = calls.deviceTokens
    this.tenants = calls.tenants
    this.memberships = calls.memberships
    this.accounts = calls.accounts
    this.preferences = calls.preferences
    this.sections = calls.sections
    this.topics = calls.topics
    this.digests = calls.digests
    this.audiences = calls.audiences
    this.events = calls.events
    this.inbound = calls.inbound
    this.tracking = calls.tracking
    this.automations = calls.automations
    this.notifications = calls.notifications
    this.routingStrategies = calls.routingStrategies
    this.brands = calls.brands
    this.translations = calls.translations
    this.providers = calls.providers
    this.settings = calls.settings
    this.webhooks = calls.webhooks
    this.keys = calls.keys
    this.sessions = calls.sessions
    this.auth = calls.auth
    this.views = calls.views
    this.auditEvents = calls.auditEvents
    this.mailbox = calls.mailbox
    this.unrecognizedBounces = calls.unrecognizedBounces
    this.deadLetters = calls.deadLetters
    this.system = calls.system
    this.metrics = calls.metrics
    this.service = calls.service
  }
}
