/** A recipient as a link to the user of this id. */
import { Link } from '@tanstack/react-router'
import { hasUser } from './recipient-ids.ts'

interface RecipientProps {
  id: string
  /** The id of a recipient without a user says nothing. */
  address?: string | undefined
}

export const Recipient = ({ id, address }: RecipientProps) =>
  address !== undefined ? (
    <span title={id}>{address}</span>
  ) : !hasUser(id) ? (
    <span>{id}</span>
  ) : (
    <Link to="/users/$userId" params={{ userId: id }} preload={false} title={id}>
      {id}
    </Link>
  )
