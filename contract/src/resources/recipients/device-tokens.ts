/** /users/:user_id/tokens: tokens of the devices of a user, issued by push providers. */

import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { visibleAsciiPattern } from '../../api/patterns.ts'
import { resource } from '../../api/resource.ts'
import { id, nullable, optionalObject, text } from '../../api/values.ts'
import { PatchOperation, patchOperationsMax } from '../../shapes/patch.ts'

/** The longest tokens of push providers have some 250 characters; bytes, so that user and token fit an index entry. */
export const deviceTokenCharactersMax = 512
/** Device tokens of one user; they are listed without pages. */
export const deviceTokensMax = 100
/** One device token with its device, as JSON. */
export const deviceTokenBytesMax = 16_000
/** Two months, as in the public API: an app in use registers again within that time. */
export const deviceTokenLifetimeMs = 61 * 86_400_000

export const deviceTokenProviders = ['apn', 'firebase-fcm', 'expo', 'onesignal', 'web-push'] as const
export const deviceTokenStatuses = ['active', 'unknown', 'failed', 'revoked'] as const

const tokenText = (description: string) =>
  Type.String({ minLength: 1, maxLength: deviceTokenCharactersMax, pattern: visibleAsciiPattern, description })
const optionalText = (description: string) => Type.Optional(nullable(text(description)))

const Device = Type.Object(
  {
    app_id: optionalText('App id.'),
    ad_id: optionalText('Advertising id.'),
    device_id: optionalText('Device id.'),
    platform: optionalText('Platform: `ios`.'),
    manufacturer: optionalText('Manufacturer.'),
    model: optionalText('Model.'),
  },
  { title: 'Device', description: 'The device.' },
)

const Tracking = Type.Object(
  {
    os_version: optionalText('Version of the operating system.'),
    ip: optionalText('IP address.'),
    lat: optionalText('Latitude.'),
    long: optionalText('Longitude.'),
  },
  { title: 'Tracking', description: 'Data sent by the device at registration.' },
)

const fields = {
  provider_key: Type.Enum([...deviceTokenProviders], { description: 'Push provider that issued the token.' }),
  device: Type.Optional(nullable(Device)),
  tracking: Type.Optional(nullable(Tracking)),
  properties: optionalObject('Custom properties.'),
  expiry_date: Type.Optional(
    Type.Union([text('ISO 8601.'), Type.Literal(false), Type.Null()], {
      description: 'Expiry of the token; `false` for never. Default: 61 days from now.',
    }),
  ),
  status: Type.Optional(
    Type.Enum([...deviceTokenStatuses], {
      description: 'Status; `failed` and `revoked` tokens are not used. Default: `active`.',
    }),
  ),
  status_reason: optionalText('Reason for the status.'),
}
const bounded = `A token with all of its fields has at most ${deviceTokenBytesMax / 1_000} kB.`

export const DeviceTokenInput = Type.Object(
  { ...fields, token: Type.Optional(tokenText('The token; it must equal the token in the path.')) },
  { title: 'DeviceTokenInput', description: `A device token, in a request. ${bounded}` },
)
export type DeviceTokenInput = Static<typeof DeviceTokenInput>

export const NamedDeviceToken = Type.Object(
  { ...fields, token: tokenText('The token.') },
  { title: 'NamedDeviceToken', description: `A device token, in a request for several. ${bounded}` },
)

export const DeviceToken = Type.Object(
  {
    ...fields,
    token: Type.String({ description: 'The token.' }),
    expiry_date: Type.Union([Type.String({ description: 'ISO 8601.' }), Type.Literal(false)], {
      description: 'Expiry of the token; `false` for never.',
    }),
    status: Type.Enum([...deviceTokenStatuses], {
      description: 'Status; `failed` and `revoked` tokens are not used.',
    }),
  },
  { title: 'DeviceToken', description: 'A device token of a user.' },
)
export type DeviceToken = Static<typeof DeviceToken>

const userParams = Type.Object({ user_id: id('The user id.') })
const tokenParams = Type.Object({ user_id: id('The user id.'), token: tokenText('The token.') })
const user = { user_id: 'user-7' }
const exampleToken = { ...user, token: 'fcm-token-1' }
const input = { provider_key: 'firebase-fcm', device: { platform: 'android' } }
const record = {
  token: exampleToken.token,
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
  description: 'Tokens of the devices of a user, issued by push providers.',
  operations: [
    operation({
      id: 'deviceTokens.list',
      token: read,
      method: 'GET',
      path: '/users/:user_id/tokens',
      summary: 'List the device tokens of a user',
      description: 'Newest first.',
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
      example: { params: exampleToken, reply: record },
    }),
    operation({
      id: 'deviceTokens.add',
      token: write,
      method: 'PUT',
      path: '/users/:user_id/tokens',
      summary: 'Store several device tokens',
      description: `Replaces tokens that exist; other tokens of the user are unchanged. A user has at most ${deviceTokensMax}; expired tokens do not count. Without a body nothing changes.`,
      params: userParams,
      body: Type.Union([Tokens, Type.Object({ tokens: Tokens })]),
      bodyOptional: true,
      replies: { 204: null, 409: ErrorBody },
      example: { params: user, body: { tokens: [{ token: exampleToken.token, ...input }] } },
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
      example: { params: exampleToken, body: input },
    }),
    operation({
      id: 'deviceTokens.patch',
      token: write,
      method: 'PATCH',
      path: '/users/:user_id/tokens/:token',
      summary: 'Patch a device token',
      description: 'JSON Patch (RFC 6902) against the token as returned; all operations or none.',
      params: tokenParams,
      body: Type.Object({
        patch: Type.Array(PatchOperation, {
          maxItems: patchOperationsMax,
          description: 'Operations, applied in order.',
        }),
      }),
      replies: { 204: null, 404: ErrorBody, 409: ErrorBody },
      example: { params: exampleToken, body: { patch: [{ op: 'replace', path: '/status', value: 'revoked' }] } },
    }),
    operation({
      id: 'deviceTokens.delete',
      token: write,
      method: 'DELETE',
      path: '/users/:user_id/tokens/:token',
      summary: 'Delete a device token',
      description: 'Unknown tokens succeed.',
      params: tokenParams,
      replies: { 204: null },
      example: { params: exampleToken },
    }),
  ],
})
