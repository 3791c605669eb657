/** /users/:user_id/tokens: the devices of a user, by the tokens that push providers gave them. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, nullable, optionalObject, text } from '../../api/values.ts'
import { PatchOperation, patchOperationsMax } from '../../shapes/patch.ts'

/** The longest tokens of push providers have some 250 characters; bytes, so that user and token fit an index entry. */
export const deviceTokenCharactersMax = 512
/** Devices of one user; they are listed without pages. */
export const deviceTokensMax = 100
/** What is known about one device, as JSON. */
export const deviceTokenBytesMax = 16_000
/** Two months, as in the public API: an app that is used registers again within them. */
export const deviceTokenLifetimeMs = 61 * 86_400_000

export const deviceTokenProviders = ['apn', 'firebase-fcm', 'expo', 'onesignal'] as const
export const deviceTokenStatuses = ['active', 'unknown', 'failed', 'revoked'] as const

const tokenText = (description: string) =>
  Type.String({ minLength: 1, maxLength: deviceTokenCharactersMax, pattern: '^[!-~]+$', description })
const optionalText = (description: string) => Type.Optional(nullable(text(description)))

const Device = Type.Object(
  {
    app_id: optionalText('The app.'),
    ad_id: optionalText('The advertising id.'),
    device_id: optionalText('The id of the device.'),
    platform: optionalText('Its platform: `ios`.'),
    manufacturer: optionalText('Its maker.'),
    model: optionalText('Its model.'),
  },
  { title: 'Device', description: 'The device.' },
)

const Tracking = Type.Object(
  {
    os_version: optionalText('Version of its system.'),
    ip: optionalText('Its address.'),
    lat: optionalText('Latitude.'),
    long: optionalText('Longitude.'),
  },
  { title: 'Tracking', description: 'Sent by the device when it registered.' },
)

const fields = {
  provider_key: Type.Enum([...deviceTokenProviders], { description: 'The push provider that gave the token.' }),
  device: Type.Optional(nullable(Device)),
  tracking: Type.Optional(nullable(Tracking)),
  properties: optionalObject('Anything else.'),
  expiry_date: Type.Optional(
    Type.Union([text('ISO 8601.'), Type.Literal(false), Type.Null()], {
      description: 'When the token ends; `false` for never. Two months from now unless given.',
    }),
  ),
  status: Type.Optional(
    Type.Enum([...deviceTokenStatuses], {
      description: '`active` is written to; `failed` and `revoked` are not. `active` unless given.',
    }),
  ),
  status_reason: optionalText('Why it has this status.'),
}
const bounded = `With all it says a token has at most ${deviceTokenBytesMax / 1_000} kB.`

export const DeviceTokenInput = Type.Object(
  { ...fields, token: Type.Optional(tokenText('The token; it must be the one of the path.')) },
  { title: 'DeviceTokenInput', description: `What is known about a device. ${bounded}` },
)
export type DeviceTokenInput = Static<typeof DeviceTokenInput>

export const NamedDeviceToken = Type.Object(
  { ...fields, token: tokenText('The token.') },
  { title: 'NamedDeviceToken', description: `A token and what is known about its device. ${bounded}` },
)

export const DeviceToken = Type.Object(
  {
    ...fields,
    token: Type.String({ description: 'The token.' }),
    expiry_date: Type.Union([Type.String({ description: 'ISO 8601.' }), Type.Literal(false)], {
      description: 'When the token ends; `false` for never.',
    }),
    status: Type.Enum([...deviceTokenStatuses], {
      description: '`active` is written to; `failed` and `revoked` are not.',
    }),
  },
  { title: 'DeviceToken', description: 'A device of a user.' },
)
export type DeviceToken = Static<typeof DeviceToken>

const userParams = Type.Object({ user_id: id('The user.') })
const tokenParams = Type.Object({ user_id: id('The user.'), token: tokenText('The token.') })
const user = { user_id: 'user-7' }
const one = { ...user, token: 'fcm-token-1' }
const input = { provider_key: 'firebase-fcm', device: { platform: 'android' } }
const record = {
  token: one.token,
  ...input,
  tracking: null,
  properties: null,
  expiry_date: '2026-05-01T12:00:00.000Z',
  status: 'active',
  status_reason: null,
}
const Tokens = Type.Array(NamedDeviceToken, { maxItems: deviceTokensMax, description: 'The tokens.' })

const read = { scope: 'read:user-tokens', user: 'user_id' } as const
const write = { scope: 'write:user-tokens', user: 'user_id' } as const

export default resource({
  name: 'deviceTokens',
  position: 100,
  title: 'Device tokens',
  description: 'The devices of a user, by the tokens that push providers gave them.',
  operations: [
    operation({
      id: 'deviceTokens.list',
      token: read,
      method: 'GET',
      path: '/users/:user_id/tokens',
      summary: 'List the device tokens of a user',
      description: 'The newest first.',
      params: userParams,
      replies: {
        200: Type.Object({
          tokens: Type.Array(DeviceToken, { maxItems: deviceTokensMax, description: 'The tokens.' }),
        }),
      },
      example: { params: user, reply: { tokens: [record] } },
    }),
    operation({
      id: 'deviceTokens.get',
      token: read,
      method: 'GET',
      path: '/users/:user_id/tokens/:token',
      summary: 'Get a device token',
      params: tokenParams,
      replies: { 200: DeviceToken, 404: ErrorBody },
      example: { params: one, reply: record },
    }),
    operation({
      id: 'deviceTokens.add',
      token: write,
      method: 'PUT',
      path: '/users/:user_id/tokens',
      summary: 'Store several device tokens',
      description: `Those that exist are replaced, others of the user stay. A user has at most ${deviceTokensMax}; expired ones make room. Without a body nothing changes.`,
      params: userParams,
      body: Type.Union([Tokens, Type.Object({ tokens: Tokens })]),
      bodyOptional: true,
      replies: { 204: null, 409: ErrorBody },
      example: { params: user, body: { tokens: [{ token: one.token, ...input }] } },
    }),
    operation({
      id: 'deviceTokens.put',
      token: write,
      method: 'PUT',
      path: '/users/:user_id/tokens/:token',
      summary: 'Store a device token',
      params: tokenParams,
      body: DeviceTokenInput,
      replies: { 204: null, 409: ErrorBody },
      example: { params: one, body: input },
    }),
    operation({
      id: 'deviceTokens.patch',
      token: write,
      method: 'PATCH',
      path: '/users/:user_id/tokens/:token',
      summary: 'Patch a device token',
      description: 'JSON Patch (RFC 6902) against the token as it is shown; all operations or none.',
      params: tokenParams,
      body: Type.Object({
        patch: Type.Array(PatchOperation, {
          maxItems: patchOperationsMax,
          description: 'Operations applied in order.',
        }),
      }),
      replies: { 204: null, 404: ErrorBody, 409: ErrorBody },
      example: { params: one, body: { patch: [{ op: 'replace', path: '/status', value: 'revoked' }] } },
    }),
    operation({
      id: 'deviceTokens.delete',
      token: write,
      method: 'DELETE',
      path: '/users/:user_id/tokens/:token',
      summary: 'Delete a device token',
      description: 'An unknown token succeeds as well.',
      params: tokenParams,
      replies: { 204: null },
      example: { params: one },
    }),
  ],
})
