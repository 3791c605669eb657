/** A recipient as a link to the user of this id. */
import { Link } from '@tanstack/react-router'

/** Masked recipients lead to no user. */
export const hasUser = (recipient: string): boolean => recipient !== '' && !recipient.includes('•')

export const Recipient = ({ id }: { id: string }) =>
  !hasUser(id) ? (
    <span>{id}</span>
  ) : (
    <Link to="/users/$userId" params={{ userId: id }} preload={false} title={id}>
      {id}
    </Link>
  )
