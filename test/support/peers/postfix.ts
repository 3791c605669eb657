/** Postfix with Dovecot for its logins, as Debian packages them: private instances on loopback, which end with their test. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

export interface PostfixOptions {
  user: string
  password: string
  /** Answers whether an access token is active (RFC 7662). */
  introspectionUrl: string
  /** Next hops by the domain of the recipient: `smtp:[127.0.0.1]:2525`. */
  routes: Record<string, string>
  /** Addresses with a mailbox here. */
  mailboxes: readonly string[]
}

export interface Postfix {
  port: number
  /** The certificate of `localhost`. */
  certificateFile: string
  /** The mails that a mailbox has, as they are stored. */
  mailsOf(address: string): string[]
  log(): string
  stop(): Promise<void>
}

const MASTER = '/usr/lib/postfix/sbin/master'
const PATH = `${process.env.PATH}:/usr/sbin`
const isRoot = process.getuid?.() === 0
const asRoot = isRoot ? [] : ['sudo', '-n']

const runs = (command: string, ...args: string[]) =>
  spawnSync(command, args, { stdio: 'ignore', env: { ...process.env, PATH } }).status === 0

/** Why there is none here; undefined where it can be started. */
export function postfixMissing(): string | undefined {
  const missing = [existsSync(MASTER) ? '' : 'postfix', runs('dovecot', '--version') ? '' : 'dovecot-core']
  const packages = missing.filter(Boolean).join(' ')
  if (packages) return `Install ${packages}`
  return isRoot || runs('sudo', '-n', 'true') ? undefined : 'Postfix is started as root, and sudo requires a password'
}

export async function startPostfix(options: PostfixOptions): Promise<Postfix> {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-postfix-'))
  const port = await freePort()
  for (const name of ['conf', 'spool', 'data', 'mail']) mkdirSync(join(folder, name))
  makeCertificate(folder)
  const files = {
    ...postfixFiles(folder, port, options),
    ...dovecotFiles(folder, options),
    start: startScript(folder),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)

  const [command = '', ...args] = [...asRoot, 'sh', join(folder, 'start')]
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'pipe'], env: { ...process.env, PATH } })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-100_000)
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const log = () => output + ['postfix.log', 'dovecot.log'].map((name) => textOf(join(folder, name))).join('')
  try {
    await until(
      () => {
        if (log().includes('Fatal: ')) throw new Error('Dovecot has ended')
        return isListening(port)
      },
      (listens) => listens,
    )
  } catch (error) {
    child.stdin.end()
    throw new Error(`Postfix did not start:\n${log()}`, { cause: error })
  }
  return {
    port,
    certificateFile: join(folder, 'certificate.pem'),
    mailsOf(address) {
      const mailbox = join(folder, 'mail', mailboxOf(address), 'new')
      return existsSync(mailbox) ? readdirSync(mailbox).map((name) => textOf(join(mailbox, name))) : []
    },
    log,
    async stop() {
      child.stdin.end()
      await ended
    },
  }
}

const textOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

const mailboxOf = (address: string) => Buffer.from(address).toString('hex')

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    // The greeting: a process of Postfix answers.
    socket.once('data', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

function makeCertificate(folder: string): void {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')]
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  spawnSync('openssl', ['req', '-x509', '-days', '2', ...key, ...files, ...subject])
}

/** Ends what it has started when its input ends: with its test, and also when that is killed. */
const startScript = (folder: string) => `
set -u
cd '${folder}'
chmod 711 .
chown -R root:root conf
chown postfix data
chown ${mailUser()} mail
postfix -c '${folder}/conf' check >&2
dovecot -F -c '${folder}/dovecot.conf' >&2 </dev/null &
dovecot=$!
${MASTER} -c '${folder}/conf' >&2 </dev/null &
master=$!
cat >/dev/null
kill $master $dovecot
wait
rm -rf '${folder}'
`

/** The owner of mailboxes, never root. */
const mailUser = () => (isRoot ? 65_534 : (process.getuid?.() ?? 65_534))

function postfixFiles(folder: string, port: number, { routes, mailboxes }: PostfixOptions): Record<string, string> {
  const domains = [...new Set(mailboxes.map((address) => address.split('@')[1]))]
  return {
    'conf/main.cf': `
compatibility_level = 3.6
queue_directory = ${folder}/spool
data_directory = ${folder}/data
maillog_file = ${folder}/postfix.log
maillog_file_prefixes = ${folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
disable_dns_lookups = yes
myhostname = mx.postrider.test
mydestination =
mynetworks =
smtputf8_enable = yes
smtpd_tls_security_level = encrypt
smtpd_tls_auth_only = yes
smtpd_tls_cert_file = ${folder}/certificate.pem
smtpd_tls_key_file = ${folder}/key.pem
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = private/auth
smtpd_sasl_security_options = noanonymous
smtpd_relay_restrictions = permit_sasl_authenticated, reject
transport_maps = texthash:${folder}/conf/transport
virtual_mailbox_domains = ${domains.join(' ')}
virtual_mailbox_base = ${folder}/mail
virtual_mailbox_maps = texthash:${folder}/conf/mailboxes
virtual_uid_maps = static:${mailUser()}
virtual_gid_maps = static:${mailUser()}
`,
    'conf/master.cf': `
127.0.0.1:${port} inet n - n - - smtpd
postlog unix-dgram n - n - 1 postlogd
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
proxymap unix - - n - - proxymap
anvil unix - - n - 1 anvil
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
smtp unix - - n - - smtp
lmtp unix - - n - - lmtp
scache unix - - n - 1 scache
virtual unix - n n - - virtual
`,
    'conf/transport': Object.entries(routes)
      .map(([domain, hop]) => `${domain} ${hop}\n`)
      .join(''),
    'conf/mailboxes': mailboxes.map((address) => `${address} ${mailboxOf(address)}/\n`).join(''),
  }
}

function dovecotFiles(folder: string, { user, password, introspectionUrl }: PostfixOptions): Record<string, string> {
  return {
    'dovecot.conf': `
base_dir = ${folder}/dovecot
state_dir = ${folder}/dovecot
log_path = ${folder}/dovecot.log
protocols =
ssl = no
auth_mechanisms = plain login xoauth2 oauthbearer
disable_plaintext_auth = no
passdb {
  driver = passwd-file
  mechanisms = plain login
  args = scheme=PLAIN ${folder}/users
}
passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = ${folder}/oauth2.conf
}
userdb {
  driver = static
  args = uid=65534 gid=65534 home=/nonexistent
}
service auth {
  unix_listener ${folder}/spool/private/auth {
    mode = 0660
    user = postfix
    group = postfix
  }
}
`,
    'oauth2.conf': `
introspection_mode = post
introspection_url = ${introspectionUrl}
username_attribute = username
active_attribute = active
active_value = true
`,
    users: `${user}:{PLAIN}${password}\n`,
  }
}
