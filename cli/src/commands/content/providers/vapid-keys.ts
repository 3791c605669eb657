/** `postrider providers vapid-keys`: a pair of keys for Web Push, made on this machine. */
import { createECDH } from 'node:crypto'
import type { Command } from 'commander'
import { sessionOf } from '../../../session.ts'
import { sheet } from '../../../table.ts'

export function addVapidKeys(providers: Command): void {
  providers
    .command('vapid-keys')
    .description('Make a pair of keys for the provider web-push.')
    .addHelpText(
      'after',
      `
Nothing is stored, and no server is called. Browsers subscribe with the public key (applicationServerKey), and
messages are signed with the private one: another pair ends every subscription that was made with this one.

Examples:
  $ postrider providers vapid-keys
  $ postrider providers vapid-keys --json > vapid.json
  $ postrider providers add web-push --settings vapid.json -s subject=mailto:you@example.com`,
    )
    .action((_options: unknown, command: Command) => {
      const keys = vapidKeys()
      sessionOf(command).terminal.answer(keys, () => sheet(Object.entries(keys)))
    })
}

function vapidKeys(): { publicKey: string; privateKey: string } {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys().toString('base64url')
  // A number with leading zeros is shorter.
  const number = pair.getPrivateKey()
  const privateKey = Buffer.concat([Buffer.alloc(32 - number.length), number]).toString('base64url')
  return { publicKey, privateKey }
}
