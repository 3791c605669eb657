/** /translations: gettext catalogs, stored unchanged. */
import { Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'

/** A gettext catalog of some ten thousand entries. */
export const translationCharactersMax = 1_000_000

const params = Type.Object({
  domain: Type.Literal('default', { description: 'Always `default`.' }),
  locale: Type.String({
    pattern: '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}$',
    description: 'A locale: `de`, `pt-BR`.',
  }),
})
const catalog = Type.String({ maxLength: translationCharactersMax, description: 'Catalog in PO format.' })
const example = { domain: 'default', locale: 'de' }
const text = 'msgid "Hello"\nmsgstr "Hallo"\n'

export default resource({
  name: 'translations',
  position: 240,
  title: 'Translations',
  description: 'Catalogs of translated texts, by locale.',
  operations: [
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
        'The body is a JSON string or plain text. Catalogs are stored for clients; templates are translated by `locales` of their elements.',
      params,
      body: catalog,
      acceptsText: true,
      replies: { 204: null },
      example: { params: example, body: text },
    }),
  ],
})
