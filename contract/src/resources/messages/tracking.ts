/** /tracking: which opens and clicks are tracked; /o, /r, /t and /e: the addresses in messages that count them. */
import { Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { TrackingSettings } from '../../shapes/tracking.ts'

const params = Type.Object({
  token: Type.String({
    // A target of 2,000 characters, each of them four bytes, in base64url.
    maxLength: 12_000,
    description: 'Names the delivery, and for a link its target. It cannot be made up or changed.',
  }),
})
const common = {
  origin: 'postrider',
  access: 'open',
  calledBy: 'recipients',
  readsRawBody: true,
  params,
  example: { params: { token: 'AAFl8aKzChssPU5fYHGCk6S2AAABjjl6fvg.0mZfJ2c1nPq3x8KQv5yR7w' } },
} as const
const NotMadeHere = Type.String({
  description: 'The token is incomplete, or of another installation: a sentence for people.',
})
const settings = { email: { open: true, click: true } }

const follow = {
  ...common,
  method: 'GET',
  replies: { 302: null, 404: NotMadeHere },
  produces: 'text/plain',
} as const

const report = {
  ...common,
  method: 'POST',
  replies: { 200: Type.Object({}, { description: 'Always empty, also for an unknown token.' }) },
} as const

export default resource({
  name: 'tracking',
  position: 207,
  title: 'Tracking',
  description:
    'Opens and clicks of messages. Off until it is switched on for a channel here, for a notification, an integration or a message; it requires `POSTRIDER_PUBLIC_URL`.',
  impersonal: true,
  operations: [
    operation({
      id: 'tracking.get',
      origin: 'postrider',
      method: 'GET',
      path: '/tracking',
      summary: 'Get the tracking settings',
      replies: { 200: TrackingSettings },
      example: { reply: settings },
    }),
    operation({
      id: 'tracking.replace',
      origin: 'postrider',
      method: 'PUT',
      path: '/tracking',
      summary: 'Replace the tracking settings',
      description:
        'Messages that are rendered from now on are tracked by it. Links in messages that were sent keep working.',
      audit: 'tracking:updated',
      body: TrackingSettings,
      replies: { 200: TrackingSettings },
      example: { body: settings, reply: settings },
    }),
    operation({
      ...common,
      id: 'tracking.open',
      method: 'GET',
      path: '/o/:token',
      summary: 'Load the pixel of an email',
      description: 'Counts an open. The picture has one transparent dot, and is not cached.',
      replies: { 200: Type.String({ description: 'A GIF.' }), 404: ErrorBody },
      produces: 'image/gif',
    }),
    operation({
      ...follow,
      id: 'tracking.click',
      path: '/r/:token',
      summary: 'Follow a tracked link',
      description:
        'Counts a click, and redirects to the target in the token, also while the database is unavailable. There is no other target.',
    }),
    operation({
      ...follow,
      id: 'tracking.follow',
      path: '/t/:token',
      summary: 'Follow a tracked link by its other address',
      description: 'The same as `GET /r/:token`.',
    }),
    operation({
      ...report,
      id: 'tracking.reportUse',
      path: '/t/:token',
      summary: 'Report an event of a push at its other address',
      description: 'The same as `POST /e/:token`.',
    }),
    operation({
      ...report,
      id: 'tracking.report',
      path: '/e/:token',
      summary: 'Report an event of a push',
      description:
        'An app posts `{"event": "DELIVERED"}` to the `trackingUrl` in the data of a push; `OPENED` and `READ` count as opened, `CLICKED` as clicked. Other events and unknown tokens change nothing.',
    }),
  ],
})
