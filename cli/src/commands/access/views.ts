/** `postrider views …`: saved filters of the dashboard. */
import type { Resource } from '../../operations/resource.ts'

export const views: Resource = {
  name: 'views',
  description: 'Saved views: filters of a page of the dashboard.',
  commands: [
    {
      name: 'list',
      operation: 'views.list',
      columns: ['name', 'page', 'filters', 'updated'],
      examples: ['list', 'list --page messages'],
    },
    {
      name: 'save',
      operation: 'views.put',
      arguments: { name: 'name' },
      examples: [`save 'Failed today' page=messages 'filters:={"status":["UNDELIVERABLE"]}'`],
    },
    {
      name: 'delete',
      operation: 'views.delete',
      arguments: { name: 'name' },
      done: 'Deleted {name}',
      examples: [`delete 'Failed today'`],
    },
  ],
}
