/** Reads what the page shows of a recipient: topics with choices, the look of the brand, and the language. */
import { sectionsMax, topicsMax } from '@postrider/contract'
import type { Reader } from '../database/engine.ts'
import { findBrandInForce, INITIAL_BRAND_NAME } from '../database/tables/notifications/brands.ts'
import { type Chooser, storedChoices, type TopicChoiceRow } from '../database/tables/preferences/preferences.ts'
import { listSections, listTopics } from '../database/tables/preferences/topics.ts'
import { findTenant } from '../database/tables/tenants/tenants.ts'
import { findProfile } from '../database/tables/users/users.ts'
import type { LinkedMessage } from '../preferences/recipient-links.ts'
import { preferencesAbout } from '../preferences/topic-preferences.ts'
import { readBrand } from '../templates/brand.ts'
import type { Brand } from '../templates/template.ts'
import { type OfferedSection, offeredSections } from './choices.ts'

export interface PageData {
  sections: readonly OfferedSection[]
  /** The choices of the recipient in this tenant, or outside any, by topic. */
  storedChoices: ReadonlyMap<string, TopicChoiceRow>
  brand: Brand | undefined
  name: string
  locale: unknown
}

export const chooserOf = ({ workspaceId, userId, tenantId }: LinkedMessage): Chooser => ({
  workspaceId,
  userId,
  tenantId,
})

export async function readPageData(database: Reader, link: LinkedMessage): Promise<PageData> {
  const { workspaceId, userId, tenantId } = link
  const [sections, topics, choices, profile, tenant] = await Promise.all([
    listSections(database, workspaceId, sectionsMax),
    listTopics(database, workspaceId, undefined, topicsMax),
    storedChoices(database, chooserOf(link)),
    findProfile(database, workspaceId, userId),
    tenantId === '' ? undefined : findTenant(database, workspaceId, tenantId),
  ])
  const owner = { workspaceId, userId, tenantId: tenantId || undefined }
  const [preferences, brand] = await Promise.all([
    preferencesAbout(database, owner, topics),
    findBrandInForce(database, workspaceId, tenant?.brandId ?? undefined),
  ])
  return {
    sections: offeredSections(sections, topics, preferences),
    storedChoices: new Map(choices.map((choice) => [choice.topicId, choice])),
    brand: brand && readBrand(brand.settings, brand.snippets, { name: tenant?.name ?? brand.name }),
    name: tenant?.name ?? (brand?.name === INITIAL_BRAND_NAME ? '' : (brand?.name ?? '')),
    locale: profile?.profile.locale,
  }
}
