/** An integration of every provider, made from the example of its adapter, with a stored secret that can be searched for. */
import type { Postrider } from '@postrider/client'
import { type Provider, providers } from '@postrider/server/providers'
import type { Recorder } from '../support/peers/recorder.ts'
import type { SmtpSink } from '../support/peers/smtp.ts'
import { integrate, publish } from './templates.ts'

/** Providers that send: all but the sandbox. */
export const senders: readonly Provider[] = [...providers.values()].filter(({ capabilities }) => !capabilities.sandbox)

export interface StoredSecret {
  /** The key of the provider, and of its setting. */
  provider: string
  setting: string
  value: string
  /** As it leaves in basic authentication, beside a user or a password of the example, or Mailgun's user. */
  encoded: string[]
  /** It is a key that signs requests: it is sent to no provider. */
  signs: boolean
  /** The texts that are searched for: the secret, or a part of its key. */
  canaries: string[]
}

function annotation(schema: object | undefined, name: 'secret' | 'destination'): boolean {
  return schema !== undefined && Reflect.get(schema, name) === true
}

const formOf = (schema: object | undefined) => String(schema && Reflect.get(schema, 'form'))
const keyMaterial = (value: string) => /[\w+/-]{40}/.exec(value.replace(/-----[^-]*-----/g, ''))![0]

/** Signature version 4 never sends it. */
const SIGNS: ReadonlySet<string> = new Set(['secretAccessKey'])

/** The secrets that the examples of the providers give. */
export function secretsOf(prefix: string): StoredSecret[] {
  return senders.flatMap(({ key, settings, example }) => {
    const shown: Record<string, unknown> = example.settings
    const secrets = Object.keys(shown).filter((name) => annotation(settings.properties[name], 'secret'))
    if (secrets.length === 0) throw new Error(`The example of ${key} has no secret`)
    const isKey = (name: string) => /key|service account/.test(formOf(settings.properties[name]))
    const canaries = secrets.filter((name) => !isKey(name)).map((name) => [name, `${prefix}-${key}-${name}`] as const)
    const values = { ...shown, ...Object.fromEntries(canaries) }
    return secrets.map((setting) => {
      const value = String(values[setting])
      if (isKey(setting))
        return { provider: key, setting, value, encoded: [], signs: true, canaries: [keyMaterial(value)] }
      const encoded = basicOf(values, value)
      return { provider: key, setting, value, encoded, signs: SIGNS.has(setting), canaries: [value, ...encoded] }
    })
  })
}

function basicOf(settings: Record<string, unknown>, secret: string): string[] {
  const others = [...Object.values(settings), 'api'].filter((other) => typeof other === 'string')
  return others
    .flatMap((other) => [`${other}:${secret}`, `${secret}:${other}`])
    .map((pair) => Buffer.from(pair).toString('base64'))
}

export const storedSecrets: readonly StoredSecret[] = secretsOf('stored')

/** The settings of the examples, their addresses replaced by those of local peers. */
export function localSettings(secrets: readonly StoredSecret[], peer: Recorder, mail: SmtpSink) {
  const urls = { baseUrl: peer.url, url: `${peer.url}/hook` }
  const server = { host: '127.0.0.1', port: mail.port, security: 'opportunistic' }
  return Object.fromEntries(
    senders.map(({ key, settings, example }) => {
      const local = { ...urls, ...server, ...('clientId' in example.settings && { tokenUrl: `${peer.url}/token` }) }
      const addresses = Object.entries(local).filter(([name]) => annotation(settings.properties[name], 'destination'))
      const providerSecrets = secrets.filter(({ provider }) => provider === key)
      const values = providerSecrets.map(({ setting, value }) => [
        setting,
        localSecret(settings.properties[setting], key, value, peer),
      ])
      return [key, { ...example.settings, ...Object.fromEntries(addresses), ...Object.fromEntries(values) }]
    }),
  )
}

/** An account and an address are secrets that name a server themselves. */
function localSecret(schema: object | undefined, provider: string, value: string, peer: Recorder): string {
  if (formOf(schema) === 'service account')
    return JSON.stringify({ ...JSON.parse(value), token_uri: `${peer.url}/token` })
  return formOf(schema) === 'url' ? `${peer.url}/${provider}?sig=${value}` : value
}

export const smtpUser = {
  user: String(providers.get('smtp')?.example.settings.user),
  password: storedSecrets.find(({ provider }) => provider === 'smtp')!.value,
}

/** Reached by every provider, by Slack without a look-up. */
export const profile = {
  ...Object.assign({}, ...senders.map(({ example }) => example.profile)),
  name: 'Ada',
  slack: { channel: 'C1' },
}

export async function integrateAll(client: Postrider, peer: Recorder, mail: SmtpSink): Promise<void> {
  for (const [provider, settings] of Object.entries(localSettings(storedSecrets, peer, mail))) {
    await integrate(client, { provider, settings })
    await publish(client, provider, { channels: [provider] })
  }
}
