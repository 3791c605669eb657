/** Finds automations that lead back to themselves by `invoke`: each run would start another one until a limit stops them. */
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { quoted, quotedList } from '../../base/quote.ts'

/** Templates that one check reads: it is for mistakes, which are short circles. */
const TEMPLATES_MAX = 50

/** Gives the automation of a template by its id or alias. */
export type AutomationReader = (name: string) => Promise<JsonObject | undefined>

/** A warning for each step that invokes the automation again. `names`: its id and alias. */
export async function circleWarnings(
  automation: JsonObject,
  names: readonly string[],
  read: AutomationReader,
  at = 'automation',
): Promise<string[]> {
  const warnings: string[] = []
  const readOnce = boundedReader(read)
  for (const { template, index } of invocations(automation)) {
    const way = await wayBack(template, new Set(names), readOnce)
    if (way) warnings.push(`${at}.steps.${index} ${describe(way)}`)
  }
  return warnings
}

/** Reads each template once, and those beyond the bound not at all. */
function boundedReader(read: AutomationReader): AutomationReader {
  const automations = new Map<string, Promise<JsonObject | undefined>>()
  return async (name) => {
    const latest = automations.get(name)
    if (latest) return latest
    if (automations.size >= TEMPLATES_MAX) return undefined
    const automation = read(name)
    automations.set(name, automation)
    return automation
  }
}

function describe([first, ...others]: readonly string[]): string {
  const by = others.length > 0 ? ` by ${quotedList(others)}` : ''
  const invokes =
    first === undefined ? 'invokes this automation again' : `invokes ${quoted(first)}, which leads back here${by}`
  return `${invokes}, and no such step has a condition: each run starts another one, until a limit ends the last with an error.`
}

/** The templates between, the nearest first; empty where the step names the automation itself. */
async function wayBack(
  template: string,
  names: ReadonlySet<string>,
  read: AutomationReader,
): Promise<readonly string[] | undefined> {
  const visited = new Set<string>()
  let ways: { name: string; before: readonly string[] }[] = [{ name: template, before: [] }]
  while (ways.length > 0) {
    const back = ways.find(({ name }) => names.has(name))
    if (back) return back.before
    const next: typeof ways = []
    for (const way of ways) {
      if (visited.has(way.name)) continue
      visited.add(way.name)
      next.push(way)
    }
    const automations = await Promise.all(next.map(({ name }) => read(name)))
    ways = next.flatMap(({ name, before }, index) =>
      invocations(automations[index] ?? {}).map(({ template }) => ({ name: template, before: [...before, name] })),
    )
  }
  return undefined
}

/** Steps without a condition that start a run of a template which they name. */
function invocations({ steps }: JsonObject): { template: string; index: number }[] {
  if (!Array.isArray(steps)) return []
  return steps.flatMap((step, index) => {
    const isInvocation = isObject(step) && step.action === 'invoke' && (step.if ?? '') === ''
    return isInvocation && typeof step.template === 'string' ? [{ template: step.template, index }] : []
  })
}
