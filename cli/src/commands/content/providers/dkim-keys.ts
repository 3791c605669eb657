/** `postrider providers dkim-keys`: a key that signs mails, made on this machine, and the DNS record that verifies them. */
import { generateKeyPairSync } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { type Command, Option } from 'commander'
import { exitCodes, Failure } from '../../../failure.ts'
import { plain } from '../../../plain.ts'
import { sessionOf } from '../../../session.ts'
import { sheet } from '../../../table.ts'
import { refuseExisting, writeWhole } from '../../../whole-file.ts'

interface Options {
  selector: string
  type: KeyType
  out: string
  force?: boolean
}

type KeyType = 'rsa' | 'ed25519'

interface DkimKey {
  /** The value of the TXT record. */
  record: string
  privateKey: string
}

export function addDkimKeys(providers: Command): void {
  providers
    .command('dkim-keys')
    .description('Make a key that signs mails of the provider smtp (DKIM), and show its DNS record.')
    .argument('<domain>', 'domain of the sender, such as example.com')
    .requiredOption('-o, --out <file>', 'file for the settings with the private key, readable by its owner')
    .option('--selector <name>', 'name of the key below _domainkey', 'postrider')
    .addOption(new Option('--type <type>', 'type of the key').choices(['rsa', 'ed25519']).default('rsa'))
    .option('--force', 'replace the file')
    .addHelpText(
      'after',
      `
No server is called. Publish the record first: mails that are signed before it is there fail their check. Every
receiver verifies RSA; not every one verifies Ed25519. The value is longer than the 255 characters of one string of a
TXT record: most DNS services split it, others need it as several strings.

Examples:
  $ postrider providers dkim-keys example.com --out dkim.json
  $ postrider providers update 'Company mail' --settings dkim.json`,
    )
    .action(async (name: string, options: Options, command: Command) => {
      const [domain, selector] = [domainOf(name), selectorOf(options.selector)]
      refuseExisting(options.out, options.force === true)
      const { record, privateKey } = dkimKey(options.type)
      const settings = { dkimDomain: domain, dkimSelector: selector, dkimPrivateKey: privateKey }
      await writeWhole(options.out, chunkOf(`${JSON.stringify(settings, null, 2)}\n`), {
        overwrite: options.force === true,
        wrote: () => undefined,
        check: () => Promise.resolve(),
      })
      const shown = { name: `${selector}._domainkey.${domain}`, type: 'TXT', value: record, settings: options.out }
      sessionOf(command).terminal.answer(shown, () => sheet(Object.entries(shown)))
    })
}

async function* chunkOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

const wrong = (message: string, hint: string) => new Failure(message, { hint, exitCode: exitCodes.wrong })

function domainOf(name: string): string {
  const domain = domainToASCII(name)
  if (/^(?:[a-z0-9_-]{1,63}\.)+[a-z0-9-]{1,63}$/.test(domain)) return domain
  throw wrong(`\`${plain(name)}\` is not a domain`, 'Give the part of the sender behind the @, such as example.com.')
}

function selectorOf(name: string): string {
  if (/^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9_])?$/.test(name)) return name
  throw wrong(`\`${plain(name)}\` is not a selector`, 'Use letters, digits and hyphens, such as s1.')
}

/** 2,048 bits: receivers must know them (RFC 8301), and longer keys fit into few DNS records. */
function dkimKey(type: KeyType): DkimKey {
  const pair = type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2_048 }) : generateKeyPairSync('ed25519')
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' })
  // RFC 8463 §4.2: the key alone, which are the last 32 bytes.
  const published = type === 'rsa' ? publicKey : publicKey.subarray(-32)
  return {
    privateKey: String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' })),
    record: `v=DKIM1; k=${type}; p=${published.toString('base64')}`,
  }
}
