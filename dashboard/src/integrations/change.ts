/** Writes of integrations whose provider is known only when the page runs. */
import type { Integration, IntegrationWrite } from '@postrider/client'
import { api } from '../session/api.ts'

/** The server waits for the provider longer than the client does otherwise. */
export const testLimits = { timeoutMs: 60_000, retries: 0 }

export type IntegrationInput = Partial<
  Pick<IntegrationWrite, 'title' | 'alias' | 'enabled' | 'priority' | 'weight' | 'limits'>
> & { settings?: Record<string, unknown> }

// The types of the client know the settings of each provider; here the catalog of the server does, and it checks them.
const writeOf = (provider: string, input: IntegrationInput) => ({ provider, ...input }) as IntegrationWrite

export const createIntegration = (provider: string, input: IntegrationInput) =>
  api.providers.create(writeOf(provider, input))

/** Signs in with settings that are not stored. */
export const testSettings = (provider: string, input: IntegrationInput) =>
  api.providers.testSettings(writeOf(provider, input), testLimits)

/** Signs in with the stored settings and these changes, before they are stored. */
export const testChange = ({ id }: Pick<Integration, 'id'>, settings: Record<string, unknown> = {}) =>
  api.providers.test(id, { settings }, testLimits)

export const changeIntegration = ({ id, provider }: Pick<Integration, 'id' | 'provider'>, input: IntegrationInput) =>
  api.providers.update(id, writeOf(provider, input))
