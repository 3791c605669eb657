/** `add-to-batch`: collects the data of several runs for one of them. */
import { Type } from 'typebox'
import { automationStep } from '../api/step.ts'
import { countingScope, period, word } from '../api/step-fields.ts'

/** The limit of the public API. */
export const batchWaitMsMax = 60 * 86_400_000
/** Items that close a batch. */
export const batchItemsMax = 10_000
/** Items that a batch returns, as in the public API. */
export const batchRetainMax = 100

const { Optional } = Type

export default automationStep({
  position: 90,
  waits: true,
  fields: Type.Object(
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
      scope: Optional(countingScope),
      batch_key: Optional(word('Key of the batch, for the scope `dynamic`.')),
      category_key: Optional(word('Key in `data` for the items. Default: `batch`.')),
    },
    {
      description:
        'The first run opens a batch and waits. Later runs add their data and end. When the batch closes, the first run continues with `count` and `items` in `data.batch`, or under the `category_key` in `data`.',
    },
  ),
  example: { wait_period: '10 minutes', max_wait_period: '1 hour', scope: 'user' },
  summary({ result, waitedMs }, { count, duration }) {
    if (result.count === undefined) return 'add to the open batch, and end'
    const kept = result.items === result.count ? '' : `, of which ${result.items} are kept`
    return `wait ${duration(waitedMs)} for the batch, and go on with ${count(result.count, 'item')}${kept}`
  },
})
