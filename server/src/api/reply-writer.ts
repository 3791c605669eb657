/** Writes a reply: bare `application/json` for JSON, nothing at all for an empty one. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Reply } from './call.ts'

const asItIs = (text: unknown) => text as string

export function write(reply: FastifyReply, { status, body, raw, headers }: Reply): FastifyReply {
  reply.code(status)
  if (headers) reply.headers(headers)
  // A serializer would be given a stream as well.
  if (raw?.content instanceof Readable) return reply.type(raw.mediaType).send(raw.content)
  if (raw) return reply.serializer(asItIs).type(raw.mediaType).send(raw.content)
  if (body === undefined) return reply.send()
  // Old clients read nothing that says `; charset=utf-8`; with a serializer of its own the framework adds no charset.
  return reply.header('content-type', 'application/json').serializer(asItIs).send(JSON.stringify(body))
}
