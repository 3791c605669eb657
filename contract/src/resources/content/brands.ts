/** /brands: what notifications share in look and words. */
import { type Static, type TSchema, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax, textCharactersMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, moment, name, nullable, optionalObject } from '../../api/values.ts'

/** Settings and snippets of a brand, as JSON: a footer, a style and some texts. Versions in use are kept in memory. */
export const brandBytesMax = 100_000
/** Snippets of one brand. */
export const snippetsMax = 100
export const brandsPage = 50

/** May be left out or sent as null, as clients do. */
const maybe = <S extends TSchema>(schema: S) => Type.Optional(nullable(schema))
const color = (description: string) => maybe(Type.String({ maxLength: 64, description }))
const address = (description: string) => maybe(Type.String({ maxLength: textCharactersMax, description }))
const words = (description: string) => maybe(Type.String({ maxLength: brandBytesMax, description }))
const inherit = maybe(Type.Boolean({ description: 'Kept for other clients; it changes nothing here.' }))
const social = (where: string) =>
  maybe(Type.Object({ url: address(`The address on ${where}.`) }, { description: `The brand on ${where}.` }))

const Colors = Type.Object(
  {
    primary: color('Buttons and links: a name, `#rrggbb` or `rgb(…)`.'),
    secondary: color('A second colour, for templates that name it.'),
    tertiary: color('A third colour, for templates that name it.'),
  },
  { description: 'Colors: a name of CSS, `#rgb`, `#rrggbb` or `rgb(…)`; anything else is refused.' },
)

const Header = Type.Object(
  {
    barColor: color('Colour of the bar at the top of a mail; without it there is none.'),
    logo: maybe(
      Type.Object(
        { image: address('Address of the picture.'), href: address('Where it leads.') },
        { description: 'The picture at the top of a mail.' },
      ),
    ),
    inheritDefault: inherit,
  },
  { description: 'The top of a mail.' },
)

const Footer = Type.Object(
  {
    markdown: words('Markdown below the words of a mail; variables are filled in.'),
    content: words('The same under its later name; `markdown` wins.'),
    social: maybe(
      Type.Object(
        {
          facebook: social('Facebook'),
          instagram: social('Instagram'),
          linkedin: social('LinkedIn'),
          medium: social('Medium'),
          twitter: social('Twitter'),
        },
        { description: 'Links below the footer.' },
      ),
    ),
    inheritDefault: inherit,
  },
  { description: 'The foot of a mail.' },
)

const Head = Type.Object(
  { content: words('Markup for the `<head>` of a mail, such as a `<style>`.'), inheritDefault: inherit },
  { description: 'What no reader sees.' },
)

export const BrandSettings = Type.Object(
  {
    colors: maybe(Colors),
    email: maybe(
      Type.Object(
        {
          header: maybe(Header),
          footer: maybe(Footer),
          head: maybe(Head),
          templateOverride: optionalObject('A frame in MJML. It is kept for other clients and not used here.'),
        },
        { description: 'What mails look like.' },
      ),
    ),
    inapp: optionalObject('What inboxes in an application look like; kept for them.'),
  },
  {
    title: 'BrandSettings',
    description:
      'The appearance of a brand. Unknown fields are refused; those kept for other clients may hold anything.',
  },
)

export const BrandSnippets = Type.Object(
  {
    items: maybe(
      Type.Array(
        Type.Object({
          name: Type.String({
            pattern: '^[A-Za-z_][\\w-]{0,63}$',
            description: 'Letters, digits, `_` and `-`; at most 64.',
          }),
          value: Type.String({ maxLength: brandBytesMax, description: 'The words it stands for.' }),
          format: Type.Optional(Type.Literal('handlebars', { description: 'Always `handlebars`.' })),
        }),
        { maxItems: snippetsMax, description: 'The snippets.' },
      ),
    ),
  },
  { title: 'BrandSnippets', description: 'Words that a template names as `{{>name}}`.' },
)

const isDefault = Type.Optional(
  Type.Boolean({
    description:
      'True makes it the default of the workspace, in place of the one before; false and absent leave that as it is.',
  }),
)

export const BrandWrite = Type.Object(
  {
    name: name('Name for people.'),
    settings: maybe(BrandSettings),
    snippets: maybe(BrandSnippets),
    default: isDefault,
  },
  { title: 'BrandWrite', description: 'A brand as it is replaced: parts that are absent or null stay as they are.' },
)

export const BrandCreate = Type.Object(
  {
    id: maybe(id('An id of your own; without it one is made.')),
    name: name('Name for people.'),
    settings: nullable(BrandSettings),
    snippets: maybe(BrandSnippets),
    default: isDefault,
  },
  { title: 'BrandCreate', description: 'A brand as it is created.' },
)

export const Brand = Type.Object(
  {
    id: Type.String({ description: 'The brand id.' }),
    name: name('Name for people.'),
    created: moment('When it was created.'),
    updated: moment('When it last changed.'),
    published: moment('When this version came into force: at its last change.'),
    settings: BrandSettings,
    snippets: BrandSnippets,
    version: Type.String({ description: 'The version in force: the moment it was made, in ISO 8601.' }),
    default: Type.Boolean({ description: 'Whether messages without a brand of their own use it.' }),
  },
  { title: 'Brand', description: 'A brand in the version in force.' },
)
export type Brand = Static<typeof Brand>

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

export default resource({
  name: 'brands',
  position: 230,
  title: 'Brands',
  description: 'What notifications share: colours, logo, footer, snippets.',
  operations: [
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
  ],
})
