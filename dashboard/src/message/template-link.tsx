/** The template of a message by its name, with the version that was sent. */
import type { MessageExplanation } from '@postrider/client'
import { Link } from '@tanstack/react-router'
import { useTemplateNames } from '../names/template-names.ts'

export function TemplateLink({ id, version }: NonNullable<MessageExplanation['notification']>) {
  const names = useTemplateNames()
  return (
    <span>
      <Link to="/templates/$id" params={{ id }}>
        {names.get(id) ?? id.slice(-8)}
      </Link>{' '}
      {version}
    </span>
  )
}
