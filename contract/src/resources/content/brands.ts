/** /brands: appearance, footer and snippets that notifications share. */

import { type Static, type TSchema, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax, textCharactersMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { localePattern, snippetNamePattern } from '../../api/patterns.ts'
import { resource } from '../../api/resource.ts'
import { id, name, nullable, optionalObject, timestamp } from '../../api/values.ts'
import { ContentInput } from '../../shapes/content.ts'

/** Settings and snippets of a brand, as JSON: a footer, a style and some texts. Versions in use are cached in memory. */
export const brandBytesMax = 100_000
/** Snippets of one brand. */
export const snippetsMax = 100
export const brandsPage = 50

/** Can be absent or null, as clients send it. */
const optional = <S extends TSchema>(schema: S) => Type.Optional(nullable(schema))
const color = (description: string) => optional(Type.String({ maxLength: 64, description }))
const url = (description: string) => optional(Type.String({ maxLength: textCharactersMax, description }))
const markup = (description: string) => optional(Type.String({ maxLength: brandBytesMax, description }))
const inherit = optional(Type.Boolean({ description: 'Stored for other clients, without effect.' }))
const social = (where: string) =>
  optional(
    Type.Object({ url: url(`URL of the brand on ${where}.`) }, { description: `Profile of the brand on ${where}.` }),
  )

const Colors = Type.Object(
  {
    primary: color('Color of buttons and links.'),
    secondary: color('Secondary color, for templates that use it.'),
    tertiary: color('Tertiary color, for templates that use it.'),
  },
  { description: 'Colors: a CSS color name, `#rgb`, `#rrggbb` or `rgb(…)`; other values are refused.' },
)

const Header = Type.Object(
  {
    barColor: color('Color of the bar at the top of an email. Default: no bar.'),
    logo: optional(
      Type.Object(
        {
          image: url('URL of the image.'),
          darkImage: url('URL of the image for dark screens. Default: `image`, on a light background.'),
          width: optional(Type.Integer({ minimum: 1, maximum: 536, description: 'Width in pixels. Default: 160.' })),
          href: url('Target URL.'),
        },
        { description: 'Logo at the top of an email.' },
      ),
    ),
    inheritDefault: inherit,
  },
  { description: 'Header of an email.' },
)

const Footer = Type.Object(
  {
    markdown: markup('Markdown below the content of an email; variables are interpolated.'),
    content: markup('Newer name of `markdown`, which takes precedence.'),
    social: optional(
      Type.Object(
        {
          facebook: social('Facebook'),
          instagram: social('Instagram'),
          linkedin: social('LinkedIn'),
          medium: social('Medium'),
          twitter: social('Twitter'),
        },
        { description: 'Social links below the footer.' },
      ),
    ),
    inheritDefault: inherit,
  },
  { description: 'Footer of an email.' },
)

const surfaces = {
  backgroundColor: color('Color around the card.'),
  cardColor: color('Color behind the content.'),
  borderColor: color('Color of the border of the card, and of lines.'),
  textColor: color('Color of texts and headings.'),
}

const Theme = Type.Object(
  {
    ...surfaces,
    fontFamily: optional(
      Type.String({
        maxLength: 200,
        description: 'Fonts in order of preference, as in CSS: `Georgia, serif`. Default: the font of the system.',
      }),
    ),
    borderRadius: optional(
      Type.Integer({
        minimum: 0,
        maximum: 32,
        description: 'Radius of the card and of buttons in pixels. Default: 8.',
      }),
    ),
    align: optional(
      Type.Enum(['left', 'center', 'right'], {
        description:
          'Alignment of every part that has none of its own. Default: texts at the start, the rest centered.',
      }),
    ),
    colorScheme: optional(
      Type.Enum(['auto', 'light'], { description: '`light`: no dark version on dark screens. Default: `auto`.' }),
    ),
    dark: optional(
      Type.Object(
        { primaryColor: color('Color of buttons and links.'), ...surfaces },
        { description: 'Colors on dark screens. Default: dark colors, with a readable version of the primary color.' },
      ),
    ),
  },
  { description: 'Colors, font and shape of emails.' },
)

const Head = Type.Object(
  { content: markup('Markup for the `<head>` of an email, such as a `<style>`.'), inheritDefault: inherit },
  { description: 'Head of the HTML document of an email.' },
)

export const BrandSettings = Type.Object(
  {
    colors: optional(Colors),
    email: optional(
      Type.Object(
        {
          header: optional(Header),
          footer: optional(Footer),
          head: optional(Head),
          theme: optional(Theme),
          locale: optional(
            Type.String({
              pattern: localePattern,
              maxLength: 48,
              description:
                'Locale of texts without translations: the `lang` of an email to a recipient without a locale. Default: no `lang`.',
            }),
          ),
          templateOverride: optionalObject('MJML layout, stored for other clients, without effect.'),
        },
        { description: 'Appearance of emails.' },
      ),
    ),
    inapp: optionalObject('Appearance of in-app inboxes, stored for clients.'),
  },
  {
    title: 'BrandSettings',
    description:
      'Appearance of a brand. Unknown fields are refused; fields stored for other clients can have any value.',
  },
)

export const BrandSnippets = Type.Object(
  {
    items: optional(
      Type.Array(
        Type.Object({
          name: Type.String({
            pattern: snippetNamePattern,
            description: 'Name: letters, digits, `_` and `-`, at most 64.',
          }),
          value: Type.String({ maxLength: brandBytesMax, description: 'Content of the snippet.' }),
          format: Type.Optional(Type.Literal('handlebars', { description: 'Always `handlebars`.' })),
        }),
        { maxItems: snippetsMax, description: 'Snippets.' },
      ),
    ),
  },
  { title: 'BrandSnippets', description: 'Reusable content that a template includes as `{{>name}}`.' },
)

const isDefault = Type.Optional(
  Type.Boolean({
    description: 'True makes the brand the default of the workspace; false or absent leaves the default unchanged.',
  }),
)

export const BrandWrite = Type.Object(
  {
    name: name('Display name.'),
    settings: optional(BrandSettings),
    snippets: optional(BrandSnippets),
    default: isDefault,
  },
  { title: 'BrandWrite', description: 'A brand, in a request to replace it; absent or null parts are unchanged.' },
)

export const BrandCreate = Type.Object(
  {
    id: optional(id('Your own id. Default: a generated id.')),
    name: name('Display name.'),
    settings: nullable(BrandSettings),
    snippets: optional(BrandSnippets),
    default: isDefault,
  },
  { title: 'BrandCreate', description: 'A brand, in a request to create it.' },
)

export const Brand = Type.Object(
  {
    id: Type.String({ description: 'The brand id.' }),
    name: name('Display name.'),
    created: timestamp('Time of creation.'),
    updated: timestamp('Time of the last change.'),
    published: timestamp('Time this version took effect: that of the last change.'),
    settings: BrandSettings,
    snippets: BrandSnippets,
    version: Type.String({ description: 'Current version: its time of creation, in ISO 8601.' }),
    default: Type.Boolean({ description: 'Whether messages without a brand use it.' }),
  },
  { title: 'Brand', description: 'The current version of a brand.' },
)
export type Brand = Static<typeof Brand>

export const BrandPreview = Type.Object(
  {
    subject: Type.String({ description: 'Subject of the email.' }),
    html: Type.String({ description: 'Complete HTML document.' }),
    text: Type.String({ description: 'The email as plain text.' }),
    warnings: Type.Array(Type.String(), {
      description: 'Parts of the content that are not rendered as written, and an email larger than Gmail shows.',
    }),
  },
  { title: 'BrandPreview', description: 'An email with the appearance of a brand.' },
)

const params = Type.Object({ brand_id: id('The brand id.') })
const example = { brand_id: 'acme' }
const parts = {
  name: 'Acme',
  settings: {
    colors: { primary: '#9d3789' },
    email: {
      header: { barColor: '#9d3789', logo: { image: 'https://acme.example.com/logo.png' } },
      theme: { backgroundColor: '#fdf4fb', borderRadius: 12 },
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
  description: 'Appearance that notifications share: colors, logo, footer, snippets.',
  role: 'editor',
  impersonal: true,
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
      description: 'The brand is not the default unless `default` is true.',
      token: { scope: 'write:brands' },
      body: BrandCreate,
      replies: { 200: Brand, 409: ErrorBody },
      example: { body: { id: example.brand_id, ...parts }, reply },
    }),
    operation({
      id: 'brands.preview',
      origin: 'postrider',
      method: 'POST',
      path: '/brands/preview',
      access: 'key',
      summary: 'Render an email with a brand without storing it',
      description: 'Settings and content are checked as a write checks them. Nothing is stored and nothing is sent.',
      body: Type.Object(
        {
          name: name('Display name, which stands for a logo that is not shown.'),
          settings: optional(BrandSettings),
          snippets: optional(BrandSnippets),
          content: ContentInput,
          data: optionalObject('Values of the template variables.'),
          locale: optional(Type.String({ maxLength: 64, description: 'Locale of the recipient: `de-AT`.' })),
        },
        { additionalProperties: false },
      ),
      replies: { 200: BrandPreview },
      example: {
        body: { ...parts, content: { title: 'Welcome, {name}', body: 'Good to see you.' }, data: { name: 'Ada' } },
        reply: {
          subject: 'Welcome, Ada',
          html: '<!doctype html><html>…</html>',
          text: 'Good to see you.\n\nAcme, 1 High Street. Help (https://acme.example.com/help)',
          warnings: [],
        },
      },
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
        'Creates a new version that takes effect immediately. Parts that are present are replaced as a whole; absent parts are unchanged. Messages that are already decided keep their version.',
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
        'The default brand cannot be deleted: make another brand the default first. Notifications and sends with the deleted brand use the default.',
      token: { scope: 'write:brands', narrowedBy: 'brand_id' },
      params,
      replies: { 204: null, 404: ErrorBody, 409: ErrorBody },
      example: { params: example },
    }),
  ],
})
