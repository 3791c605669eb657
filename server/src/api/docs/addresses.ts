/** Redirects addresses of guides as a code host has them to the pages of the server. */
import type { FastifyInstance } from 'fastify'
import { write } from '../call.ts'
import { pathOf } from '../public-url.ts'
import { pageNames } from './guide-pages.ts'

export function redirectGuides(server: FastifyInstance, publicUrl: string): void {
  const config = { cors: false, sameOrigin: true }
  server.get<{ Params: { name: string } }>('/docs/guides/:name', { config }, ({ params }, reply) => {
    const name = params.name.replace(/\.md$/, '')
    if (!pageNames().has(name)) return reply.callNotFound()
    return write(reply, { status: 308, headers: { location: `${pathOf(publicUrl)}/docs/${name}` } })
  })
}
