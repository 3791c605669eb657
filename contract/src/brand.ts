/** A brand as it is written and read: colours, the head and foot of a mail, snippets. */
import { type Static, type TSchema, Type } from 'typebox'
import { id, moment, name, nullable, optionalObject } from './json.ts'
import { brandBytesMax, snippetsMax, textCharactersMax } from './limits.ts'

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
