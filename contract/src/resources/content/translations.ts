/** /translations: gettext catalogs that templates are translated by. */
import { Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { localePattern } from '../../api/patterns.ts'
import { resource } from '../../api/resource.ts'
import { timestamp } from '../../api/values.ts'

/** A gettext catalog of some ten thousand entries. */
export const translationCharactersMax = 1_000_000

const params = Type.Object({
  domain: Type.Literal('default', { description: 'Always `default`.' }),
  locale: Type.String({
    pattern: localePattern,
    description: 'A locale: `de`, `pt-BR`; `default` for every locale.',
  }),
})
const catalog = Type.String({ maxLength: translationCharactersMax, description: 'Catalog in PO format.' })

const Summary = Type.Object(
  {
    domain: Type.String({ description: 'Always `default`.' }),
    locale: Type.String({ description: 'Locale of the catalog.' }),
    characters: Type.Integer({ description: 'Length of the catalog.' }),
    updated: timestamp('Time of the last change.'),
  },
  { title: 'TranslationSummary', description: 'A catalog without its content.' },
)

const Report = Type.Object(
  {
    entries: Type.Integer({ description: 'Texts with a translation.' }),
    problems: Type.Array(Type.String(), {
      description: 'Lines that cannot be read, each with its reason. The entries around them are used.',
    }),
    warnings: Type.Array(Type.String(), {
      description: 'Parts of the header that are not used, and what is used instead.',
    }),
  },
  { title: 'TranslationReport', description: 'The contents of a catalog.' },
)

const example = { domain: 'default', locale: 'de' }
const text = 'msgid "Hello"\nmsgstr "Hallo"\n'

export default resource({
  name: 'translations',
  position: 240,
  title: 'Translations',
  description: 'Gettext catalogs by locale, which translate the texts of `{{t "…"}}` in templates and brands.',
  role: 'editor',
  impersonal: true,
  operations: [
    operation({
      id: 'translations.list',
      origin: 'postrider',
      method: 'GET',
      path: '/translations',
      summary: 'List translations',
      description: 'All catalogs, by locale, without their content.',
      replies: {
        200: Type.Object({ results: Type.Array(Summary, { description: 'The catalogs.' }) }),
      },
      example: {
        reply: { results: [{ domain: 'default', locale: 'de', characters: 29, updated: 1_767_225_600_000 }] },
      },
    }),
    operation({
      id: 'translations.inspect',
      origin: 'postrider',
      method: 'POST',
      path: '/translations/inspect',
      access: 'key',
      summary: 'Check translations',
      description: 'Reads a catalog as templates will read it, and stores nothing.',
      body: Type.Object({
        locale: Type.Optional(params.properties.locale),
        content: catalog,
      }),
      replies: { 200: Report },
      example: {
        body: { locale: 'de', content: 'msgid "Hello"\nmsgstr "Hallo"\nmsgid Bye\n' },
        reply: {
          entries: 1,
          problems: ['line 3: `msgid Bye` is neither a keyword with a string in quotes nor a comment'],
          warnings: [],
        },
      },
    }),
    operation({
      id: 'translations.get',
      method: 'GET',
      path: '/translations/:domain/:locale',
      summary: 'Get the translations of a locale',
      description: 'Returns the catalog as one JSON string.',
      params,
      replies: { 200: catalog, 404: ErrorBody },
      example: { params: example, reply: text },
    }),
    operation({
      id: 'translations.put',
      method: 'PUT',
      path: '/translations/:domain/:locale',
      summary: 'Replace the translations of a locale',
      description:
        'The body is a JSON string or plain text, stored as it is. Templates use it within a second. A line that cannot be read is skipped; `POST /translations/inspect` reports it.',
      audit: 'translation:updated',
      params,
      body: catalog,
      acceptsText: true,
      replies: { 204: null },
      example: { params: example, body: text },
    }),
    operation({
      id: 'translations.delete',
      origin: 'postrider',
      method: 'DELETE',
      path: '/translations/:domain/:locale',
      summary: 'Delete the translations of a locale',
      description: 'Later messages are translated by the less specific catalogs, or not at all.',
      audit: 'translation:deleted',
      params,
      replies: { 204: null, 404: ErrorBody },
      example: { params: example },
    }),
  ],
})
