/** For tests of routes: integrations in memory, and the route of a message to a recipient. */
import type { Channel } from '@postrider/contract'
import { Type } from 'typebox'
import { budgetOf } from '../../base/budget.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { isSandbox, type Provider } from '../../providers/provider.ts'
import { compile } from '../../templates/compile.ts'
import { defaultWindows, type Integration, type Routing, type Suppression } from '../facts.ts'
import type { SendInput } from '../send.ts'
import { candidatesOf } from './candidates.ts'
import type { Permitted } from './decision.ts'
import { route } from './route.ts'

export function integration(id: string, key: string, channels: Channel[], needs?: string, enabled = true): Integration {
  const provider: Provider = {
    key,
    aliases: key === 'vonage' ? ['nexmo'] : [],
    title: key,
    description: '',
    website: '',
    channels,
    dialect: 'plain',
    settings: Type.Object({}),
    capabilities: { sandbox: key === 'mailbox' },
    example: { settings: {}, profile: {} },
    profileKeys: needs === undefined ? [] : [needs],
    contact: (profile) => (needs === undefined ? {} : profile[needs]),
    compose: () => ({}),
    deliver: function* () {
      yield { kind: 'keep', final: true, content: {} }
      return { kind: 'sent', reference: {}, delivered: true }
    },
  }
  const rest = { readable: true, priority: 0, version: 1, limits: {}, settings: {}, publicSettings: {} }
  return { id, title: id, provider, channels, enabled, ...rest }
}

export const smtp = integration('S', 'smtp', ['email'], 'email')
export const backup = integration('B', 'sendgrid', ['email'], 'email')
export const twilio = integration('T', 'twilio', ['sms'], 'phone_number')
export const mailbox = integration('M', 'mailbox', ['email', 'sms', 'inbox'])

export const everyKey = { email: [], sms: [], push: [], direct_message: [], inbox: [], webhook: [] }

const brands = { message: undefined, channelBrands: new Map(), missing: [] }

export function routed(
  integrations: Integration[],
  options: {
    routing?: Routing
    profile?: JsonObject
    content?: unknown
    chosen?: string[]
    yields?: boolean
    input?: Partial<SendInput>
    workspace?: string
    /** Channels that had an integration that is deleted. */
    integrated?: string[]
    suppressions?: Suppression[]
  } = {},
) {
  const merged = options.profile ?? { email: 'a@example.com', phone_number: '+15550100' }
  const result = route({
    workspaceId: 1,
    messageId: '1',
    workspace: options.workspace ?? 'production',
    mode: 'live',
    input: { event: 'e', recipient: 'r', ...options.input },
    firstDue: 0,
    now: 0,
    facts: {
      mapping: undefined,
      storedProfile: undefined,
      preferences: [],
      integrations,
      holdsMisconfigured: false,
      onMissing: 'keep',
      integratedChannels: new Set([
        ...(options.integrated ?? []),
        ...integrations.filter(({ provider }) => !isSandbox(provider)).flatMap(({ channels }) => channels),
      ]),
      brands,
      windows: defaultWindows,
      ...(options.suppressions && { suppressions: options.suppressions }),
    },
    notification: {
      id: 'N',
      version: 1,
      name: 'n',
      template: compile(options.content ?? { title: 't', body: 'b' }),
      routing: options.routing,
      condition: undefined,
      brandId: undefined,
      atMostOnce: false,
    },
    profile: { received: {}, stored: {}, merged },
    conditionBudget: budgetOf(),
    chosenChannels: options.chosen,
    ...(options.yields && { channelsYield: true }),
  } satisfies Permitted)
  if ('stop' in result)
    return {
      stop: 'reason' in result.stop ? result.stop.reason : undefined,
      error: 'error' in result.stop ? result.stop.error : undefined,
      considered: result.considered,
    }
  return {
    keys: candidatesOf(result.added.route).map(({ key }) => key),
    considered: result.added.considered,
    findings: result.explain().findings,
  }
}

export const single = (...channels: Routing['channels']): Routing => ({ method: 'single', channels })
export const all = (...channels: Routing['channels']): Routing => ({ method: 'all', channels })
