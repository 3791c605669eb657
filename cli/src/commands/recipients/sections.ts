/** `postrider sections …`: sections of the preference page. */
import type { Resource } from '../../operations/resource.ts'

export const sections: Resource = {
  name: 'sections',
  description: 'Sections of the preference page, each with its topics.',
  commands: [
    {
      name: 'list',
      operation: 'sections.list',
      columns: ['id', 'name', 'routing_options', 'updated'],
      examples: ['list'],
    },
    { name: 'show', operation: 'sections.get', examples: ['show "$SECTION"'] },
    { name: 'create', operation: 'sections.create', examples: ['create name=News', 'create id=shop name=Shop'] },
    { name: 'set', operation: 'sections.replace', examples: [`set "$SECTION" name=News 'routing_options:=["email"]'`] },
    { name: 'archive', operation: 'sections.archive', done: 'Archived {section}', examples: ['archive "$SECTION"'] },
    { name: 'publish', operation: 'sections.publish', examples: ['publish'] },
  ],
}
