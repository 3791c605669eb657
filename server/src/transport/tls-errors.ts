/** TLS errors in plain words, without the memory addresses and source lines of OpenSSL. */

const OLD = 'offers no TLS from version 1.2 on'
const PLAIN = 'does not speak TLS on this port'
const STRANGE = 'has no encryption in common with us'

/** By Node's code; other errors have OpenSSL's text alone. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['ERR_SSL_WRONG_VERSION_NUMBER', PLAIN],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', PLAIN],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', OLD],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', OLD],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', STRANGE],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', STRANGE],
])

/** `thread:error:code:library:function:reason:file:line:` of OpenSSL 3, the function often empty. */
const RAW = /[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:\n]*)(?::[^\s:]*:\d+:[^\n]*)?/gi

/** The message of any error of a connection, without what only OpenSSL's authors can use. */
export function connectionErrorText(error: Error): string {
  const raw = error.message.replace(RAW, '$1').replace(/\s+/g, ' ').trim()
  const { code, reason } = error as { code?: unknown; reason?: unknown }
  if (typeof code !== 'string' || !code.startsWith('ERR_SSL_')) return raw
  const text = typeof reason === 'string' && reason !== '' ? reason : raw
  const meaning = MEANINGS.get(code)
  return meaning ? `${meaning} (${text})` : `TLS failed: ${text}`
}
