/** `fetch-data`: JSON from a URL. */
import { Type } from 'typebox'
import { automationStep } from '../api/step.ts'
import { expiry, mergeStrategy, StepWebhook } from '../api/step-fields.ts'
import { idempotencyKey } from '../api/values.ts'

export default automationStep({
  position: 50,
  fields: Type.Object(
    {
      webhook: StepWebhook,
      merge_strategy: Type.Optional(mergeStrategy('`replace`, which discards the data of the run')),
      idempotency_key: Type.Optional(
        idempotencyKey(
          'Value of the header `Idempotency-Key`. Default: a key of the step, the same for every attempt.',
        ),
      ),
      idempotency_expiry: expiry('Accepted for older clients, without effect.'),
    },
    {
      description:
        'Requests a JSON object from a URL. The object replaces the data of the run, or is merged into them.',
    },
  ),
  example: { webhook: { url: 'https://shop.example/orders/7' }, merge_strategy: 'overwrite' },
  summary: ({ result }, { bytes }) =>
    `fetch ${bytes(Number(result.bytes))}${Number(result.tries) > 1 ? ` in ${result.tries} tries` : ''}`,
})
