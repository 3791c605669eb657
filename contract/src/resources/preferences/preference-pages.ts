/** /u and /p: the pages that links in messages lead to. */
import { Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'

/** A user id of 512 characters of four bytes, a tenant and a topic, in base64. */
const tokenCharactersMax = 8_192

const params = Type.Object({
  token: Type.String({
    maxLength: tokenCharactersMax,
    description: 'Names the recipient, the topic and the message, and cannot be made up. It never expires.',
  }),
})

const common = {
  origin: 'postrider',
  access: 'open',
  calledBy: 'recipients',
  readsRawBody: true,
  // Ten thousand fields, each of an id.
  bodyMax: 524_288,
  params,
  replies: {
    200: Type.String({ description: 'The page, in the language and the brand of the recipient.' }),
    404: Type.String({ description: 'A page for a link that was not given out.' }),
    429: ErrorBody,
  },
  produces: 'text/html',
  example: { params: { token: 'sample' } },
} as const

export default resource({
  name: 'preferencePages',
  position: 165,
  title: 'Preference pages',
  description:
    'Pages for recipients, without a sign-in: `{unsubscribe_url}` and `{preferences_url}` of a message lead to them, and mail programs unsubscribe here by one click (RFC 8058). A link that was not given out is answered with a page of status 404.',
  operations: [
    operation({
      ...common,
      id: 'preferencePages.showUnsubscribe',
      method: 'GET',
      path: '/u/:token',
      summary: 'Show the page to unsubscribe',
      description: 'Changes nothing: mail services open links, too.',
    }),
    operation({
      ...common,
      id: 'preferencePages.unsubscribe',
      method: 'POST',
      path: '/u/:token',
      summary: 'Unsubscribe from the topic of a message',
      description:
        'With the body `List-Unsubscribe=One-Click`, as a form in either encoding, the recipient is opted out of the topic when the reply arrives; repeated calls change nothing. Other forms are those of the page.',
    }),
    operation({
      ...common,
      id: 'preferencePages.show',
      method: 'GET',
      path: '/p/:token',
      summary: 'Show the page of preferences',
    }),
    operation({
      ...common,
      id: 'preferencePages.save',
      method: 'POST',
      path: '/p/:token',
      summary: 'Save the page of preferences',
      description: 'The forms of the page; each has a token that is valid for a day.',
    }),
  ],
})
