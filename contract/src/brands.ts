/** /brands: what notifications share in look and words. */
import { Type } from 'typebox'
import { Brand, BrandCreate, BrandWrite } from './brand.ts'
import { ErrorBody } from './errors.ts'
import { id } from './json.ts'
import { brandsPage, pageMax } from './limits.ts'
import { operation } from './operation.ts'
import { Paging, pageQuery } from './paging.ts'

const params = Type.Object({ brand_id: id('The brand id.') })
const example = { brand_id: 'acme' }
const parts = {
  name: 'Acme',
  settings: {
    colors: { primary: '#9d3789' },
    email: {
      header: { barColor: '#9d3789', logo: { image: 'https://acme.example.com/logo.png' } },
      footer: { markdown: 'Acme, 1 High Street. [Help](https://acme.example.com/help)' },
    },
  },
  snippets: { items: [{ name: 'signature', value: 'Your friends at Acme', format: 'handlebars' }] },
}
const reply = {
  id: example.brand_id,
  ...parts,
  created: 1_710_334_643_000,
  updated: 1_710_334_643_000,
  published: 1_710_334_643_000,
  version: '2024-03-13T12:57:23.000Z',
  default: false,
}

export const brandOperations = [
  operation({
    id: 'brands.list',
    method: 'GET',
    path: '/brands',
    summary: 'List brands',
    description: 'Newest first.',
    token: { scope: 'read:brands' },
    query: Type.Object(pageQuery(brandsPage)),
    replies: { 200: Type.Object({ paging: Paging, results: Type.Array(Brand, { maxItems: pageMax }) }) },
    example: { reply: { paging: { more: false }, results: [reply] } },
  }),
  operation({
    id: 'brands.create',
    method: 'POST',
    path: '/brands',
    summary: 'Create a brand',
    audit: 'brand:created',
    description: 'It is not the default unless `default` is true.',
    token: { scope: 'write:brands' },
    body: BrandCreate,
    replies: { 200: Brand, 409: ErrorBody },
    example: { body: { id: example.brand_id, ...parts }, reply },
  }),
  operation({
    id: 'brands.get',
    method: 'GET',
    path: '/brands/:brand_id',
    summary: 'Get a brand',
    token: { scope: 'read:brands', narrowedBy: 'brand_id' },
    params,
    replies: { 200: Brand, 404: ErrorBody },
    example: { params: example, reply },
  }),
  operation({
    id: 'brands.replace',
    method: 'PUT',
    path: '/brands/:brand_id',
    summary: 'Replace a brand',
    audit: 'brand:updated',
    description:
      'Makes a new version that is in force at once. A part that is given is replaced whole; one that is not stays. Messages that were decided before keep the version they were decided with.',
    token: { scope: 'write:brands', narrowedBy: 'brand_id' },
    recommendedPerMinute: 200,
    params,
    body: BrandWrite,
    replies: { 200: Brand, 404: ErrorBody, 409: ErrorBody },
    example: { params: example, body: parts, reply },
  }),
  operation({
    id: 'brands.delete',
    method: 'DELETE',
    path: '/brands/:brand_id',
    summary: 'Delete a brand',
    audit: 'brand:deleted',
    description:
      'The default brand cannot be deleted: make another one the default first. What named the deleted one uses the default.',
    token: { scope: 'write:brands', narrowedBy: 'brand_id' },
    params,
    replies: { 204: null, 404: ErrorBody, 409: ErrorBody },
    example: { params: example },
  }),
] as const
