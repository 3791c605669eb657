/** Operation of a server: probes, metrics, documents, diagnostics and backups. */
import { Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { searchCharactersMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { jsonObject, Success, timestamp } from '../../api/values.ts'

const Ok = Type.Object(
  { status: Type.Literal('ok', { description: 'Always `ok`.' }) },
  { title: 'Ok', description: 'The process is alive.' },
)

const Ready = Type.Object(
  {
    status: Type.Literal('ok', { description: 'Always `ok`.' }),
    paused: Type.Optional(
      Type.Boolean({ description: 'True while deliveries are paused: sends are accepted, and nothing is sent.' }),
    ),
    paused_since: Type.Optional(timestamp('Since when they are paused; absent unless they are.')),
  },
  { title: 'Ready', description: 'The server is ready.' },
)

const Check = Type.Object(
  {
    name: Type.String({ description: 'The subject of the check.' }),
    state: Type.Enum(['ok', 'warn', 'fail', 'skip'], { description: '`skip`: there is nothing to check.' }),
    detail: Type.String({ description: 'The result, as a sentence.' }),
    hint: Type.Optional(Type.String({ description: 'The remedy.' })),
  },
  { title: 'Check', description: 'Result of one check.' },
)

const Diagnostics = Type.Object(
  { checks: Type.Array(Check, { description: 'Checks, in order of execution.' }) },
  { title: 'Diagnostics', description: 'Results of the checks of a server.' },
)

export default resource({
  name: 'service',
  position: 310,
  title: 'Service',
  description: 'Probes, metrics, documents and maintenance of a server.',
  impersonal: true,
  operations: [
    operation({
      id: 'service.livez',
      origin: 'postrider',
      method: 'GET',
      path: '/livez',
      summary: 'Check that the process is alive',
      access: 'open',
      replies: { 200: Ok },
      example: { reply: { status: 'ok' } },
    }),
    operation({
      id: 'service.readyz',
      origin: 'postrider',
      method: 'GET',
      path: '/readyz',
      summary: 'Check that the server is ready',
      description:
        'Returns 503 while the server starts or stops, or cannot reach its database or write to it, for example because its disk is full; the message has the reason.',
      access: 'open',
      replies: { 200: Ready, 503: ErrorBody },
      example: { reply: { status: 'ok' } },
    }),
    operation({
      id: 'service.metrics',
      origin: 'postrider',
      method: 'GET',
      path: '/metrics',
      summary: 'Get metrics for Prometheus',
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
      summary: 'Get the OpenAPI 3.1 document',
      access: 'open',
      replies: { 200: jsonObject('The document.') },
    }),
    operation({
      id: 'service.docs',
      origin: 'postrider',
      method: 'GET',
      path: '/docs',
      summary: 'Get the reference as a web page',
      access: 'open',
      replies: { 200: Type.String({ description: 'The page.' }) },
      produces: 'text/html',
    }),
    operation({
      id: 'service.document',
      origin: 'postrider',
      method: 'GET',
      path: '/docs/:name',
      summary: 'Get a guide, a picture of one or a file of the reference page',
      description:
        'Guides are listed on `/docs/guides`; `/docs/plain` is the reference without scripts; `/docs/search` searches all of them.',
      access: 'open',
      params: Type.Object({ name: Type.String({ description: 'Name of the guide, such as `sending`.' }) }),
      query: Type.Object({
        q: Type.Optional(
          Type.String({ maxLength: searchCharactersMax, description: 'Words to search for; only on `/docs/search`.' }),
        ),
      }),
      replies: { 200: Type.String({ description: 'The document.' }), 404: ErrorBody },
      produces: 'text/html, text/javascript, text/css, image/png, image/webp',
      example: { params: { name: 'sending' } },
    }),
    operation({
      id: 'service.diagnostics',
      method: 'GET',
      path: '/diagnostics',
      summary: 'Run the checks of a server',
      description:
        'Checks the process and each enabled integration of the environment from this server: by signing in, by an authorized request without side effects or, where every request has a side effect, by opening a connection. Nothing is sent. Looks up the DNS records of the domains of their senders, at most 20: MX, SPF, DKIM and DMARC, and PTR for mail servers. Takes a few seconds.',
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
      id: 'service.pause',
      origin: 'postrider',
      method: 'POST',
      path: '/pause',
      summary: 'Pause deliveries',
      description:
        'Pauses deliveries of every environment on every node, until `POST /resume`, also over restarts. Calls are answered and sends are accepted; no message, webhook, run of an automation, schedule or digest starts. Provider calls in progress end: the reply comes when they have, or after a second. The time limits of messages go on. A pause that exists stays as it is. Requires a `published` key of the production environment.',
      audit: 'deliveries:paused',
      replies: { 200: Success },
      example: { reply: { status: 'SUCCESS' } },
    }),
    operation({
      id: 'service.resume',
      method: 'POST',
      path: '/resume',
      summary: 'Resume deliveries after a pause',
      description:
        'Resumes deliveries on every node after `POST /pause` or `postrider serve --paused`. Requires a `published` key of the production environment. No effect if deliveries are not paused.',
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
        'Returns a gzipped tar archive of the database folder at one point in time, with every environment. Requires a `published` key of the production environment. Returns 400 if the database is set by `POSTRIDER_DATABASE_URL`: use `pg_dump` instead.',
      audit: 'database:copied',
      replies: { 200: Type.String({ description: 'The archive.' }), 400: ErrorBody },
      produces: 'application/gzip',
    }),
  ],
})
