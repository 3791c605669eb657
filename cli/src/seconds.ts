/** A number of seconds on the command line. */
import { InvalidArgumentError } from 'commander'

export function seconds(text: string): number {
  const value = Number(text)
  // A day: whoever waits longer wants a webhook.
  if (!(value > 0 && value <= 86_400)) throw new InvalidArgumentError('It is a number of seconds up to 86400.')
  return value
}
