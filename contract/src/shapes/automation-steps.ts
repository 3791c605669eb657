/** The steps of automations: each action with its fields, after interpolation of references. */
import { type Static, Type } from 'typebox'
import { idCharactersMax, idempotencyKeyCharactersMax, textCharactersMax } from '../api/limits.ts'
import { id, jsonObject } from '../api/values.ts'
import { RunContext } from './run-context.ts'

/** The longest delay of one step: yearly reminders fit, and a typo cannot keep a run forever. */
export const automationDelayMsMax = 2 * 366 * 86_400_000
/** Together with a workspace, a cancelation token fits an index entry. */
export const cancelationTokenCharactersMax = 256
/** The limit of the public API. */
export const batchWaitMsMax = 60 * 86_400_000
/** Items that close a batch. */
export const batchItemsMax = 10_000
/** Items that a batch returns, as in the public API. */
export const batchRetainMax = 100
/** A year, for yearly notices. */
export const throttlePeriodMsMax = 366 * 86_400_000
/** The length of URLs that servers commonly accept. */
export const addressCharactersMax = 8_192

/** `usual` is the default, in Markdown. */
const mergeStrategy = (usual: string) =>
  Type.Enum(['replace', 'overwrite', 'soft-merge', 'none'], {
    description: `How new data (A) is merged into existing data (B). \`replace\`: A replaces B. \`overwrite\`: keys of A take precedence. \`soft-merge\`: only keys that B lacks are added. \`none\`: A is used only if B is empty. Default: ${usual}.`,
  })
export type MergeStrategy = Static<ReturnType<typeof mergeStrategy>>

const { Optional } = Type

const StepWebhook = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: addressCharactersMax,
      description:
        'URL (http or https) that returns JSON. Values interpolated after the origin are percent-encoded, including `/`: a value is part of one path segment or one query value. Values that form the origin or the whole URL are used unchanged.',
    }),
    method: Optional(
      Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { description: 'HTTP method. Default: `GET`.' }),
    ),
    headers: Optional(jsonObject('Headers of the request. They are readable in the template; runs show them masked.')),
    params: Optional(jsonObject('Parameters added to the query.')),
    body: Optional(
      Type.Union([Type.Unsafe<object>({ type: 'object' }), Type.String()], {
        description: 'Request body; an object is sent as JSON. Not sent with `GET`.',
      }),
    ),
  },
  { title: 'StepWebhook', description: 'An HTTP request.' },
)

const word = (description: string) => Type.String({ minLength: 1, maxLength: textCharactersMax, description })
const recipient = (description: string) =>
  Type.Union([Type.String({ minLength: 1, maxLength: idCharactersMax }), Type.Integer()], { description })
const period = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: `${description} An integer and a unit (\`30 minutes\`), or an ISO 8601 duration: \`P1D\`, \`PT30M\`.`,
  })

const Scope = Type.Enum(['user', 'global', 'dynamic'], {
  description:
    'Runs that are counted together. `user`: runs of one recipient. `global`: all runs of this automation. `dynamic`: runs with the same key. Default: `global`.',
})

/** Any type is accepted: a value that cannot be read must not stop a send. */
const expiry = (description: string) => Optional(Type.Unsafe<unknown>({ description }))
const keyed = {
  idempotency_key: Optional(
    Type.String({
      minLength: 1,
      maxLength: idempotencyKeyCharactersMax,
      description: 'Idempotency key: a send with a key that was used before is not repeated.',
    }),
  ),
  idempotency_expiry: expiry(
    'Expiry of the idempotency key: a time in ISO 8601, seconds or milliseconds, or a duration (`1 day`), between a day and a year ahead. Default, also for unreadable values: 25 hours.',
  ),
}

const sendFields = {
  brand: Optional(id('Brand. Default: the brand of the run.')),
  data: Optional(jsonObject('Merged over the data of the run.')),
  override: Optional(jsonObject('Overrides by provider.')),
  ...keyed,
}

/** The fields of each step besides `action`, `if` and `ref`. */
export const automationSteps = {
  send: Type.Object(
    {
      recipient: Optional(recipient('Recipient. Default: the recipient of the run.')),
      template: Optional(id('Notification or mapped event. Default: the template of the run.')),
      profile: Optional(jsonObject('Merged over the profile of the run.')),
      message: Optional(
        jsonObject('Message of the second generation; missing fields come from the step, else from the run.'),
      ),
      ...sendFields,
    },
    { description: 'Sends one message.' },
  ),
  'send-list': Type.Object(
    {
      list: id('The list id.'),
      template: Optional(id('Notification or mapped event. Default: the template of the run.')),
      data_source: Optional(
        Type.Object(
          { webhook: StepWebhook, merge_strategy: Optional(mergeStrategy('`overwrite`')) },
          {
            title: 'DataSource',
            description: 'Source of the data of each subscriber; the request has `recipientId` in its query.',
          },
        ),
      ),
      ...sendFields,
    },
    { description: 'Sends to all subscribers of a list; with a data source, in a run for each subscriber.' },
  ),
  delay: Type.Object(
    {
      duration: Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description:
            'An integer and a unit (`2 days`), or an ISO 8601 duration. Months and years are calendar units, in UTC.',
        }),
      ),
      until: Optional(
        Type.String({
          minLength: 1,
          maxLength: 256,
          description: 'An ISO 8601 time, such as `20240408T080910.123`, or opening hours: `Mo-Fr 08:00-18:00`.',
        }),
      ),
      timezone: Optional(
        Type.String({
          maxLength: 64,
          description: 'Time zone of `until`. Default: `zoneinfo` or `timezone` of the profile, else UTC.',
        }),
      ),
    },
    {
      description:
        'Waits for a duration or until a time; a time in the past does not wait. `until` takes precedence over `duration`; without either the step does not wait.',
    },
  ),
  cancel: Type.Object(
    {
      cancelation_token: Type.String({
        minLength: 1,
        maxLength: cancelationTokenCharactersMax,
        description: 'Token of the runs to cancel.',
      }),
    },
    {
      description: 'Cancels every other run in progress that has the token; `canceled` in the result is their number.',
    },
  ),
  'fetch-data': Type.Object(
    {
      webhook: StepWebhook,
      merge_strategy: Optional(mergeStrategy('`replace`, which discards the data of the run')),
      idempotency_key: Optional(
        Type.String({
          minLength: 1,
          maxLength: idempotencyKeyCharactersMax,
          description: 'Value of the header `Idempotency-Key`. Default: a key of the step, the same for every attempt.',
        }),
      ),
      idempotency_expiry: expiry('Accepted for older clients, without effect.'),
    },
    { description: 'Requests a JSON object from a URL and merges it into the data of the run.' },
  ),
  'update-profile': Type.Object(
    {
      recipient_id: recipient('User whose profile is written.'),
      profile: jsonObject('The new profile data.'),
      merge: Optional(mergeStrategy('`replace`')),
    },
    { description: 'Writes a stored profile.' },
  ),
  'get-profile': Type.Object(
    {
      user_id: recipient('User whose profile is read.'),
      path: Optional(word('Path in `data` for the profile: `profile`, `people.owner`. Default: the top level.')),
      merge_strategy: Optional(mergeStrategy('`overwrite`')),
      tenant_id: Optional(id('Tenant in which the profile is read.')),
    },
    { description: 'Copies a stored profile into the data of the run.' },
  ),
  invoke: Type.Object(
    {
      template: id('Id or alias of an automation template.'),
      context: Optional(RunContext),
    },
    {
      description:
        'Starts a run of an automation template without waiting for it. `context` is merged over the context of this run.',
    },
  ),
  'add-to-batch': Type.Object(
    {
      batch_id: Optional(word('Name of the batch. Default: the batch of this step.')),
      wait_period: Optional(
        period('Period without new items after which the batch closes. Default: `max_wait_period`.'),
      ),
      max_wait_period: Optional(period('Period after which the batch closes. Maximum and default: 60 days.')),
      max_items: Optional(
        Type.Union([Type.Integer({ minimum: 1, maximum: batchItemsMax }), Type.String({ pattern: '^[0-9]{1,5}$' })], {
          description: `Number of items that closes the batch. Default: ${batchItemsMax.toLocaleString('en')}.`,
        }),
      ),
      retain: Optional(
        Type.Object(
          {
            type: Type.Enum(['first', 'last', 'highest', 'lowest'], { description: 'Items to return.' }),
            count: Optional(
              Type.Integer({ minimum: 1, maximum: batchRetainMax, description: 'Number of items. Default: 10.' }),
            ),
            sort_key: Optional(word('Path in the item of the value that `highest` and `lowest` compare.')),
          },
          {
            title: 'Retain',
            description: `Items to return, up to half of the maximum size of run data. Default: the first ${batchRetainMax}. \`count\` in the data is the number of all items.`,
          },
        ),
      ),
      scope: Optional(Scope),
      batch_key: Optional(word('Key of the batch, for the scope `dynamic`.')),
      category_key: Optional(word('Key in `data` for the items. Default: `batch`.')),
    },
    {
      description:
        'The first run opens the batch and waits; later runs add their data and end. When the batch closes, the first run continues with `data.batch.count` and `data.batch.items`.',
    },
  ),
  'add-to-digest': Type.Object(
    {
      subscription_topic_id: id('Topic of the digest.'),
    },
    { description: 'Adds the data of the run to the digest of its recipient.' },
  ),
  throttle: Type.Object(
    {
      max_allowed: Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^[1-9][0-9]{0,8}$' })], {
        description: 'Number of runs that pass in one period.',
      }),
      period: period(
        `Length of the period, at most ${throttlePeriodMsMax / 86_400_000} days; it begins with the first run that passes.`,
      ),
      scope: Optional(Scope),
      throttle_key: Optional(word('Key by which runs are counted, for the scope `dynamic`.')),
      should_alert: Optional(Type.Boolean({ description: 'Stored in the result of the step; no alert is sent.' })),
      on_throttle: Optional(
        Type.Object(
          { $node_id: word('`ref` of a later step at which a throttled run continues instead of ending.') },
          { title: 'OnThrottle', description: 'Step at which a throttled run continues.' },
        ),
      ),
    },
    { description: 'Lets a limited number of runs pass in a period; other runs end with the status THROTTLED.' },
  ),
} as const

export type AutomationAction = keyof typeof automationSteps
export type StepFields<Action extends AutomationAction> = Static<(typeof automationSteps)[Action]>
