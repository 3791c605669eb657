/** /translations: gettext catalogues, kept as they were given. */
import { Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'

/** A gettext catalogue of some ten thousand entries. */
export const translationCharactersMax = 1_000_000

const params = Type.Object({
  domain: Type.Literal('default', { description: 'The only domain there is: `default`.' }),
  locale: Type.String({
    pattern: '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}$',
    description: 'A locale: `de`, `pt-BR`.',
  }),
})
const catalogue = Type.String({ maxLength: translationCharactersMax, description: 'The catalogue in the PO format.' })
const example = { domain: 'default', locale: 'de' }
const text = 'msgid "Hello"\nmsgstr "Hallo"\n'

export default resource({
  name: 'translations',
  position: 240,
  title: 'Translations',
  description: 'Catalogues of translated words, by locale.',
  operations: [
    operation({
      id: 'translations.get',
      method: 'GET',
      path: '/translations/:domain/:locale',
      summary: 'Get the translations of a locale',
      description: 'The catalogue as one JSON string.',
      params,
      replies: { 200: catalogue, 404: ErrorBody },
      example: { params: example, reply: text },
    }),
    operation({
      id: 'translations.put',
      method: 'PUT',
      path: '/translations/:domain/:locale',
      summary: 'Replace the translations of a locale',
      description:
        'The body is a JSON string or the text itself. Catalogues are kept for clients; templates are translated by `locales` of their elements.',
      params,
      body: catalogue,
      acceptsText: true,
      replies: { 204: null },
      example: { params: example, body: text },
    }),
  ],
})
