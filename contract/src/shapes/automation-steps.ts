/** The steps of automations: each action with its fields, as they are once every reference in them is filled in. */
import { type Static, Type } from 'typebox'
import { idCharactersMax, idempotencyKeyCharactersMax, textCharactersMax } from '../api/limits.ts'
import { id, jsonObject } from '../api/values.ts'
import { RunContext } from './run-context.ts'

/** A run waits at most this long in one delay: yearly reminders fit, and a slip of the pen does not stay for ever. */
export const automationDelayMsMax = 2 * 366 * 86_400_000
/** Tokens that runs are canceled by; with a workspace they fit an index entry. */
export const cancelationTokenCharactersMax = 256
/** The public API bounds what a batch waits. */
export const batchWaitMsMax = 60 * 86_400_000
/** Items that one batch collects before it closes: they are read in pages, and none is lost. */
export const batchItemsMax = 10_000
/** Items that a batch hands on, as in the public API. */
export const batchRetainMax = 100
/** A throttle of a year counts yearly notices. */
export const throttlePeriodMsMax = 366 * 86_400_000
/** Of the webhook of a step: what servers commonly take. */
export const addressCharactersMax = 8_192

/** `usual` says what is taken when nothing is said. */
const mergeStrategy = (usual: string) =>
  Type.Enum(['replace', 'overwrite', 'soft-merge', 'none'], {
    description: `How what comes in (A) meets what is there (B). \`replace\`: B becomes A. \`overwrite\`: the keys of A win. \`soft-merge\`: only keys that B lacks are taken. \`none\`: A is taken only when B is empty. ${usual} when left out.`,
  })
export type MergeStrategy = Static<ReturnType<typeof mergeStrategy>>

const { Optional } = Type

const StepWebhook = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: addressCharactersMax,
      description:
        'An http or https address that answers JSON. Text that is filled in behind its origin is percent-encoded, `/` too: it is part of one segment of the path, or of one value of the query. What makes the origin or the whole address is taken as it is.',
    }),
    method: Optional(Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { description: '`GET` when left out.' })),
    headers: Optional(
      jsonObject('Headers of the request. Whoever can read the template can read them; runs show them masked.'),
    ),
    params: Optional(jsonObject('Added to the query.')),
    body: Optional(
      Type.Union([Type.Unsafe<object>({ type: 'object' }), Type.String()], {
        description: 'Sent as it is, an object as JSON; not with `GET`.',
      }),
    ),
  },
  { title: 'StepWebhook', description: 'Where to ask.' },
)

const word = (description: string) => Type.String({ minLength: 1, maxLength: textCharactersMax, description })
const recipient = (description: string) =>
  Type.Union([Type.String({ minLength: 1, maxLength: idCharactersMax }), Type.Integer()], { description })
const period = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: `${description} A whole number and a unit (\`30 minutes\`), or an ISO 8601 duration: \`P1D\`, \`PT30M\`.`,
  })

const Scope = Type.Enum(['user', 'global', 'dynamic'], {
  description:
    'Who is counted together. `user`: the runs for one recipient. `global`: all runs of this automation. `dynamic`: those with the same key. `global` when left out.',
})

/** Any type is accepted: one that cannot be read stops no send. */
const expiry = (description: string) => Optional(Type.Unsafe<unknown>({ description }))
const keyed = {
  idempotency_key: Optional(
    Type.String({
      minLength: 1,
      maxLength: idempotencyKeyCharactersMax,
      description: 'A send with a key that was used before is not sent again.',
    }),
  ),
  idempotency_expiry: expiry(
    'Until when, or how long, the key is kept: a moment in ISO 8601, seconds or milliseconds, or a duration (`1 day`), at least a day and at most a year ahead; 25 hours when it is left out or cannot be read.',
  ),
}

const sendFields = {
  brand: Optional(id('Brand to render with; else the one of the run.')),
  data: Optional(jsonObject('Merged over the data of the run.')),
  override: Optional(jsonObject('Overrides by provider.')),
  ...keyed,
}

/** What a step may hold beside `action`, `if` and `ref`. */
export const automationSteps = {
  send: Type.Object(
    {
      recipient: Optional(recipient('Whom to send to; else the recipient of the run.')),
      template: Optional(id('A notification or a mapped event; else the template of the run.')),
      profile: Optional(jsonObject('Merged over the profile of the run.')),
      message: Optional(
        jsonObject('A message of the second generation; what it leaves out the step says, else the run.'),
      ),
      ...sendFields,
    },
    { description: 'Sends one message.' },
  ),
  'send-list': Type.Object(
    {
      list: id('The list.'),
      template: Optional(id('A notification or a mapped event; else the template of the run.')),
      data_source: Optional(
        Type.Object(
          { webhook: StepWebhook, merge_strategy: Optional(mergeStrategy('`overwrite`')) },
          {
            title: 'DataSource',
            description: 'Asked for the data of each subscriber, with `recipientId` in the query.',
          },
        ),
      ),
      ...sendFields,
    },
    { description: 'Sends to everybody on a list; with a data source by a run for each subscriber.' },
  ),
  delay: Type.Object(
    {
      duration: Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description:
            'A whole number and a unit (`2 days`), or an ISO 8601 duration. Months and years are of the calendar, in UTC.',
        }),
      ),
      until: Optional(
        Type.String({
          minLength: 1,
          maxLength: 256,
          description: 'An ISO 8601 moment, `20240408T080910.123`, or opening hours: `Mo-Fr 08:00-18:00`.',
        }),
      ),
      timezone: Optional(
        Type.String({
          maxLength: 64,
          description: 'Of `until` without a zone of its own; else `zoneinfo` or `timezone` of the profile, else UTC.',
        }),
      ),
    },
    {
      description:
        'Waits for a while or until a moment; what is past is not waited for. `until` beats `duration`; without either it does not wait.',
    },
  ),
  cancel: Type.Object(
    {
      cancelation_token: Type.String({
        minLength: 1,
        maxLength: cancelationTokenCharactersMax,
        description: 'Every other run in progress that holds it is canceled.',
      }),
    },
    { description: 'Ends every other run in progress that holds the token; `canceled` in its result says how many.' },
  ),
  'fetch-data': Type.Object(
    {
      webhook: StepWebhook,
      merge_strategy: Optional(mergeStrategy('`replace`, which leaves nothing of the data the run had,')),
      idempotency_key: Optional(
        Type.String({
          minLength: 1,
          maxLength: idempotencyKeyCharactersMax,
          description: 'Sent as the header `Idempotency-Key`; else each step has one of its own, the same in each try.',
        }),
      ),
      idempotency_expiry: expiry('Taken for the sake of older clients; it has no effect.'),
    },
    { description: 'Asks an address for a JSON object and merges it into the data of the run.' },
  ),
  'update-profile': Type.Object(
    {
      recipient_id: recipient('Whose profile.'),
      profile: jsonObject('What comes in.'),
      merge: Optional(mergeStrategy('`replace`')),
    },
    { description: 'Writes a stored profile.' },
  ),
  'get-profile': Type.Object(
    {
      user_id: recipient('Whose profile.'),
      path: Optional(word('Where in `data` it is put: `profile`, `people.owner`; without it, at the top.')),
      merge_strategy: Optional(mergeStrategy('`overwrite`')),
      tenant_id: Optional(id('As the profile is in this tenant.')),
    },
    { description: 'Puts a stored profile into the data of the run.' },
  ),
  invoke: Type.Object(
    {
      template: id('An automation template, by its id or alias.'),
      context: Optional(RunContext),
    },
    {
      description:
        'Starts a run of an automation template and goes on at once. What stands in `context` lies over that of this run.',
    },
  ),
  'add-to-batch': Type.Object(
    {
      batch_id: Optional(word('Names the batch; else it is the one of this step.')),
      wait_period: Optional(period('It closes when nothing was added for this long; `max_wait_period` when left out.')),
      max_wait_period: Optional(
        period('It closes this long after it was opened; at most 60 days, which is also taken when it is left out.'),
      ),
      max_items: Optional(
        Type.Union([Type.Integer({ minimum: 1, maximum: batchItemsMax }), Type.String({ pattern: '^[0-9]{1,5}$' })], {
          description: `It closes with this many items; ${batchItemsMax.toLocaleString('en')} when left out.`,
        }),
      ),
      retain: Optional(
        Type.Object(
          {
            type: Type.Enum(['first', 'last', 'highest', 'lowest'], { description: 'Which items are handed on.' }),
            count: Optional(
              Type.Integer({ minimum: 1, maximum: batchRetainMax, description: 'How many; 10 when left out.' }),
            ),
            sort_key: Optional(word('What `highest` and `lowest` compare: a path in the item.')),
          },
          {
            title: 'Retain',
            description: `Which items are handed on, up to half of what the data of a run may hold; the first ${batchRetainMax} when left out. \`count\` in the data says how many there were.`,
          },
        ),
      ),
      scope: Optional(Scope),
      batch_key: Optional(word('With scope `dynamic`: the key of the batch.')),
      category_key: Optional(word('Under which key of `data` the items are put; `batch` when left out.')),
    },
    {
      description:
        'The first run opens the batch and waits; later ones leave their data there and end. When it closes, the first goes on with `data.batch.count` and `data.batch.items`.',
    },
  ),
  'add-to-digest': Type.Object(
    {
      subscription_topic_id: id('The topic whose digest collects the data of the run.'),
    },
    { description: 'Keeps the data of the run for the digest of its recipient.' },
  ),
  throttle: Type.Object(
    {
      max_allowed: Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^[1-9][0-9]{0,8}$' })], {
        description: 'How many runs may pass in one period.',
      }),
      period: period(`At most ${throttlePeriodMsMax / 86_400_000} days; it begins with the first run that passes.`),
      scope: Optional(Scope),
      throttle_key: Optional(word('With scope `dynamic`: what is counted together.')),
      should_alert: Optional(Type.Boolean({ description: 'Kept in the result of the step; nobody is alerted.' })),
      on_throttle: Optional(
        Type.Object(
          { $node_id: word('The `ref` of a later step: what is throttled goes on there instead of ending.') },
          { title: 'OnThrottle', description: 'Where a throttled run goes on.' },
        ),
      ),
    },
    { description: 'Lets so many runs pass in a period; the others end with the status THROTTLED.' },
  ),
} as const

export type AutomationAction = keyof typeof automationSteps
export type StepFields<Action extends AutomationAction> = Static<(typeof automationSteps)[Action]>
