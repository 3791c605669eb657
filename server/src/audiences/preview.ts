/** The users who match a filter that is not stored: counted within bounds of users and time, the first of them with the reason. */
import { audiencePreviewUsersMax } from '@postrider/contract'
import { during } from '../base/activity.ts'
import { startTimeBudget } from '../base/budget.ts'
import type { Reader } from '../database/engine.ts'
import { usersAfter } from '../database/tables/audiences/audience-members.ts'
import { evaluateFilter, type Filter, tenantsOf } from './filter.ts'

/** So many users take some ten milliseconds to read and to evaluate. */
const PAGE = 500
/** A preview follows every change of a filter on a screen. */
const BUDGET_MS = 1_000

export interface AudiencePreview {
  matched: number
  evaluated: number
  isComplete: boolean
  members: { id: string; reason: string }[]
}

export async function previewAudience(
  engine: Reader,
  workspaceId: number,
  filter: Filter,
  limit: number,
): Promise<AudiencePreview> {
  const budget = startTimeBudget(BUDGET_MS)
  const tenants = [...new Set(tenantsOf(filter))]
  const preview: AudiencePreview = { matched: 0, evaluated: 0, isComplete: false, members: [] }
  let after = ''
  while (preview.evaluated < audiencePreviewUsersMax) {
    const { users, last } = await usersAfter(engine, workspaceId, after, PAGE, tenants)
    for (const user of users) {
      if (budget.isOver() || preview.evaluated === audiencePreviewUsersMax) return preview
      await budget.yieldToEventLoop()
      preview.evaluated += 1
      const result = during('audience', user.id, 'previewing a filter', () => evaluateFilter(filter, user))
      if (!result.holds) continue
      preview.matched += 1
      if (preview.members.length < limit) preview.members.push({ id: user.id, reason: result.reason() })
    }
    after = users.at(-1)?.id ?? after
    if (last || users.length === 0) return { ...preview, isComplete: true }
  }
  return preview
}
