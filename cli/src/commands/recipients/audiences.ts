/** `postrider audiences …`: users who match a filter on their profiles. */
import type { AudiencePreview } from '@postrider/client'
import { countText } from '../../count-text.ts'
import type { Resource } from '../../operations/resource.ts'
import { rowsText } from '../../operations/text.ts'
import type { Terminal } from '../../terminal.ts'

function previewText(reply: unknown, terminal: Terminal): string {
  const { matched, evaluated, complete, items } = reply as AudiencePreview
  const count = `${matched} of ${countText(evaluated, 'user')} matched${complete ? '' : ', and more were not evaluated'}.`
  return items.length === 0 ? count : `${count}\n\n${rowsText(terminal, ['member_id', 'reason'], items)}`
}

export const audiences: Resource = {
  name: 'audiences',
  description: 'Audiences: users who match a filter, recomputed after each change of a profile.',
  commands: [
    {
      name: 'list',
      operation: 'audiences.list',
      columns: ['id', 'name', 'operator', 'updated_at'],
      examples: ['list'],
    },
    { name: 'show', operation: 'audiences.get', examples: ['show engineers'] },
    {
      name: 'set',
      operation: 'audiences.put',
      description: 'Create an audience, or replace its name and filter.',
      done: 'Wrote {audience}',
      examples: [
        `set engineers name=Engineers 'filter:={"path":"title","operator":"EQ","value":"Engineer"}'`,
        'set engineers --json-body engineers.json',
      ],
    },
    {
      name: 'preview',
      operation: 'audiences.preview',
      description: 'Count the users who match a filter, and list the first of them, without storing it.',
      text: previewText,
      examples: [`preview 'filter:={"path":"title","operator":"EQ","value":"Engineer"}'`],
    },
    {
      name: 'members',
      operation: 'audiences.members',
      columns: ['member_id', 'reason', 'added_at'],
      examples: ['members engineers', `members engineers --limit 10000 --json | jq -r '.results[].member_id'`],
    },
    { name: 'delete', operation: 'audiences.delete', done: 'Deleted {audience}', examples: ['delete engineers'] },
  ],
}
