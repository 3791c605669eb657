/** /preferences: preferences by notification and category, the first generation of the API. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, Success } from '../../api/values.ts'
import { Preference, Preferences } from '../../shapes/preferences.ts'

/** Notifications with preferences are listed without pages. */
export const preferencesListMax = 1_000

const PreferenceEntry = Type.Object(
  {
    id: Type.String({ description: 'Notification id or category.' }),
    title: Type.String({ description: 'Display name.' }),
    config: Type.Object(
      {
        type: Type.Enum(['OPT_IN', 'OPT_OUT', 'REQUIRED'], {
          description:
            '`OPT_IN`: sent only to recipients who opted in. `OPT_OUT`: sent unless the recipient opted out. `REQUIRED`: sent to all recipients.',
        }),
      },
      { description: 'Configuration of the choice.' },
    ),
  },
  { title: 'PreferenceEntry', description: 'A notification or category for which recipients can have preferences.' },
)
export type PreferenceEntry = Static<typeof PreferenceEntry>

const PreferenceCategory = Type.Object(
  {
    ...PreferenceEntry.properties,
    notifications: Type.Array(PreferenceEntry, { description: 'Notifications of the category.' }),
  },
  { title: 'PreferenceCategory', description: 'A category with its notifications.' },
)
export type PreferenceCategory = Static<typeof PreferenceCategory>

const recipient = Type.Object({ recipient_id: id('The recipient id.') })
const snoozed = { status: 'OPTED_IN', rules: [{ type: 'snooze', until: '2030-01-01T00:00:00.000Z' }] }
const document = {
  notifications: { ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA: snoozed },
  categories: { news: { status: 'OPTED_OUT' } },
}

export default resource({
  name: 'preferences',
  position: 140,
  title: 'Preferences',
  description:
    'Preferences of recipients: by notification and category (first generation), and by topic (second generation).',
  operations: [
    operation({
      id: 'preferences.list',
      method: 'GET',
      path: '/preferences',
      summary: 'List notifications and categories with preferences',
      description: 'Published notifications by category (`settings.category`).',
      replies: {
        200: Type.Object({
          uncategorized: Type.Array(PreferenceEntry, {
            maxItems: preferencesListMax,
            description: 'Notifications without a category.',
          }),
          categories: Type.Array(PreferenceCategory, { description: 'Categories with their notifications.' }),
        }),
      },
      example: {
        reply: {
          uncategorized: [{ id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA', title: 'Welcome', config: { type: 'OPT_OUT' } }],
          categories: [
            {
              id: 'news',
              title: 'news',
              config: { type: 'OPT_OUT' },
              notifications: [{ id: 'D8C3VFJ6PYAZQ4M9R2K7T1WXBHN5', title: 'Digest', config: { type: 'OPT_OUT' } }],
            },
          ],
        },
      },
    }),
    operation({
      id: 'preferences.get',
      method: 'GET',
      path: '/preferences/:recipient_id',
      token: { scope: 'read:preferences', user: 'recipient_id' },
      summary: 'Get the preferences of a recipient',
      description: 'Preferences by notification and category. The maps are empty when nothing is stored.',
      params: recipient,
      replies: {
        200: Type.Object(
          {
            notifications: Type.Record(Type.String(), Preference, {
              description: 'Preferences by notification id or event.',
            }),
            categories: Type.Record(Type.String(), Preference, { description: 'Preferences by category.' }),
          },
          { title: 'StoredPreferences', description: 'The stored preferences of a recipient.' },
        ),
      },
      example: { params: { recipient_id: 'user-7' }, reply: document },
    }),
    operation({
      id: 'preferences.replace',
      method: 'PUT',
      path: '/preferences/:recipient_id',
      token: { scope: 'write:preferences', user: 'recipient_id' },
      summary: 'Replace the preferences of a recipient',
      description: 'Replaces each of the two maps that is present; an omitted map is unchanged.',
      params: recipient,
      body: Preferences,
      replies: { 200: Success },
      example: { params: { recipient_id: 'user-7' }, body: document, reply: { status: 'SUCCESS' } },
    }),
    operation({
      id: 'preferences.merge',
      method: 'PATCH',
      path: '/preferences/:recipient_id',
      token: { scope: 'write:preferences', user: 'recipient_id' },
      summary: 'Merge into the preferences of a recipient',
      description: 'Merges entries key by key; arrays in them are replaced.',
      params: recipient,
      body: Preferences,
      replies: { 200: Success, 409: ErrorBody },
      example: {
        params: { recipient_id: 'user-7' },
        body: { categories: { news: { status: 'OPTED_IN' } } },
        reply: { status: 'SUCCESS' },
      },
    }),
  ],
})
