/** throttle: lets a limited number of runs pass in a period; other runs end, or continue at a later step. */
import { throttlePeriodMsMax } from '@postrider/contract'
import { isObject } from '../../base/json/json.ts'
import { endOfDuration } from '../../base/time/calendar-duration.ts'
import { DAY, SECOND } from '../../base/time/duration.ts'
import { FieldInvalid, type RefusedReservation, type StepBehavior } from '../step.ts'
import { checkCounted, countedBy, digest, ownerOf } from './shared/counter-key.ts'

export default {
  checkPresence: (fields) => checkCounted(fields, 'throttle_key'),
  laterRef: ({ on_throttle: branch }) =>
    isObject(branch) && typeof branch.$node_id === 'string'
      ? { field: 'on_throttle.$node_id', ref: branch.$node_id }
      : undefined,
  fieldKinds: { names: ['throttle_key'] },
  check({ period }, now) {
    if (period === undefined) return
    const end = endOfDuration(period, now)
    if (end === undefined)
      throw new FieldInvalid('period', 'must be a whole number with a unit (`1 hour`) or an ISO 8601 duration')
    if (end < now + SECOND || end > now + throttlePeriodMsMax)
      throw new FieldInvalid('period', `must be between a second and ${throttlePeriodMsMax / DAY} days`)
  },
  run({ max_allowed, period, scope = 'global', throttle_key, should_alert, on_throttle }, { run, place, now }) {
    const by = countedBy(scope, run, throttle_key, 'throttle_key')
    const max = Number(max_allowed)
    const [runs, have] = max === 1 ? ['run', 'has'] : ['runs', 'have']
    const reason = `The ${max} ${runs} allowed in ${period} ${have} passed already`
    const refused: RefusedReservation = on_throttle
      ? { kind: 'goes_on', at: on_throttle.$node_id, reason }
      : { kind: 'ends', status: 'THROTTLED', reason }
    return {
      kind: 'reserve',
      key: digest(['throttle', ownerOf(run), place, by]),
      max,
      periodMs: (endOfDuration(period, now) ?? now) - now,
      allowed: {
        kind: 'next',
        result: { max_allowed: max, period, ...(should_alert !== undefined && { should_alert }) },
      },
      refused,
    }
  },
} satisfies StepBehavior<'throttle'>
