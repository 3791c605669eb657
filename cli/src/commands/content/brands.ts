/** `postrider brands …`: logo, colors and texts around the content of messages. */
import type { Resource } from '../../operations/resource.ts'

export const brands: Resource = {
  name: 'brands',
  description: 'Brands: logo, colors, header and footer of messages.',
  commands: [
    { name: 'list', operation: 'brands.list', columns: ['id', 'name', 'version', 'updated'], examples: ['list'] },
    { name: 'show', operation: 'brands.get', examples: ['show acme'] },
    {
      name: 'create',
      operation: 'brands.create',
      examples: [
        `create id=acme name=Acme 'settings:={"colors":{"primary":"#9D3789"}}'`,
        'create --json-body acme.json',
      ],
    },
    {
      name: 'set',
      operation: 'brands.replace',
      description: 'Replace a brand. Settings and snippets that are not given are kept.',
      examples: [
        'set acme --json-body acme.json',
        'set acme name=Acme settings.colors.primary=#9D3789',
        'set acme name=Acme settings.email.theme.align=left settings.email.theme.borderRadius:=4',
      ],
    },
    { name: 'delete', operation: 'brands.delete', done: 'Deleted {brand}', examples: ['delete acme'] },
  ],
}
