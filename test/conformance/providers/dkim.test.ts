/** Signatures of DKIM verify in an implementation that is not ours, whatever the mail and however servers fold it. */
import { generateKeyPairSync } from 'node:crypto'
import { type AdapterRun, mailBytes, runAdapter, type Scene } from '@postrider/server/providers/harness'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { adapter } from './likeness.ts'
import { everyOption, plainMail, sender } from './mail.ts'
import { hasSdks } from './sdks.ts'

interface Verified {
  signingDomain: string
  selector: string
  algo: string
  status: { result: string; aligned: string | false }
  signingHeaders: { keys: string }
}

const encoding = {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'der' },
} as const
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048, ...encoding })
const ed25519 = generateKeyPairSync('ed25519', encoding)
/** RFC 8463 §4.2: the 32 bytes at the end of the SPKI form. */
const records: Record<string, string> = {
  's1._domainkey.example.org': `v=DKIM1; k=rsa; p=${rsa.publicKey.toString('base64')}`,
  's2._domainkey.example.org': `v=DKIM1; k=ed25519; p=${ed25519.publicKey.subarray(-32).toString('base64')}`,
}

const settings = {
  host: 'mail.example.org',
  ...sender,
  dkimDomain: 'example.org',
  dkimSelector: 's1, s2',
  dkimPrivateKey: `${rsa.privateKey}${ed25519.privateKey}`,
}
const accepted = { kind: 'mail', code: 250, response: 'ok' } as const

function signed(scene: Partial<Scene> = {}): Promise<Buffer> {
  const { requests }: AdapterRun = runAdapter(adapter('smtp'), { ...plainMail, settings, ...scene }, accepted)
  const [request] = requests
  if (request?.kind !== 'mail') throw new Error('The adapter of SMTP requested no mail')
  return mailBytes(request)
}

describe.skipIf(!hasSdks)('DKIM', () => {
  async function verify(mail: Buffer): Promise<Verified[]> {
    const path = 'mailauth/lib/dkim/verify.js'
    const { dkimVerify } = (await import(path)) as {
      dkimVerify(mail: Buffer, options: object): Promise<{ results: Verified[] }>
    }
    const resolver = async (name: string) => {
      const record = records[name]
      if (record === undefined) throw Object.assign(new Error(name), { code: 'ENOTFOUND' })
      return [[record]]
    }
    return (await dkimVerify(mail, { resolver })).results
  }
  const resultsOf = async (mail: Buffer) => (await verify(mail)).map(({ status }) => status.result)

  test('both signatures of a mail verify, aligned with its sender', async () => {
    const mail = await signed()
    expect(await verify(mail)).toMatchObject([
      {
        signingDomain: 'example.org',
        selector: 's1',
        algo: 'rsa-sha256',
        status: { result: 'pass', aligned: 'example.org' },
      },
      { selector: 's2', algo: 'ed25519-sha256', status: { result: 'pass', aligned: 'example.org' } },
    ])
  })

  test('a mail with everything is signed with the headers to unsubscribe', async () => {
    const headers = {
      'List-Unsubscribe': '<https://example.org/u/1>, <mailto:u@example.org>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'X-Team': 'blue',
    }
    const results = await verify(await signed({ email: { ...everyOption, from: 'Bea <bea@example.org>', headers } }))
    for (const { status, signingHeaders } of results) {
      expect(status.result).toBe('pass')
      expect(signingHeaders.keys).toMatch(/list-unsubscribe: list-unsubscribe-post/i)
      expect(signingHeaders.keys).not.toMatch(/x-team/i)
    }
  })

  test('blanks that servers change do not matter; a changed word, another sender and one more of a header do', async () => {
    const text = (await signed({ content: { subject: 'Hi  there', text: 'one  two \nthree\n\n' } })).toString('latin1')
    const changed = (from: string | RegExp, to: string) => {
      const other = text.replace(from, to)
      expect(other).not.toBe(text)
      return resultsOf(Buffer.from(other, 'latin1'))
    }
    expect(await changed('Subject: Hi  there', 'SUBJECT:  Hi\r\n there ')).toEqual(['pass', 'pass'])
    expect(await changed('one  two ', 'one two')).toEqual(['pass', 'pass'])
    expect(await changed(/$/, '\r\n\r\n')).toEqual(['pass', 'pass'])
    for (const [from, to] of [
      ['three', 'four'],
      ['From: News', 'From: Nows'],
      ['From: ', 'Subject: Other\r\nFrom: '],
      ['Subject: Hi', 'From: eve@example.com\r\nSubject: Hi'],
    ] as const)
      expect(await changed(from, to)).not.toContain('pass')
  })

  test('any mail verifies', async () => {
    const line = fc.string({
      unit: fc.constantFrom('a', 'é', '字', ' ', '\t', '.', '=', '-', '\n', 'From '),
      maxLength: 200,
    })
    const word = fc.string({ unit: fc.constantFrom('a', 'ü', ' ', '=?', '"', ',', '<'), maxLength: 120 })
    const contents = fc.record({ subject: word, text: line, html: line })
    const property = fc.asyncProperty(contents, async (content) => {
      expect(await resultsOf(await signed({ content }))).toEqual(['pass', 'pass'])
    })
    await fc.assert(property, { numRuns: 40, seed: 19 })
  })
})
