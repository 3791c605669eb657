/** What a server says about itself: alive, ready, its figures and its documents; and the copy it gives of its database. */
import { Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { jsonObject, Success } from '../../api/values.ts'

const Ok = Type.Object(
  { status: Type.Literal('ok', { description: 'Always `ok`.' }) },
  { title: 'Ok', description: 'All is well.' },
)

const Ready = Type.Object(
  {
    status: Type.Literal('ok', { description: 'Always `ok`.' }),
    paused: Type.Optional(
      Type.Boolean({ description: '`true` while deliveries are paused: calls are taken, and nothing is sent.' }),
    ),
  },
  { title: 'Ready', description: 'It takes calls.' },
)

const Check = Type.Object(
  {
    name: Type.String({ description: 'The subject of the check.' }),
    state: Type.Enum(['ok', 'warn', 'fail', 'skip'], { description: '`skip`: there is nothing to check.' }),
    detail: Type.String({ description: 'The result, as a sentence.' }),
    hint: Type.Optional(Type.String({ description: 'The remedy.' })),
  },
  { title: 'Check', description: 'One finding.' },
)

const Diagnostics = Type.Object(
  { checks: Type.Array(Check, { description: 'In the order in which they were made.' }) },
  { title: 'Diagnostics', description: 'Results of the checks that a server runs on itself.' },
)

export default resource({
  name: 'service',
  position: 310,
  title: 'Service',
  description: 'The server about itself.',
  operations: [
    operation({
      id: 'service.livez',
      origin: 'postrider',
      method: 'GET',
      path: '/livez',
      summary: 'Is the process alive?',
      access: 'open',
      replies: { 200: Ok },
      example: { reply: { status: 'ok' } },
    }),
    operation({
      id: 'service.readyz',
      origin: 'postrider',
      method: 'GET',
      path: '/readyz',
      summary: 'Can it take work?',
      description:
        '503 while it starts, stops, cannot reach its database or cannot write to it, for example because its disk is full; the message says which.',
      access: 'open',
      replies: { 200: Ready, 503: ErrorBody },
      example: { reply: { status: 'ok' } },
    }),
    operation({
      id: 'service.metrics',
      origin: 'postrider',
      method: 'GET',
      path: '/metrics',
      summary: 'Figures for Prometheus',
      description:
        'A key is required unless the caller is a program on the same machine: from a loopback address, with a loopback `Host`, and without headers of a browser (`Origin`, `Referer`, `Sec-Fetch-Site`) or a proxy (`Forwarded`, `X-Forwarded-For`, `X-Real-Ip`, `Via`). Pages of other origins cannot read it.',
      replies: { 200: Type.String({ description: 'The Prometheus text format.' }) },
      produces: 'text/plain',
    }),
    operation({
      id: 'service.openapi',
      origin: 'postrider',
      method: 'GET',
      path: '/openapi.json',
      summary: 'This API as OpenAPI 3.1',
      access: 'open',
      replies: { 200: jsonObject('The document.') },
    }),
    operation({
      id: 'service.docs',
      origin: 'postrider',
      method: 'GET',
      path: '/docs',
      summary: 'This reference as a web page',
      access: 'open',
      replies: { 200: Type.String({ description: 'The page.' }) },
      produces: 'text/html',
    }),
    operation({
      id: 'service.document',
      origin: 'postrider',
      method: 'GET',
      path: '/docs/:name',
      summary: 'A guide, or a file of the reference page',
      description: 'Guides are listed on `/docs/guides`; `/docs/plain` is the reference without scripts.',
      access: 'open',
      params: Type.Object({ name: Type.String({ description: 'Name of the guide, such as `sending`.' }) }),
      replies: { 200: Type.String({ description: 'The document.' }), 404: ErrorBody },
      produces: 'text/html, text/javascript, text/css',
      example: { params: { name: 'sending' } },
    }),
    operation({
      id: 'service.diagnostics',
      method: 'GET',
      path: '/diagnostics',
      summary: 'Run the checks of a server',
      description:
        'Checks the process and each enabled integration of the environment, from this server: it signs in, or makes an authorized call that changes nothing, or opens a connection where every request would mean something. Nothing is sent.',
      access: 'published',
      replies: { 200: Diagnostics },
      example: {
        reply: {
          checks: [
            { name: 'open files', state: 'ok', detail: '65536 at once' },
            {
              name: 'provider smtp (email, Local mail)',
              state: 'fail',
              detail: '127.0.0.1:2525: 535 5.7.8 Authentication failed',
              hint: 'Look at the credentials in its settings.',
            },
          ],
        },
      },
    }),
    operation({
      id: 'service.resume',
      method: 'POST',
      path: '/resume',
      summary: 'Deliver again after a paused start',
      description:
        'Ends what `postrider serve --paused` began: from now on every node delivers what waits. Only for a `published` key of the production environment. Nothing changes when deliveries are not paused.',
      audit: 'deliveries:resumed',
      replies: { 200: Success },
      example: { reply: { status: 'SUCCESS' } },
    }),
    operation({
      id: 'service.backup',
      origin: 'postrider',
      method: 'POST',
      path: '/backup',
      summary: 'Copy the local database while it runs',
      description:
        'A gzipped tar of the database folder, as it is at one moment, with every environment in it. Only for a `published` key of the production environment. 400 when `POSTRIDER_DATABASE_URL` names the server: use `pg_dump` there.',
      replies: { 200: Type.String({ description: 'The archive.' }), 400: ErrorBody },
      produces: 'application/gzip',
    }),
  ],
})
