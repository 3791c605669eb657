/** Reads what the page shows of a recipient: topics with choices, the look of the brand of the message, and the language. */
import { sectionsMax, topicsMax } from '@postrider/contract'
import type { Reader } from '../database/engine.ts'
import { brandOfMessage } from '../database/tables/messages/messages.ts'
import { findBrandInForce, INITIAL_BRAND_NAME } from '../database/tables/notifications/brands.ts'
import { type Chooser, storedChoices, type TopicChoiceRow } from '../database/tables/preferences/preferences.ts'
import { listPageTopics, listSections } from '../database/tables/preferences/topics.ts'
import {
  findTenant,
  readTenantDefaults,
  type TenantTopicDefault,
  tenantChains,
} from '../database/tables/tenants/tenants.ts'
import { findProfile } from '../database/tables/users/users.ts'
import type { LinkedMessage } from '../preferences/recipient-links.ts'
import { preferencesOnPage } from '../preferences/topic-preferences.ts'
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
  const { workspaceId, userId, tenantId, messageId } = link
  const [sections, topics, choices, profile, tenant, defaults, ofMessage] = await Promise.all([
    listSections(database, workspaceId, sectionsMax),
    listPageTopics(database, workspaceId, topicsMax),
    storedChoices(database, chooserOf(link)),
    findProfile(database, workspaceId, userId),
    tenantId === '' ? undefined : findTenant(database, workspaceId, tenantId),
    tenantId === '' ? [] : defaultsOf(database, workspaceId, tenantId),
    brandOfMessage(database, workspaceId, messageId),
  ])
  const brand = await findBrandInForce(database, workspaceId, [ofMessage, tenant?.brandId])
  const recipientChoices = { tenantId: tenantId || undefined, ofUser: choices, ofTenants: defaults }
  const ownChoices = choices.filter((choice) => choice.tenantId === tenantId)
  return {
    sections: offeredSections(sections, topics, preferencesOnPage(sections, topics, recipientChoices)),
    storedChoices: new Map(ownChoices.map((choice) => [choice.topicId, choice])),
    brand: brand && readBrand(brand.settings, brand.snippets, { name: tenant?.name ?? brand.name }),
    name: tenant?.name ?? (brand?.name === INITIAL_BRAND_NAME ? '' : (brand?.name ?? '')),
    locale: profile?.profile.locale,
  }
}

/** The defaults of the tenant and its ancestors, the nearest first. */
async function defaultsOf(database: Reader, workspaceId: number, tenantId: string): Promise<TenantTopicDefault[]> {
  const chain = await tenantChains(database, [{ workspaceId, tenantId }])
  const ids = chain.map(({ id }) => id)
  const defaults = await readTenantDefaults(database, workspaceId, ids)
  return defaults.sort((a, b) => ids.indexOf(b.tenantId) - ids.indexOf(a.tenantId))
}
