/** A number of seconds on the command line. */
import { InvalidArgumentError } from 'commander'

export function seconds(text: string): number {
  const value = Number(text)
  // A day: for longer waits there are webhooks.
  if (!(value > 0 && value <= 86_400)) throw new InvalidArgumentError('It must be a number of seconds up to 86400.')
  return value
}
