// biome-ignore-all format: generated
// biome-ignore-all lint/complexity/noExcessiveLinesPerFunction: generated
/** The shapes and calls of the API, drawn from the contract by `npm run generate -w client`. */
import { type Call, type CallOptions, segment } from './call.ts'
import { type Listing, listing } from './listing.ts'
import type { InLocales, IntegrationChange, IntegrationOf, WithReferences } from './shape-parts.ts'
import type { SendCall } from './templates.ts'

/** A tenant. */
export interface Account {
  /** The id. */
  id: string
  /** Name for people. */
  name: string
  /** Values for templates. */
  properties: Record<string, unknown>
  /** Profile of each of its users. */
  user_profile: Record<string, unknown>
  /** Brand of messages sent for it; null for none. */
  brand_id: string | null
  /** What holds for its users unless they say otherwise. */
  default_preferences: {
    /** One entry a topic. */
    items: Array<StoredTopicDefault>
  }
  /** The tenant above it; null at the top. */
  parent_account_id: string | null
}

/** A tenant as it is written. */
export interface AccountInput {
  /** Name for people; templates have it as `{$.tenant.name}`. */
  name: string
  /** What holds for its users unless they say otherwise. */
  default_preferences?: DefaultPreferences | null | undefined
  /** Values for templates: `{$.tenant.plan}`. At most 64 kB as JSON. */
  properties?: Record<string, unknown> | null | undefined
  /** Profile of each of its users, below what is stored for the user. At most 64 kB as JSON. */
  user_profile?: Record<string, unknown> | null | undefined
  /** Brand of messages sent for it, when the send names none. */
  brand_id?: string | null | undefined
  /** The tenant above it. */
  parent_account_id?: string | null | undefined
}

/** A page of tenants. */
export interface AccountPage {
  /** Always `list`. */
  type: 'list'
  /** The rows of this page. */
  items: Array<Account>
  /** True when another page follows. */
  has_more: boolean
  /** The path of the list. */
  url: string
  /** Path and query of the next page; null on the last one. */
  next_url: string | null
  /** Pass it as `cursor` to get the next page; null on the last one. */
  cursor: string | null
}

export interface AccountsListQuery {
  /** Rows of a page; 20 when left out. */
  limit?: number | undefined
  /** The `cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** The same, as older clients name it. */
  starting_after?: string | undefined
  /** Only those directly below this tenant. */
  parent_account_id?: string | undefined
}

export interface AccountsPutUserBody {
  /** The profile of the user. */
  profile?: Record<string, unknown> | null | undefined
  /** The tenants the user is put into. Others of the user stay. */
  accounts?: Array<{
    /** The tenant. */
    account_id: string
    /** Merged over the profile of the user in messages for this tenant. Without it, the one of a membership that exists stays. */
    profile?: Record<string, unknown> | null | undefined
  }> | null | undefined
}

/** A button or a link. */
export interface ActionElement {
  /** Always `action`. */
  type: 'action'
  /** Its words. */
  content: string
  /** Where it leads. */
  href: string
  /** A name of your own. */
  action_id?: string | undefined
  /** How it looks; `button` when left out. */
  style?: 'button' | 'link' | undefined
  /** Where it stands in a mail. `full`: justified. */
  align?: 'left' | 'center' | 'right' | 'full' | undefined
  /** Of the button. A CSS color; it may hold variables. */
  background_color?: string | undefined
  /** Of the words. A CSS color; it may hold variables. */
  color?: string | undefined
  /** Kept; links are not tracked. */
  disable_tracking?: boolean | 'true' | 'false' | undefined
  /** A name by which it is translated and replaced. */
  id?: string | undefined
  /** Shown only while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of the list that this expression gives. */
  loop?: string | undefined
  /** A name by which later elements ask whether it is shown: `refs.<ref>.visible`. */
  ref?: string | undefined
  /** Shown in these channels or providers only. */
  channels?: Array<string> | undefined
  /** Its fields in other languages, by locale. */
  locales?: InLocales<ActionElement> | undefined
}

/** The first run opens the batch and waits; later ones leave their data there and end. When it closes, the first goes on with `data.batch.count` and `data.batch.items`. */
export interface AddToBatchStep {
  /** Always `add-to-batch`. */
  action: 'add-to-batch'
  /** Names the batch; else it is the one of this step. */
  batch_id?: string | undefined
  /** It closes when nothing was added for this long; `max_wait_period` when left out. A whole number and a unit (`30 minutes`), or an ISO 8601 duration: `P1D`, `PT30M`. */
  wait_period?: string | undefined
  /** It closes this long after it was opened; at most 60 days, which is also taken when it is left out. A whole number and a unit (`30 minutes`), or an ISO 8601 duration: `P1D`, `PT30M`. */
  max_wait_period?: string | undefined
  /** It closes with this many items; 10,000 when left out. */
  max_items?: number | string | undefined
  retain?: Retain | undefined
  /** Who is counted together. `user`: the runs for one recipient. `global`: all runs of this automation. `dynamic`: those with the same key. `global` when left out. */
  scope?: 'user' | 'global' | 'dynamic' | undefined
  /** With scope `dynamic`: the key of the batch. */
  batch_key?: string | undefined
  /** Under which key of `data` the items are put; `batch` when left out. */
  category_key?: string | undefined
  /** Done only while this expression is true. */
  if?: string | undefined
  /** A name by which later steps ask for its result. */
  ref?: string | undefined
}

/** Keeps the data of the run for the digest of its recipient. */
export interface AddToDigestStep {
  /** Always `add-to-digest`. */
  action: 'add-to-digest'
  /** The topic whose digest collects the data of the run. */
  subscription_topic_id: string
  /** Done only while this expression is true. */
  if?: string | undefined
  /** A name by which later steps ask for its result. */
  ref?: string | undefined
}

/** An API key; the key itself is not kept. */
export interface ApiKey {
  /** The id of the key; not the key. */
  id: string
  /** Name for people. */
  name: string
  kind: KeyKind
  environment: KeyEnvironment
  /** When it was created. In milliseconds since the Unix epoch. */
  created: number
}

/** One call of a provider. */
export interface AttemptRecord {
  /** Counts from 1. */
  number: number
  /** When it began. In milliseconds since the Unix epoch. */
  started: number
  /** When it ended; absent while it is under way. In milliseconds since the Unix epoch. */
  ended?: number | undefined
  /** How it ended. */
  outcome?: 'sent' | 'retry' | 'rejected' | 'in_doubt' | undefined
  /** What went wrong. */
  error?: string | undefined
}

/** Users who match a filter. */
export interface Audience {
  /** The audience id. */
  id: string
  /** Empty when none was given. */
  name: string
  /** Empty when none was given. */
  description: string
  /** As it was given; null matches nobody. */
  filter: AudienceFilter | null
  /** What joins a `filter` that names no operator; `AND` by default. */
  operator?: 'AND' | 'OR' | undefined
  /** When it was made. ISO 8601, UTC. */
  created_at: string
  /** When it was last written. ISO 8601, UTC. */
  updated_at: string
}

/** A condition on the profile, or a group of filters. */
export interface AudienceFilter {
  /** Of a group: `AND`, `OR`. Of a condition: `EQ`, `NEQ`, `GT`, `GTE`, `LT`, `LTE`, `INCLUDES`, `OMIT`, `EXISTS`, `STARTS_WITH`, `ENDS_WITH`, `IS_BEFORE`, `IS_AFTER`, `MEMBER_OF`. The outermost group may leave it out. */
  operator?: string | undefined
  /** Of a condition: the keys that lead to the value in the profile, joined by dots (`address.country`). `tenant_id` for `MEMBER_OF`. */
  path?: string | undefined
  /** Of a condition: a text, number or boolean, or a list of them of which any will do. */
  value?: unknown | undefined
  /** Of a group: groups and conditions of this same shape. */
  filters?: Array<Record<string, unknown>> | undefined
  /** The same as `filters`, as older clients call it. */
  rules?: Array<Record<string, unknown>> | undefined
}

/** The audience, and once more under `audience`, where older clients look. */
export interface AudienceFound {
  /** The audience id. */
  id: string
  /** Empty when none was given. */
  name: string
  /** Empty when none was given. */
  description: string
  /** As it was given; null matches nobody. */
  filter: AudienceFilter | null
  /** What joins a `filter` that names no operator; `AND` by default. */
  operator?: 'AND' | 'OR' | undefined
  /** When it was made. ISO 8601, UTC. */
  created_at: string
  /** When it was last written. ISO 8601, UTC. */
  updated_at: string
  audience: Audience
}

/** A user in an audience, and why. */
export interface AudienceMember {
  /** The user id. */
  member_id: string
  /** The audience. */
  audience_id: string
  /** The version of the audience the user was last found to match; each write of the audience makes one. */
  audience_version: number
  /** Since when the user is a member. ISO 8601, UTC. */
  added_at: string
  /** The conditions that were looked at, and what each gave. */
  reason: string
}

/** The audience as it is now. */
export interface AudienceWritten {
  audience: Audience
}

export interface AudiencesListQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 25 when left out. */
  limit?: number | undefined
}

export interface AudiencesListReply {
  items: Array<Audience>
  paging: Paging
}

export interface AudiencesMembersQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 100 when left out. */
  limit?: number | undefined
}

export interface AudiencesMembersReply {
  items: Array<AudienceMember>
  paging: Paging
}

export interface AudiencesPutBody {
  /** Its name. */
  name?: string | null | undefined
  /** What it is for. */
  description?: string | null | undefined
  /** Whom it matches; null matches nobody. */
  filter?: AudienceFilter | null | undefined
  /** What joins a `filter` that names no operator; `AND` by default. */
  operator?: 'AND' | 'OR' | null | undefined
}

/** One administrative change. */
export interface AuditEvent {
  /** The id of the audit event. */
  auditEventId: string
  /** Who did it. */
  actor: {
    /** The key, as records name their author: `key/backend`. */
    id: string
    /** Empty for a key. */
    email: string
  }
  /** The id of what was changed; empty where it has none. */
  target: string
  /** Through what: `api`. */
  source: string
  /** When, in ISO 8601, UTC. */
  timestamp: string
  /** What was done: `key:created`. */
  type: string
}

export interface AuditEventsListQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 50 when left out. */
  limit?: number | undefined
}

export interface AuditEventsListReply {
  paging: Paging
  results: Array<AuditEvent>
}

export interface AuthIssueTokenBody {
  /** What the token may do: words with a space between them, each one of `user_id:<id>` (whose token it is; once for each user), `read:messages`, `read:user-tokens`, `write:user-tokens`, `read:brands`, `write:brands`, `read:preferences`, `write:preferences`, `inbox:read:messages`, `inbox:write:events`. The scopes of brands may be narrowed to one: `read:brands:<id>`. */
  scope: string
  /** How long it is good for: a number of seconds, or a text such as `2 days`, `10h` or `30 minutes`. At least a second, at most 366 days. */
  expires_in: string | number
}

/** Steps, the token they are canceled by, and what is given of a context. */
export interface Automation {
  /** What is done, strictly in this order: `send`, `send-list`, `delay`, `cancel`, `fetch-data`, `update-profile`, `get-profile`, `invoke`, `add-to-batch`, `add-to-digest`, `throttle`. */
  steps: Array<AutomationStep>
  /** Runs that hold it can be canceled together. A text, a template in a text, or `{"$ref": "data.…"}`. `cancelationToken`, `cancellation_token` and `cancellationToken` are read too. */
  cancelation_token?: unknown | undefined
  /** Brand of steps that name none. */
  brand?: string | null | undefined
  /** Notification or mapped event of steps that name none. */
  template?: string | null | undefined
  /** Recipient of steps that name none. */
  recipient?: string | number | null | undefined
  /** What steps and their messages see; below the data of each step. */
  data?: Record<string, unknown> | null | undefined
  /** Contact values of the recipient; below the profile of each step. */
  profile?: Record<string, unknown> | null | undefined
}

/** The template can be written. */
export interface AutomationInspection {
  /** What of the automation is ignored, with its place. */
  warnings: Array<string>
}

/** A run: what it was started with and where it stands. */
export interface AutomationRun {
  /** The run id. */
  runId: string
  /** What started it: `api`, `event/<event>`, `schedule`, `invoke/<run id>`, `send-list/<run id>`. */
  source: Array<string>
  status: RunStatus
  /** The automation template it runs. */
  template_id?: string | undefined
  /** When it was started. ISO 8601, UTC. */
  created_at: string
  /** When it last moved on. ISO 8601, UTC. */
  updated_at: string
  /** What went wrong, with the place of the step it happened in: `steps.0` is the first. */
  error?: string | undefined
  /** `steps` and `cancelation_token` as given, tokens in them masked. */
  automation: Record<string, unknown>
  /** As given. */
  brand?: string | undefined
  /** As given. */
  template?: string | undefined
  /** As given. */
  recipient?: string | undefined
  /** As given. */
  data?: Record<string, unknown> | undefined
  /** As given, tokens masked. */
  profile?: Record<string, unknown> | undefined
}

/** A step of a run. */
export interface AutomationRunStep {
  /** The run id and the place of the step in `automation.steps`, from 0, as errors and simulations count too. */
  step_id: string
  /** What it does. */
  action: string
  /** Its name, where it has one. */
  ref?: string | undefined
  status: RunStepStatus
  /** The message it sent; the first of several. */
  message_id?: string | undefined
  /** What it came to. */
  result?: Record<string, unknown> | undefined
  /** What went wrong. */
  error?: string | undefined
  /** Why it was skipped, did not do what it is for, or waits, and for what. */
  reason?: string | undefined
  /** When it was begun; of one that was not, when the run was started. ISO 8601, UTC. */
  created_at: string
  /** When it last changed. ISO 8601, UTC. */
  updated_at: string
}

/** One step. In the place of a value it may hold a reference: `{ $ref: 'data.order.id' }`. */
export type AutomationStep = WithReferences<SendStep> | WithReferences<SendListStep> | WithReferences<DelayStep> | WithReferences<CancelStep> | WithReferences<FetchDataStep> | WithReferences<UpdateProfileStep> | WithReferences<GetProfileStep> | WithReferences<InvokeStep> | WithReferences<AddToBatchStep> | WithReferences<AddToDigestStep> | WithReferences<ThrottleStep>

/** An automation under a name. */
export interface AutomationTemplate {
  /** The id of the template. */
  id: string
  /** What people call it. */
  name: string
  /** When it was first written. ISO 8601, UTC. */
  createdAt: string
  /** When this version was written. ISO 8601, UTC. */
  updatedAt: string
  /** Counted up by every write. */
  version: number
  /** Another name to invoke it by. */
  alias?: string | undefined
  /** What starts runs of it, beside whoever invokes it. */
  triggers?: Array<EventTrigger | ScheduleTrigger> | undefined
  automation: Automation
  /** When it is written: what of the automation is ignored, with its place; absent when nothing is. */
  warnings?: Array<string> | undefined
}

/** A template as it is written. */
export interface AutomationTemplateInput {
  /** What people call it; its id when left out. */
  name?: string | null | undefined
  /** Another name to invoke it by; one template has it. */
  alias?: string | null | undefined
  /** What starts runs of it by itself; nothing when left out. */
  triggers?: Array<EventTrigger | ScheduleTriggerWrite> | null | undefined
  automation: Automation
}

export interface AutomationVersion {
  /** Counted up by every write. */
  version: number
  /** When it was written. ISO 8601, UTC. */
  createdAt: string
  /** What people call it. */
  name: string
  /** Another name to invoke it by. */
  alias?: string | undefined
  /** What starts runs of it, beside whoever invokes it. */
  triggers?: Array<EventTrigger | ScheduleTrigger> | undefined
  automation: Automation
}

export interface AutomationsInvokeBody {
  automation: Automation
  /** Brand of steps that name none. */
  brand?: string | null | undefined
  /** Notification or mapped event of steps that name none. */
  template?: string | null | undefined
  /** Recipient of steps that name none. */
  recipient?: string | number | null | undefined
  /** What steps and their messages see; below the data of each step. */
  data?: Record<string, unknown> | null | undefined
  /** Contact values of the recipient; below the profile of each step. */
  profile?: Record<string, unknown> | null | undefined
}

export interface AutomationsRunsQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 20 when left out. */
  limit?: number | undefined
  /** Only these. No run stands at `NOT PROCESSED`: a run is begun when it is stored. */
  status?: 'PROCESSING' | 'WAITING' | 'PROCESSED' | 'CANCELED' | 'ERROR' | 'THROTTLED' | 'NOT PROCESSED' | undefined
  /** Only runs of this template, by its id or alias. */
  template_id?: string | undefined
  /** Only runs that this run has started: by `invoke`, or for a subscriber of a list. */
  parent_run_id?: string | undefined
  /** Started at this moment or later; ISO 8601. */
  start_date?: string | undefined
  /** Started before this moment; ISO 8601. */
  end_date?: string | undefined
}

export interface AutomationsRunsReply {
  /** The runs of this page. */
  runs: Array<ShortRun>
  /** Pass it as `cursor`; absent on the last page. */
  next_cursor?: string | undefined
}

export interface AutomationsStepsReply {
  /** In their order. */
  steps: Array<AutomationRunStep>
}

export interface AutomationsTemplatesQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 50 when left out. */
  limit?: number | undefined
  /** Taken for older clients; every template is shown in the version in force. */
  version?: string | undefined
}

export interface AutomationsTemplatesReply {
  /** The templates of this page. */
  templates: Array<ShortAutomationTemplate>
  /** Pass it as `cursor`; absent on the last page. */
  cursor?: string | undefined
}

export interface AutomationsVersionsQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 50 when left out. */
  limit?: number | undefined
}

export interface AutomationsVersionsReply {
  paging: Paging
  /** The versions of this page. */
  results: Array<AutomationVersion>
}

/** A brand in the version in force. */
export interface Brand {
  /** The brand id. */
  id: string
  /** Name for people. */
  name: string
  /** When it was created. In milliseconds since the Unix epoch. */
  created: number
  /** When it last changed. In milliseconds since the Unix epoch. */
  updated: number
  /** When this version came into force: at its last change. In milliseconds since the Unix epoch. */
  published: number
  settings: BrandSettings
  snippets: BrandSnippets
  /** The version in force: the moment it was made, in ISO 8601. */
  version: string
  /** Whether messages without a brand of their own use it. */
  default: boolean
}

/** A brand as it is created. */
export interface BrandCreate {
  /** An id of your own; without it one is made. */
  id?: string | null | undefined
  /** Name for people. */
  name: string
  /** The appearance of a brand. Unknown fields are refused; those kept for other clients may hold anything. */
  settings: BrandSettings | null
  /** Words that a template names as `{{>name}}`. */
  snippets?: BrandSnippets | null | undefined
  /** True makes it the default of the workspace, in place of the one before; false and absent leave that as it is. */
  default?: boolean | undefined
}

/** The appearance of a brand. Unknown fields are refused; those kept for other clients may hold anything. */
export interface BrandSettings {
  /** Colors: a name of CSS, `#rgb`, `#rrggbb` or `rgb(…)`; anything else is refused. */
  colors?: {
    /** Buttons and links: a name, `#rrggbb` or `rgb(…)`. */
    primary?: string | null | undefined
    /** A second colour, for templates that name it. */
    secondary?: string | null | undefined
    /** A third colour, for templates that name it. */
    tertiary?: string | null | undefined
  } | null | undefined
  /** What mails look like. */
  email?: {
    /** The top of a mail. */
    header?: {
      /** Colour of the bar at the top of a mail; without it there is none. */
      barColor?: string | null | undefined
      /** The picture at the top of a mail. */
      logo?: {
        /** Address of the picture. */
        image?: string | null | undefined
        /** Where it leads. */
        href?: string | null | undefined
      } | null | undefined
      /** Kept for other clients; it changes nothing here. */
      inheritDefault?: boolean | null | undefined
    } | null | undefined
    /** The foot of a mail. */
    footer?: {
      /** Markdown below the words of a mail; variables are filled in. */
      markdown?: string | null | undefined
      /** The same under its later name; `markdown` wins. */
      content?: string | null | undefined
      /** Links below the footer. */
      social?: {
        /** The brand on Facebook. */
        facebook?: {
          /** The address on Facebook. */
          url?: string | null | undefined
        } | null | undefined
        /** The brand on Instagram. */
        instagram?: {
          /** The address on Instagram. */
          url?: string | null | undefined
        } | null | undefined
        /** The brand on LinkedIn. */
        linkedin?: {
          /** The address on LinkedIn. */
          url?: string | null | undefined
        } | null | undefined
        /** The brand on Medium. */
        medium?: {
          /** The address on Medium. */
          url?: string | null | undefined
        } | null | undefined
        /** The brand on Twitter. */
        twitter?: {
          /** The address on Twitter. */
          url?: string | null | undefined
        } | null | undefined
      } | null | undefined
      /** Kept for other clients; it changes nothing here. */
      inheritDefault?: boolean | null | undefined
    } | null | undefined
    /** What no reader sees. */
    head?: {
      /** Markup for the `<head>` of a mail, such as a `<style>`. */
      content?: string | null | undefined
      /** Kept for other clients; it changes nothing here. */
      inheritDefault?: boolean | null | undefined
    } | null | undefined
    /** A frame in MJML. It is kept for other clients and not used here. */
    templateOverride?: Record<string, unknown> | null | undefined
  } | null | undefined
  /** What inboxes in an application look like; kept for them. */
  inapp?: Record<string, unknown> | null | undefined
}

/** Words that a template names as `{{>name}}`. */
export interface BrandSnippets {
  /** The snippets. */
  items?: Array<{
    /** Letters, digits, `_` and `-`; at most 64. */
    name: string
    /** The words it stands for. */
    value: string
    /** Always `handlebars`. */
    format?: 'handlebars' | undefined
  }> | null | undefined
}

/** A brand as it is replaced: parts that are absent or null stay as they are. */
export interface BrandWrite {
  /** Name for people. */
  name: string
  /** The appearance of a brand. Unknown fields are refused; those kept for other clients may hold anything. */
  settings?: BrandSettings | null | undefined
  /** Words that a template names as `{{>name}}`. */
  snippets?: BrandSnippets | null | undefined
  /** True makes it the default of the workspace, in place of the one before; false and absent leave that as it is. */
  default?: boolean | undefined
}

export interface BrandsListQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 50 when left out. */
  limit?: number | undefined
}

export interface BrandsListReply {
  paging: Paging
  results: Array<Brand>
}

/** The job runs. */
export interface BulkAccepted {
  /** It is on disk and will be done. */
  status: 'ACCEPTED'
}

export interface BulkCreateBody {
  message: BulkMessage
}

export interface BulkCreateQuery {
  /** Whether a name that leads nowhere, an unknown field beside the known ones, a recipient without an address or a variable without a value is a 400 instead of a status of the message. By its name alone it is true. It beats the header `Prefer: handling=strict` (or `handling=lenient`), which beats the setting of the environment. */
  strict?: boolean | undefined
}

/** The job is there. */
export interface BulkCreated {
  /** The job id. */
  jobId: string
}

export interface BulkIngestBody {
  /** The users. */
  users: Array<BulkUser | Record<string, unknown>>
}

/** What became of the users. */
export interface BulkIngested {
  /** Users added by this call. */
  total: number
  /** Users that were not added. */
  errors: Array<{
    /** Why not: `Duplicate user`. */
    error: string
    /** The user as sent. */
    user: Record<string, unknown>
  }>
}

/** A job and how far it is. */
export interface BulkJob {
  /** The message, as it was given. */
  definition: Record<string, unknown>
  /** Users added. */
  received: number
  /** Messages made so far. */
  enqueued: number
  /** Users whose message could not be made. */
  failures: number
  /** `COMPLETED`: every user has a message; what becomes of it is in `/messages?messageId=`. */
  status: 'CREATED' | 'PROCESSING' | 'COMPLETED' | 'ERROR'
}

/** The job. */
export interface BulkJobReply {
  job: BulkJob
}

/** What every user of the job gets. */
export interface BulkMessage {
  /** A notification id, or a name mapped to a notification. */
  event?: string | null | undefined
  /** A notification id, its alias, or a mapped event. */
  template?: string | null | undefined
  /** Elemental JSON, or just a title and a body. Variables are written `{name}`. */
  content?: ContentInput | null | undefined
  /** A message of the second generation, without its recipients. */
  message?: {
    /** A notification id, its alias, or a mapped event. */
    template?: string | null | undefined
    /** Elemental JSON, or just a title and a body. Variables are written `{name}`. */
    content?: ContentInput | null | undefined
    /** Values of the template variables. */
    data?: Record<string, unknown> | null | undefined
    /** Brand to render with. */
    brand_id?: string | null | undefined
    /** Which channels, and whether one or all of them. Groups may nest. */
    routing?: MessageRouting | null | undefined
    /** Settings by channel. */
    channels?: Record<string, ChannelSettings | null> | null | undefined
    /** Settings by provider. */
    providers?: Record<string, ProviderSettings | null> | null | undefined
    /** What the message is remembered by. */
    metadata?: {
      /** Your name of what happened. Kept with the message, whose `event` stays the template; preferences may be about it. */
      event?: string | null | undefined
      /** Tags to find the message by. */
      tags?: Array<string> | null | undefined
      /** Your own id of the request, to find the message by. */
      trace_id?: string | null | undefined
      /** Campaign parameters of links; stored with the message. */
      utm?: Utm | null | undefined
    } | null | undefined
    /** Binds the message to a topic. */
    preferences?: {
      /** The topic recipients can opt out of. */
      subscription_topic_id?: string | null | undefined
    } | null | undefined
    /** Deadlines of a message. */
    timeout?: MessageTimeout | null | undefined
    /** Deadlines of a message. */
    timeouts?: MessageTimeout | null | undefined
    /** How long to wait before anything is sent; empty, not at all. The message is `DELAYED` until then. */
    delay?: Delay | null | undefined
    /** After it nothing is put into an inbox; other channels are not concerned. Of two the earlier one. */
    expiry?: {
      /** When: ISO 8601, or milliseconds since the Unix epoch. */
      expires_at?: string | number | null | undefined
      /** How long after it was due: milliseconds, or an ISO 8601 duration (`P1DT4H`). */
      expires_in?: string | number | null | undefined
    } | null | undefined
    /** In which tenant. */
    context?: {
      /** The tenant it is sent in. */
      tenant_id?: string | null | undefined
    } | null | undefined
  } | null | undefined
  /** Brand to render with. */
  brand?: string | null | undefined
  /** Values of the template variables. */
  data?: Record<string, unknown> | null | undefined
  /** Data by locale, merged over the data for users of that locale. A string is ignored. */
  locale?: Record<string, unknown> | string | null | undefined
  /** As in a send: by provider. */
  override?: Record<string, unknown> | null | undefined
  /** Which channels, and whether one or all of them. Groups may nest. */
  routing?: MessageRouting | null | undefined
  /** Settings by channel. */
  channels?: Record<string, ChannelSettings | null> | null | undefined
  /** Settings by provider. */
  providers?: Record<string, ProviderSettings | null> | null | undefined
  /** What the message is remembered by. */
  metadata?: {
    /** Your name of what happened. Kept with the message, whose `event` stays the template; preferences may be about it. */
    event?: string | null | undefined
    /** Tags to find the message by. */
    tags?: Array<string> | null | undefined
    /** Your own id of the request, to find the message by. */
    trace_id?: string | null | undefined
    /** Campaign parameters of links; stored with the message. */
    utm?: Utm | null | undefined
  } | null | undefined
  /** Deadlines of a message. */
  timeout?: MessageTimeout | null | undefined
  /** How long to wait before anything is sent; empty, not at all. The message is `DELAYED` until then. */
  delay?: Delay | null | undefined
  /** Binds the message to a topic. */
  preferences?: {
    /** The topic recipients can opt out of. */
    subscription_topic_id?: string | null | undefined
  } | null | undefined
  /** In which tenant. */
  context?: {
    /** The tenant it is sent in. */
    tenant_id?: string | null | undefined
  } | null | undefined
  [field: string]: unknown
}

/** One user of a job. */
export interface BulkUser {
  /** The recipient id; one is made when no id is given. */
  recipient?: string | null | undefined
  /** `recipient` again. */
  user_id?: string | null | undefined
  /** Email address. */
  email?: string | null | undefined
  /** Contact values for this message only; merged over the stored profile. */
  profile?: Record<string, unknown> | null | undefined
  /** Merged over the data of the message, key by key. */
  data?: Record<string, unknown> | null | undefined
  /** What a recipient wants to receive. */
  preferences?: Preferences | null | undefined
  /** A user, an ad-hoc contact, a list, lists by pattern, an audience or a tenant. Any further key is profile data: `slack`, `ms_teams`, `webhook`, … */
  to?: MessageRecipient | null | undefined
  [field: string]: unknown
}

/** A user of a job, as added. */
export interface BulkUserRecord {
  /** The recipient id. */
  recipient: string
  /** `ENQUEUED`: the message is made. */
  status: 'PENDING' | 'ENQUEUED' | 'ERROR'
  /** The message, once it is made. */
  messageId?: string | undefined
  /** As given, tokens masked. */
  profile?: Record<string, unknown> | undefined
  /** As given. */
  data?: Record<string, unknown> | undefined
  [field: string]: unknown
}

/** A page of users. */
export interface BulkUsersPage {
  /** In the order they were added. */
  items: Array<BulkUserRecord>
  paging: Paging
}

export interface BulkUsersQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 100 when left out. */
  limit?: number | undefined
}

/** Ends every other run in progress that holds the token; `canceled` in its result says how many. */
export interface CancelStep {
  /** Always `cancel`. */
  action: 'cancel'
  /** Every other run in progress that holds it is canceled. */
  cancelation_token: string
  /** Done only while this expression is true. */
  if?: string | undefined
  /** A name by which later steps ask for its result. */
  ref?: string | undefined
}

/** One way the message could go. */
export interface Candidate {
  channel: Channel
  /** The provider: `sendgrid`. */
  provider?: string | undefined
  /** The integration id. */
  integration?: string | undefined
  /** The title of the integration; absent when it has been deleted since. */
  title?: string | undefined
  /** True when it is tried, now or after those before it have failed. */
  selected: boolean
  reason?: CandidateReason | undefined
  /** Why its condition could not be evaluated. */
  error?: string | undefined
  /** Candidates are tried by rising order; equal ones at the same time. */
  order: number
}

/** Why a candidate is not used. `EXPIRED`: the `expiry` of the message is over, and it is an inbox. `INCOMPLETE_PROFILE_DATA`: the profile lacks what the provider needs. `MISSING_CONFIGURATION`: the integration is switched off or unfinished. `NO_PROVIDERS`: the channel has no integration. `SANDBOX`: the mailbox steps back because its channel, or one that is tried in turn with it, has a real integration, or in production ever had one. `UNSUBSCRIBED`: the recipient does not want the channel. */
export type CandidateReason = 'CHANNEL_DISABLED' | 'EXPIRED' | 'FILTERED' | 'INCOMPLETE_PROFILE_DATA' | 'MISSING_CONFIGURATION' | 'NO_PROVIDERS' | 'OPT_IN_REQUIRED' | 'SANDBOX' | 'UNSUBSCRIBED'

/** A provider that can be integrated. */
export interface CatalogEntry {
  /** The name on the wire. */
  provider: string
  /** Its name for people. */
  name: string
  channel: Channel
  /** Every channel it serves. */
  channels: Array<Channel>
  /** What it is. */
  description: string
  /** Where to read about it. */
  website?: string | undefined
  /** The profile keys it needs. */
  profile_keys?: Array<string> | undefined
  /** Its settings by key. */
  settings: Record<string, CatalogSetting>
}

/** One setting of a provider. */
export interface CatalogSetting {
  /** What it holds. */
  type: 'string' | 'number' | 'integer' | 'boolean' | 'enum' | 'array' | 'object'
  /** Whether it must be given. */
  required: boolean
  /** Of an `enum`: what it can be. */
  values?: Array<string> | undefined
  /** True when it is never shown again. */
  secret?: boolean | undefined
  /** Its name for people. */
  title?: string | undefined
  /** What it is for. */
  description?: string | undefined
  /** What holds when it is not given. */
  default?: unknown | undefined
}

/** A way to reach a person. */
export type Channel = 'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook'

/** What one channel says instead of the others. */
export interface ChannelElement {
  /** Always `channel`. */
  type: 'channel'
  /** The channel, or a provider; `default` for all others. */
  channel: string
  /** Only for this provider. */
  provider?: string | undefined
  /** What it shows. */
  elements?: Array<Element> | undefined
  /** In the place of fields: `subject`, `title`, `html`, `text`; `slackBlocks` for Slack. */
  raw?: Record<string, unknown> | undefined
  /** A name by which it is translated and replaced. */
  id?: string | undefined
  /** Shown only while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of the list that this expression gives. */
  loop?: string | undefined
  /** A name by which later elements ask whether it is shown: `refs.<ref>.visible`. */
  ref?: string | undefined
  /** Shown in these channels or providers only. */
  channels?: Array<string> | undefined
  /** Its fields in other languages, by locale. */
  locales?: InLocales<ChannelElement> | undefined
}

/** A channel with settings of its own. */
export interface ChannelRoute {
  /** A channel or a provider. */
  channel: string
  /** `single`: the first channel that works. `all`: every channel. */
  method?: 'single' | 'all' | null | undefined
  /** Only these providers, in this order; the id of an integration stands for that one alone. */
  providers?: Array<string> | null | undefined
  /** Used only while this expression over `data` and `profile` is true. */
  if?: string | null | undefined
}

/** Settings of one channel for this message. */
export interface ChannelSettings {
  /** Brand to render this channel with. */
  brand_id?: string | null | undefined
  /** Only these providers, in this order; the id of an integration stands for that one alone. */
  providers?: Array<string> | null | undefined
  /** `single`: the first channel that works. `all`: every channel. */
  routing_method?: 'single' | 'all' | null | undefined
  /** Used only while this expression over `data` and `profile` is true. */
  if?: string | null | undefined
  /** Merged over the words and options of the channel: `subject`, `from`, `cc`, … */
  override?: Record<string, unknown> | null | undefined
  /** Metadata of the channel. */
  metadata?: {
    /** Campaign parameters of links; stored with the message. */
    utm?: Utm | null | undefined
  } | null | undefined
  /** How long it is given; a number is for the channel. */
  timeouts?: number | {
    /** For the channel, while another one can follow. In milliseconds, at most 30 days. */
    channel?: number | null | undefined
    /** For one provider of it, while another one can follow. In milliseconds, at most 30 days. */
    provider?: number | null | undefined
  } | null | undefined
  /** How long it is given; a number is for the channel. */
  timeout?: number | {
    /** For the channel, while another one can follow. In milliseconds, at most 30 days. */
    channel?: number | null | undefined
    /** For one provider of it, while another one can follow. In milliseconds, at most 30 days. */
    provider?: number | null | undefined
  } | null | undefined
}

/** One finding. */
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

/** One of the columns. */
export interface ColumnElement {
  /** Always `column`. */
  type: 'column'
  /** Pixels, or per cent: `50%`. */
  width?: string | number | undefined
  /** What stands in it. */
  elements?: Array<Element> | undefined
  /** A name by which it is translated and replaced. */
  id?: string | undefined
  /** Shown only while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of the list that this expression gives. */
  loop?: string | undefined
  /** A name by which later elements ask whether it is shown: `refs.<ref>.visible`. */
  ref?: string | undefined
  /** Shown in these channels or providers only. */
  channels?: Array<string> | undefined
  /** Its fields in other languages, by locale. */
  locales?: InLocales<ColumnElement> | undefined
}

/** Columns, side by side in a mail. */
export interface ColumnsElement {
  /** Always `columns`. */
  type: 'columns'
  /** At most four columns. */
  elements?: Array<ColumnElement | CommentElement> | undefined
  /** A name by which it is translated and replaced. */
  id?: string | undefined
  /** Shown only while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of the list that this expression gives. */
  loop?: string | undefined
  /** A name by which later elements ask whether it is shown: `refs.<ref>.visible`. */
  ref?: string | undefined
  /** Shown in these channels or providers only. */
  channels?: Array<string> | undefined
  /** Its fields in other languages, by locale. */
  locales?: InLocales<ColumnsElement> | undefined
}

/** A note between authors. It shows nothing. */
export interface CommentElement {
  /** Always `comment`. */
  type: 'comment'
  /** The note. */
  comment?: string | undefined
  /** A name by which it is translated and replaced. */
  id?: string | undefined
  /** Shown only while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of the list that this expression gives. */
  loop?: string | undefined
  /** A name by which later elements ask whether it is shown: `refs.<ref>.visible`. */
  ref?: string | undefined
  /** Shown in these channels or providers only. */
  channels?: Array<string> | undefined
  /** Its fields in other languages, by locale. */
  locales?: InLocales<CommentElement> | undefined
}

/** Content as elements, and as blocks and channels. */
export interface ContentDetail {
  /** The Elemental version: `2022-01-01`. */
  version: string
  /** The elements in order. */
  elements: Array<ContentElement>
  /** The same as a flat list, as older clients read it. */
  blocks: Array<{
    /** The element id. */
    id: string
    /** The kind of block. */
    type: 'text' | 'action' | 'image' | 'divider' | 'quote' | 'list' | 'template'
    /** Its words. */
    content?: string | undefined
    /** Its words by locale. */
    locales?: Record<string, string> | undefined
    /** Changes when the words change. */
    checksum: string
  }>
  /** What each channel puts above the words, as older clients read it. */
  channels: Array<{
    /** The channel. */
    id: string
    /** The channel. */
    type: string
    /** What stands above the words. */
    content: {
      /** The subject of a mail; empty elsewhere. */
      subject: string
      /** The title elsewhere; empty in a mail. */
      title: string
    }
    /** Subject or title by locale. */
    locales: Record<string, {
      /** The subject of a mail. */
      subject?: string | undefined
      /** The title elsewhere. */
      title?: string | undefined
    }>
    /** Changes when the words change. */
    checksum: string
  }>
  /** Changes when any words change. */
  checksum: string
}

/** An element with what tells it apart. Written back, its `checksum` is left out. */
export interface ContentElement {
  /** `text`, `meta`, `action`, `image`, `channel`, … */
  type: string
  /** Its `id`, else its place: `1.0` is the first element in the second. Places move, ids stay. */
  id: string
  /** MD5 of its words; changes when they change. */
  checksum: string
  [field: string]: unknown
}

/** Elemental JSON, or just a title and a body. Variables are written `{name}`. */
export type ContentInput = {
  /** The Elemental version: `2022-01-01`. */
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
  /** The elements in order. */
  elements: Array<ContentElement>
  state: NotificationState
  /** The Elemental version. */
  version: string
}

/** A new API key. */
export interface CreatedKey {
  /** The id of the key; not the key. */
  id: string
  /** Name for people. */
  name: string
  kind: KeyKind
  environment: KeyEnvironment
  /** When it was created. In milliseconds since the Unix epoch. */
  created: number
  /** The key. It is shown this once. */
  key: string
}

/** A new webhook. */
export interface CreatedWebhook {
  /** The webhook id. */
  id: string
  /** Where it is called with POST: http or https, without user name and password. */
  url: string
  /** The changes that it is called for. */
  types: Array<WebhookType>
  /** False: nothing is called. What waits goes on waiting, at most three days; what happens now is not kept. */
  enabled: boolean
  /** True when it has a secret and its calls carry `courier-signature`. */
  signed: boolean
  /** When it was created. In milliseconds since the Unix epoch. */
  created: number
  /** When it last changed. In milliseconds since the Unix epoch. */
  updated: number
  /** The key that signs its calls. It is shown this once. */
  secret?: string | undefined
}

/** Asked for the data of each subscriber, with `recipientId` in the query. */
export interface DataSource {
  webhook: StepWebhook
  /** How what comes in (A) meets what is there (B). `replace`: B becomes A. `overwrite`: the keys of A win. `soft-merge`: only keys that B lacks are taken. `none`: A is taken only when B is empty. `overwrite` when left out. */
  merge_strategy?: 'replace' | 'overwrite' | 'soft-merge' | 'none' | undefined
}

/** One step of the decision. */
export interface DecisionStep {
  /** The steps run in this order; a stop ends them. */
  step: 'map' | 'profile' | 'preferences' | 'window' | 'route' | 'render'
  /** Whether the message went on. */
  outcome: 'passed' | 'stopped'
  /** The finding in one sentence. */
  summary: string
  /** The values the step looked at; tokens are masked. */
  facts: Record<string, unknown>
}

/** The topics for which a tenant has a default. */
export interface DefaultPreferences {
  /** One entry a topic. */
  items?: Array<TopicDefault> | null | undefined
}

/** How long to wait before anything is sent; empty, not at all. The message is `DELAYED` until then. */
export interface Delay {
  /** Milliseconds to wait, at most 90 days; rounded up to the next minute. Ignored beside `until`. */
  duration?: number | null | undefined
  /** The ISO 8601 moment before which nothing is sent, at most 90 days ahead; or opening hours in which it may be sent: `Mo-Fr 08:00-18:00`, each recipient in their own time zone. */
  until?: string | null | undefined
  /** The zone of opening hours for everybody: `Europe/Vienna` or `+02:00`. */
  timezone?: string | null | undefined
}

/** Waits for a while or until a moment; what is past is not waited for. `until` beats `duration`; without either it does not wait. */
export interface DelayStep {
  /** Always `delay`. */
  action: 'delay'
  /** A whole number and a unit (`2 days`), or an ISO 8601 duration. Months and years are of the calendar, in UTC. */
  duration?: string | undefined
  /** An ISO 8601 moment, `20240408T080910.123`, or opening hours: `Mo-Fr 08:00-18:00`. */
  until?: string | undefined
  /** Of `until` without a zone of its own; else `zoneinfo` or `timezone` of the profile, else UTC. */
  timezone?: string | undefined
  /** Done only while this expression is true. */
  if?: string | undefined
  /** A name by which later steps ask for its result. */
  ref?: string | undefined
}

/** What was done about one candidate. */
export interface DeliveryRecord {
  /** The delivery id, stable over its attempts. */
  id: string
  channel: Channel
  /** The provider: `sendgrid`. */
  provider: string
  /** The integration id. */
  integration: string
  /** The title of the integration; absent when it has been deleted since. */
  title?: string | undefined
  status: DeliveryStatus
  /** The attempts, oldest first; of many, the latest. */
  attempts: Array<AttemptRecord>
  /** How many attempts there were. */
  attempts_total: number
  /** When the next attempt is due. In milliseconds since the Unix epoch. */
  next_attempt_at?: number | undefined
  /** The latest error. */
  error?: string | undefined
  reason?: Reason | undefined
  /** What the provider calls the message. */
  reference?: Record<string, unknown> | undefined
}

/** Where one delivery (message × channel × integration) stands; `ROUTED` until a provider accepted it. */
export type DeliveryStatus = 'ROUTED' | 'SENT' | 'DELIVERED' | 'OPENED' | 'CLICKED' | 'UNDELIVERABLE'

/** The device. */
export interface Device {
  /** The app. */
  app_id?: string | null | undefined
  /** The advertising id. */
  ad_id?: string | null | undefined
  /** The id of the device. */
  device_id?: string | null | undefined
  /** Its platform: `ios`. */
  platform?: string | null | undefined
  /** Its maker. */
  manufacturer?: string | null | undefined
  /** Its model. */
  model?: string | null | undefined
}

/** A device of a user. */
export interface DeviceToken {
  /** The push provider that gave the token. */
  provider_key: 'apn' | 'firebase-fcm' | 'expo' | 'onesignal'
  /** The device. */
  device?: Device | null | undefined
  /** Sent by the device when it registered. */
  tracking?: Tracking | null | undefined
  /** Anything else. */
  properties?: Record<string, unknown> | null | undefined
  /** When the token ends; `false` for never. */
  expiry_date: string | false
  /** `active` is written to; `failed` and `revoked` are not. */
  status: 'active' | 'unknown' | 'failed' | 'revoked'
  /** Why it has this status. */
  status_reason?: string | null | undefined
  /** The token. */
  token: string
}

/** What is known about a device. With all it says a token has at most 16 kB. */
export interface DeviceTokenInput {
  /** The push provider that gave the token. */
  provider_key: 'apn' | 'firebase-fcm' | 'expo' | 'onesignal'
  /** The device. */
  device?: Device | null | undefined
  /** Sent by the device when it registered. */
  tracking?: Tracking | null | undefined
  /** Anything else. */
  properties?: Record<string, unknown> | null | undefined
  /** When the token ends; `false` for never. Two months from now unless given. */
  expiry_date?: string | false | null | undefined
  /** `active` is written to; `failed` and `revoked` are not. `active` unless given. */
  status?: 'active' | 'unknown' | 'failed' | 'revoked' | undefined
  /** Why it has this status. */
  status_reason?: string | null | undefined
  /** The token; it must be the one of the path. */
  token?: string | undefined
}

export interface DeviceTokensListReply {
  /** The tokens. */
  tokens: Array<DeviceToken>
}

export interface DeviceTokensPatchBody {
  /** Operations applied in order. */
  patch: Array<PatchOperation>
}

/** Results of the checks that a server runs on itself. */
export interface Diagnostics {
  /** In the order in which they were made. */
  checks: Array<Check>
}

/** One kind of events in a digest. */
export interface DigestCategory {
  /** Events whose data have this key at the top belong to it; it is the key in the data of the digest. */
  category_key: string
  /** Which ones: those that came `FIRST` or `LAST`, or with the `HIGHEST` or `LOWEST` value at `sort_key`. `NONE`: all, as far as there can be. */
  retain: 'FIRST' | 'LAST' | 'HIGHEST' | 'LOWEST' | 'NONE'
  /** How many events of it the digest shows; all are counted. */
  limit: number
  /** Where in an event the number or moment is that `HIGHEST` and `LOWEST` compare: `likes`, `post.likes`. */
  sort_key?: string | undefined
}

/** One kind of events in a digest, as it is written. */
export interface DigestCategoryWrite {
  /** Events whose data have this key at the top belong to it; it is the key in the data of the digest. */
  category_key: string
  /** Which ones: those that came `FIRST` or `LAST`, or with the `HIGHEST` or `LOWEST` value at `sort_key`. `NONE`: all, as far as there can be. `FIRST` when left out. */
  retain?: 'FIRST' | 'LAST' | 'HIGHEST' | 'LOWEST' | 'NONE' | 'first' | 'last' | 'highest' | 'lowest' | 'none' | null | undefined
  /** How many events of it the digest shows; all are counted. 10 when left out. */
  limit?: number | null | undefined
  /** Where in an event the number or moment is that `HIGHEST` and `LOWEST` compare: `likes`, `post.likes`. */
  sort_key?: string | null | undefined
}

/** The events that are kept for one recipient about one topic. */
export interface DigestInstance {
  /** The id. */
  digest_instance_id: string
  /** Whose it is. */
  user_id: string
  /** In which tenant; null outside any. */
  tenant_id: string | null
  /** What it is about. */
  topic_id: string
  /** The schedule that its last event came under. */
  schedule_id: string
  /** Always `IN_PROGRESS`: one that is released is a message. */
  status: 'IN_PROGRESS'
  /** How many events have come. */
  event_count: number
  /** How many of each category; an event may belong to several. */
  category_key_counts: Record<string, number>
  /** The categories as they were when the last event came. */
  categories: Array<DigestCategory>
  /** When the first event came. ISO 8601, UTC. */
  created_at: string
  /** When it is due. ISO 8601, UTC. */
  releases_at: string
}

/** A page of open digests. */
export interface DigestInstances {
  /** Always `list`. */
  type: 'list'
  /** The rows of this page. */
  items: Array<DigestInstance>
  /** True when another page follows. */
  has_more: boolean
  /** The path of the list. */
  url: string
  /** Path and query of the next page; null on the last one. */
  next_url: string | null
  /** Pass it as `cursor` to get the next page; null on the last one. */
  cursor: string | null
}

/** When a digest is released. */
export interface DigestSchedule {
  /** What recipients choose it by. */
  schedule_id: string
  /** How often. `instant`: each event at once, as a digest of one. */
  frequency?: 'instant' | 'daily' | 'weekdays' | 'weekly' | 'custom_days' | 'monthly' | undefined
  /** When on the day, `HH:MM`; for every frequency but `instant`. */
  time?: string | undefined
  /** Where `time` and the days are read; UTC when left out. Clock changes are followed. An IANA name: `Europe/Berlin`. */
  timezone?: string | undefined
  /** With `weekly`. */
  day_of_week?: 'sunday' | 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | undefined
  /** With `custom_days`. */
  days_of_week?: Array<'sunday' | 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday'> | undefined
  /** With `monthly`; in a month that is shorter, its last day. */
  day_of_month?: number | undefined
  /** Instead of `frequency` and its fields. Minute, hour, day of month, month, day of week: `0 9 * * MON-FRI`; `L` is the last day of the month. */
  cron?: string | undefined
  /** For who has chosen none; when no schedule says so, the first. */
  is_default: boolean
  /** Nobody is on it; who has chosen it is on the default one. */
  disabled: boolean
}

/** When a digest is released, as it is written. */
export interface DigestScheduleWrite {
  /** One of the topic, to change it; without it a new one is made. */
  schedule_id?: string | null | undefined
  /** How often. `instant`: each event at once, as a digest of one. */
  frequency?: 'instant' | 'daily' | 'weekdays' | 'weekly' | 'custom_days' | 'monthly' | null | undefined
  /** When on the day, `HH:MM`; for every frequency but `instant`. */
  time?: string | null | undefined
  /** Where `time` and the days are read; UTC when left out. Clock changes are followed. An IANA name: `Europe/Berlin`. */
  timezone?: string | null | undefined
  /** With `weekly`. */
  day_of_week?: 'sunday' | 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | null | undefined
  /** With `custom_days`. */
  days_of_week?: Array<'sunday' | 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday'> | null | undefined
  /** With `monthly`; in a month that is shorter, its last day. */
  day_of_month?: number | null | undefined
  /** Instead of `frequency` and its fields. Minute, hour, day of month, month, day of week: `0 9 * * MON-FRI`; `L` is the last day of the month. */
  cron?: string | null | undefined
  /** For who has chosen none; when no schedule says so, the first. */
  is_default?: boolean | null | undefined
  /** Nobody is on it; who has chosen it is on the default one. */
  disabled?: boolean | null | undefined
}

/** The values of one category in the template. */
export interface DigestedCategory {
  /** Events of the category. */
  count: number
  /** The events that are shown, in their order. */
  items: Array<Record<string, unknown>>
}

export interface DigestsInstancesQuery {
  /** Rows of a page; 20 when left out. */
  limit?: number | undefined
  /** The `cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** The same, as older clients name it. */
  starting_after?: string | undefined
}

export interface DigestsListReply {
  /** Oldest first. */
  items: Array<OpenDigest>
}

export interface DigestsReleaseOneBody {
  /** Whose. */
  user_id: string
  /** In which tenant; outside any when left out. */
  tenant_id?: string | null | undefined
}

/** A line across. */
export interface DividerElement {
  /** Always `divider`. */
  type: 'divider'
  /** Of the line. A CSS color; it may hold variables. */
  color?: string | undefined
  /** A name by which it is translated and replaced. */
  id?: string | undefined
  /** Shown only while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of the list that this expression gives. */
  loop?: string | undefined
  /** A name by which later elements ask whether it is shown: `refs.<ref>.visible`. */
  ref?: string | undefined
  /** Shown in these channels or providers only. */
  channels?: Array<string> | undefined
  /** Its fields in other languages, by locale. */
  locales?: InLocales<DividerElement> | undefined
}

/** One element of content. An element that this version does not know is sent with `postrider.call`. */
export type Element = TextElement | MetaElement | ChannelElement | ActionElement | ImageElement | DividerElement | GroupElement | QuoteElement | HtmlElement | ListElement | ListItemElement | CommentElement | ColumnsElement | ColumnElement

/** The receipt of an erasure. It does not name the user. */
export interface Erasure {
  /** The id of the erasure. */
  erasureId: string
  /** `PROCESSING`: nothing is sent to the user, and what is sent meanwhile is erased with the rest. `COMPLETED`: nothing is left, and a new send is a new beginning. `ERROR`: something failed again and again; asking once more goes on with it. */
  status: 'PROCESSING' | 'COMPLETED' | 'ERROR'
  /** What stands for the user in messages now. The same for the same id. */
  pseudonym: string
  /** When it was asked for. In milliseconds since the Unix epoch. */
  begun: number
  /** When nothing was left. In milliseconds since the Unix epoch. */
  completed?: number | undefined
  removed: Removed
}

/** An event name and the notification it stands for. */
export interface EventMapping {
  /** The name. */
  event: string
  /** The notification id. */
  id: string
  /** What the event maps to; always `notification`. */
  type: 'notification'
}

/** One run for each inbound event of this name. */
export interface EventTrigger {
  /** An inbound event. */
  type: 'event'
  /** The `event` of `POST /inbound/courier`. Its properties are the data of the run, its user the recipient. */
  event: string
}

export interface EventsListReply {
  results: Array<EventMapping>
}

export interface EventsPutBody {
  /** The notification id. */
  id: string
  /** What the event maps to; always `notification`. */
  type: 'notification'
}

export interface EventsRoutingBody {
  /** Whom to look at. */
  recipients: Array<{
    /** The recipient id. */
    recipient: string
    /** Values of the template variables. */
    data?: Record<string, unknown> | null | undefined
    /** Merged over the stored profile. */
    profile?: Record<string, unknown> | null | undefined
    /** They beat the stored ones. */
    preferences?: Preferences | null | undefined
  }>
}

/** A decision with its facts. */
export interface Explanation {
  /** Where deciding ends: `ROUTED` (it goes to the providers) or the status that stops it. */
  decision: {
    status: MessageStatus
    reason?: Reason | undefined
    /** The reason for people. */
    error?: string | undefined
    /** When a delayed message comes due, or the digest that a message is kept for. In milliseconds since the Unix epoch. */
    due_at?: number | undefined
  }
  /** The template used; absent when the event is unmapped. */
  notification?: {
    /** The notification id. */
    id: string
    /** `draft` or a published version: `v3`. */
    version: string
  } | undefined
  /** The steps as they ran. */
  steps: Array<DecisionStep>
  /** Every way considered, in order. */
  candidates: Array<Candidate>
  /** The words for the selected candidates. */
  rendered: Array<RenderedCandidate>
  /** Parts of the request that are ignored, each with its place; absent without any. */
  warnings?: Array<string> | undefined
  /** The merged profile; tokens are masked. */
  profile: Record<string, unknown>
}

/** Asks an address for a JSON object and merges it into the data of the run. */
export interface FetchDataStep {
  /** Always `fetch-data`. */
  action: 'fetch-data'
  webhook: StepWebhook
  /** How what comes in (A) meets what is there (B). `replace`: B becomes A. `overwrite`: the keys of A win. `soft-merge`: only keys that B lacks are taken. `none`: A is taken only when B is empty. `replace`, which leaves nothing of the data the run had, when left out. */
  merge_strategy?: 'replace' | 'overwrite' | 'soft-merge' | 'none' | undefined
  /** Sent as the header `Idempotency-Key`; else each step has one of its own, the same in each try. */
  idempotency_key?: string | undefined
  /** Taken for the sake of older clients; it has no effect. */
  idempotency_expiry?: unknown | undefined
  /** Done only while this expression is true. */
  if?: string | undefined
  /** A name by which later steps ask for its result. */
  ref?: string | undefined
}

/** Puts a stored profile into the data of the run. */
export interface GetProfileStep {
  /** Always `get-profile`. */
  action: 'get-profile'
  /** Whose profile. */
  user_id: string | number
  /** Where in `data` it is put: `profile`, `people.owner`; without it, at the top. */
  path?: string | undefined
  /** How what comes in (A) meets what is there (B). `replace`: B becomes A. `overwrite`: the keys of A win. `soft-merge`: only keys that B lacks are taken. `none`: A is taken only when B is empty. `overwrite` when left out. */
  merge_strategy?: 'replace' | 'overwrite' | 'soft-merge' | 'none' | undefined
  /** As the profile is in this tenant. */
  tenant_id?: string | undefined
  /** Done only while this expression is true. */
  if?: string | undefined
  /** A name by which later steps ask for its result. */
  ref?: string | undefined
}

/** Several elements under one condition or loop. */
export interface GroupElement {
  /** Always `group`. */
  type: 'group'
  /** What it shows. */
  elements?: Array<Element> | undefined
  /** A name by which it is translated and replaced. */
  id?: string | undefined
  /** Shown only while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of the list that this expression gives. */
  loop?: string | undefined
  /** A name by which later elements ask whether it is shown: `refs.<ref>.visible`. */
  ref?: string | undefined
  /** Shown in these channels or providers only. */
  channels?: Array<string> | undefined
  /** Its fields in other languages, by locale. */
  locales?: InLocales<GroupElement> | undefined
}

/** A channel, as history names it. */
export interface HistoryChannel {
  /** The channel of the notification; empty when none was considered. */
  id: string
  /** Its name for people. */
  label?: string | undefined
}

/** One thing that happened to a message. `type` says which fields it has. */
export type HistoryEvent = {
  /** The message was accepted. */
  type: 'ENQUEUED'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  /** The event as sent. */
  event: string
  /** The recipient id. */
  recipient: string
  /** The data as sent. */
  data: Record<string, unknown>
  /** The profile as sent, tokens masked. */
  profile: Record<string, unknown>
  /** The override as sent, secrets masked. */
  override: Record<string, unknown>
} | {
  /** The message waits. */
  type: 'DELAYED'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  /** When it comes due. In milliseconds since the Unix epoch. */
  until: number
} | {
  /** The event led to a notification. */
  type: 'MAPPED'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  /** The event as sent. */
  event_id: string
  /** The notification. */
  notification_id: string
} | {
  /** The event is not mapped to a notification. */
  type: 'UNMAPPED'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  /** The event as sent. */
  event_id: string
} | {
  /** The profiles were merged. Tokens are masked. */
  type: 'PROFILE_LOADED'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  /** From the send. */
  received_profile: Record<string, unknown>
  /** As stored when it was read. */
  stored_profile: Record<string, unknown>
  /** What was used. */
  merged_profile: Record<string, unknown>
  /** Unknown names in the message (a tenant, a brand, a snippet) and content that is not shown as it was written. Absent without any. */
  findings?: Array<string> | undefined
} | {
  /** A condition stopped it. */
  type: 'FILTERED'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  reason: Reason
  /** Which one, and why when it could not be evaluated. */
  error_message?: string | undefined
} | {
  /** A send limit stopped it. */
  type: 'THROTTLED'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
} | {
  /** It was kept for a digest. */
  type: 'DIGESTED'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  /** The topic whose digest it is. */
  topic_id: string
  /** When the digest is released at the latest. In milliseconds since the Unix epoch. */
  until: number
} | {
  /** The words for one channel are ready. */
  type: 'RENDERED'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  /** Where each part can be read; parts that do not exist are left out. */
  output: {
    /** Root-relative address of the HTML. */
    html?: string | undefined
    /** Root-relative address of the title. */
    title?: string | undefined
    /** Root-relative address of the short form. */
    body?: string | undefined
    /** Root-relative address of the subject. */
    subject?: string | undefined
    /** Root-relative address of the plain text. */
    text?: string | undefined
    /** Root-relative address of the blocks. */
    blocks?: string | undefined
  }
  /** Unknown names in the message (a tenant, a brand, a snippet) and content that is not shown as it was written. Absent without any. */
  findings?: Array<string> | undefined
} | {
  /** A mock key stopped it before the provider. */
  type: 'SIMULATED'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
} | {
  /** An attempt failed and will be repeated. */
  type: 'DELIVERING'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  /** The how-manieth attempt failed. */
  attempt: number
  /** What went wrong. */
  error: string
  /** When the next attempt is due. In milliseconds since the Unix epoch. */
  next_attempt_at?: number | undefined
} | {
  /** The provider accepted it. */
  type: 'SENT'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  /** What the provider calls the message. */
  reference?: Record<string, unknown> | undefined
} | {
  /** It arrived. */
  type: 'DELIVERED'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
  /** What the provider calls the message. */
  reference?: Record<string, unknown> | undefined
} | {
  /** It was opened. */
  type: 'OPENED'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
} | {
  /** A link was followed. */
  type: 'CLICKED'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration: HistoryIntegration
} | {
  /** One candidate has ended without success, or the recipient does not want it. */
  type: 'UNDELIVERABLE'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  integration?: HistoryIntegration | undefined
  /** What the provider said. */
  error_message?: string | undefined
  reason?: Reason | undefined
  reasonCode?: ReasonCode | undefined
} | {
  /** No way to the recipient was found. */
  type: 'UNROUTABLE'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
  channel: HistoryChannel
  reason: Reason
  /** What is missing. */
  error_message?: string | undefined
} | {
  /** It was stopped through the cancel endpoint. */
  type: 'CANCELED'
  /** When it happened. In milliseconds since the Unix epoch. */
  ts: number
}

/** An integration, as history names it. */
export interface HistoryIntegration {
  /** The integration id. */
  id: string
  /** The provider: `sendgrid`. */
  provider: string
}

/** What happened to a message. */
export type HistoryType = 'ENQUEUED' | 'DELAYED' | 'MAPPED' | 'UNMAPPED' | 'PROFILE_LOADED' | 'FILTERED' | 'THROTTLED' | 'DIGESTED' | 'RENDERED' | 'SIMULATED' | 'DELIVERING' | 'SENT' | 'DELIVERED' | 'OPENED' | 'CLICKED' | 'UNDELIVERABLE' | 'UNROUTABLE' | 'CANCELED'

/** Markup of your own. */
export interface HtmlElement {
  /** Always `html`. */
  type: 'html'
  /** Markup of your own, for mail. */
  content: string
  /** A name by which it is translated and replaced. */
  id?: string | undefined
  /** Shown only while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of the list that this expression gives. */
  loop?: string | undefined
  /** A name by which later elements ask whether it is shown: `refs.<ref>.visible`. */
  ref?: string | undefined
  /** Shown in these channels or providers only. */
  channels?: Array<string> | undefined
  /** Its fields in other languages, by locale. */
  locales?: InLocales<HtmlElement> | undefined
}

/** A picture. */
export interface ImageElement {
  /** Always `image`. */
  type: 'image'
  /** Its address. */
  src: string
  /** Where it leads. */
  href?: string | undefined
  /** The words for it. */
  alt_text?: string | undefined
  /** Where it stands in a mail. `full`: justified. */
  align?: 'left' | 'center' | 'right' | 'full' | undefined
  /** Pixels, or per cent: `50%`. */
  width?: string | number | undefined
  /** A name by which it is translated and replaced. */
  id?: string | undefined
  /** Shown only while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of the list that this expression gives. */
  loop?: string | undefined
  /** A name by which later elements ask whether it is shown: `refs.<ref>.visible`. */
  ref?: string | undefined
  /** Shown in these channels or providers only. */
  channels?: Array<string> | undefined
  /** Its fields in other languages, by locale. */
  locales?: InLocales<ImageElement> | undefined
}

/** The event is on disk. */
export interface InboundReply {
  /** The id it was received under. */
  messageId: string
}

export interface InboundTrackEventBody {
  /** What happened. */
  event: string
  /** An id of yours for this occurrence. */
  messageId: string
  /** Always `track`. */
  type: 'track'
  /** What is to be known about it; any keys. */
  properties: Record<string, unknown>
  /** The user it happened to. */
  userId?: string | null | undefined
}

/** Which channels, and whether one or all of them. */
export interface InlineRouting {
  /** `single`: the first channel that works. `all`: every channel. */
  method: 'single' | 'all'
  /** Channels (email, sms, push, direct_message, inbox, webhook) or providers, in order. */
  channels: Array<string>
}

/** A provider with credentials. */
export interface Integration {
  /** The integration id. */
  id: string
  /** The provider, a `provider` of the catalogue. */
  provider: string
  channel: Channel
  /** Every channel it serves; `channel` is the first. */
  channels: Array<Channel>
  /** Name for people. */
  title: string
  /** A second name, unique in the workspace. */
  alias?: string | undefined
  /** Its settings; every secret reads `********`. */
  settings: Record<string, unknown>
  /** False keeps it and sends nothing through it. */
  enabled: boolean
  /** Its secrets were encrypted with another secret key: it is not used until they are given again. */
  unreadable?: true | undefined
  /** Within a channel, integrations are tried by rising priority. */
  priority: number
  /** When it was created. In milliseconds since the Unix epoch. */
  created: number
  /** When it last changed. In milliseconds since the Unix epoch. */
  updated?: number | undefined
}

/** What integrations of every provider have. */
export interface IntegrationFields {
  /** The channel it serves. Default: every channel of the provider. */
  channel?: 'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook' | undefined
  /** Name for people. Default: the title of the provider. */
  title?: string | undefined
  /** A second name, unique in the workspace. */
  alias?: string | null | undefined
  /** False keeps it and sends nothing through it. */
  enabled?: boolean | undefined
  /** Within a channel, integrations are tried by rising priority. */
  priority?: number | undefined
}

/** A change of an integration. What is left out stays; null takes a setting away. */
export type IntegrationUpdate = IntegrationChange<SettingsByProvider, IntegrationFields>

/** An integration as it is written. `enabled` is true and `priority` 0 unless given. */
export type IntegrationWrite = IntegrationOf<SettingsByProvider, IntegrationFields>

/** Starts a run of an automation template and goes on at once. What stands in `context` lies over that of this run. */
export interface InvokeStep {
  /** Always `invoke`. */
  action: 'invoke'
  /** An automation template, by its id or alias. */
  template: string
  context?: RunContext | undefined
  /** Done only while this expression is true. */
  if?: string | undefined
  /** A name by which later steps ask for its result. */
  ref?: string | undefined
}

/** A token. It cannot be read again. */
export interface IssuedToken {
  /** The token (a JWT); sent as `Authorization: Bearer <token>`. */
  token: string
}

/** The environment it belongs to; they share no data. */
export type KeyEnvironment = 'production' | 'test'

/** `published` (`pk_…`) sends published notifications, `draft` (`dk_…`) drafts, `mock` (`mk_…`) renders and calls no provider. Only published keys change integrations, API keys, webhooks and audiences. */
export type KeyKind = 'published' | 'draft' | 'mock'

export interface KeysCreateBody {
  /** Name for people, to know it by when it is to be revoked; the kind unless given. */
  name?: string | undefined
  kind?: KeyKind | undefined
  environment?: KeyEnvironment | undefined
}

export interface KeysListReply {
  results: Array<ApiKey>
}

/** Recipients subscribed by name. */
export interface List {
  /** The list id: 1 to 4 parts between dots. */
  id: string
  /** Name for people. */
  name: string
  /** When it was created. ISO 8601, UTC. */
  created: string
  /** When it last changed; its subscriptions do not count. ISO 8601, UTC. */
  updated: string
  preferences?: Preferences | undefined
}

/** A list. */
export interface ListElement {
  /** Always `list`. */
  type: 'list'
  /** With numbers or with signs; `unordered` when left out. */
  list_type?: 'ordered' | 'unordered' | undefined
  /** Kept; signs are not replaced. */
  imgSrc?: string | undefined
  /** Kept; signs are not replaced. */
  imgHref?: string | undefined
  /** Its items. */
  elements?: Array<ListItemElement | CommentElement> | undefined
  /** A name by which it is translated and replaced. */
  id?: string | undefined
  /** Shown only while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of the list that this expression gives. */
  loop?: string | undefined
  /** A name by which later elements ask whether it is shown: `refs.<ref>.visible`. */
  ref?: string | undefined
  /** Shown in these channels or providers only. */
  channels?: Array<string> | undefined
  /** Its fields in other languages, by locale. */
  locales?: InLocales<ListElement> | undefined
}

/** An item of a list. */
export interface ListItemElement {
  /** Always `list-item`. */
  type: 'list-item'
  /** Markdown. */
  content?: string | undefined
  /** Behind it. A CSS color; it may hold variables. */
  background_color?: string | undefined
  /** What stands in it. */
  elements?: Array<Element> | undefined
  /** A name by which it is translated and replaced. */
  id?: string | undefined
  /** Shown only while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of the list that this expression gives. */
  loop?: string | undefined
  /** A name by which later elements ask whether it is shown: `refs.<ref>.visible`. */
  ref?: string | undefined
  /** Shown in these channels or providers only. */
  channels?: Array<string> | undefined
  /** Its fields in other languages, by locale. */
  locales?: InLocales<ListItemElement> | undefined
}

/** One notification to everybody on a list. */
export interface ListSendBody {
  /** The list. It or `pattern` is given. */
  list?: string | null | undefined
  /** Every list that matches: `team.*`, `team.**`. */
  pattern?: string | null | undefined
  /** A notification id, or a name mapped to a notification (`PUT /events/:event_id`). */
  event: string
  /** Brand to render with. */
  brand?: string | null | undefined
  /** Values of the template variables. */
  data?: Record<string, unknown> | null | undefined
  /** By provider: `override.<provider>.body` is merged onto the request the provider would get, `override.<provider>.config` onto the settings of its integration. */
  override?: Record<string, unknown> | null | undefined
  /** Preferences for this message; they beat the stored ones. */
  preferences?: Preferences | null | undefined
  /** Wait before sending. */
  delay?: Delay | null | undefined
}

/** A recipient on a list. */
export interface ListSubscription {
  /** The recipient id. */
  recipientId: string
  /** When the recipient was subscribed. ISO 8601, UTC. */
  created: string
  preferences?: Preferences | undefined
}

/** A recipient to subscribe. */
export interface ListSubscriptionWrite {
  /** The recipient id. */
  recipientId: string
  /** What the recipient wants of what is sent to the list. */
  preferences?: Preferences | null | undefined
}

/** Recipients to subscribe. A single one, or the bare list, is taken as well. */
export type ListSubscriptionsWrite = {
  /** Subscriptions, or ids alone. Of a recipient named twice the last entry counts. */
  recipients: Array<ListSubscriptionWrite | string>
} | ListSubscriptionWrite | Array<ListSubscriptionWrite | string>

export interface ListsListQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 25 when left out. */
  limit?: number | undefined
  /** Only lists whose id fits: `*` stands for one part, `**` at the end for one or more; `news.*.eu`, `news.**`. */
  pattern?: string | undefined
}

export interface ListsListReply {
  paging: Paging
  /** In the order of their ids. */
  items: Array<List>
  /** The same as `items`. */
  results: Array<List>
}

export interface ListsPutBody {
  /** Name for people. */
  name: string
  /** What holds for everybody on the list. Left out: nothing. */
  preferences?: Preferences | null | undefined
}

export interface ListsSendQuery {
  /** Whether a name that leads nowhere, an unknown field beside the known ones, a recipient without an address or a variable without a value is a 400 instead of a status of the message. By its name alone it is true. It beats the header `Prefer: handling=strict` (or `handling=lenient`), which beats the setting of the environment. */
  strict?: boolean | undefined
}

export interface ListsSubscribeBody {
  /** What the recipient wants of what is sent to the list. */
  preferences?: Preferences | null | undefined
}

export interface ListsSubscriptionsQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 100 when left out. */
  limit?: number | undefined
}

export interface ListsSubscriptionsReply {
  paging: Paging
  /** In the order of the recipient ids. */
  items: Array<ListSubscription>
}

/** One thing the sandbox kept. */
export interface MailboxItem {
  /** The id of the kept item. */
  id: string
  /** The message it belongs to. */
  message_id: string
  channel: Channel
  /** The recipient id. */
  recipient: string
  /** When it was kept. In milliseconds since the Unix epoch. */
  received: number
  /** What a provider would have been given: the address and the words. */
  content: Record<string, unknown>
}

export interface MailboxListQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 25 when left out. */
  limit?: number | undefined
  /** Only this channel. */
  channel?: 'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook' | undefined
  /** Only this recipient. */
  recipient?: string | undefined
  /** Only this message. */
  message_id?: string | undefined
}

export interface MailboxListReply {
  paging: Paging
  results: Array<MailboxItem>
}

/** The settings of Mailbox. */
export type MailboxSettings = Record<string, never>

/** A user in a tenant. */
export interface Membership {
  /** The user. */
  user_id: string
  /** The tenant. */
  tenant_id: string
  /** Always `user`. */
  type: 'user'
  /** What is merged over the profile of the user in messages for this tenant. */
  profile: Record<string, unknown>
}

/** Keeps only the members of a tenant. */
export interface MembershipFilter {
  /** The one operator there is here. */
  operator: 'MEMBER_OF'
  /** What the value names; both are tenants. */
  path: 'account_id' | 'tenant_id'
  /** The tenant. */
  value: string
}

/** A page of memberships. */
export interface MembershipPage {
  /** Always `list`. */
  type: 'list'
  /** The rows of this page. */
  items: Array<Membership>
  /** True when another page follows. */
  has_more: boolean
  /** The path of the list. */
  url: string
  /** Path and query of the next page; null on the last one. */
  next_url: string | null
  /** Pass it as `cursor` to get the next page; null on the last one. */
  cursor: string | null
}

export interface MembershipsAddBody {
  /** The tenants. Of one named twice the last entry counts. */
  tenants: Array<{
    /** The tenant. */
    tenant_id: string
    /** Merged over the profile of the user in messages for this tenant. Without it, the one of a membership that exists stays. */
    profile?: Record<string, unknown> | null | undefined
  }>
}

export interface MembershipsListQuery {
  /** Rows of a page; 20 when left out. */
  limit?: number | undefined
  /** The `cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** The same, as older clients name it. */
  starting_after?: string | undefined
}

export interface MembershipsPutBody {
  /** Merged over the profile of the user in messages for this tenant. Without it, the one of a membership that exists stays. */
  profile?: Record<string, unknown> | null | undefined
}

/** A message. Stages it has not reached are left out. */
export interface Message {
  /** The message id. */
  id: string
  status: MessageStatus
  /** The recipient id. */
  recipient: string
  /** The event as sent; empty when the content came with the send. */
  event: string
  /** The notification id; empty when there is none. Until the message is decided, the one that its event leads to now. */
  notification: string
  /** When it was accepted. In milliseconds since the Unix epoch. */
  enqueued: number
  /** When a provider first accepted it. In milliseconds since the Unix epoch. */
  sent?: number | undefined
  /** When it first arrived. In milliseconds since the Unix epoch. */
  delivered?: number | undefined
  /** When it was first opened. In milliseconds since the Unix epoch. */
  opened?: number | undefined
  /** When a link was first followed. In milliseconds since the Unix epoch. */
  clicked?: number | undefined
  /** When it was cancelled. In milliseconds since the Unix epoch. */
  canceledAt?: number | undefined
  /** What went wrong, for people. */
  error?: string | undefined
  reason?: Reason | undefined
  reasonCode?: ReasonCode | undefined
  /** The tags of the send. */
  tags?: Array<string> | undefined
  /** The list it was sent to. */
  listId?: string | undefined
  /** The message id of the send to the list. */
  listMessageId?: string | undefined
  /** The automation run that sent it; of a `send-list`, the run with this step. */
  runId?: string | undefined
  /** The bulk job that sent it. */
  jobId?: string | undefined
  /** The `Idempotency-Key` of the send. */
  idempotencyKey?: string | undefined
}

/** A message with its deliveries. */
export interface MessageDetail {
  /** The message id. */
  id: string
  status: MessageStatus
  /** The recipient id. */
  recipient: string
  /** The event as sent; empty when the content came with the send. */
  event: string
  /** The notification id; empty when there is none. Until the message is decided, the one that its event leads to now. */
  notification: string
  /** When it was accepted. In milliseconds since the Unix epoch. */
  enqueued: number
  /** When a provider first accepted it. In milliseconds since the Unix epoch. */
  sent?: number | undefined
  /** When it first arrived. In milliseconds since the Unix epoch. */
  delivered?: number | undefined
  /** When it was first opened. In milliseconds since the Unix epoch. */
  opened?: number | undefined
  /** When a link was first followed. In milliseconds since the Unix epoch. */
  clicked?: number | undefined
  /** When it was cancelled. In milliseconds since the Unix epoch. */
  canceledAt?: number | undefined
  /** What went wrong, for people. */
  error?: string | undefined
  reason?: Reason | undefined
  reasonCode?: ReasonCode | undefined
  /** The tags of the send. */
  tags?: Array<string> | undefined
  /** The list it was sent to. */
  listId?: string | undefined
  /** The message id of the send to the list. */
  listMessageId?: string | undefined
  /** The automation run that sent it; of a `send-list`, the run with this step. */
  runId?: string | undefined
  /** The bulk job that sent it. */
  jobId?: string | undefined
  /** The `Idempotency-Key` of the send. */
  idempotencyKey?: string | undefined
  /** Its deliveries, in the order they were tried; of one that the recipient opted out of, the refusal. */
  providers: Array<MessageProvider>
}

/** A decision with its facts and what was done about it. */
export interface MessageExplanation {
  /** Where the message stands now. */
  message: {
    /** The message id. */
    id: string
    status: MessageStatus
  }
  /** Where deciding ends: `ROUTED` (it goes to the providers) or the status that stops it. */
  decision: {
    status: MessageStatus
    reason?: Reason | undefined
    /** The reason for people. */
    error?: string | undefined
    /** When a delayed message comes due, or the digest that a message is kept for. In milliseconds since the Unix epoch. */
    due_at?: number | undefined
  }
  /** The template used; absent when the event is unmapped. */
  notification?: {
    /** The notification id. */
    id: string
    /** `draft` or a published version: `v3`. */
    version: string
  } | undefined
  /** The steps as they ran. */
  steps: Array<DecisionStep>
  /** Every way considered, in order. */
  candidates: Array<Candidate>
  /** The words for the selected candidates. */
  rendered: Array<RenderedCandidate>
  /** Parts of the request that are ignored, each with its place; absent without any. */
  warnings?: Array<string> | undefined
  /** The merged profile; tokens are masked. */
  profile: Record<string, unknown>
  /** What has been done so far. */
  deliveries: Array<DeliveryRecord>
}

/** The words for one channel. */
export interface MessageOutput {
  /** The channel. */
  channel: string
  /** Its id, as in the history. */
  channel_id: string
  content: RenderedContent
}

/** One delivery of a message. */
export interface MessageProvider {
  /** The provider: `sendgrid`. Absent when the message ended before one was chosen. */
  provider?: string | undefined
  /** The integration id. */
  integration?: string | undefined
  status: DeliveryStatus
  channel?: {
    /** The channel, for chat with its provider: `direct_message:slack`. */
    key: string
    /** Its name for people. */
    name: string
    /** The channel of the notification that was rendered. */
    template: string
  } | undefined
  /** When a provider first accepted it. In milliseconds since the Unix epoch. */
  sent?: number | undefined
  /** When it first arrived. In milliseconds since the Unix epoch. */
  delivered?: number | undefined
  /** When it was first opened. In milliseconds since the Unix epoch. */
  opened?: number | undefined
  /** When a link was first followed. In milliseconds since the Unix epoch. */
  clicked?: number | undefined
  /** What went wrong. */
  error?: string | undefined
  /** What the provider calls the message. */
  reference?: Record<string, unknown> | undefined
}

/** A user, an ad-hoc contact, a list, lists by pattern, an audience or a tenant. Any further key is profile data: `slack`, `ms_teams`, `webhook`, … */
export interface MessageRecipient {
  /** A user. Without any id the other keys are an ad-hoc contact, and an id is made for it. */
  user_id?: string | number | null | undefined
  /** Everybody subscribed to this list. */
  list_id?: string | null | undefined
  /** Everybody subscribed to a list that matches: `team.*`, `team.**`. */
  list_pattern?: string | null | undefined
  /** Every member of this audience. */
  audience_id?: string | null | undefined
  /** With `user_id`: the tenant the user is addressed in. Alone: every member of the tenant. */
  tenant_id?: string | null | undefined
  /** `tenant_id` under its older name. */
  account_id?: string | null | undefined
  /** With a tenant: members of the tenants below it as well. */
  include_children?: boolean | null | undefined
  /** With a list or an audience: only who passes all of them. */
  filters?: Array<MembershipFilter> | null | undefined
  /** Email address. */
  email?: string | null | undefined
  /** Telephone number, with its country code. */
  phone_number?: string | number | null | undefined
  /** Language and region: `de-AT`. */
  locale?: string | null | undefined
  /** IANA name or offset: `Europe/Vienna`, `+02:00`. */
  timezone?: string | null | undefined
  /** Merged over the data of the message, key by key. A string is ignored. */
  data?: Record<string, unknown> | string | null | undefined
  /** What a recipient wants to receive. */
  preferences?: Preferences | null | undefined
  /** In which tenant. */
  context?: {
    /** As `tenant_id`. */
    tenant_id?: string | null | undefined
  } | null | undefined
  [field: string]: unknown
}

/** Which channels, and whether one or all of them. Groups may nest. */
export interface MessageRouting {
  /** `single`: the first channel that works. `all`: every channel. */
  method?: 'single' | 'all' | null | undefined
  /** The channels, in order. Left out or empty: those of the notification, else every configured one. */
  channels?: Array<string | ChannelRoute | NestedRouting> | null | undefined
}

/** What to send, to whom and how. Unknown keys are ignored. */
export interface MessageSend {
  /** Who is to get it. An empty object or list is a recipient without an address. */
  to: MessageRecipient | Array<MessageRecipient>
  /** A notification id, its alias, or a mapped event. */
  template?: string | null | undefined
  /** Elemental JSON, or just a title and a body. Variables are written `{name}`. */
  content?: ContentInput | null | undefined
  /** Values of the template variables. */
  data?: Record<string, unknown> | null | undefined
  /** Brand to render with. */
  brand_id?: string | null | undefined
  /** Which channels, and whether one or all of them. Groups may nest. */
  routing?: MessageRouting | null | undefined
  /** Settings by channel. */
  channels?: Record<string, ChannelSettings | null> | null | undefined
  /** Settings by provider. */
  providers?: Record<string, ProviderSettings | null> | null | undefined
  /** What the message is remembered by. */
  metadata?: {
    /** Your name of what happened. Kept with the message, whose `event` stays the template; preferences may be about it. */
    event?: string | null | undefined
    /** Tags to find the message by. */
    tags?: Array<string> | null | undefined
    /** Your own id of the request, to find the message by. */
    trace_id?: string | null | undefined
    /** Campaign parameters of links; stored with the message. */
    utm?: Utm | null | undefined
  } | null | undefined
  /** Binds the message to a topic. */
  preferences?: {
    /** The topic recipients can opt out of. */
    subscription_topic_id?: string | null | undefined
  } | null | undefined
  /** Deadlines of a message. */
  timeout?: MessageTimeout | null | undefined
  /** Deadlines of a message. */
  timeouts?: MessageTimeout | null | undefined
  /** How long to wait before anything is sent; empty, not at all. The message is `DELAYED` until then. */
  delay?: Delay | null | undefined
  /** After it nothing is put into an inbox; other channels are not concerned. Of two the earlier one. */
  expiry?: {
    /** When: ISO 8601, or milliseconds since the Unix epoch. */
    expires_at?: string | number | null | undefined
    /** How long after it was due: milliseconds, or an ISO 8601 duration (`P1DT4H`). */
    expires_in?: string | number | null | undefined
  } | null | undefined
  /** In which tenant. */
  context?: {
    /** The tenant it is sent in. */
    tenant_id?: string | null | undefined
  } | null | undefined
}

/** One message to one recipient or to many. */
export interface MessageSendBody {
  message: MessageSend
}

/** Where a message stands: `ENQUEUED` (accepted, waiting to be processed), `DELAYED` (waiting for its delay), `ROUTED` (channels are chosen, no provider has accepted it yet), `SENT` (a provider accepted it), `DELIVERED` (the provider confirmed delivery), `OPENED` (opened for the first time), `CLICKED` (a link was followed for the first time), `UNMAPPED` (the event is not mapped to a notification), `UNROUTABLE` (no channel or provider could be chosen), `UNDELIVERABLE` (refused, bounced, opted out, or every attempt failed), `FILTERED` (stopped by a condition), `CANCELED` (stopped through the cancel endpoint), `THROTTLED` (stopped by a send limit), `DIGESTED` (kept for a digest), `SIMULATED` (sent with a mock key: rendered, no provider called). */
export type MessageStatus = 'ENQUEUED' | 'DELAYED' | 'ROUTED' | 'SENT' | 'DELIVERED' | 'OPENED' | 'CLICKED' | 'UNMAPPED' | 'UNROUTABLE' | 'UNDELIVERABLE' | 'FILTERED' | 'CANCELED' | 'THROTTLED' | 'DIGESTED' | 'SIMULATED'

/** Deadlines of a message. */
export interface MessageTimeout {
  /** For the whole message, from the moment it was due. In milliseconds, at most 30 days. */
  message?: number | null | undefined
  /** For a channel, while another one can follow. In milliseconds: one number, or a number by name. */
  channel?: number | Record<string, number> | null | undefined
  /** For a provider, while another one can follow. In milliseconds: one number, or a number by name. */
  provider?: number | Record<string, number> | null | undefined
  /** How long the criterion is waited for before the next channel follows. In milliseconds, at most 30 days. */
  escalation?: number | null | undefined
  /** What has to happen after sending, or the next channel follows. */
  criteria?: 'no-escalation' | 'delivered' | 'viewed' | 'engaged' | null | undefined
}

export interface MessagesHistoryQuery {
  type?: HistoryType | undefined
}

export interface MessagesHistoryReply {
  results: Array<HistoryEvent>
}

export interface MessagesListQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 10 when left out. */
  limit?: number | undefined
  /** True includes archived messages. */
  archived?: boolean | undefined
  /** Only messages accepted after this moment: ISO 8601 or milliseconds since the epoch. */
  enqueued_after?: string | undefined
  /** The event as sent. */
  event?: string | undefined
  /** The list it was sent to. */
  list?: string | undefined
  /** The message id, or the id of the send it belongs to. */
  messageId?: string | undefined
  /** The notification id. */
  notification?: string | undefined
  /** Any of these providers. */
  provider?: Array<string> | undefined
  /** The recipient id. */
  recipient?: string | undefined
  /** The run of an automation that sent it; of a `send-list`, the run with this step. */
  runId?: string | undefined
  /** Any of these statuses. */
  status?: Array<MessageStatus> | undefined
  /** Any of these tags. */
  tag?: Array<string> | undefined
  /** Any of these tags, separated by commas. */
  tags?: Array<string> | undefined
  /** The tenant it was sent for. */
  tenant_id?: string | undefined
  /** The trace id of the send. */
  traceId?: string | undefined
}

export interface MessagesListReply {
  paging: Paging
  results: Array<Message>
}

export interface MessagesOutputReply {
  results: Array<MessageOutput>
}

/** The subject or title. It shows nothing where it stands. */
export interface MetaElement {
  /** Always `meta`. */
  type: 'meta'
  /** The subject of a mail, the title elsewhere. */
  title?: string | undefined
  /** A name by which it is translated and replaced. */
  id?: string | undefined
  /** Shown only while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of the list that this expression gives. */
  loop?: string | undefined
  /** A name by which later elements ask whether it is shown: `refs.<ref>.visible`. */
  ref?: string | undefined
  /** Shown in these channels or providers only. */
  channels?: Array<string> | undefined
  /** Its fields in other languages, by locale. */
  locales?: InLocales<MetaElement> | undefined
}

/** A token and what is known about its device. With all it says a token has at most 16 kB. */
export interface NamedDeviceToken {
  /** The push provider that gave the token. */
  provider_key: 'apn' | 'firebase-fcm' | 'expo' | 'onesignal'
  /** The device. */
  device?: Device | null | undefined
  /** Sent by the device when it registered. */
  tracking?: Tracking | null | undefined
  /** Anything else. */
  properties?: Record<string, unknown> | null | undefined
  /** When the token ends; `false` for never. Two months from now unless given. */
  expiry_date?: string | false | null | undefined
  /** `active` is written to; `failed` and `revoked` are not. `active` unless given. */
  status?: 'active' | 'unknown' | 'failed' | 'revoked' | undefined
  /** Why it has this status. */
  status_reason?: string | null | undefined
  /** The token. */
  token: string
}

/** What is wanted of a topic, with the topic. */
export interface NamedTopicChoice {
  /** The topic id. */
  topic_id: string
  status: PreferenceStatus
  /** True: only the channels of `custom_routing` are used, in their order. */
  has_custom_routing?: boolean | null | undefined
  /** The channels that are wanted. */
  custom_routing?: Array<PreferredChannel> | null | undefined
  /** The schedule of the digest of the topic. Left out: it stays as it is; null: the default one. */
  digest_schedule_id?: string | null | undefined
}

/** A group inside a group: `{method, channels}` again. */
export interface NestedRouting {
  /** As above; `single` when it is left out. */
  method?: 'single' | 'all' | undefined
  /** Entries as above. */
  channels: Array<unknown>
}

/** A notification with its content. */
export interface Notification {
  /** The notification id. */
  id: string
  state: NotificationState
  /** When it was created. In milliseconds since the Unix epoch. */
  created: number
  /** The key that created it. */
  creator: string
  /** When it last changed. In milliseconds since the Unix epoch. */
  updated?: number | undefined
  /** The key that last changed it. */
  updater?: string | undefined
  /** Name for people. */
  name: string
  /** Tags to find it by. */
  tags: Array<string>
  /** Brand to render with; null for the default of the workspace. */
  brand: {
    /** The brand id. */
    id: string
  } | null
  /** The topic recipients can opt out of; null for none. */
  subscription: {
    /** The topic id. */
    topic_id: string
  } | null
  /** Null tries the channels of the content, else every channel in the default order. */
  routing: NotificationRouting | null
  content: NotificationContent
  /** A second name to send it by. */
  alias?: string | undefined
  settings: NotificationSettings
  /** The version shown: `draft`, or a published one such as `v3`. */
  version: string
}

/** One check of a submission. */
export interface NotificationCheck {
  /** The check: a name of your own. */
  id: string
  /** Always `custom`. */
  type: 'custom'
  /** How it stands. */
  status: 'PENDING' | 'RESOLVED' | 'FAILED'
  /** When it was written. In milliseconds since the Unix epoch. */
  updated: number
}

/** The checks of a submission. */
export interface NotificationChecks {
  /** The checks in the order given. */
  checks: Array<NotificationCheck>
}

/** Content as Elemental JSON. */
export interface NotificationContent {
  /** The Elemental version: `2022-01-01`. */
  version: string
  /** The elements in order. */
  elements: Array<Element>
}

/** A notification as it is written. */
export interface NotificationInput {
  /** Name for people. */
  name: string
  content: ContentInput
  /** Tags to find it by. */
  tags?: Array<string> | undefined
  /** Brand to render with; null for the default of the workspace. */
  brand?: {
    /** The brand id. */
    id: string
  } | null | undefined
  /** The topic recipients can opt out of; null for none. */
  subscription?: {
    /** The topic id. */
    topic_id: string
  } | null | undefined
  /** Null tries the channels of the content, else every channel in the default order. */
  routing?: NotificationRouting | null | undefined
  /** A second name to send it by. */
  alias?: string | null | undefined
  settings?: NotificationSettings | undefined
}

/** What a notification reads, and what of it is not shown. */
export interface NotificationInspection {
  /** Those of its content, of every channel and locale, and of its `settings.if`; an object before its keys. */
  variables: Array<TemplateVariable>
  /** Snippets of the brand that it mentions; the variables in those are not listed. */
  snippets: Array<string>
  /** Parts of the content that are not shown as they are written, each with its place. */
  warnings: Array<string>
}

/** Routing written here, or a stored strategy by id. */
export type NotificationRouting = InlineRouting | {
  /** A stored routing strategy. */
  strategy_id: string
}

/** How the notification behaves. Settings not named here are refused. */
export interface NotificationSettings {
  /** `default`: an interrupted attempt is repeated. `at_most_once`: it is not, for one-time codes and the like. */
  delivery_policy?: 'default' | 'at_most_once' | undefined
  /** `keep`: `{name}` stays as written. `fail`: the message is not sent. */
  on_missing_variable?: 'keep' | 'fail' | undefined
  /** The category it belongs to: recipients can have preferences for all of it, under this name. */
  category?: string | undefined
  /** Sent only while this expression is true. */
  if?: string | undefined
}

/** `PUBLISHED` publishes what is written at once; `DRAFT` keeps it for keys of the kind `draft`. */
export type NotificationState = 'DRAFT' | 'PUBLISHED'

/** A notification as lists show it. */
export interface NotificationSummary {
  /** The notification id. */
  id: string
  state: NotificationState
  /** When it was created. In milliseconds since the Unix epoch. */
  created: number
  /** The key that created it. */
  creator: string
  /** When it last changed. In milliseconds since the Unix epoch. */
  updated?: number | undefined
  /** The key that last changed it. */
  updater?: string | undefined
  /** Name for people. */
  name: string
  /** A second name to send it by. */
  alias?: string | undefined
  /** The name again, as older clients read it. */
  title: string
  /** `created` again, as older clients read it. In milliseconds since the Unix epoch. */
  created_at: number
  /** `updated` again, as older clients read it; `created` when it never changed. In milliseconds since the Unix epoch. */
  updated_at: number
  /** The routing in force. */
  routing: {
    /** `single`: the first channel that works. `all`: every channel. */
    method: 'single' | 'all'
    /** The channels in order. */
    channels: Array<string>
  }
  /** The tags. */
  tags: Array<string> | {
    data: Array<{
      /** The tag. */
      id: string
      /** The tag. */
      name: string
    }>
  } | null
  /** The topic; null for none. */
  topic_id: string | null
  /** A note of its author. */
  note?: string | undefined
}

/** One version of a notification. */
export interface NotificationVersion {
  /** `draft`, or a published version such as `v3`. */
  version: string
  /** When it was published or, for the draft, last changed. In milliseconds since the Unix epoch. */
  created: number
  /** The key that made it. */
  creator: string
  /** Of the draft: whether it differs from what is published. */
  has_changes?: boolean | undefined
}

/** A notification and whether it is published at once. */
export interface NotificationWrite {
  notification: NotificationInput
  state?: NotificationState | undefined
}

export interface NotificationsContentQuery {
  /** `draft`, `published` or a version such as `v3`. Default: published, else the draft. */
  version?: string | undefined
}

export interface NotificationsGetQuery {
  /** `draft`, `published` or a version such as `v3`. Default: published, else the draft. */
  version?: string | undefined
}

export interface NotificationsListQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 50 when left out. */
  limit?: number | undefined
  /** True adds the notes of the authors. */
  notes?: boolean | undefined
  /** Only the notification this event is mapped to. */
  event_id?: string | undefined
}

export interface NotificationsListReply {
  paging: Paging
  results: Array<NotificationSummary>
}

export interface NotificationsPublishBody {
  /** The version to publish: `draft` (default) or `v3`. */
  version?: string | undefined
}

export interface NotificationsReplaceChecksBody {
  /** All checks of the submission. */
  checks: Array<{
    /** The check: a name of your own. */
    id: string
    /** Always `custom`. */
    type: 'custom'
    /** How it stands. */
    status: 'PENDING' | 'RESOLVED' | 'FAILED'
  }>
}

export interface NotificationsReplaceContentBody {
  content: ContentInput
  state?: NotificationState | undefined
}

export interface NotificationsReplaceElementBody {
  /** The type of the element. */
  type: string
  /** Its fields. */
  data?: Record<string, unknown> | undefined
  /** Shown while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of this. */
  loop?: string | undefined
  /** A name by which other elements ask whether it is shown. */
  ref?: string | undefined
  /** Shown in these channels only. */
  channels?: Array<string> | undefined
  state?: NotificationState | undefined
  [field: string]: unknown
}

export interface NotificationsReplaceLocaleBody {
  /** Elements and their fields in this locale. */
  elements: Array<{
    /** The `id` of an element, else its place such as `1.0`. */
    id: string
    [field: string]: unknown
  }>
  state?: NotificationState | undefined
}

export interface NotificationsVersionsQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 50 when left out. */
  limit?: number | undefined
}

export interface NotificationsVersionsReply {
  paging: Paging
  versions: Array<NotificationVersion>
}

/** All is well. */
export interface Ok {
  /** Always `ok`. */
  status: 'ok'
}

/** Where a throttled run goes on. */
export interface OnThrottle {
  /** The `ref` of a later step: what is throttled goes on there instead of ending. */
  '$node_id': string
}

/** The same with what has been kept. */
export interface OpenDigest {
  /** The id. */
  digest_instance_id: string
  /** Whose it is. */
  user_id: string
  /** In which tenant; null outside any. */
  tenant_id: string | null
  /** What it is about. */
  topic_id: string
  /** The schedule that its last event came under. */
  schedule_id: string
  /** Always `IN_PROGRESS`: one that is released is a message. */
  status: 'IN_PROGRESS'
  /** How many events have come. */
  event_count: number
  /** How many of each category; an event may belong to several. */
  category_key_counts: Record<string, number>
  /** The categories as they were when the last event came. */
  categories: Array<DigestCategory>
  /** When the first event came. ISO 8601, UTC. */
  created_at: string
  /** When it is due. ISO 8601, UTC. */
  releases_at: string
  /** What the template would be given now. */
  data: Record<string, {
    /** How many events of the category have come. */
    count: number
    /** The data of those that are shown. */
    items: Array<Record<string, unknown>>
  }>
}

/** A kind that older clients write; kept, without an effect. */
export interface OtherRule {
  /** The kind. It has no effect. */
  type: 'channel_preferences' | 'status'
  /** When it begins; absent: at once. ISO 8601 or milliseconds since the Unix epoch, as text. */
  start?: string | null | undefined
  /** When it ends. ISO 8601 or milliseconds since the Unix epoch, as text. */
  until?: string | null | undefined
}

/** Where a page ends. */
export interface Paging {
  /** Pass it as `cursor` to get the next page. Present when `more` is true. */
  cursor?: string | undefined
  /** True when another page follows. */
  more: boolean
}

/** One operation of RFC 6902. */
export interface PatchOperation {
  /** What to do. */
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  /** JSON Pointer into the profile or token; a top-level key is `/<key>`, or `<key>` as some clients send it. */
  path: string
  /** Where `move` and `copy` take the value from. */
  from?: string | undefined
  /** The value of `add`, `replace` and `test`; any JSON. */
  value?: unknown | undefined
}

/** What a recipient wants of one notification or category. */
export interface Preference {
  status?: PreferenceStatus | undefined
  /** Only these channels are used, in this order; empty: any. */
  channel_preferences?: Array<{
    channel: PreferredChannel
  }> | null | undefined
  /** Limits in time; a snooze silences from its start until its end. */
  rules?: Array<Snooze | OtherRule> | null | undefined
}

/** A category with its notifications. */
export interface PreferenceCategory {
  /** The notification id, or the category. */
  id: string
  /** Its name for people. */
  title: string
  /** How a recipient can choose. */
  config: {
    /** `OPT_IN`: sent only to who opted in. `OPT_OUT`: sent unless opted out. `REQUIRED`: sent to everybody. */
    type: 'OPT_IN' | 'OPT_OUT' | 'REQUIRED'
  }
  /** The notifications of the category. */
  notifications: Array<PreferenceEntry>
}

/** Something a recipient can have a preference for. */
export interface PreferenceEntry {
  /** The notification id, or the category. */
  id: string
  /** Its name for people. */
  title: string
  /** How a recipient can choose. */
  config: {
    /** `OPT_IN`: sent only to who opted in. `OPT_OUT`: sent unless opted out. `REQUIRED`: sent to everybody. */
    type: 'OPT_IN' | 'OPT_OUT' | 'REQUIRED'
  }
}

/** Whether it may be sent: `OPTED_IN`, `OPTED_OUT`, or `REQUIRED` (sent whatever the recipient chose). */
export type PreferenceStatus = 'OPTED_IN' | 'OPTED_OUT' | 'REQUIRED'

/** What a recipient wants to receive. */
export interface Preferences {
  /** By notification id, or by the event it is sent with. */
  notifications?: Record<string, Preference> | null | undefined
  /** By category. */
  categories?: Record<string, Preference> | null | undefined
}

export interface PreferencesDeleteTopicQuery {
  /** What holds for the user in this tenant; absent: what holds everywhere. */
  tenant_id?: string | undefined
}

export interface PreferencesListReply {
  /** Notifications without a category. */
  uncategorized: Array<PreferenceEntry>
  /** The categories. */
  categories: Array<PreferenceCategory>
}

export interface PreferencesPutTopicBody {
  topic: TopicChoice
}

export interface PreferencesPutTopicQuery {
  /** What holds for the user in this tenant; absent: what holds everywhere. */
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
  /** What holds for the user in this tenant; absent: what holds everywhere. */
  tenant_id?: string | undefined
}

export interface PreferencesReplaceTopicsReply {
  /** The choices as they are stored now. */
  items: Array<StoredTopicChoice>
  /** The topics that went back to their default. */
  deleted: Array<string>
}

export interface PreferencesTopicQuery {
  /** What holds for the user in this tenant; absent: what holds everywhere. */
  tenant_id?: string | undefined
}

export interface PreferencesTopicReply {
  topic: TopicPreference
}

export interface PreferencesTopicsQuery {
  /** What holds for the user in this tenant; absent: what holds everywhere. */
  tenant_id?: string | undefined
}

export interface PreferencesTopicsReply {
  paging: Paging
  /** One for each topic. */
  items: Array<TopicPreference>
}

export interface PreferencesUpdateTopicsBody {
  /** The choices to store. */
  topics: Array<NamedTopicChoice>
}

export interface PreferencesUpdateTopicsQuery {
  /** What holds for the user in this tenant; absent: what holds everywhere. */
  tenant_id?: string | undefined
}

export interface PreferencesUpdateTopicsReply {
  /** The choices as they are stored now. */
  items: Array<StoredTopicChoice>
  /** The topics that were refused. */
  errors: Array<TopicRefusal>
}

/** A channel. `banner` is one of older clients: it is kept, and nothing is sent by it. */
export type PreferredChannel = 'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook' | 'banner'

/** A stored profile with the preferences of its recipient. */
export interface Profile {
  /** Any keys. Common ones: `email`, `phone_number`, `locale`, `zoneinfo`, and one object per chat provider. */
  profile: Record<string, unknown>
  preferences: Preferences
}

export interface ProfilesDeleteQuery {
  /** Remove the user everywhere: messages, lists, tenants, devices, jobs. */
  erase?: boolean | undefined
}

export interface ProfilesListsQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 25 when left out. */
  limit?: number | undefined
}

export interface ProfilesListsReply {
  paging: Paging
  /** In the order of their ids. */
  results: Array<List>
}

export interface ProfilesMergeBody {
  /** Any keys. Common ones: `email`, `phone_number`, `locale`, `zoneinfo`, and one object per chat provider. */
  profile?: Record<string, unknown> | undefined
  /** Operations applied in order, all or none. An empty list changes nothing. */
  patch?: Array<PatchOperation> | undefined
}

export interface ProfilesReplaceBody {
  /** Any keys. Common ones: `email`, `phone_number`, `locale`, `zoneinfo`, and one object per chat provider. */
  profile: Record<string, unknown>
}

export interface ProfilesSubscribeBody {
  /** Of a list named twice the last entry counts. */
  lists: Array<{
    /** The list id. */
    listId: string
    /** What the recipient wants of what is sent to the list. */
    preferences?: Preferences | null | undefined
  }>
}

/** Settings of one provider for this message. */
export interface ProviderSettings {
  /** `body` is merged over the request, `config` over the settings of the integration. */
  override?: Record<string, unknown> | null | undefined
  /** Used only while this expression over `data` and `profile` is true. */
  if?: string | null | undefined
  /** Metadata of the provider. */
  metadata?: {
    /** Campaign parameters of links; stored with the message. */
    utm?: Utm | null | undefined
  } | null | undefined
  /** For this provider, while another one can follow. In milliseconds, at most 30 days. */
  timeouts?: number | null | undefined
  /** `timeouts` under its older name; below 1,000 it is read as seconds. */
  timeout?: number | null | undefined
}

export interface ProvidersCatalogQuery {
  /** Only these providers. */
  keys?: Array<string> | undefined
  /** Only providers whose name contains this. */
  name?: string | undefined
  /** Only providers of this channel. */
  channel?: 'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook' | undefined
}

export interface ProvidersCatalogReply {
  paging: Paging
  results: Array<CatalogEntry>
}

export interface ProvidersListQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 50 when left out. */
  limit?: number | undefined
}

export interface ProvidersListReply {
  paging: Paging
  results: Array<Integration>
}

/** The version that was made. */
export interface Published {
  /** Stays the same. */
  page_id: string
  /** Rises with each publishing. */
  published_version: number
  /** ISO 8601. */
  published_at: string
  /** The key that published. */
  published_by: string
  /** There is no page to look at. */
  preview_url: null
}

/** A quotation. */
export interface QuoteElement {
  /** Always `quote`. */
  type: 'quote'
  /** Markdown. */
  content: string
  /** Where it stands in a mail. `full`: justified. */
  align?: 'left' | 'center' | 'right' | 'full' | undefined
  /** Of the line at its left. A CSS color; it may hold variables. */
  border_color?: string | undefined
  /** How large it is; `text` when left out. */
  text_style?: 'text' | 'subtext' | 'h1' | 'h2' | undefined
  /** A name by which it is translated and replaced. */
  id?: string | undefined
  /** Shown only while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of the list that this expression gives. */
  loop?: string | undefined
  /** A name by which later elements ask whether it is shown: `refs.<ref>.visible`. */
  ref?: string | undefined
  /** Shown in these channels or providers only. */
  channels?: Array<string> | undefined
  /** Its fields in other languages, by locale. */
  locales?: InLocales<QuoteElement> | undefined
}

/** It takes calls. */
export interface Ready {
  /** Always `ok`. */
  status: 'ok'
  /** `true` while deliveries are paused: calls are taken, and nothing is sent. */
  paused?: boolean | undefined
}

/** Why a message went no further; `error` says it in words. `NO_CHANNELS`: its routing names no channel. `NO_PROVIDERS`: no integration of its channels can be used. `INCOMPLETE_PROFILE_DATA`: the profile has no address that an integration can use. `IN_DOUBT`: an at-most-once attempt was interrupted and is not repeated. `EXPIRED`: its time to be sent ran out. `FAILED`: the fault was ours. */
export type Reason = 'FILTERED' | 'NO_CHANNELS' | 'NO_PROVIDERS' | 'INCOMPLETE_PROFILE_DATA' | 'OPT_IN_REQUIRED' | 'PROVIDER_ERROR' | 'UNPUBLISHED' | 'UNSUBSCRIBED' | 'BOUNCED' | 'FAILED' | 'IN_DOUBT' | 'EXPIRED'

/** Of a bounce: whether the address is bad for good. */
export type ReasonCode = 'HARD' | 'SOFT'

/** How many of each kind; what there was none of is left out. */
export interface Removed {
  /** The profile. */
  profiles?: number | undefined
  /** Preferences of the first generation. */
  preferences?: number | undefined
  /** Choices for topics. */
  topicPreferences?: number | undefined
  /** Subscriptions to lists. */
  listSubscriptions?: number | undefined
  /** Places in tenants. */
  memberships?: number | undefined
  /** Devices. */
  deviceTokens?: number | undefined
  /** Places in audiences. */
  audienceMembers?: number | undefined
  /** Runs of automations that named the user: they end, and nothing of what they were about stays. */
  automationRuns?: number | undefined
  /** Places among the recipients of sends to several. */
  requestRecipients?: number | undefined
  /** Users of bulk jobs. */
  bulkUsers?: number | undefined
  /** Messages: status, times and providers stay, under the pseudonym. */
  messages?: number | undefined
  /** Digests that were still to be released. */
  digests?: number | undefined
  /** Of these, messages that were still to be sent. */
  canceledMessages?: number | undefined
  /** What the mailbox kept. */
  mailbox?: number | undefined
  /** Replies kept for an `Idempotency-Key`. */
  keptReplies?: number | undefined
  /** Inbound events. */
  inboundEvents?: number | undefined
  /** Calls of webhooks. */
  webhookDeliveries?: number | undefined
  /** Audit events: they stay, under the pseudonym. */
  auditEvents?: number | undefined
}

/** The words for one candidate. */
export interface RenderedCandidate {
  channel: Channel
  /** The provider: `sendgrid`. */
  provider: string
  /** The integration id. */
  integration: string
  /** The title of the integration; absent when it has been deleted since. */
  title?: string | undefined
  content: RenderedContent
  /** What the provider would be given, overrides merged in, without secrets. */
  draft?: Record<string, unknown> | undefined
  /** Why it cannot be given to the provider. */
  error?: string | undefined
}

/** The words for one channel; parts it does not have are empty. */
export interface RenderedContent {
  /** Whole HTML document; email only. */
  html: string
  /** Title of a push, inbox or chat message. */
  title: string
  /** The short form: what an SMS or a push shows. */
  body: string
  /** Email subject. */
  subject: string
  /** Everything as text. */
  text: string
  /** The words block by block. */
  blocks: Array<{
    /** The kind of block. */
    type: string
    /** Its words. */
    text: string
  }>
}

/** The request is on disk and will be processed. */
export interface RequestReply {
  /** With one recipient also the id of the message; with many, `GET /messages?traceId=` finds their messages. */
  requestId: string
}

/** Which items are handed on, up to half of what the data of a run may hold; the first 100 when left out. `count` in the data says how many there were. */
export interface Retain {
  /** Which items are handed on. */
  type: 'first' | 'last' | 'highest' | 'lowest'
  /** How many; 10 when left out. */
  count?: number | undefined
  /** What `highest` and `lowest` compare: a path in the item. */
  sort_key?: string | undefined
}

/** What a send to one recipient would do. */
export interface RoutingResult {
  /** The recipient id. */
  recipient: string
  /** What would happen. */
  routing: {
    /** Why it is not used. */
    reason: 'CHANNEL_DISABLED' | 'FILTERED' | 'INCOMPLETE_PROFILE_DATA' | 'MISSING_CONFIGURATION' | 'NO_PROVIDERS' | 'UNMAPPED' | 'UNPUBLISHED'
    /** Nothing would be sent. */
    selected: false
  } | {
    /** The channels, in order. */
    channelsSummary: Array<{
      /** The channel. */
      channel: string
      /** Why it is not used. */
      reason?: 'CHANNEL_DISABLED' | 'FILTERED' | 'INCOMPLETE_PROFILE_DATA' | 'MISSING_CONFIGURATION' | 'NO_PROVIDERS' | 'UNMAPPED' | 'UNPUBLISHED' | undefined
      /** Whether it would be used, now or after those before it failed. */
      selected: boolean
      /** `always`: each channel is used. `bestOf`: the first that works. */
      type: 'always' | 'bestOf'
    }>
    preferences: Preferences
  }
}

/** One result for each recipient, in order. */
export interface RoutingResults {
  /** A list with one entry for each recipient. */
  results: Array<Array<RoutingResult>>
}

/** What lies below the fields of every step. */
export interface RunContext {
  /** Brand of steps that name none. */
  brand?: string | null | undefined
  /** Notification or mapped event of steps that name none. */
  template?: string | null | undefined
  /** Recipient of steps that name none. */
  recipient?: string | number | null | undefined
  /** What steps and their messages see; below the data of each step. */
  data?: Record<string, unknown> | null | undefined
  /** Contact values of the recipient; below the profile of each step. */
  profile?: Record<string, unknown> | null | undefined
}

/** The run is on disk and under way. */
export interface RunStarted {
  /** The run that was started. */
  runId: string
}

/** Where a run stands: `PROCESSING` (its next step is under way), `WAITING` (in a delay, a batch, or between two tries), `PROCESSED` (all steps are done), `CANCELED`, `ERROR` (a step failed, the later ones were not begun), `THROTTLED` (a throttle stopped it). */
export type RunStatus = 'PROCESSING' | 'WAITING' | 'PROCESSED' | 'CANCELED' | 'ERROR' | 'THROTTLED'

/** Where a step stands: as a run, or `SKIPPED` (its `if` did not hold, or its recipient wants nothing collected) or `NOT PROCESSED` (not begun); `CANCELED` is the one that its run was at. `COMPUTING` is a word of the public API that does not come up here. */
export type RunStepStatus = 'PROCESSING' | 'WAITING' | 'PROCESSED' | 'CANCELED' | 'ERROR' | 'THROTTLED' | 'SKIPPED' | 'NOT PROCESSED' | 'COMPUTING'

/** One run at each of these moments; of those that were missed while nothing was running, the latest. `data.scheduled_for` is the moment. */
export interface ScheduleTrigger {
  /** A schedule. */
  type: 'schedule'
  /** When it starts. Minute, hour, day of month, month, day of week: `0 9 * * MON-FRI`; `L` is the last day of the month. */
  cron: string
  /** Where it is read. An IANA name: `Europe/Berlin`. */
  timezone: string
}

/** One run at each of these moments. */
export interface ScheduleTriggerWrite {
  /** A schedule. */
  type: 'schedule'
  /** When it starts. Minute, hour, day of month, month, day of week: `0 9 * * MON-FRI`; `L` is the last day of the month. */
  cron: string
  /** Where it is read; UTC when left out. An IANA name: `Europe/Berlin`. */
  timezone?: string | null | undefined
}

/** A heading with its topics. */
export interface Section {
  /** The id. */
  id: string
  /** Name for people. */
  name: string
  /** The channels of its topics that name none of their own. */
  routing_options: Array<Channel>
  /** Whether `routing_options` hold for its topics. */
  has_custom_routing: boolean
  /** When it was created. ISO 8601. */
  created: string
  /** The key that created it. */
  creator: string
  /** When it last changed. ISO 8601. */
  updated: string
  /** The key that last changed it. */
  updater: string
  /** Its topics, oldest first. */
  topics: Array<Topic>
}

/** A section as it is written. */
export interface SectionWrite {
  /** Name for people. */
  name: string
  /** The channels its topics use that name none of their own, when `has_custom_routing` is true. */
  routing_options?: Array<Channel> | null | undefined
  /** Whether `routing_options` hold for its topics; false unless given. */
  has_custom_routing?: boolean | null | undefined
}

export interface SectionsListReply {
  results: Array<Section>
}

/** One notification to one recipient. */
export interface SendBody {
  /** A notification id, or a name mapped to a notification (`PUT /events/:event_id`). */
  event: string
  /** Stable id of the person. It stays the same when their address changes. */
  recipient: string | number
  /** Contact values for this message only. Merged over the stored profile, key by key; not stored. */
  profile?: Record<string, unknown> | null | undefined
  /** Values of the template variables. */
  data?: Record<string, unknown> | null | undefined
  /** Brand to render with. */
  brand?: string | null | undefined
  /** By provider: `override.<provider>.body` is merged onto the request the provider would get, `override.<provider>.config` onto the settings of its integration. */
  override?: Record<string, unknown> | null | undefined
  /** Preferences for this message; they beat the stored ones. */
  preferences?: Preferences | null | undefined
  /** Wait before sending. */
  delay?: Delay | null | undefined
}

/** Sends to everybody on a list; with a data source by a run for each subscriber. */
export interface SendListStep {
  /** Always `send-list`. */
  action: 'send-list'
  /** The list. */
  list: string
  /** A notification or a mapped event; else the template of the run. */
  template?: string | undefined
  data_source?: DataSource | undefined
  /** Brand to render with; else the one of the run. */
  brand?: string | undefined
  /** Merged over the data of the run. */
  data?: Record<string, unknown> | undefined
  /** Overrides by provider. */
  override?: Record<string, unknown> | undefined
  /** A send with a key that was used before is not sent again. */
  idempotency_key?: string | undefined
  /** Until when, or how long, the key is kept: a moment in ISO 8601, seconds or milliseconds, or a duration (`1 day`), at least a day and at most a year ahead; 25 hours when it is left out or cannot be read. */
  idempotency_expiry?: unknown | undefined
  /** Done only while this expression is true. */
  if?: string | undefined
  /** A name by which later steps ask for its result. */
  ref?: string | undefined
}

export interface SendQuery {
  /** Whether a name that leads nowhere, an unknown field beside the known ones, a recipient without an address or a variable without a value is a 400 instead of a status of the message. By its name alone it is true. It beats the header `Prefer: handling=strict` (or `handling=lenient`), which beats the setting of the environment. */
  strict?: boolean | undefined
}

/** The message is on disk and will be processed. */
export interface SendReply {
  /** Names the message in `/messages/:message_id` and its history. */
  messageId: string
}

/** A call that means one message or many, and how far it is. */
export interface SendRequest {
  /** The request id. */
  requestId: string
  /** A send, a send to a list, or a bulk job. */
  kind: 'send' | 'list' | 'bulk'
  /** `PROCESSING`: recipients are still being found. `COMPLETED`: every one of them has a message. */
  status: 'CREATED' | 'PROCESSING' | 'COMPLETED' | 'ERROR'
  /** When it was accepted. In milliseconds since the Unix epoch. */
  created: number
  /** Messages made so far. */
  enqueued: number
  /** Recipients whose message could not be made. */
  failures: number
  /** Whether its messages are left out of lists. */
  archived: boolean
  /** What stopped it. */
  error?: string | undefined
}

/** Sends one message. */
export interface SendStep {
  /** Always `send`. */
  action: 'send'
  /** Whom to send to; else the recipient of the run. */
  recipient?: string | number | undefined
  /** A notification or a mapped event; else the template of the run. */
  template?: string | undefined
  /** Merged over the profile of the run. */
  profile?: Record<string, unknown> | undefined
  /** Brand to render with; else the one of the run. */
  brand?: string | undefined
  /** Merged over the data of the run. */
  data?: Record<string, unknown> | undefined
  /** Overrides by provider. */
  override?: Record<string, unknown> | undefined
  /** A send with a key that was used before is not sent again. */
  idempotency_key?: string | undefined
  /** Until when, or how long, the key is kept: a moment in ISO 8601, seconds or milliseconds, or a duration (`1 day`), at least a day and at most a year ahead; 25 hours when it is left out or cannot be read. */
  idempotency_expiry?: unknown | undefined
  message?: StepMessage | undefined
  /** Done only while this expression is true. */
  if?: string | undefined
  /** A name by which later steps ask for its result. */
  ref?: string | undefined
}

/** The settings of SendGrid. */
export interface SendgridSettings {
  /** API key: A key with the permission "Mail Send". */
  apiKey: string
  /** From address: A verified sender. */
  fromAddress: string
  /** From name: The name of the sender. */
  fromName?: string | undefined
  /** Reply to: Where replies go. */
  replyTo?: string | undefined
  /** Base URL: Where the API is reached, for a proxy or another region. Default: "https://api.sendgrid.com". */
  baseUrl?: string | undefined
}

/** The settings of each provider. A provider that a later server brings is added by declaration merging. */
export interface SettingsByProvider {
  /** Messages to Slack channels and users. */
  slack: SlackSettings
  /** Mail through Twilio SendGrid. */
  sendgrid: SendgridSettings
  /** Mail through any SMTP server. */
  smtp: SmtpSettings
  /** A sandbox that keeps messages instead of sending them. */
  mailbox: MailboxSettings
  /** Text messages through Twilio. */
  twilio: TwilioSettings
  /** The message as JSON to any address. */
  webhook: WebhookSettings
}

export interface ShortAutomationTemplate {
  /** The id of the template. */
  id: string
  /** What people call it. */
  name: string
  /** When it was first written. ISO 8601, UTC. */
  createdAt: string
  /** When this version was written. ISO 8601, UTC. */
  updatedAt: string
  /** Always `published`: what is written is in force at once. The count of its versions is in the template itself. */
  version: 'published'
}

export interface ShortRun {
  /** The run id. */
  run_id: string
  /** What started it: `api`, `event/<event>`, `schedule`, `invoke/<run id>`, `send-list/<run id>`. */
  source: Array<string>
  status: RunStatus
  /** The automation template it runs. */
  template_id?: string | undefined
  /** When it was started. ISO 8601, UTC. */
  created_at: string
}

/** A digest that would be released as one message. What is stored already is no part of it. */
export interface SimulatedDigest {
  /** The topic that collects. */
  topic_id: string
  /** The schedule that the recipient is on. */
  schedule_id: string
  /** For whom it is kept. */
  recipient: string
  /** The tenant; absent outside any. */
  tenant_id?: string | undefined
  /** Events of this simulation that were kept for it. */
  collected: number
  /** When its first event came. ISO 8601, UTC. */
  opened_at: string
  /** When it is released. ISO 8601, UTC. */
  released_at: string
  /** The values in the template, by category; left out behind the first megabyte of a simulation. */
  data?: Record<string, DigestedCategory> | undefined
  message: SimulatedMessage
}

/** A message that would be sent. */
export interface SimulatedMessage {
  /** As it is called in this simulation. */
  message_id: string
  /** Whom it would go to. */
  recipient: string
  /** The notification or event; empty for content of its own. */
  event: string
  /** When it would be decided on and go, where a delay or its hours make that later than its step; channels and explanation are those of then. Of a message without an explanation hours are not looked at. ISO 8601, UTC. */
  due_at?: string | undefined
  /** The channels that were chosen, in order: all of them, or each should those before it fail. Empty when it would not go. */
  channels: Array<string>
  explanation?: Explanation | undefined
}

/** One run. */
export interface SimulatedRun {
  /** As it is called in this simulation. */
  run_id: string
  /** What started it. */
  source: Array<string>
  /** How it ends. */
  status: 'PROCESSING' | 'WAITING' | 'PROCESSED' | 'CANCELED' | 'ERROR' | 'THROTTLED'
  /** What went wrong. */
  error?: string | undefined
}

/** One step of one run. */
export interface SimulatedStep {
  /** When the step would begin. ISO 8601, UTC. */
  at: string
  /** The run. */
  run_id: string
  /** Its place among the steps, from 0. */
  position: number
  /** The action. */
  action: string
  /** How it would end; `CANCELED`: another run ended it while it waited. */
  status: 'PROCESSED' | 'SKIPPED' | 'WAITING' | 'ERROR' | 'THROTTLED' | 'CANCELED' | 'PROCESSING'
  /** Why it was skipped, what went wrong, or what it waits for. */
  reason?: string | undefined
  /** When it would be done. ISO 8601, UTC. */
  ended_at?: string | undefined
  /** From its beginning to its end, when it waited. */
  waited_ms?: number | undefined
  /** What is kept of it. */
  result?: Record<string, unknown> | undefined
  /** What it would send; of a send to many, to the first recipients. */
  messages?: Array<SimulatedMessage> | undefined
  /** A send to many. */
  request?: {
    /** Lists, audiences, tenants and users, in words. */
    to: Array<string>
    /** How many recipients were found, each counted once: up to 1,000 of them, of whom the first 100 are among `messages`. */
    recipients: number
    /** True when they were counted no further: there may be more of them. */
    more?: boolean | undefined
  } | undefined
}

/** What would happen, when, to whom and by which channel. */
export interface Simulation {
  /** When it begins. ISO 8601, UTC. */
  start: string
  /** When the last step is done; delayed messages and digests may go later. ISO 8601, UTC. */
  end: string
  /** False when it was stopped: more than 1,000 runs, 10,000 turns or five seconds of work. */
  complete: boolean
  /** The runs; the first is the one that was asked for. */
  runs: Array<SimulatedRun>
  /** Every step of every run, by time. */
  timeline: Array<SimulatedStep>
  /** Parts of the automations that are ignored, each with its place; absent without any. */
  warnings?: Array<string> | undefined
  /** What is kept for digests, by `add-to-digest` and by explained messages about a topic that has one, and how it is released. */
  digests: Array<SimulatedDigest>
}

/** An automation, and the world it is tried in. */
export interface SimulationBody {
  automation?: Automation | undefined
  /** An automation template by id or alias, instead of `automation`. */
  template_id?: string | undefined
  context?: RunContext | undefined
  /** When the run begins: ISO 8601, or milliseconds since the Unix epoch; now when left out. */
  start?: string | number | undefined
  /** Profiles by recipient; of anybody else the stored one is used. Who is in an audience is always found by the stored ones. */
  profiles?: Record<string, Record<string, unknown>> | undefined
  /** Subscribers by list, without preferences of the list; of other lists the stored ones are used. */
  lists?: Record<string, Array<string>> | undefined
  /** Answers by address, with or without its query. Nothing is called: an address that is not here answers nothing. */
  fetched?: Record<string, Record<string, unknown>> | undefined
  /** HTTP statuses of those answers, by the same addresses; 200 when nothing is said. An address that is only here answers with an empty body, and so does any with 204, 205 or 304. */
  fetched_status?: Record<string, number> | undefined
  /** What becomes of messages, by the `ref` of their step or by their event. When nothing is said: what the explanation of the message comes to (`UNROUTABLE`, `DIGESTED`), `DELAYED` until it is due, `SENT` for one that goes or is not explained. */
  statuses?: Record<string, MessageStatus> | undefined
  /** Automations by name for the step `invoke`, before the stored ones. */
  templates?: Record<string, Automation> | undefined
  /** More runs, of the same automation unless another is given: for batches, throttles and tokens. */
  further?: Array<{
    /** How long after the start: `2 hours`, `P1D`. */
    after: string
    context?: RunContext | undefined
    automation?: Automation | undefined
  }> | undefined
}

/** The settings of Slack. */
export interface SlackSettings {
  /** Access token: Bot token for profiles that bring none of their own. */
  accessToken?: string | undefined
  /** Incoming webhook: When set, every message goes to this webhook. */
  webhookUrl?: string | undefined
  /** Base URL: Where the API is reached, for a proxy or another region. Default: "https://slack.com/api". */
  baseUrl?: string | undefined
}

/** The settings of SMTP. */
export interface SmtpSettings {
  /** Host: Name of the mail server. */
  host: string
  /** Port: 587, or 465 for TLS. */
  port?: number | undefined
  /** Security: TLS from the first byte, STARTTLS required, or STARTTLS when offered. By default what the port says. */
  security?: 'tls' | 'starttls' | 'opportunistic' | undefined
  /** User: Name to sign in with. */
  user?: string | undefined
  /** Password: Password to sign in with. */
  password?: string | undefined
  /** From address: The sender. */
  fromAddress: string
  /** From name: The name of the sender. */
  fromName?: string | undefined
  /** Reply to: Where replies go. */
  replyTo?: string | undefined
}

/** Nothing is sent from its start until its end. Without an end it is kept and has no effect. */
export interface Snooze {
  /** The kind; a rule without one is a snooze. */
  type?: 'snooze' | undefined
  /** When it begins; absent: at once. ISO 8601 or milliseconds since the Unix epoch, as text. */
  start?: string | null | undefined
  /** When it ends. Left out: the rule has no effect. ISO 8601 or milliseconds since the Unix epoch, as text. */
  until?: string | null | undefined
}

/** A message of a step; what it leaves out the step says, else the run. */
export interface StepMessage {
  /** Who is to get it. An empty object or list is a recipient without an address. */
  to?: MessageRecipient | Array<MessageRecipient> | undefined
  /** A notification id, its alias, or a mapped event. */
  template?: string | null | undefined
  /** Elemental JSON, or just a title and a body. Variables are written `{name}`. */
  content?: ContentInput | null | undefined
  /** Values of the template variables. */
  data?: Record<string, unknown> | null | undefined
  /** Brand to render with. */
  brand_id?: string | null | undefined
  /** Which channels, and whether one or all of them. Groups may nest. */
  routing?: MessageRouting | null | undefined
  /** Settings by channel. */
  channels?: Record<string, ChannelSettings | null> | null | undefined
  /** Settings by provider. */
  providers?: Record<string, ProviderSettings | null> | null | undefined
  /** What the message is remembered by. */
  metadata?: {
    /** Your name of what happened. Kept with the message, whose `event` stays the template; preferences may be about it. */
    event?: string | null | undefined
    /** Tags to find the message by. */
    tags?: Array<string> | null | undefined
    /** Your own id of the request, to find the message by. */
    trace_id?: string | null | undefined
    /** Campaign parameters of links; stored with the message. */
    utm?: Utm | null | undefined
  } | null | undefined
  /** Binds the message to a topic. */
  preferences?: {
    /** The topic recipients can opt out of. */
    subscription_topic_id?: string | null | undefined
  } | null | undefined
  /** Deadlines of a message. */
  timeout?: MessageTimeout | null | undefined
  /** Deadlines of a message. */
  timeouts?: MessageTimeout | null | undefined
  /** How long to wait before anything is sent; empty, not at all. The message is `DELAYED` until then. */
  delay?: Delay | null | undefined
  /** After it nothing is put into an inbox; other channels are not concerned. Of two the earlier one. */
  expiry?: {
    /** When: ISO 8601, or milliseconds since the Unix epoch. */
    expires_at?: string | number | null | undefined
    /** How long after it was due: milliseconds, or an ISO 8601 duration (`P1DT4H`). */
    expires_in?: string | number | null | undefined
  } | null | undefined
  /** In which tenant. */
  context?: {
    /** The tenant it is sent in. */
    tenant_id?: string | null | undefined
  } | null | undefined
}

/** Where to ask. */
export interface StepWebhook {
  /** An http or https address that answers JSON. Text that is filled in behind its origin is percent-encoded, `/` too: it is part of one segment of the path, or of one value of the query. What makes the origin or the whole address is taken as it is. */
  url: string
  /** `GET` when left out. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined
  /** Headers of the request. Whoever can read the template can read them; runs show them masked. */
  headers?: Record<string, unknown> | undefined
  /** Added to the query. */
  params?: Record<string, unknown> | undefined
  /** Sent as it is, an object as JSON; not with `GET`. */
  body?: Record<string, unknown> | string | undefined
}

/** The stored preferences of a recipient. */
export interface StoredPreferences {
  /** By notification id or event. */
  notifications: Record<string, Preference>
  /** By category. */
  categories: Record<string, Preference>
}

/** What a user chose for a topic, as it is stored now. */
export interface StoredTopicChoice {
  /** The topic id. */
  topic_id: string
  status: PreferenceStatus
  /** Whether only the channels of `custom_routing` are used. */
  has_custom_routing: boolean
  /** The channels that are wanted, in order. */
  custom_routing: Array<PreferredChannel>
  /** The schedule that was chosen for the digest of the topic; absent on the default one. */
  digest_schedule_id?: string | undefined
}

/** A default of a tenant. */
export interface StoredTopicDefault {
  /** The topic id. */
  id: string
  /** What holds unless the user says otherwise. */
  status: string
  /** True when `custom_routing` counts. */
  has_custom_routing: boolean
  /** The channels to use, in order. */
  custom_routing: Array<string>
}

/** The change is stored. */
export interface Success {
  /** Always `SUCCESS`. */
  status: 'SUCCESS'
}

/** A value that a notification reads from `data`. */
export interface TemplateVariable {
  /** Its keys in `data`, from the outermost one. `[]` stands for every item of a list. */
  path: Array<string>
  /** `text`: written into the words. `list`: repeated by a loop. `object`: read by its keys. `any`: only asked for by a condition or a helper. */
  kind: 'text' | 'list' | 'object' | 'any'
  /** False when it is read only under a condition, or has a default: the words are whole without it. */
  required: boolean
}

/** A customer of yours with its defaults. */
export interface Tenant {
  /** The id. */
  id: string
  /** Name for people. */
  name: string
  /** Values for templates. */
  properties: Record<string, unknown>
  /** Profile of each of its users. */
  user_profile: Record<string, unknown>
  /** Brand of messages sent for it; null for none. */
  brand_id: string | null
  /** What holds for its users unless they say otherwise. */
  default_preferences: {
    /** One entry a topic. */
    items: Array<StoredTopicDefault>
  }
  /** The tenant above it; null at the top. */
  parent_tenant_id: string | null
}

/** A tenant as it is written. */
export interface TenantInput {
  /** Name for people; templates have it as `{$.tenant.name}`. */
  name: string
  /** What holds for its users unless they say otherwise. */
  default_preferences?: DefaultPreferences | null | undefined
  /** Values for templates: `{$.tenant.plan}`. At most 64 kB as JSON. */
  properties?: Record<string, unknown> | null | undefined
  /** Profile of each of its users, below what is stored for the user. At most 64 kB as JSON. */
  user_profile?: Record<string, unknown> | null | undefined
  /** Brand of messages sent for it, when the send names none. */
  brand_id?: string | null | undefined
  /** The tenant above it. */
  parent_tenant_id?: string | null | undefined
}

/** A page of tenants. */
export interface TenantPage {
  /** Always `list`. */
  type: 'list'
  /** The rows of this page. */
  items: Array<Tenant>
  /** True when another page follows. */
  has_more: boolean
  /** The path of the list. */
  url: string
  /** Path and query of the next page; null on the last one. */
  next_url: string | null
  /** Pass it as `cursor` to get the next page; null on the last one. */
  cursor: string | null
}

export interface TenantsListQuery {
  /** Rows of a page; 20 when left out. */
  limit?: number | undefined
  /** The `cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** The same, as older clients name it. */
  starting_after?: string | undefined
  /** Only those directly below this tenant. */
  parent_tenant_id?: string | undefined
}

export interface TenantsUsersQuery {
  /** Rows of a page; 20 when left out. */
  limit?: number | undefined
  /** The `cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** The same, as older clients name it. */
  starting_after?: string | undefined
}

/** Words. */
export interface TextElement {
  /** Always `text`. */
  type: 'text'
  /** Markdown. */
  content?: string | undefined
  /** Parts in the place of `content`. */
  elements?: Array<TextSpan> | undefined
  /** Where it stands in a mail. `full`: justified. */
  align?: 'left' | 'center' | 'right' | 'full' | undefined
  /** How large it is; `text` when left out. */
  text_style?: 'text' | 'subtext' | 'h1' | 'h2' | undefined
  /** Of the words. A CSS color; it may hold variables. */
  color?: string | undefined
  /** Bold. */
  bold?: boolean | 'true' | 'false' | undefined
  /** Italic. */
  italic?: boolean | 'true' | 'false' | undefined
  /** Struck. */
  strikethrough?: boolean | 'true' | 'false' | undefined
  /** Underlined. */
  underline?: boolean | 'true' | 'false' | undefined
  /** A name by which it is translated and replaced. */
  id?: string | undefined
  /** Shown only while this expression is true. */
  if?: string | undefined
  /** Shown once for each item of the list that this expression gives. */
  loop?: string | undefined
  /** A name by which later elements ask whether it is shown: `refs.<ref>.visible`. */
  ref?: string | undefined
  /** Shown in these channels or providers only. */
  channels?: Array<string> | undefined
  /** Its fields in other languages, by locale. */
  locales?: InLocales<TextElement> | undefined
}

/** A part of a text. */
export interface TextSpan {
  /** What it is. */
  type: 'string' | 'link' | 'img'
  /** Its words. */
  content?: string | undefined
  /** Where a link or a picture leads. */
  href?: string | undefined
  /** The address of a picture. */
  src?: string | undefined
  /** The words for a picture. */
  alt_text?: string | undefined
  /** Bold. */
  bold?: boolean | 'true' | 'false' | undefined
  /** Italic. */
  italic?: boolean | 'true' | 'false' | undefined
  /** Struck. */
  strikethrough?: boolean | 'true' | 'false' | undefined
  /** Underlined. */
  underline?: boolean | 'true' | 'false' | undefined
}

/** Lets so many runs pass in a period; the others end with the status THROTTLED. */
export interface ThrottleStep {
  /** Always `throttle`. */
  action: 'throttle'
  /** How many runs may pass in one period. */
  max_allowed: number | string
  /** At most 366 days; it begins with the first run that passes. A whole number and a unit (`30 minutes`), or an ISO 8601 duration: `P1D`, `PT30M`. */
  period: string
  /** Who is counted together. `user`: the runs for one recipient. `global`: all runs of this automation. `dynamic`: those with the same key. `global` when left out. */
  scope?: 'user' | 'global' | 'dynamic' | undefined
  /** With scope `dynamic`: what is counted together. */
  throttle_key?: string | undefined
  /** Kept in the result of the step; nobody is alerted. */
  should_alert?: boolean | undefined
  on_throttle?: OnThrottle | undefined
  /** Done only while this expression is true. */
  if?: string | undefined
  /** A name by which later steps ask for its result. */
  ref?: string | undefined
}

/** A subject that recipients can opt in to or out of. */
export interface Topic {
  /** The id. */
  id: string
  /** Name for people. */
  name: string
  default_status: PreferenceStatus
  /** The channels for who chose none; empty: those of the notification. */
  routing_options: Array<Channel>
  /** What a page may offer to a recipient beside in and out. */
  allowed_preferences: Array<'snooze' | 'channel_preferences'>
  /** Whether mails about it are to carry such a header. */
  include_unsubscribe_header: boolean
  /** What else is kept with it. */
  topic_data: Record<string, unknown>
  digest?: TopicDigest | undefined
  /** When it was created. ISO 8601. */
  created: string
  /** The key that created it. */
  creator: string
  /** When it last changed. ISO 8601. */
  updated: string
  /** The key that last changed it. */
  updater: string
}

/** What is wanted of a topic. */
export interface TopicChoice {
  status: PreferenceStatus
  /** True: only the channels of `custom_routing` are used, in their order. */
  has_custom_routing?: boolean | null | undefined
  /** The channels that are wanted. */
  custom_routing?: Array<PreferredChannel> | null | undefined
  /** The schedule of the digest of the topic. Left out: it stays as it is; null: the default one. */
  digest_schedule_id?: string | null | undefined
}

/** What a tenant wants for its users in one topic. */
export interface TopicDefault {
  /** The topic id. */
  id: string
  /** What holds unless the user says otherwise. */
  status: 'OPTED_IN' | 'OPTED_OUT' | 'REQUIRED'
  /** True when `custom_routing` counts. */
  has_custom_routing?: boolean | null | undefined
  /** The channels to use, in order. */
  custom_routing?: Array<'email' | 'sms' | 'push' | 'direct_message' | 'inbox' | 'webhook'> | null | undefined
}

/** What holds for a topic where nobody has chosen. */
export interface TopicDefaultWrite {
  status: PreferenceStatus
  /** True: only the channels of `custom_routing` are used, in their order. */
  has_custom_routing?: boolean | null | undefined
  /** The channels that are wanted. */
  custom_routing?: Array<PreferredChannel> | null | undefined
}

/** The digest of a topic. */
export interface TopicDigest {
  /** The notification that tells of all of them: its id, its alias, or a mapped event. */
  template_id: string
  /** When it is released: each recipient is on one of them. */
  schedules: Array<DigestSchedule>
  /** What is kept of the events, by kind. */
  categories: Array<DigestCategory>
}

/** The digest of a topic as it is written. */
export interface TopicDigestWrite {
  /** The notification that tells of all of them: its id, its alias, or a mapped event. */
  template_id: string
  /** All of them; those left out are gone. Without this field those that are there stay. */
  schedules?: Array<DigestScheduleWrite> | null | undefined
  /** What is kept, by kind; one category `digest` for all events when left out. */
  categories?: Array<DigestCategoryWrite> | null | undefined
  /** A digest without an event is not sent; only `false` is taken. */
  trigger_empty?: false | null | undefined
}

/** What holds for a user and a topic: `status` is what the user chose, else `default_status`, which is that of the tenant, else that of the topic. */
export interface TopicPreference {
  /** The topic id. */
  topic_id: string
  /** Its name for people. */
  topic_name: string
  /** The section it stands in. */
  section_id: string
  /** The name of the section. */
  section_name: string
  default_status: PreferenceStatus
  status: PreferenceStatus
  /** Whether only the channels of `custom_routing` are used. */
  has_custom_routing: boolean
  /** The channels that are wanted, in order. */
  custom_routing: Array<PreferredChannel>
  /** The schedule that was chosen for the digest of the topic; absent on the default one. */
  digest_schedule_id?: string | undefined
}

/** A topic whose choice was not stored. */
export interface TopicRefusal {
  /** The topic id as it was sent. */
  topic_id: string
  /** Why it cannot be stored. */
  reason: string
}

/** A topic as it is written. */
export interface TopicWrite {
  /** Name for people. */
  name: string
  default_status: PreferenceStatus
  /** The channels for who chose none; empty: those of the notification. */
  routing_options?: Array<Channel> | null | undefined
  /** What a page may offer to a recipient beside in and out; kept, not enforced. */
  allowed_preferences?: Array<'snooze' | 'channel_preferences'> | null | undefined
  /** Whether mails about it are to carry a list-unsubscribe header. */
  include_unsubscribe_header?: boolean | null | undefined
  /** Anything else that is to be kept with it, at most 16 kB. */
  topic_data?: Record<string, unknown> | null | undefined
  /** Events collected into one message. Left out: it stays as it is; null: there is none. */
  digest?: TopicDigestWrite | null | undefined
}

export interface TopicsListReply {
  results: Array<Topic>
}

/** Sent by the device when it registered. */
export interface Tracking {
  /** Version of its system. */
  os_version?: string | null | undefined
  /** Its address. */
  ip?: string | null | undefined
  /** Latitude. */
  lat?: string | null | undefined
  /** Longitude. */
  long?: string | null | undefined
}

/** The settings of Twilio. */
export interface TwilioSettings {
  /** Account SID: Begins with AC. */
  accountSid: string
  /** Auth token: The token of the account. */
  authToken: string
  /** From: A number or sender id. */
  from?: string | undefined
  /** Messaging service SID: Chooses the sender instead of From. */
  messagingServiceSid?: string | undefined
  /** Base URL: Where the API is reached, for a proxy or another region. Default: "https://api.twilio.com". */
  baseUrl?: string | undefined
}

/** Writes a stored profile. */
export interface UpdateProfileStep {
  /** Always `update-profile`. */
  action: 'update-profile'
  /** Whose profile. */
  recipient_id: string | number
  /** What comes in. */
  profile: Record<string, unknown>
  /** How what comes in (A) meets what is there (B). `replace`: B becomes A. `overwrite`: the keys of A win. `soft-merge`: only keys that B lacks are taken. `none`: A is taken only when B is empty. `replace` when left out. */
  merge?: 'replace' | 'overwrite' | 'soft-merge' | 'none' | undefined
  /** Done only while this expression is true. */
  if?: string | undefined
  /** A name by which later steps ask for its result. */
  ref?: string | undefined
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

/** Translations of words that are there. */
export interface Variations {
  /** Words of elements by locale; other fields of a block are not read. */
  blocks?: Array<{
    /** The `id` of an element, else its place such as `1.0`. */
    id: string
    /** Its words by locale. */
    locales?: Record<string, string> | undefined
  }> | undefined
  /** Subject or title of channels by locale. */
  channels?: Array<{
    /** The channel. */
    id: string
    /** Subject or title by locale. */
    locales?: Record<string, {
      /** The subject of a mail. */
      subject?: string | undefined
      /** The title elsewhere. */
      title?: string | undefined
    }> | undefined
  }> | undefined
}

/** An address that is called for changes. Its secret is never shown again. */
export interface Webhook {
  /** The webhook id. */
  id: string
  /** Where it is called with POST: http or https, without user name and password. */
  url: string
  /** The changes that it is called for. */
  types: Array<WebhookType>
  /** False: nothing is called. What waits goes on waiting, at most three days; what happens now is not kept. */
  enabled: boolean
  /** True when it has a secret and its calls carry `courier-signature`. */
  signed: boolean
  /** When it was created. In milliseconds since the Unix epoch. */
  created: number
  /** When it last changed. In milliseconds since the Unix epoch. */
  updated: number
}

/** One change on its way to one webhook. */
export interface WebhookDelivery {
  /** The id; every attempt carries it as the header `webhook-id`. */
  id: string
  /** The change. */
  type: string
  /** Where it stands. A FAILED one is not tried again. */
  status: 'WAITING' | 'DELIVERED' | 'FAILED'
  /** Calls so far. */
  attempts: number
  /** When it happened. In milliseconds since the Unix epoch. */
  created: number
  /** The message it tells of. */
  message_id?: string | undefined
  /** When the address answered 2xx. In milliseconds since the Unix epoch. */
  delivered?: number | undefined
  /** When it is tried next. In milliseconds since the Unix epoch. */
  next_attempt_at?: number | undefined
  /** The error of the last attempt. */
  error?: string | undefined
}

/** The settings of Webhook. */
export interface WebhookSettings {
  /** URL: Where messages go when the profile names no address. */
  url?: string | undefined
  /** Method: POST by default. */
  method?: 'POST' | 'PUT' | 'PATCH' | 'GET' | 'DELETE' | undefined
  /** Authentication: How to sign in at the URL. */
  authentication?: 'none' | 'basic' | 'bearer' | undefined
  /** User name: For basic authentication. */
  username?: string | undefined
  /** Password: For basic authentication. */
  password?: string | undefined
  /** Token: For bearer authentication. */
  token?: string | undefined
  /** Profile: expanded sends the profile of the recipient along; limited, the default, does not. */
  profile?: 'limited' | 'expanded' | undefined
}

/** A change that a webhook is called for: `message:updated` (the status of a message changed; `data` is the message as `GET /messages/:message_id` shows it), `notification:published` (a version of a notification was published), `notification:submitted` (checks of a submission were written for the first time), `notification:submission_canceled` (the checks of a submission were deleted), `audiences:created` (an audience was written for the first time), `audiences:updated` (an audience was written again), `audiences:deleted` (an audience was deleted), `audiences:calculated` (every user was looked at since an audience was written), `audiences:user:matched` (a user has become a member of an audience), `audiences:user:unmatched` (a user is a member of an audience no more), `preferences:user:updated` (the preferences of a user were written). */
export type WebhookType = 'message:updated' | 'notification:published' | 'notification:submitted' | 'notification:submission_canceled' | 'audiences:created' | 'audiences:updated' | 'audiences:deleted' | 'audiences:calculated' | 'audiences:user:matched' | 'audiences:user:unmatched' | 'preferences:user:updated'

export interface WebhooksCreateBody {
  /** Where it is called with POST: http or https, without user name and password. */
  url: string
  /** The changes that it is called for. */
  types?: Array<WebhookType> | undefined
  /** False: nothing is called. What waits goes on waiting, at most three days; what happens now is not kept. */
  enabled?: boolean | undefined
  /** The key that signs calls. Left out: one is made. null: no signature. */
  secret?: string | null | undefined
}

export interface WebhooksDeliveriesQuery {
  /** The `paging.cursor` of the page before. It never expires. */
  cursor?: string | undefined
  /** Rows of a page; 50 when left out. */
  limit?: number | undefined
  /** Only those that stand there. */
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
  /** Where it is called with POST: http or https, without user name and password. */
  url?: string | undefined
  /** The changes that it is called for. */
  types?: Array<WebhookType> | undefined
  /** False: nothing is called. What waits goes on waiting, at most three days; what happens now is not kept. */
  enabled?: boolean | undefined
  /** A new secret; null takes it away. */
  secret?: string | null | undefined
}

/** Every call, ready to be made through `call`. */
export const api = (call: Call) => ({
  /** Send a notification. Answers as soon as the message is safe on disk. An unknown event, a missing address or an opt-out is not an error of this call: it becomes the status of the message. A strict send, by `?strict=true`, the header `Prefer: handling=strict` or the setting of its environment, is refused with a 400 for all of these but the opt-out. A body with `message` is of the second generation: it takes many recipients, inline content and routing, and is answered 202 with a request id. The body of the first may also be an urlencoded form with nested keys in brackets, `profile[email]=…`. `POST /send`. */
  send: ((body: SendBody | MessageSendBody, options?: CallOptions & SendQuery) => call({ method: 'POST', path: `/send`, body, options, query: { strict: options?.strict } })) as SendCall<SendBody, SendReply, MessageSendBody, RequestReply, CallOptions & SendQuery>,
  /** Explain a send without sending. Takes the body of a send of either generation, to one recipient, and answers what would happen now: the decision, every candidate, the words, and what of the body is ignored. Nothing is stored and no provider is called. `POST /explain`. */
  explain: (body: SendBody | MessageSendBody, options?: CallOptions): Promise<Explanation> =>
    call<Explanation>({ method: 'POST', path: `/explain`, body, options }),
  /** Try an automation in a moment. Runs an automation under a clock of its own and answers what would happen: every message with its channel and its words, every digest with its events, every step that was skipped and why, every wait. Nothing is sent, stored or called, and nobody waits. Delays take no time; brands, notifications, preferences and integrations are those of now. `POST /automations/simulate`. */
  simulate: (body: SimulationBody, options?: CallOptions): Promise<Simulation> =>
    call<Simulation>({ method: 'POST', path: `/automations/simulate`, body, options }),
  /** What became of each send: status, history, words, reasons. */
  messages: {
    /** List messages. Newest first, ten a page. Filters given together must all match. `GET /messages`. */
    list: (query?: MessagesListQuery, options?: CallOptions): Listing<MessagesListReply, Message> =>
      listing((cursor) => call<MessagesListReply>({ method: 'GET', path: `/messages`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Get a message. `GET /messages/:message_id`. */
    get: (messageId: string, options?: CallOptions): Promise<MessageDetail> =>
      call<MessageDetail>({ method: 'GET', path: `/messages/${segment(messageId)}`, options }),
    /** Get the history of a message. `GET /messages/:message_id/history`. */
    history: (messageId: string, query?: MessagesHistoryQuery, options?: CallOptions): Promise<MessagesHistoryReply> =>
      call<MessagesHistoryReply>({ method: 'GET', path: `/messages/${segment(messageId)}/history`, options, query: { ...query } }),
    /** Get the words of a message. What was rendered for each channel. `GET /messages/:message_id/output`. */
    output: (messageId: string, options?: CallOptions): Promise<MessagesOutputReply> =>
      call<MessagesOutputReply>({ method: 'GET', path: `/messages/${segment(messageId)}/output`, options }),
    /** Get one rendered part as it is. The addresses in a `RENDERED` event lead here. HTML comes as `text/html` in a sandbox, blocks as JSON, everything else as plain text. `GET /messages/:message_id/output/:render_id/:part`. */
    outputPart: (messageId: string, renderId: string, part: 'html' | 'subject' | 'title' | 'body' | 'text' | 'blocks', options?: CallOptions): Promise<string> =>
      call<string>({ method: 'GET', path: `/messages/${segment(messageId)}/output/${segment(renderId)}/${segment(part)}`, text: true, options }),
    /** Cancel a message. A 200 means that no provider is called any more. Cancelling twice answers the same. When it is too late: 409 with the message as it is. `POST /messages/:message_id/cancel`. */
    cancel: (messageId: string, options?: CallOptions): Promise<MessageDetail> =>
      call<MessageDetail>({ method: 'POST', path: `/messages/${segment(messageId)}/cancel`, options }),
    /** Explain a message. Why it went this way: the decision with its facts, and every delivery with its attempts. `GET /messages/:message_id/explain`. */
    explain: (messageId: string, options?: CallOptions): Promise<MessageExplanation> =>
      call<MessageExplanation>({ method: 'GET', path: `/messages/${segment(messageId)}/explain`, options }),
    /** Send a message again. A new message with the same inputs, decided anew: at once, with the mode of the key that asks, and with what is stored of the recipient now. `POST /messages/:message_id/resend`. */
    resend: (messageId: string, options?: CallOptions): Promise<SendReply> =>
      call<SendReply>({ method: 'POST', path: `/messages/${segment(messageId)}/resend`, options }),
    /** Archive a message. The same as `PUT /requests/:request_id/archive`, under the address that one old client calls. `PUT /messages/:message_id/output`. */
    archive: (messageId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/messages/${segment(messageId)}/output`, options }),
  },
  /** Calls that mean many messages, and how far they are. */
  requests: {
    /** Get a request. How far a send to many has come. Their messages are found by `GET /messages?traceId=`. A send to one recipient is complete at once. `GET /requests/:request_id`. */
    get: (requestId: string, options?: CallOptions): Promise<SendRequest> =>
      call<SendRequest>({ method: 'GET', path: `/requests/${segment(requestId)}`, options }),
    /** Archive a request. Its messages are left out of `GET /messages` unless `archived=true`, those it has yet to make included; they stay as they are otherwise, and what waits is still sent. A message id archives that message. `PUT /requests/:request_id/archive`. */
    archive: (requestId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/requests/${segment(requestId)}/archive`, options }),
  },
  /** One message for many users, added in parts. */
  bulk: {
    /** Create a bulk job. Nothing is sent until it has users and is run. A strict call (`?strict=true`, as of `POST /send`) is refused with a 400 for what would be wrong with the message for every user; the users are not checked. `POST /bulk`. */
    create: (body: BulkCreateBody, options?: CallOptions & BulkCreateQuery): Promise<BulkCreated> =>
      call<BulkCreated>({ method: 'POST', path: `/bulk`, body, options, query: { strict: options?.strict } }),
    /** Add users to a bulk job. At most 1,000 a call; any number of calls, until the job is run. A user who is in the job already, does not fit the shape or names nobody is refused with a reason; the others are added. `POST /bulk/:job_id`. */
    ingest: (jobId: string, body: BulkIngestBody, options?: CallOptions): Promise<BulkIngested> =>
      call<BulkIngested>({ method: 'POST', path: `/bulk/${segment(jobId)}`, body, options }),
    /** Run a bulk job. From now on its users are sent to, and none can be added. A job runs once. `POST /bulk/:job_id/run`. */
    run: (jobId: string, options?: CallOptions): Promise<BulkAccepted> =>
      call<BulkAccepted>({ method: 'POST', path: `/bulk/${segment(jobId)}/run`, options }),
    /** Get a bulk job. `GET /bulk/:job_id`. */
    get: (jobId: string, options?: CallOptions): Promise<BulkJobReply> =>
      call<BulkJobReply>({ method: 'GET', path: `/bulk/${segment(jobId)}`, options }),
    /** Get a bulk job where it is run. The same as `GET /bulk/:job_id`, under the address that one old client calls. `GET /bulk/:job_id/run`. */
    getRun: (jobId: string, options?: CallOptions): Promise<BulkJobReply> =>
      call<BulkJobReply>({ method: 'GET', path: `/bulk/${segment(jobId)}/run`, options }),
    /** List the users of a bulk job. `GET /bulk/:job_id/users`. */
    users: (jobId: string, query?: BulkUsersQuery, options?: CallOptions): Listing<BulkUsersPage, BulkUserRecord> =>
      listing((cursor) => call<BulkUsersPage>({ method: 'GET', path: `/bulk/${segment(jobId)}/users`, options, query: { ...query, ...cursor } }), (page) => page.items),
  },
  /** What is known about a recipient: addresses and anything else. */
  profiles: {
    /** Get a profile. `GET /profiles/:user_id`. */
    get: (userId: string, options?: CallOptions): Promise<Profile> =>
      call<Profile>({ method: 'GET', path: `/profiles/${segment(userId)}`, options }),
    /** Merge into a profile. Objects are merged key by key, arrays and plain values replaced. Creates the profile when it does not exist. A body with `patch` and without `profile` is handled as PATCH. `POST /profiles/:user_id`. */
    merge: (userId: string, body: ProfilesMergeBody, options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'POST', path: `/profiles/${segment(userId)}`, body, options }),
    /** Replace a profile. The stored profile becomes exactly this object. Preferences stay as they are. `PUT /profiles/:user_id`. */
    replace: (userId: string, body: ProfilesReplaceBody, options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'PUT', path: `/profiles/${segment(userId)}`, body, options }),
    /** Patch a profile. JSON Patch (RFC 6902) against the profile. A failed `test` or a missing path refuses the whole patch. Creates the profile when it does not exist. `PATCH /profiles/:user_id`. */
    patch: (userId: string, body: {
      /** Operations applied in order, all or none. An empty list changes nothing. */
      patch: Array<PatchOperation>
    } | Array<PatchOperation>, options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'PATCH', path: `/profiles/${segment(userId)}`, body, options }),
    /** Delete a profile. Removes the profile and the preferences. An unknown id succeeds as well. With `erase` everything else about the user goes too, and the reply is a receipt (202): what is known about them is gone and nothing is sent to them any more; the rest follows in the background. `DELETE /profiles/:user_id`. */
    delete: (userId: string, query?: ProfilesDeleteQuery, options?: CallOptions): Promise<Success | Erasure> =>
      call<Success | Erasure>({ method: 'DELETE', path: `/profiles/${segment(userId)}`, options, query: { ...query } }),
    /** List the lists of a recipient. With the preferences of each subscription. A recipient without lists, or without a profile, has none. `GET /profiles/:user_id/lists`. */
    lists: (userId: string, query?: ProfilesListsQuery, options?: CallOptions): Listing<ProfilesListsReply, List> =>
      listing((cursor) => call<ProfilesListsReply>({ method: 'GET', path: `/profiles/${segment(userId)}/lists`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Subscribe a recipient to lists. Other lists stay. Preferences that are left out stay as they are. Creates the lists that do not exist. `POST /profiles/:user_id/lists`. */
    subscribe: (userId: string, body: ProfilesSubscribeBody, options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'POST', path: `/profiles/${segment(userId)}/lists`, body, options }),
    /** Unsubscribe a recipient from every list. Deleted lists included: restoring one does not bring the recipient back. `DELETE /profiles/:user_id/lists`. */
    unsubscribe: (userId: string, options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'DELETE', path: `/profiles/${segment(userId)}/lists`, options }),
  },
  /** Receipts of people who were removed everywhere. */
  erasures: {
    /** Get an erasure. The receipt of `DELETE /profiles/:user_id?erase=true`, with what was removed so far. `GET /erasures/:erasure_id`. */
    get: (erasureId: string, options?: CallOptions): Promise<Erasure> =>
      call<Erasure>({ method: 'GET', path: `/erasures/${segment(erasureId)}`, options }),
  },
  /** Recipients subscribed by name, for sends to all of them. */
  lists: {
    /** List lists. `GET /lists`. */
    list: (query?: ListsListQuery, options?: CallOptions): Listing<ListsListReply, List> =>
      listing((cursor) => call<ListsListReply>({ method: 'GET', path: `/lists`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Get a list. `GET /lists/:list_id`. */
    get: (listId: string, options?: CallOptions): Promise<List> =>
      call<List>({ method: 'GET', path: `/lists/${segment(listId)}`, options }),
    /** Create or replace a list. Its subscriptions stay. A list that was deleted is made again, without subscriptions. `PUT /lists/:list_id`. */
    put: (listId: string, body: ListsPutBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/lists/${segment(listId)}`, body, options }),
    /** Delete a list. It is kept with its subscriptions, and nobody sees it, until it is restored or made again. `DELETE /lists/:list_id`. */
    delete: (listId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/lists/${segment(listId)}`, options }),
    /** Restore a deleted list. With the subscriptions it had. A list that is not deleted stays as it is. `PUT /lists/:list_id/restore`. */
    restore: (listId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/lists/${segment(listId)}/restore`, options }),
    /** List the subscriptions of a list. `GET /lists/:list_id/subscriptions`. */
    subscriptions: (listId: string, query?: ListsSubscriptionsQuery, options?: CallOptions): Listing<ListsSubscriptionsReply, ListSubscription> =>
      listing((cursor) => call<ListsSubscriptionsReply>({ method: 'GET', path: `/lists/${segment(listId)}/subscriptions`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Replace the subscriptions of a list. Afterwards exactly these recipients are on the list, with exactly these preferences. Creates the list. `PUT /lists/:list_id/subscriptions`. */
    replaceSubscriptions: (listId: string, body: ListSubscriptionsWrite, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/lists/${segment(listId)}/subscriptions`, body, options }),
    /** Subscribe recipients to a list. The others stay. Preferences that are left out stay as they are for a recipient who is on the list already. Creates the list. `POST /lists/:list_id/subscriptions`. */
    addSubscriptions: (listId: string, body: ListSubscriptionsWrite, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'POST', path: `/lists/${segment(listId)}/subscriptions`, body, options }),
    /** Subscribe a recipient to a list. Preferences that are left out stay as they are. Creates the list. `PUT /lists/:list_id/subscriptions/:user_id`. */
    subscribe: (listId: string, userId: string, body?: ListsSubscribeBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/lists/${segment(listId)}/subscriptions/${segment(userId)}`, body, options }),
    /** Unsubscribe a recipient from a list. `DELETE /lists/:list_id/subscriptions/:user_id`. */
    unsubscribe: (listId: string, userId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/lists/${segment(listId)}/subscriptions/${segment(userId)}`, options }),
    /** Send to a list. Answers as soon as the request is safe on disk; recipients are found afterwards, each once. The messages are found by `GET /messages?messageId=` or `?list=`, and `GET /requests/:request_id` says how far it is. A list that does not exist has nobody on it; a strict call (`?strict=true`, as of `POST /send`) is refused with a 400 for it, and for what would be wrong with the message for every recipient. `POST /send/list`. */
    send: (body: ListSendBody, options?: CallOptions & ListsSendQuery): Promise<SendReply> =>
      call<SendReply>({ method: 'POST', path: `/send/list`, body, options, query: { strict: options?.strict } }),
  },
  /** The devices of a user, by the tokens that push providers gave them. */
  deviceTokens: {
    /** List the device tokens of a user. The newest first. `GET /users/:user_id/tokens`. */
    list: (userId: string, options?: CallOptions): Promise<DeviceTokensListReply> =>
      call<DeviceTokensListReply>({ method: 'GET', path: `/users/${segment(userId)}/tokens`, options }),
    /** Get a device token. `GET /users/:user_id/tokens/:token`. */
    get: (userId: string, token: string, options?: CallOptions): Promise<DeviceToken> =>
      call<DeviceToken>({ method: 'GET', path: `/users/${segment(userId)}/tokens/${segment(token)}`, options }),
    /** Store several device tokens. Those that exist are replaced, others of the user stay. A user has at most 100; expired ones make room. Without a body nothing changes. `PUT /users/:user_id/tokens`. */
    add: (userId: string, body?: Array<NamedDeviceToken> | {
      /** The tokens. */
      tokens: Array<NamedDeviceToken>
    }, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/users/${segment(userId)}/tokens`, body, options }),
    /** Store a device token. `PUT /users/:user_id/tokens/:token`. */
    put: (userId: string, token: string, body: DeviceTokenInput, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/users/${segment(userId)}/tokens/${segment(token)}`, body, options }),
    /** Patch a device token. JSON Patch (RFC 6902) against the token as it is shown; all operations or none. `PATCH /users/:user_id/tokens/:token`. */
    patch: (userId: string, token: string, body: DeviceTokensPatchBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PATCH', path: `/users/${segment(userId)}/tokens/${segment(token)}`, body, options }),
    /** Delete a device token. An unknown token succeeds as well. `DELETE /users/:user_id/tokens/:token`. */
    delete: (userId: string, token: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/users/${segment(userId)}/tokens/${segment(token)}`, options }),
  },
  /** Your customers: their place, profile, properties and defaults. */
  tenants: {
    /** List tenants. In the order of their ids. `GET /tenants`. */
    list: (query?: TenantsListQuery, options?: CallOptions): Listing<TenantPage, Tenant> =>
      listing((cursor) => call<TenantPage>({ method: 'GET', path: `/tenants`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Get a tenant. `GET /tenants/:tenant_id`. */
    get: (tenantId: string, options?: CallOptions): Promise<Tenant> =>
      call<Tenant>({ method: 'GET', path: `/tenants/${segment(tenantId)}`, options }),
    /** Create or replace a tenant. What is left out is taken away; its users stay. The tenant above it must exist. A tenant and those above it are at most 10 levels, and none is above itself. `PUT /tenants/:tenant_id`. */
    put: (tenantId: string, body: TenantInput, options?: CallOptions): Promise<Tenant> =>
      call<Tenant>({ method: 'PUT', path: `/tenants/${segment(tenantId)}`, body, options }),
    /** Delete a tenant. Its users leave it and keep their profiles. A tenant above others is not deleted: 409. `DELETE /tenants/:tenant_id`. */
    delete: (tenantId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/tenants/${segment(tenantId)}`, options }),
    /** List the users of a tenant. Those directly in it, in the order of their ids. `GET /tenants/:tenant_id/users`. */
    users: (tenantId: string, query?: TenantsUsersQuery, options?: CallOptions): Listing<MembershipPage, Membership> =>
      listing((cursor) => call<MembershipPage>({ method: 'GET', path: `/tenants/${segment(tenantId)}/users`, options, query: { ...query, ...cursor } }), (page) => page.items),
  },
  /** Which users are in which tenants, each with a profile for there. */
  memberships: {
    /** List the tenants of a user. In the order of their ids. A user who is in none, or unknown, has an empty list. `GET /users/:user_id/tenants`. */
    list: (userId: string, query?: MembershipsListQuery, options?: CallOptions): Listing<MembershipPage, Membership> =>
      listing((cursor) => call<MembershipPage>({ method: 'GET', path: `/users/${segment(userId)}/tenants`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Put a user into tenants. All of them or, when one does not exist, none. Other tenants of the user stay. `PUT /users/:user_id/tenants`. */
    add: (userId: string, body: MembershipsAddBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/users/${segment(userId)}/tenants`, body, options }),
    /** Take a user out of every tenant. `DELETE /users/:user_id/tenants`. */
    clear: (userId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/users/${segment(userId)}/tenants`, options }),
    /** Put a user into a tenant. `PUT /users/:user_id/tenants/:tenant_id`. */
    put: (userId: string, tenantId: string, body?: MembershipsPutBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/users/${segment(userId)}/tenants/${segment(tenantId)}`, body, options }),
    /** Take a user out of a tenant. Succeeds as well when the user is not in it. `DELETE /users/:user_id/tenants/:tenant_id`. */
    remove: (userId: string, tenantId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/users/${segment(userId)}/tenants/${segment(tenantId)}`, options }),
  },
  /** Tenants by the names that older clients use. */
  accounts: {
    /** List tenants, as accounts. `GET /accounts`. */
    list: (query?: AccountsListQuery, options?: CallOptions): Listing<AccountPage, Account> =>
      listing((cursor) => call<AccountPage>({ method: 'GET', path: `/accounts`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Get a tenant, as an account. `GET /accounts/:account_id`. */
    get: (accountId: string, options?: CallOptions): Promise<Account> =>
      call<Account>({ method: 'GET', path: `/accounts/${segment(accountId)}`, options }),
    /** Create or replace a tenant, as an account. `PUT /accounts/:account_id`. */
    put: (accountId: string, body: AccountInput, options?: CallOptions): Promise<Account> =>
      call<Account>({ method: 'PUT', path: `/accounts/${segment(accountId)}`, body, options }),
    /** Delete a tenant, as an account. `DELETE /accounts/:account_id`. */
    delete: (accountId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/accounts/${segment(accountId)}`, options }),
    /** Write a user: profile and tenants. A profile that is given replaces the stored one, and the user is put into the tenants; everything or nothing. `PUT /users/:user_id`. */
    putUser: (userId: string, body: AccountsPutUserBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/users/${segment(userId)}`, body, options }),
    /** Put a user into tenants, as accounts. The list itself, or an object with it. `PUT /users/:user_id/accounts`. */
    addUser: (userId: string, body: Array<{
      /** The tenant. */
      account_id: string
      /** Merged over the profile of the user in messages for this tenant. Without it, the one of a membership that exists stays. */
      profile?: Record<string, unknown> | null | undefined
    }> | {
      /** The tenants the user is put into. Others of the user stay. */
      accounts: Array<{
        /** The tenant. */
        account_id: string
        /** Merged over the profile of the user in messages for this tenant. Without it, the one of a membership that exists stays. */
        profile?: Record<string, unknown> | null | undefined
      }>
    }, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/users/${segment(userId)}/accounts`, body, options }),
  },
  /** What recipients want: by notification and category (first generation), and by topic (second). */
  preferences: {
    /** List what preferences can be about. The published notifications by category (`settings.category`). `GET /preferences`. */
    list: (options?: CallOptions): Promise<PreferencesListReply> =>
      call<PreferencesListReply>({ method: 'GET', path: `/preferences`, options }),
    /** Get the preferences of a recipient. By notification and category. Empty maps when nothing is stored. `GET /preferences/:recipient_id`. */
    get: (recipientId: string, options?: CallOptions): Promise<StoredPreferences> =>
      call<StoredPreferences>({ method: 'GET', path: `/preferences/${segment(recipientId)}`, options }),
    /** Replace the preferences of a recipient. Each of the two maps that is given becomes exactly this; one that is left out stays as it is. `PUT /preferences/:recipient_id`. */
    replace: (recipientId: string, body: Preferences, options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'PUT', path: `/preferences/${segment(recipientId)}`, body, options }),
    /** Merge into the preferences of a recipient. Entries are merged key by key; lists in them are replaced. `PATCH /preferences/:recipient_id`. */
    merge: (recipientId: string, body: Preferences, options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'PATCH', path: `/preferences/${segment(recipientId)}`, body, options }),
    /** List a user's preferences by topic. Every topic of the workspace with what holds for the user. `GET /users/:user_id/preferences`. */
    topics: (userId: string, query?: PreferencesTopicsQuery, options?: CallOptions): Promise<PreferencesTopicsReply> =>
      call<PreferencesTopicsReply>({ method: 'GET', path: `/users/${segment(userId)}/preferences`, options, query: { ...query } }),
    /** Replace a user's choices for all topics. Topics that are not listed go back to their default. One that cannot be stored refuses all. `PUT /users/:user_id/preferences`. */
    replaceTopics: (userId: string, body: PreferencesReplaceTopicsBody, query?: PreferencesReplaceTopicsQuery, options?: CallOptions): Promise<PreferencesReplaceTopicsReply> =>
      call<PreferencesReplaceTopicsReply>({ method: 'PUT', path: `/users/${segment(userId)}/preferences`, body, options, query: { ...query } }),
    /** Store a user's choices for some topics. Other topics stay as they are. What cannot be stored is named in `errors`, the rest is stored. `POST /users/:user_id/preferences`. */
    updateTopics: (userId: string, body: PreferencesUpdateTopicsBody, query?: PreferencesUpdateTopicsQuery, options?: CallOptions): Promise<PreferencesUpdateTopicsReply> =>
      call<PreferencesUpdateTopicsReply>({ method: 'POST', path: `/users/${segment(userId)}/preferences`, body, options, query: { ...query } }),
    /** Get a user's preference for a topic. `GET /users/:user_id/preferences/:topic_id`. */
    topic: (userId: string, topicId: string, query?: PreferencesTopicQuery, options?: CallOptions): Promise<PreferencesTopicReply> =>
      call<PreferencesTopicReply>({ method: 'GET', path: `/users/${segment(userId)}/preferences/${segment(topicId)}`, options, query: { ...query } }),
    /** Store a user's choice for a topic. A topic that is required cannot be opted out of. `PUT /users/:user_id/preferences/:topic_id`. */
    putTopic: (userId: string, topicId: string, body: PreferencesPutTopicBody, query?: PreferencesPutTopicQuery, options?: CallOptions): Promise<PreferencesPutTopicReply> =>
      call<PreferencesPutTopicReply>({ method: 'PUT', path: `/users/${segment(userId)}/preferences/${segment(topicId)}`, body, options, query: { ...query } }),
    /** Take a user's choice for a topic back. The default holds again. Succeeds as well where nothing was chosen. `DELETE /users/:user_id/preferences/:topic_id`. */
    deleteTopic: (userId: string, topicId: string, query?: PreferencesDeleteTopicQuery, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/users/${segment(userId)}/preferences/${segment(topicId)}`, options, query: { ...query } }),
    /** Set the default of a tenant for a topic. It holds in the tenant and in tenants below it for users who chose nothing. `PUT /tenants/:tenant_id/default_preferences/items/:topic_id`. */
    putTenantDefault: (tenantId: string, topicId: string, body: TopicDefaultWrite, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/tenants/${segment(tenantId)}/default_preferences/items/${segment(topicId)}`, body, options }),
    /** Remove the default of a tenant for a topic. Succeeds as well where there is none. `DELETE /tenants/:tenant_id/default_preferences/items/:topic_id`. */
    deleteTenantDefault: (tenantId: string, topicId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/tenants/${segment(tenantId)}/default_preferences/items/${segment(topicId)}`, options }),
  },
  /** The headings that topics stand under. */
  sections: {
    /** List sections with their topics. Oldest first. `GET /preferences/sections`. */
    list: (options?: CallOptions): Promise<SectionsListReply> =>
      call<SectionsListReply>({ method: 'GET', path: `/preferences/sections`, options }),
    /** Create a section. `POST /preferences/sections`. */
    create: (body: SectionWrite, options?: CallOptions): Promise<Section> =>
      call<Section>({ method: 'POST', path: `/preferences/sections`, body, options }),
    /** Get a section with its topics. `GET /preferences/sections/:section_id`. */
    get: (sectionId: string, options?: CallOptions): Promise<Section> =>
      call<Section>({ method: 'GET', path: `/preferences/sections/${segment(sectionId)}`, options }),
    /** Replace a section. Fields that are left out are cleared. Its topics stay as they are. `PUT /preferences/sections/:section_id`. */
    replace: (sectionId: string, body: SectionWrite, options?: CallOptions): Promise<Section> =>
      call<Section>({ method: 'PUT', path: `/preferences/sections/${segment(sectionId)}`, body, options }),
    /** Archive a section. A section with topics is refused: archive them first. `DELETE /preferences/sections/:section_id`. */
    archive: (sectionId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/preferences/sections/${segment(sectionId)}`, options }),
    /** Give the sections and topics a version number. Sections and topics are in force as soon as they are written; publishing only counts, for clients that expect it. `POST /preferences/publish`. */
    publish: (options?: CallOptions): Promise<Published> =>
      call<Published>({ method: 'POST', path: `/preferences/publish`, options }),
  },
  /** The subjects that recipients can opt in to or out of. */
  topics: {
    /** List the topics of a section. Oldest first. `GET /preferences/sections/:section_id/topics`. */
    list: (sectionId: string, options?: CallOptions): Promise<TopicsListReply> =>
      call<TopicsListReply>({ method: 'GET', path: `/preferences/sections/${segment(sectionId)}/topics`, options }),
    /** Create a topic. `POST /preferences/sections/:section_id/topics`. */
    create: (sectionId: string, body: TopicWrite, options?: CallOptions): Promise<Topic> =>
      call<Topic>({ method: 'POST', path: `/preferences/sections/${segment(sectionId)}/topics`, body, options }),
    /** Get a topic. `GET /preferences/sections/:section_id/topics/:topic_id`. */
    get: (sectionId: string, topicId: string, options?: CallOptions): Promise<Topic> =>
      call<Topic>({ method: 'GET', path: `/preferences/sections/${segment(sectionId)}/topics/${segment(topicId)}`, options }),
    /** Replace a topic. Fields that are left out are cleared, but for `digest`. What users chose stays. `PUT /preferences/sections/:section_id/topics/:topic_id`. */
    replace: (sectionId: string, topicId: string, body: TopicWrite, options?: CallOptions): Promise<Topic> =>
      call<Topic>({ method: 'PUT', path: `/preferences/sections/${segment(sectionId)}/topics/${segment(topicId)}`, body, options }),
    /** Archive a topic. It is shown no more and its default holds no more. Who opted out of it still gets nothing that is about it. `DELETE /preferences/sections/:section_id/topics/:topic_id`. */
    archive: (sectionId: string, topicId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/preferences/sections/${segment(sectionId)}/topics/${segment(topicId)}`, options }),
  },
  /** Events that are kept for a recipient until one message tells of all. */
  digests: {
    /** List a user's open digests. Each with the data its template would be given now. `GET /users/:user_id/digests`. */
    list: (userId: string, options?: CallOptions): Promise<DigestsListReply> =>
      call<DigestsListReply>({ method: 'GET', path: `/users/${segment(userId)}/digests`, options }),
    /** List the open digests of a schedule. One for each recipient, oldest first. `GET /digests/schedules/:schedule_id/instances`. */
    instances: (scheduleId: string, query?: DigestsInstancesQuery, options?: CallOptions): Listing<DigestInstances, DigestInstance> =>
      listing((cursor) => call<DigestInstances>({ method: 'GET', path: `/digests/schedules/${segment(scheduleId)}/instances`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Release the digests of a schedule now. Each becomes its message within a second or so. Succeeds as well where none is open. `POST /digests/schedules/:schedule_id/trigger`. */
    release: (scheduleId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'POST', path: `/digests/schedules/${segment(scheduleId)}/trigger`, options }),
    /** Release a recipient's digest now. Succeeds as well where nothing is kept. `POST /preferences/sections/:section_id/topics/:topic_id/digest/release`. */
    releaseOne: (sectionId: string, topicId: string, body: DigestsReleaseOneBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'POST', path: `/preferences/sections/${segment(sectionId)}/topics/${segment(topicId)}/digest/release`, body, options }),
    /** Take the digest of a topic away. Nothing more is collected. What is kept already is released when it is due. `DELETE /preferences/sections/:section_id/topics/:topic_id/digest`. */
    turnOff: (sectionId: string, topicId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/preferences/sections/${segment(sectionId)}/topics/${segment(topicId)}/digest`, options }),
  },
  /** Users who match a filter at this moment. */
  audiences: {
    /** List audiences. `GET /audiences`. */
    list: (query?: AudiencesListQuery, options?: CallOptions): Listing<AudiencesListReply, Audience> =>
      listing((cursor) => call<AudiencesListReply>({ method: 'GET', path: `/audiences`, options, query: { ...query, ...cursor } }), (page) => page.items),
    /** Get an audience. `GET /audiences/:audience_id`. */
    get: (audienceId: string, options?: CallOptions): Promise<AudienceFound> =>
      call<AudienceFound>({ method: 'GET', path: `/audiences/${segment(audienceId)}`, options }),
    /** Create or change an audience. What is left out stays as it is. The members are found anew, a few thousand users a second; until a user is looked at, the list of members shows what held before. `PUT /audiences/:audience_id`. */
    put: (audienceId: string, body: AudiencesPutBody, options?: CallOptions): Promise<AudienceWritten> =>
      call<AudienceWritten>({ method: 'PUT', path: `/audiences/${segment(audienceId)}`, body, options }),
    /** Delete an audience. `DELETE /audiences/:audience_id`. */
    delete: (audienceId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/audiences/${segment(audienceId)}`, options }),
    /** List the members of an audience. In the order of their ids. A change of a profile shows within a second. `GET /audiences/:audience_id/members`. */
    members: (audienceId: string, query?: AudiencesMembersQuery, options?: CallOptions): Listing<AudiencesMembersReply, AudienceMember> =>
      listing((cursor) => call<AudiencesMembersReply>({ method: 'GET', path: `/audiences/${segment(audienceId)}/members`, options, query: { ...query, ...cursor } }), (page) => page.items),
  },
  /** Names for the things that happen, mapped to notifications. */
  events: {
    /** List event mappings. `GET /events`. */
    list: (options?: CallOptions): Promise<EventsListReply> =>
      call<EventsListReply>({ method: 'GET', path: `/events`, options }),
    /** Get an event mapping. `GET /events/:event_id`. */
    get: (eventId: string, options?: CallOptions): Promise<EventMapping> =>
      call<EventMapping>({ method: 'GET', path: `/events/${segment(eventId)}`, options }),
    /** Map an event to a notification. Creates or changes the mapping. The notification need not exist yet. `PUT /events/:event_id`. */
    put: (eventId: string, body: EventsPutBody, options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'PUT', path: `/events/${segment(eventId)}`, body, options }),
    /** Delete an event mapping. `DELETE /events/:event_id`. */
    delete: (eventId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/events/${segment(eventId)}`, options }),
    /** Try the routing of an event. For at most 100 recipients; nothing is stored and no provider is called. `POST /explain` says more about one of them. `POST /send/:event/routing`. */
    routing: (event: string, body: EventsRoutingBody, options?: CallOptions): Promise<RoutingResults> =>
      call<RoutingResults>({ method: 'POST', path: `/send/${segment(event)}/routing`, body, options }),
  },
  /** Events on your side that start automations. */
  inbound: {
    /** Tell what happened. The event is on disk when this answers. The same `messageId` again is a 409, so that a repetition is harmless. `POST /inbound/courier`. */
    trackEvent: (body: InboundTrackEventBody, options?: CallOptions): Promise<InboundReply> =>
      call<InboundReply>({ method: 'POST', path: `/inbound/courier`, body, options }),
  },
  /** Steps that follow each other over time, for one recipient or many: their runs, and templates of them. */
  automations: {
    /** Run an automation. Starts a run of the steps in the body. Keys of the context may also stand in `automation`; those beside it win. `POST /automations/invoke`. */
    invoke: (body: AutomationsInvokeBody, options?: CallOptions): Promise<RunStarted> =>
      call<RunStarted>({ method: 'POST', path: `/automations/invoke`, body, options }),
    /** Run an automation template. Starts a run of the steps that the template has at this moment. `POST /automations/:template_id/invoke`. */
    invokeTemplate: (templateId: string, body?: RunContext, options?: CallOptions): Promise<RunStarted> =>
      call<RunStarted>({ method: 'POST', path: `/automations/${segment(templateId)}/invoke`, body, options }),
    /** List runs. Newest first. `GET /automations/runs`. */
    runs: (query?: AutomationsRunsQuery, options?: CallOptions): Listing<AutomationsRunsReply, ShortRun> =>
      listing((cursor) => call<AutomationsRunsReply>({ method: 'GET', path: `/automations/runs`, options, query: { ...query, ...cursor } }), (page) => page.runs),
    /** Get a run. `GET /automations/runs/:run_id`. */
    run: (runId: string, options?: CallOptions): Promise<AutomationRun> =>
      call<AutomationRun>({ method: 'GET', path: `/automations/runs/${segment(runId)}`, options }),
    /** List the steps of a run. All of its automation, in their order. The messages they sent: `GET /messages`, by `runId`; of a `send-list` too, with a data source or without. `GET /automations/runs/:run_id/steps`. */
    steps: (runId: string, options?: CallOptions): Promise<AutomationsStepsReply> =>
      call<AutomationsStepsReply>({ method: 'GET', path: `/automations/runs/${segment(runId)}/steps`, options }),
    /** Cancel a run. No step of it is begun afterwards, nor of the runs that lists were given by it, even when it has ended itself; runs that it started by `invoke` go on. What was sent is on its way. Canceling twice answers the same. 409 when all of them have ended otherwise. `POST /automations/runs/:run_id/cancel`. */
    cancelRun: (runId: string, options?: CallOptions): Promise<AutomationRun> =>
      call<AutomationRun>({ method: 'POST', path: `/automations/runs/${segment(runId)}/cancel`, options }),
    /** List automation templates. In the order of their ids. `GET /automations`. */
    templates: (query?: AutomationsTemplatesQuery, options?: CallOptions): Listing<AutomationsTemplatesReply, ShortAutomationTemplate> =>
      listing((cursor) => call<AutomationsTemplatesReply>({ method: 'GET', path: `/automations`, options, query: { ...query, ...cursor } }), (page) => page.templates),
    /** Write an automation template. Creates it, or replaces it by a new version, even when nothing was changed. Runs under way go on with the steps they were started with. `PUT /automations/templates/:template_id`. */
    putTemplate: (templateId: string, body: AutomationTemplateInput, options?: CallOptions): Promise<AutomationTemplate> =>
      call<AutomationTemplate>({ method: 'PUT', path: `/automations/templates/${segment(templateId)}`, body, options }),
    /** Get an automation template. `GET /automations/templates/:template_id`. */
    template: (templateId: string, options?: CallOptions): Promise<AutomationTemplate> =>
      call<AutomationTemplate>({ method: 'GET', path: `/automations/templates/${segment(templateId)}`, options }),
    /** List the versions of an automation template. Newest first, each as it was written; there is no call for a single one. A template that was deleted begins at version 1 again. `GET /automations/templates/:template_id/versions`. */
    versions: (templateId: string, query?: AutomationsVersionsQuery, options?: CallOptions): Listing<AutomationsVersionsReply, AutomationVersion> =>
      listing((cursor) => call<AutomationsVersionsReply>({ method: 'GET', path: `/automations/templates/${segment(templateId)}/versions`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Check an automation template. Takes the body of a write and stores nothing. 400 for what a write would refuse. Whether its alias is free is found out when it is written. `POST /automations/inspect`. */
    inspect: (body: AutomationTemplateInput, options?: CallOptions): Promise<AutomationInspection> =>
      call<AutomationInspection>({ method: 'POST', path: `/automations/inspect`, body, options }),
    /** Delete an automation template. By its id, not by its alias. Its runs go on. `DELETE /automations/templates/:template_id`. */
    deleteTemplate: (templateId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/automations/templates/${segment(templateId)}`, options }),
  },
  /** Templates: content in Elemental JSON, routing and settings, as a draft and in published versions. */
  notifications: {
    /** List notifications. Newest first; archived ones are left out. `GET /notifications`. */
    list: (query?: NotificationsListQuery, options?: CallOptions): Listing<NotificationsListReply, NotificationSummary> =>
      listing((cursor) => call<NotificationsListReply>({ method: 'GET', path: `/notifications`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Create a notification. A draft unless `state` is `PUBLISHED`. `POST /notifications`. */
    create: (body: NotificationWrite, options?: CallOptions): Promise<Notification> =>
      call<Notification>({ method: 'POST', path: `/notifications`, body, options }),
    /** Get a notification. `GET /notifications/:id`. */
    get: (id: string, query?: NotificationsGetQuery, options?: CallOptions): Promise<Notification> =>
      call<Notification>({ method: 'GET', path: `/notifications/${segment(id)}`, options, query: { ...query } }),
    /** Replace a notification. Writes the draft; with `state` `PUBLISHED` it is published in the same step. `PUT /notifications/:id`. */
    replace: (id: string, body: NotificationWrite, options?: CallOptions): Promise<Notification> =>
      call<Notification>({ method: 'PUT', path: `/notifications/${segment(id)}`, body, options }),
    /** Archive a notification. It can no longer be sent. Messages that used it can still be read. `DELETE /notifications/:id`. */
    archive: (id: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/notifications/${segment(id)}`, options }),
    /** Publish a notification. Publishes the draft or, with `version`, an earlier version again. `POST /notifications/:id/publish`. */
    publish: (id: string, body?: NotificationsPublishBody, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'POST', path: `/notifications/${segment(id)}/publish`, body, options }),
    /** List the versions of a notification. The draft first, then published versions, newest first. `GET /notifications/:id/versions`. */
    versions: (id: string, query?: NotificationsVersionsQuery, options?: CallOptions): Listing<NotificationsVersionsReply, NotificationVersion> =>
      listing((cursor) => call<NotificationsVersionsReply>({ method: 'GET', path: `/notifications/${segment(id)}/versions`, options, query: { ...query, ...cursor } }), (page) => page.versions),
    /** Get the checks of a submission. `GET /notifications/:id/:submission_id/checks`. */
    checks: (id: string, submissionId: string, options?: CallOptions): Promise<NotificationChecks> =>
      call<NotificationChecks>({ method: 'GET', path: `/notifications/${segment(id)}/${segment(submissionId)}/checks`, options }),
    /** Replace the checks of a submission. Checks are kept for those who write and read them; publishing does not wait for them. `PUT /notifications/:id/:submission_id/checks`. */
    replaceChecks: (id: string, submissionId: string, body: NotificationsReplaceChecksBody, options?: CallOptions): Promise<NotificationChecks> =>
      call<NotificationChecks>({ method: 'PUT', path: `/notifications/${segment(id)}/${segment(submissionId)}/checks`, body, options }),
    /** Forget a submission. `DELETE /notifications/:id/:submission_id/checks`. */
    deleteChecks: (id: string, submissionId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/notifications/${segment(id)}/${segment(submissionId)}/checks`, options }),
    /** Get the content of a notification. `GET /notifications/:id/content`. */
    content: (id: string, query?: NotificationsContentQuery, options?: CallOptions): Promise<ContentDetail> =>
      call<ContentDetail>({ method: 'GET', path: `/notifications/${segment(id)}/content`, options, query: { ...query } }),
    /** Get the draft content of a notification. `GET /notifications/:id/draft/content`. */
    draftContent: (id: string, options?: CallOptions): Promise<ContentDetail> =>
      call<ContentDetail>({ method: 'GET', path: `/notifications/${segment(id)}/draft/content`, options }),
    /** Replace the content of a notification. Everything else stays. With `state` `PUBLISHED` it is published in the same step. `PUT /notifications/:id/content`. */
    replaceContent: (id: string, body: NotificationsReplaceContentBody, options?: CallOptions): Promise<ContentMutation> =>
      call<ContentMutation>({ method: 'PUT', path: `/notifications/${segment(id)}/content`, body, options }),
    /** Replace an element of a notification. Of the draft. The fields of the element stand in `data` or beside `type`. Its id stays; while its type stays, so do elements inside it and locales that are not given. `PUT /notifications/:id/elements/:element_id`. */
    replaceElement: (id: string, elementId: string, body: NotificationsReplaceElementBody, options?: CallOptions): Promise<ContentMutation> =>
      call<ContentMutation>({ method: 'PUT', path: `/notifications/${segment(id)}/elements/${segment(elementId)}`, body, options }),
    /** Translate a notification. Of the draft: what the named elements say in this locale; other elements keep what they say. `PUT /notifications/:id/locales/:locale`. */
    replaceLocale: (id: string, locale: string, body: NotificationsReplaceLocaleBody, options?: CallOptions): Promise<ContentMutation> =>
      call<ContentMutation>({ method: 'PUT', path: `/notifications/${segment(id)}/locales/${segment(locale)}`, body, options }),
    /** Translate what is published. Adds locales to the published version and to the draft, and publishes the former. `POST /notifications/:id/variations`. */
    translate: (id: string, body: Variations, options?: CallOptions): Promise<Record<string, unknown>> =>
      call<Record<string, unknown>>({ method: 'POST', path: `/notifications/${segment(id)}/variations`, body, options }),
    /** Translate the draft. `POST /notifications/:id/draft/variations`. */
    translateDraft: (id: string, body: Variations, options?: CallOptions): Promise<Record<string, unknown>> =>
      call<Record<string, unknown>>({ method: 'POST', path: `/notifications/${segment(id)}/draft/variations`, body, options }),
    /** Check a notification and list its variables. Takes the body of a write and stores nothing. 400 for what a write would refuse; with `state` `PUBLISHED` also for what cannot be published. `POST /notifications/inspect`. */
    inspect: (body: NotificationWrite, options?: CallOptions): Promise<NotificationInspection> =>
      call<NotificationInspection>({ method: 'POST', path: `/notifications/inspect`, body, options }),
  },
  /** What notifications share: colours, logo, footer, snippets. */
  brands: {
    /** List brands. Newest first. `GET /brands`. */
    list: (query?: BrandsListQuery, options?: CallOptions): Listing<BrandsListReply, Brand> =>
      listing((cursor) => call<BrandsListReply>({ method: 'GET', path: `/brands`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Create a brand. It is not the default unless `default` is true. `POST /brands`. */
    create: (body: BrandCreate, options?: CallOptions): Promise<Brand> =>
      call<Brand>({ method: 'POST', path: `/brands`, body, options }),
    /** Get a brand. `GET /brands/:brand_id`. */
    get: (brandId: string, options?: CallOptions): Promise<Brand> =>
      call<Brand>({ method: 'GET', path: `/brands/${segment(brandId)}`, options }),
    /** Replace a brand. Makes a new version that is in force at once. A part that is given is replaced whole; one that is not stays. Messages that were decided before keep the version they were decided with. `PUT /brands/:brand_id`. */
    replace: (brandId: string, body: BrandWrite, options?: CallOptions): Promise<Brand> =>
      call<Brand>({ method: 'PUT', path: `/brands/${segment(brandId)}`, body, options }),
    /** Delete a brand. The default brand cannot be deleted: make another one the default first. What named the deleted one uses the default. `DELETE /brands/:brand_id`. */
    delete: (brandId: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/brands/${segment(brandId)}`, options }),
  },
  /** Catalogues of translated words, by locale. */
  translations: {
    /** Get the translations of a locale. The catalogue as one JSON string. `GET /translations/:domain/:locale`. */
    get: (domain: 'default', locale: string, options?: CallOptions): Promise<string> =>
      call<string>({ method: 'GET', path: `/translations/${segment(domain)}/${segment(locale)}`, options }),
    /** Replace the translations of a locale. The body is a JSON string or the text itself. Catalogues are kept for clients; templates are translated by `locales` of their elements. `PUT /translations/:domain/:locale`. */
    put: (domain: 'default', locale: string, body: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'PUT', path: `/translations/${segment(domain)}/${segment(locale)}`, body, options }),
  },
  /** Integrations with providers, and the catalogue of them. */
  providers: {
    /** List integrations. `GET /providers`. */
    list: (query?: ProvidersListQuery, options?: CallOptions): Listing<ProvidersListReply, Integration> =>
      listing((cursor) => call<ProvidersListReply>({ method: 'GET', path: `/providers`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** List what can be integrated. `GET /providers/catalog`. */
    catalog: (query?: ProvidersCatalogQuery, options?: CallOptions): Promise<ProvidersCatalogReply> =>
      call<ProvidersCatalogReply>({ method: 'GET', path: `/providers/catalog`, options, query: { ...query } }),
    /** Create an integration. `POST /providers`. */
    create: (body: IntegrationWrite, options?: CallOptions): Promise<Integration> =>
      call<Integration>({ method: 'POST', path: `/providers`, body, options }),
    /** Get an integration. `GET /providers/:id`. */
    get: (id: string, options?: CallOptions): Promise<Integration> =>
      call<Integration>({ method: 'GET', path: `/providers/${segment(id)}`, options }),
    /** Change an integration. Fields that are left out stay as they are. A change of the address that requests go to must give the stored secrets again. Messages being sent use the new settings from their next attempt on. `PUT /providers/:id`. */
    update: (id: string, body: IntegrationUpdate, options?: CallOptions): Promise<Integration> =>
      call<Integration>({ method: 'PUT', path: `/providers/${segment(id)}`, body, options }),
    /** Delete an integration. `DELETE /providers/:id`. */
    delete: (id: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/providers/${segment(id)}`, options }),
  },
  /** Addresses of yours that hear of changes. */
  webhooks: {
    /** List webhooks. `GET /webhooks`. */
    list: (options?: CallOptions): Promise<WebhooksListReply> =>
      call<WebhooksListReply>({ method: 'GET', path: `/webhooks`, options }),
    /** Create a webhook. It is called for changes from a second later on. Without `types` and `enabled` it is called for `message:updated` and is enabled. A workspace has at most 20. `POST /webhooks`. */
    create: (body: WebhooksCreateBody, options?: CallOptions): Promise<CreatedWebhook> =>
      call<CreatedWebhook>({ method: 'POST', path: `/webhooks`, body, options }),
    /** Get a webhook. `GET /webhooks/:id`. */
    get: (id: string, options?: CallOptions): Promise<Webhook> =>
      call<Webhook>({ method: 'GET', path: `/webhooks/${segment(id)}`, options }),
    /** Change a webhook. Fields that are left out stay as they are. Calls in progress use the new settings from their next attempt on. `PUT /webhooks/:id`. */
    update: (id: string, body: WebhooksUpdateBody, options?: CallOptions): Promise<Webhook> =>
      call<Webhook>({ method: 'PUT', path: `/webhooks/${segment(id)}`, body, options }),
    /** Delete a webhook. Calls that wait for it are not made any more. `DELETE /webhooks/:id`. */
    delete: (id: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/webhooks/${segment(id)}`, options }),
    /** List the calls of a webhook. Newest first. `GET /webhooks/:id/deliveries`. */
    deliveries: (id: string, query?: WebhooksDeliveriesQuery, options?: CallOptions): Listing<WebhooksDeliveriesReply, WebhookDelivery> =>
      listing((cursor) => call<WebhooksDeliveriesReply>({ method: 'GET', path: `/webhooks/${segment(id)}/deliveries`, options, query: { ...query, ...cursor } }), (page) => page.results),
  },
  /** API keys of the workspace. */
  keys: {
    /** List API keys. `GET /keys`. */
    list: (options?: CallOptions): Promise<KeysListReply> =>
      call<KeysListReply>({ method: 'GET', path: `/keys`, options }),
    /** Create an API key. `published` and the environment of the asking key unless given. Fields not named here are refused. `POST /keys`. */
    create: (body?: KeysCreateBody, options?: CallOptions): Promise<CreatedKey> =>
      call<CreatedKey>({ method: 'POST', path: `/keys`, body, options }),
    /** Revoke an API key. It is refused at once. `DELETE /keys/:id`. */
    revoke: (id: string, options?: CallOptions): Promise<void> =>
      call<void>({ method: 'DELETE', path: `/keys/${segment(id)}`, options }),
  },
  /** Tokens for browsers and apps. */
  auth: {
    /** Issue a token. For a browser or an app, which must not hold an API key. A token belongs to the environment of the key that asks, and ends with it: when the key is revoked, its tokens are refused with it, on other nodes within a second. Calls that name no scope in this reference are for API keys only; a token gets 403 there, and where its scope does not reach. `POST /auth/issue-token`. */
    issueToken: (body: AuthIssueTokenBody, options?: CallOptions): Promise<IssuedToken> =>
      call<IssuedToken>({ method: 'POST', path: `/auth/issue-token`, body, options }),
  },
  /** Who changed what. */
  auditEvents: {
    /** List audit events. Newest first. `GET /audit-events`. */
    list: (query?: AuditEventsListQuery, options?: CallOptions): Listing<AuditEventsListReply, AuditEvent> =>
      listing((cursor) => call<AuditEventsListReply>({ method: 'GET', path: `/audit-events`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Get an audit event. `GET /audit-events/:audit_event_id`. */
    get: (auditEventId: string, options?: CallOptions): Promise<AuditEvent> =>
      call<AuditEvent>({ method: 'GET', path: `/audit-events/${segment(auditEventId)}`, options }),
  },
  /** The built-in sandbox: what it kept instead of sending. */
  mailbox: {
    /** List what the sandbox kept. Newest first. `GET /mailbox`. */
    list: (query?: MailboxListQuery, options?: CallOptions): Listing<MailboxListReply, MailboxItem> =>
      listing((cursor) => call<MailboxListReply>({ method: 'GET', path: `/mailbox`, options, query: { ...query, ...cursor } }), (page) => page.results),
    /** Get one kept item. `GET /mailbox/:id`. */
    get: (id: string, options?: CallOptions): Promise<MailboxItem> =>
      call<MailboxItem>({ method: 'GET', path: `/mailbox/${segment(id)}`, options }),
  },
  /** The server about itself. */
  service: {
    /** Is the process alive? `GET /livez`. */
    livez: (options?: CallOptions): Promise<Ok> =>
      call<Ok>({ method: 'GET', path: `/livez`, options }),
    /** Can it take work? 503 while it starts, stops, cannot reach its database or cannot write to it, for example because its disk is full; the message says which. `GET /readyz`. */
    readyz: (options?: CallOptions): Promise<Ready> =>
      call<Ready>({ method: 'GET', path: `/readyz`, options }),
    /** Figures for Prometheus. A key is required unless the caller is a program on the same machine: from a loopback address, with a loopback `Host`, and without headers of a browser (`Origin`, `Referer`, `Sec-Fetch-Site`) or a proxy (`Forwarded`, `X-Forwarded-For`, `X-Real-Ip`, `Via`). Pages of other origins cannot read it. `GET /metrics`. */
    metrics: (options?: CallOptions): Promise<string> =>
      call<string>({ method: 'GET', path: `/metrics`, text: true, options }),
    /** This API as OpenAPI 3.1. `GET /openapi.json`. */
    openapi: (options?: CallOptions): Promise<Record<string, unknown>> =>
      call<Record<string, unknown>>({ method: 'GET', path: `/openapi.json`, options }),
    /** This reference as a web page. `GET /docs`. */
    docs: (options?: CallOptions): Promise<string> =>
      call<string>({ method: 'GET', path: `/docs`, text: true, options }),
    /** A guide, or a file of the reference page. Guides are listed on `/docs/guides`; `/docs/plain` is the reference without scripts. `GET /docs/:name`. */
    document: (name: string, options?: CallOptions): Promise<string> =>
      call<string>({ method: 'GET', path: `/docs/${segment(name)}`, text: true, options }),
    /** Run the checks of a server. Checks the process and each enabled integration of the environment, from this server: it signs in, or makes an authorized call that changes nothing, or opens a connection where every request would mean something. Nothing is sent. `GET /diagnostics`. */
    diagnostics: (options?: CallOptions): Promise<Diagnostics> =>
      call<Diagnostics>({ method: 'GET', path: `/diagnostics`, options }),
    /** Deliver again after a paused start. Ends what `postrider serve --paused` began: from now on every node delivers what waits. Only for a `published` key of the production environment. Nothing changes when deliveries are not paused. `POST /resume`. */
    resume: (options?: CallOptions): Promise<Success> =>
      call<Success>({ method: 'POST', path: `/resume`, options }),
    /** Copy the local database while it runs. A gzipped tar of the database folder, as it is at one moment, with every environment in it. Only for a `published` key of the production environment. 400 when `POSTRIDER_DATABASE_URL` names the server: use `pg_dump` there. `POST /backup`. */
    backup: (options?: CallOptions): Promise<ReadableStream<Uint8Array>> =>
      call<ReadableStream<Uint8Array>>({ method: 'POST', path: `/backup`, stream: true, options }),
  },
})

type Api = ReturnType<typeof api>

/** One property for each resource; `Postrider` inherits them. */
export class ApiResources implements Api {
  /** One call says who and what; the rest is decided here. */
  readonly send: Api['send']
  /** What would happen, and why, without sending anything. */
  readonly explain: Api['explain']
  /** What an automation would do, in a moment instead of days. */
  readonly simulate: Api['simulate']
  /** What became of each send: status, history, words, reasons. */
  readonly messages: Api['messages']
  /** Calls that mean many messages, and how far they are. */
  readonly requests: Api['requests']
  /** One message for many users, added in parts. */
  readonly bulk: Api['bulk']
  /** What is known about a recipient: addresses and anything else. */
  readonly profiles: Api['profiles']
  /** Receipts of people who were removed everywhere. */
  readonly erasures: Api['erasures']
  /** Recipients subscribed by name, for sends to all of them. */
  readonly lists: Api['lists']
  /** The devices of a user, by the tokens that push providers gave them. */
  readonly deviceTokens: Api['deviceTokens']
  /** Your customers: their place, profile, properties and defaults. */
  readonly tenants: Api['tenants']
  /** Which users are in which tenants, each with a profile for there. */
  readonly memberships: Api['memberships']
  /** Tenants by the names that older clients use. */
  readonly accounts: Api['accounts']
  /** What recipients want: by notification and category (first generation), and by topic (second). */
  readonly preferences: Api['preferences']
  /** The headings that topics stand under. */
  readonly sections: Api['sections']
  /** The subjects that recipients can opt in to or out of. */
  readonly topics: Api['topics']
  /** Events that are kept for a recipient until one message tells of all. */
  readonly digests: Api['digests']
  /** Users who match a filter at this moment. */
  readonly audiences: Api['audiences']
  /** Names for the things that happen, mapped to notifications. */
  readonly events: Api['events']
  /** Events on your side that start automations. */
  readonly inbound: Api['inbound']
  /** Steps that follow each other over time, for one recipient or many: their runs, and templates of them. */
  readonly automations: Api['automations']
  /** Templates: content in Elemental JSON, routing and settings, as a draft and in published versions. */
  readonly notifications: Api['notifications']
  /** What notifications share: colours, logo, footer, snippets. */
  readonly brands: Api['brands']
  /** Catalogues of translated words, by locale. */
  readonly translations: Api['translations']
  /** Integrations with providers, and the catalogue of them. */
  readonly providers: Api['providers']
  /** Addresses of yours that hear of changes. */
  readonly webhooks: Api['webhooks']
  /** API keys of the workspace. */
  readonly keys: Api['keys']
  /** Tokens for browsers and apps. */
  readonly auth: Api['auth']
  /** Who changed what. */
  readonly auditEvents: Api['auditEvents']
  /** The built-in sandbox: what it kept instead of sending. */
  readonly mailbox: Api['mailbox']
  /** The server about itself. */
  readonly service: Api['service']

  constructor(call: Call) {
    const calls = api(call)
    this.send = calls.send
    this.explain = calls.explain
    this.simulate = calls.simulate
    this.messages = calls.messages
    this.requests = calls.requests
    this.bulk = calls.bulk
    this.profiles = calls.profiles
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
    this.automations = calls.automations
    this.notifications = calls.notifications
    this.brands = calls.brands
    this.translations = calls.translations
    this.providers = calls.providers
    this.webhooks = calls.webhooks
    this.keys = calls.keys
    this.auth = calls.auth
    this.auditEvents = calls.auditEvents
    this.mailbox = calls.mailbox
    this.service = calls.service
  }
}
