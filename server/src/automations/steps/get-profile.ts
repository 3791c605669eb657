/** get-profile: copies a stored profile into the data of the run. */
import { combine, isObject, type JsonObject } from '../../base/json/json.ts'
import { FieldInvalid, type StepBehavior } from '../step.ts'

const PATH = /^[\w$-]{1,256}(?:\.[\w$-]{1,256}){0,9}$/

export default {
  check({ path }) {
    if (path !== undefined && (!PATH.test(path) || path.split('.').includes('__proto__')))
      throw new FieldInvalid('path', 'must be keys joined by dots: `profile`, `people.owner`')
  },
  fieldKinds: { names: ['user_id', 'tenant_id'] },
  async run({ user_id, path, merge_strategy = 'overwrite', tenant_id }, { run, state, store }) {
    const storedProfile = await store.profile(run.workspaceId, String(user_id), tenant_id)
    const profile = storedProfile?.profile ?? {}
    // Callers write the path in the data, or the path of a reference.
    const keys = path?.replace(/^data\.(?=.)/, '').split('.') ?? []
    return {
      kind: 'next',
      data: put(state.data, keys, (existing) => combine(existing, profile, merge_strategy)),
      ref: profile,
      result: { user_id: String(user_id), found: storedProfile !== undefined },
    }
  },
} satisfies StepBehavior<'get-profile'>

function put(
  data: JsonObject,
  [key, ...rest]: readonly string[],
  make: (existing: JsonObject) => JsonObject,
): JsonObject {
  if (key === undefined) return make(data)
  const inner = Object.hasOwn(data, key) ? data[key] : undefined
  return { ...data, [key]: put(isObject(inner) ? inner : {}, rest, make) }
}
