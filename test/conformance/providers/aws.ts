/** The common parts of the comparisons with SDKs of AWS: credentials, and our signature for a recorded request. */
import { signedHeaders } from '@postrider/server/providers/harness'
import type { Recorder } from '../../support/peers/recorder.ts'
import type { Likeness } from './likeness.ts'

export const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret/+key', sessionToken: 'token' }
export const region = 'eu-central-1'

/** The signature of the SDK for its latest request, and ours for the same one. */
export function latestSignatures(recorder: Recorder, service: string) {
  const latest = recorder.all.at(-1)
  const { authorization, 'x-amz-date': date } = latest?.headers ?? {}
  if (!latest || !authorization || !date) throw new Error('No signed request arrived')
  const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? []
  // The date, the token and the host are added by the signature.
  const names = signed.filter((name) => !['host', 'x-amz-date', 'x-amz-security-token'].includes(name))
  const request = {
    method: latest.method as 'GET' | 'POST',
    url: recorder.url + latest.path,
    headers: Object.fromEntries(names.map((name) => [name, latest.headers[name] ?? ''])),
    body: latest.body,
  }
  const now = Date.parse(date.replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'))
  return { theirs: authorization, ours: signedHeaders(request, credentials, { region, service, now }).authorization }
}

/** Which headers are signed differs; that both signatures are right is compared on its own. */
export const unsigned = ({ authorization: _, ...rest }: Likeness): Omit<Likeness, 'authorization'> => rest
