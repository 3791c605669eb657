/** `GET /diagnostics` looks up the DNS records of sender domains as receivers do, and says what to write. */
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mustCall } from '../support/api-client.ts'
import { withApp } from '../support/app.ts'
import { type NameServer, startNameServer, type Zone } from '../support/peers/name-server.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

interface Check {
  name: string
  state: string
  detail: string
  hint?: string
}

const host = (name: string, address: string): Zone => ({
  [name]: { A: [address] },
  [`${address.split('.').toReversed().join('.')}.in-addr.arpa`]: { PTR: [name] },
})

/** A domain of a company with a mail server, and all records. */
const company: Zone = {
  'shop.dev': { MX: ['mail.shop.dev'], A: ['203.0.113.1'], TXT: ['site=1', 'v=spf1 mx -all'] },
  '_dmarc.shop.dev': { TXT: ['v=DMARC1; p=quarantine; sp=none; rua=mailto:dmarc@shop.dev'] },
  ...host('mail.shop.dev', '93.184.216.34'),
}

/** The longest chain that receivers follow, and the record of its first domain. */
const chain = (length: number): Zone =>
  Object.fromEntries(
    Array.from({ length }, (_, index) => [
      `s${index}.chain.dev`,
      {
        TXT: [index === length - 1 ? 'v=spf1 ip4:93.184.216.0/24 -all' : `v=spf1 include:s${index + 1}.chain.dev -all`],
      },
    ]),
  )

withApp((open) => {
  let api: RecordingApp
  let dns: NameServer
  const bounds = () => ({ servers: [dns.address], timeoutMs: 300, tries: 1, totalMs: 5_000, lookUpsMax: 600 })
  beforeAll(async () => {
    dns = await startNameServer()
    api = await open({ pipeline: 'recording', lookUps: bounds() })
  })
  afterAll(() => dns.close())
  beforeEach(async () => {
    await api.engine.run({ text: 'delete from integrations', values: [] })
    Object.assign(dns, { zone: {}, silent: new Set(), queries: [] })
  })

  const add = (provider: string, settings: object, body: object = {}) => {
    // They are listed by the time of their creation.
    api.time.now += 1
    return mustCall(api, 'POST', '/providers', { provider, settings, ...body })
  }
  const smtp = (settings: object = {}, body: object = {}) =>
    add('smtp', { host: 'mail.shop.dev', fromAddress: 'hello@shop.dev', ...settings }, body)
  const checks = async (): Promise<Check[]> => (await mustCall(api, 'GET', '/diagnostics')).checks
  const dnsChecks = async () =>
    (await checks()).filter(({ name }) => /^(?:domain|SPF|DKIM|DMARC|PTR|sender)/.test(name))
  const find = async (name: string) => (await checks()).find((check) => check.name === name)
  const states = async () => Object.fromEntries((await dnsChecks()).map(({ name, state }) => [name, state]))
  const spf = async (record: string | string[], zone: Zone = {}): Promise<Check | undefined> => {
    dns.zone = { ...company, ...zone, 'shop.dev': { ...company['shop.dev'], TXT: [record].flat() } }
    return find('SPF shop.dev')
  }

  test('a domain with all records passes', async () => {
    await smtp()
    dns.zone = company
    expect(await dnsChecks()).toEqual([
      { name: 'domain shop.dev', state: 'ok', detail: 'mails to it go to mail.shop.dev' },
      {
        name: 'SPF shop.dev',
        state: 'ok',
        detail: '"v=spf1 mx -all"; it has mail.shop.dev (93.184.216.34)',
      },
      {
        name: 'DKIM shop.dev (mail.shop.dev)',
        state: 'skip',
        detail: 'its selector is in no setting',
        hint: expect.stringContaining('header.d=shop.dev'),
      },
      {
        name: 'DMARC shop.dev',
        state: 'ok',
        detail: '"v=DMARC1; p=quarantine; sp=none; rua=mailto:dmarc@shop.dev"',
      },
      { name: 'PTR mail.shop.dev', state: 'ok', detail: 'the names of 93.184.216.34 lead back' },
    ])
    // Each once, whatever needs it.
    expect(dns.queries).toHaveLength(new Set(dns.queries).size)
  })

  test('a domain without records gets those to write', async () => {
    await smtp()
    dns.zone = { 'shop.dev': { A: ['203.0.113.1'] }, 'mail.shop.dev': { A: ['93.184.216.34'] } }
    expect((await dnsChecks()).map(({ name, state, hint }) => [name, state, hint])).toEqual([
      ['domain shop.dev', 'ok', undefined],
      [
        'SPF shop.dev',
        'warn',
        'Write it, with every server that mails of the domain leave at: shop.dev. TXT "v=spf1 ip4:93.184.216.34 ~all"',
      ],
      ['DKIM shop.dev (mail.shop.dev)', 'skip', expect.anything()],
      ['DMARC shop.dev', 'warn', 'Write it: _dmarc.shop.dev. TXT "v=DMARC1; p=none; rua=mailto:dmarc@shop.dev"'],
      [
        'PTR mail.shop.dev',
        'warn',
        expect.stringMatching(
          /^If mails of the domain leave at this address, .*34\.216\.184\.93\.in-addr\.arpa\. PTR mail\.shop\.dev\.$/,
        ),
      ],
    ])
  })

  test('a domain that does not exist has no further checks', async () => {
    await smtp()
    dns.zone = { 'other.com': {} }
    expect(await dnsChecks()).toEqual([
      {
        name: 'domain shop.dev',
        state: 'fail',
        detail: 'there is no such domain',
        hint: expect.stringContaining('receivers reject'),
      },
    ])
  })

  test.each([
    ['nothing that takes mail', {}, 'neither an MX record nor an address'],
    ['an MX record that takes no mail', { MX: ['.'] }, 'takes no mail'],
  ])('a domain with %s is a warning', async (_name, records, detail) => {
    await smtp()
    dns.zone = { ...company, 'shop.dev': { ...records, TXT: ['v=spf1 mx -all'] } }
    expect(await find('domain shop.dev')).toMatchObject({ state: 'warn', detail: expect.stringContaining(detail) })
  })

  describe('SPF', () => {
    beforeEach(() => smtp())
    const flat = Array.from({ length: 250 }, (_, index) => `ip4:198.51.100.${index}`).join(' ')
    const marks = Array.from({ length: 1_000 }, (_, index) => `google-site-verification=${index}`)

    test.each([
      ['two records', ['v=spf1 mx -all', 'v=spf1 -all'], 'fail', 'there are 2 records'],
      ['a record that lets all pass', 'v=spf1 mx +all', 'fail', 'lets every server send'],
      ['the same without its sign', 'v=spf1 all', 'fail', 'lets every server send'],
      ['a misspelled term', 'v=spf1 ipv4:93.184.216.34 -all', 'fail', '"ipv4:93.184.216.34"'],
      ['an address that is none', 'v=spf1 ip4:93.184.216.999 -all', 'fail', '"ip4:93.184.216.999"'],
      ['an include without a record', 'v=spf1 include:_spf.shop.dev -all', 'fail', 'no SPF record'],
      ['an include of itself', 'v=spf1 include:shop.dev -all', 'fail', 'shop.dev → shop.dev'],
      ['another server', 'v=spf1 ip4:198.51.100.1 -all', 'warn', 'ip4:93.184.216.34'],
      ['a server that fails', 'v=spf1 -ip4:93.184.216.34 ip4:93.184.0.0/16 -all', 'warn', 'ip4:93.184.216.34'],
      ['a range', 'v=spf1 ip4:93.184.216.0/24 ~all', 'ok', 'it has mail.shop.dev'],
      ['an address of a host', 'v=spf1 a:mail.shop.dev ~all', 'ok', 'it has mail.shop.dev'],
      ['a neighbor of a host', 'v=spf1 a:near.shop.dev/24 ~all', 'ok', 'it has mail.shop.dev'],
      ['capital letters', 'V=SPF1 MX -ALL', 'ok', 'it has mail.shop.dev'],
      ['a macro', 'v=spf1 exists:%{i}.shop.dev -all', 'ok', 'does not have mail.shop.dev, which is right if'],
      ['a macro with a slash', 'v=spf1 exists:%{d1r/}.shop.dev mx -all', 'ok', 'it has mail.shop.dev'],
      ['an include with a dot behind it', 'v=spf1 include:other.dev. -all', 'ok', 'it has mail.shop.dev'],
      ['a redirect', 'v=spf1 redirect=other.dev', 'ok', 'it has mail.shop.dev'],
      ['an unknown modifier', 'v=spf1 mx ra=postmaster -all', 'ok', 'it has mail.shop.dev'],
      ['a redirect with a dot behind it', 'v=spf1 redirect=other.dev.', 'ok', 'it has mail.shop.dev'],
      ['two redirects', 'v=spf1 mx redirect=other.dev redirect=other.dev', 'fail', 'redirect= twice'],
      ['a length that is none', 'v=spf1 mx a/33 -all', 'fail', '"a/33"'],
      ['a length for IPv6 that is none', 'v=spf1 mx//129 -all', 'fail', '"mx//129"'],
      ['an include that lets all pass', 'v=spf1 mx include:open.dev -all', 'fail', 'lets every server send'],
      ['two names without an address', 'v=spf1 mx a:n1.dev a:n2.dev -all', 'ok', 'it has mail.shop.dev'],
      [
        'three names without an address',
        'v=spf1 mx a:n1.dev mx:n2.dev a:n3.dev -all',
        'fail',
        'more than 2 of its names',
      ],
      ['a domain of ten mail servers', 'v=spf1 mx:m10.dev -all', 'ok', 'it has mail.shop.dev'],
      ['a domain of eleven mail servers', 'v=spf1 mx:m11.dev -all', 'fail', 'more than 10 mail servers'],
      ['hundreds of terms', `v=spf1 ${flat} ip4:93.184.216.34 -all`, 'ok', 'it has mail.shop.dev'],
      [
        'thousands of terms',
        `v=spf1 ${'ra=1 '.repeat(2_000)} -all`,
        'ok',
        'does not have mail.shop.dev, which is right if',
      ],
      ['a record behind many others', [...marks, 'v=spf1 mx -all'], 'ok', 'it has mail.shop.dev'],
    ])('%s', async (_name, record, state, detail) => {
      const zone = {
        'near.shop.dev': { A: ['93.184.216.1'] },
        'other.dev': { TXT: ['v=spf1 ip4:93.184.216.34 -all'] },
        'open.dev': { TXT: ['v=spf1 +all'] },
        'm10.dev': { MX: Array<string>(10).fill('mail.shop.dev') },
        'm11.dev': { MX: Array<string>(11).fill('mail.shop.dev') },
      }
      expect(await spf(record, zone)).toMatchObject({ state, detail: expect.stringContaining(detail) })
    })

    test('the hint has the record with the missing server', async () => {
      expect((await spf('v=spf1 include:other.dev ~all', { 'other.dev': { TXT: ['v=spf1 -all'] } }))?.hint).toContain(
        'Write it: shop.dev. TXT "v=spf1 ip4:93.184.216.34 include:other.dev ~all"',
      )
    })

    test('ten look-ups pass, eleven do not, and no more are made', async () => {
      expect(await spf('v=spf1 include:s0.chain.dev -all', chain(10))).toMatchObject({ state: 'ok' })
      dns.queries = []
      expect(await spf('v=spf1 include:s0.chain.dev -all', chain(40))).toMatchObject({
        state: 'fail',
        detail: expect.stringContaining('more than 10 look-ups'),
      })
      expect(dns.queries.filter((query) => query.includes('chain.dev'))).toHaveLength(10)
    })

    test('a circle ends', async () => {
      const zone = { 'a.dev': { TXT: ['v=spf1 include:b.dev -all'] }, 'b.dev': { TXT: ['v=spf1 redirect=a.dev'] } }
      expect(await spf('v=spf1 include:a.dev -all', zone)).toMatchObject({
        state: 'fail',
        detail: expect.stringContaining('shop.dev → a.dev → b.dev → a.dev'),
      })
    })

    test('a hostile record comes back short and printable', async () => {
      const check = await spf(`v=spf1 \u001b[31m\u202e${'x'.repeat(3_000)} -all`)
      expect(check?.state).toBe('fail')
      expect(`${check?.detail}${check?.hint}`).toMatch(/^[\x20-\x7e…]{1,900}$/)
    })

    test('an include whose name server is silent is a warning', async () => {
      dns.silent = new Set(['slow.dev'])
      expect(await spf('v=spf1 mx include:slow.dev -all')).toMatchObject({
        state: 'warn',
        detail: expect.stringContaining('no name server answers'),
      })
    })

    test.each(['a', 'mx'])('nothing is missing where the name server of %s is silent', async (mechanism) => {
      dns.silent = new Set(['slow.dev'])
      const check = await spf(`v=spf1 ${mechanism}:slow.dev -all`)
      expect(check).toMatchObject({ state: 'warn', detail: expect.stringContaining('no name server answers') })
      expect(check?.hint).toBeUndefined()
    })
  })

  test('the domain for bounces is the one of SPF, and needs its MX record', async () => {
    await smtp({ bounceAddress: 'bounces@back.shop.dev' })
    dns.zone = { ...company, 'back.shop.dev': { MX: ['mail.shop.dev'], TXT: ['v=spf1 ip4:93.184.216.34 -all'] } }
    expect(await states()).toEqual({
      'domain shop.dev': 'ok',
      'SPF shop.dev': 'skip',
      'DKIM shop.dev (mail.shop.dev)': 'skip',
      'DMARC shop.dev': 'ok',
      'domain back.shop.dev': 'ok',
      'SPF back.shop.dev': 'ok',
      'PTR mail.shop.dev': 'ok',
    })
    expect((await find('SPF shop.dev'))?.detail).toContain('back.shop.dev')
  })

  describe('DKIM', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
    const published = (key = publicKey) => key.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
    const signing = { dkimDomain: 'shop.dev', dkimSelector: 's1', dkimPrivateKey: pem }
    const record = `v=DKIM1; k=ed25519; p=${published()}`

    test.each([
      ['is missing', undefined, 'fail', 'there is no record'],
      ['is the one of the private key', record, 'ok', 'the key that Postrider signs with'],
      ['has blanks', `v=DKIM1;k=ed25519; p=${published().slice(0, 9)} ${published().slice(9)}`, 'ok', 'the key'],
      ['is revoked', 'v=DKIM1; p=', 'fail', 'revoked'],
      [
        'is another one',
        `v=DKIM1; p=${published(createPublicKey(generateKeyPairSync('ed25519').privateKey))}`,
        'fail',
        'another key',
      ],
    ])('the key that Postrider signs with %s', async (_name, txt, state, detail) => {
      await smtp(signing)
      dns.zone = { ...company, ...(txt !== undefined && { 's1._domainkey.shop.dev': { TXT: [txt] } }) }
      expect(await find('DKIM s1._domainkey.shop.dev')).toEqual({
        ...{ name: 'DKIM s1._domainkey.shop.dev', state, detail: expect.stringContaining(detail) },
        ...(state === 'fail' && { hint: `Write it: s1._domainkey.shop.dev. TXT "${record}"` }),
      })
    })

    test('a signature for another domain is a warning, one for a domain beside it is none', async () => {
      await smtp({ ...signing, dkimDomain: 'other.dev' })
      await smtp({ ...signing, dkimDomain: 'mail.shop.dev' })
      dns.zone = {
        ...company,
        's1._domainkey.other.dev': { TXT: [record] },
        's1._domainkey.mail.shop.dev': { TXT: [record] },
      }
      expect(await find('DKIM s1._domainkey.other.dev')).toMatchObject({
        ...{ state: 'warn', detail: expect.stringContaining('does not stand for shop.dev') },
      })
      expect(await find('DKIM s1._domainkey.mail.shop.dev')).toMatchObject({ state: 'ok' })
    })

    test('an RSA key is compared as it is published', async () => {
      const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
      await smtp({ ...signing, dkimPrivateKey: rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) })
      const der = rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
      dns.zone = { ...company, 's1._domainkey.shop.dev': { TXT: [`v=DKIM1; k=rsa; p=${der}`] } }
      expect(await find('DKIM s1._domainkey.shop.dev')).toMatchObject({ state: 'ok' })
    })

    test('a service is looked up at its usual selectors, through their aliases', async () => {
      await add('sendgrid', { apiKey: 'SG.k', fromAddress: 'hello@shop.dev' })
      dns.zone = company
      expect(await find('DKIM shop.dev (SendGrid)')).toMatchObject({
        state: 'warn',
        detail: expect.stringContaining('s1._domainkey.shop.dev, s2._domainkey.shop.dev'),
      })
      dns.zone = {
        ...company,
        's2._domainkey.shop.dev': { CNAME: ['s2.domainkey.u1.sendgrid.net'] },
        's2.domainkey.u1.sendgrid.net': { TXT: ['k=rsa; t=s; p=MIIB'] },
      }
      expect(await states()).toEqual({
        'domain shop.dev': 'ok',
        'SPF shop.dev': 'skip',
        'DKIM shop.dev (SendGrid)': 'ok',
        'DMARC shop.dev': 'ok',
      })
    })
  })

  describe('services', () => {
    test('a service with an envelope sender of the customer needs its include', async () => {
      await add('gmail', {
        ...{ clientId: 'c', clientSecret: 's', refreshToken: 'r', fromAddress: 'hello@shop.dev' },
      })
      dns.zone = company
      expect(await find('SPF shop.dev')).toMatchObject({
        state: 'warn',
        hint: expect.stringContaining('TXT "v=spf1 include:_spf.google.com mx -all"'),
      })
      expect(
        await spf('v=spf1 include:_spf.google.com mx -all', {
          '_spf.google.com': { TXT: ['v=spf1 ip4:192.0.2.0/24 ~all'] },
        }),
      ).toMatchObject({ state: 'ok' })
    })

    test.each([
      ['redirects to it, with a dot', 'v=spf1 redirect=_spf.google.com.'],
      ['has macros', 'v=spf1 include:%{i}._ip.%{d}._spf.flat.dev ~all'],
      ['has its addresses', 'v=spf1 include:flat.dev -all'],
      ['has a name whose server is silent', 'v=spf1 include:slow.dev -all'],
    ])('no include of a service is missing where the record %s', async (_name, record) => {
      await add('gmail', {
        ...{ clientId: 'c', clientSecret: 's', refreshToken: 'r', fromAddress: 'hello@shop.dev' },
      })
      dns.silent = new Set(['slow.dev'])
      const check = await spf(record, {
        '_spf.google.com': { TXT: ['v=spf1 include:_netblocks.google.com ~all'] },
        '_netblocks.google.com': { TXT: ['v=spf1 ip4:64.233.160.0/19 ~all'] },
        'flat.dev': { TXT: ['v=spf1 ip4:64.233.160.0/19 -all'] },
      })
      expect(check?.hint).toBeUndefined()
    })

    test('the domain of Mailgun is the one of SPF', async () => {
      await add('mailgun', { apiKey: 'k', domain: 'mg.shop.dev', fromAddress: 'hello@shop.dev' })
      dns.zone = { ...company, 'mg.shop.dev': { MX: ['mxa.mailgun.org'], TXT: ['v=spf1 include:mailgun.org ~all'] } }
      const zone: Zone = { 'mailgun.org': { TXT: ['v=spf1 ip4:192.0.2.0/24 ~all'] } }
      dns.zone = { ...dns.zone, ...zone }
      expect(await states()).toMatchObject({
        'SPF shop.dev': 'skip',
        'SPF mg.shop.dev': 'ok',
        'DKIM mg.shop.dev (Mailgun)': 'skip',
      })
    })

    test('SMTP through a service is a sender of the service', async () => {
      await smtp({ host: 'smtp.sendgrid.net' })
      dns.zone = company
      expect(await states()).toEqual({
        'domain shop.dev': 'ok',
        'SPF shop.dev': 'skip',
        'DKIM shop.dev (SendGrid)': 'warn',
        'DMARC shop.dev': 'ok',
      })
    })

    test('a relay under the same public suffix is one of another owner', async () => {
      await smtp({ host: 'smtp.co.uk', fromAddress: 'hello@shop.co.uk' })
      dns.zone = {
        'smtp.co.uk': { A: ['93.184.217.1'] },
        'shop.co.uk': { MX: ['mx.shop.co.uk'], TXT: ['v=spf1 ip4:198.51.100.0/24 -all'] },
      }
      expect(await states()).toMatchObject({ 'SPF shop.co.uk': 'ok', 'PTR smtp.co.uk': 'skip' })
      dns.zone = { ...dns.zone, 'shop.co.uk': { MX: ['mx.shop.co.uk'] } }
      expect((await find('SPF shop.co.uk'))?.hint).toContain('TXT "v=spf1 <the servers that send> ~all"')
    })

    test('a relay of another owner is no warning', async () => {
      await smtp({ host: 'smtp.relay.dev' })
      dns.zone = { ...company, 'smtp.relay.dev': { A: ['93.184.217.1'] } }
      expect(await states()).toMatchObject({ 'SPF shop.dev': 'ok', 'PTR smtp.relay.dev': 'skip' })
      expect((await find('PTR smtp.relay.dev'))?.hint).toContain('the operator of the server')
    })
  })

  describe('DMARC', () => {
    const dmarc = async (zone: Zone) => {
      const { '_dmarc.shop.dev': _dmarc, ...others } = company
      dns.zone = { ...others, ...zone }
      return find('DMARC shop.dev')
    }
    beforeEach(() => smtp())

    test.each([
      ['only reports', ['v=DMARC1; p=none'], 'ok', 'act on nothing'],
      ['two records', ['v=DMARC1; p=none', 'v=DMARC1; p=reject'], 'fail', '2 records'],
      ['no policy', ['v=DMARC1; adkim=s'], 'fail', 'no valid policy'],
      ['no policy, and an address for reports', ['v=DMARC1; rua=mailto:a@shop.dev'], 'warn', 'receivers only report'],
      ['a misspelled policy', ['v=DMARC1; p=quarantene'], 'fail', 'quarantene'],
      ['something else there', ['v=spf1 -all'], 'warn', 'there is no record'],
    ])('%s', async (_name, TXT, state, detail) =>
      expect(await dmarc({ '_dmarc.shop.dev': { TXT } })).toMatchObject({
        ...{ state, detail: expect.stringContaining(detail) },
      }),
    )

    test('a subdomain has the record of its parent, with its policy for subdomains', async () => {
      await api.engine.run({ text: 'delete from integrations', values: [] })
      await smtp({ fromAddress: 'news@news.shop.dev' })
      dns.zone = { ...company, 'news.shop.dev': { MX: ['mail.shop.dev'], TXT: ['v=spf1 mx -all'] } }
      expect(await find('DMARC news.shop.dev')).toMatchObject({
        state: 'ok',
        detail: expect.stringMatching(/\(of _dmarc\.shop\.dev\); receivers report, and act on nothing$/),
      })
      expect(dns.queries).not.toContain('TXT _dmarc.dev')
    })

    test.each([
      ['the organizational domain counts, and not one below it', 'p=reject', '_dmarc.shop.dev; '],
      ['a public suffix does not count before the domain below it', 'p=reject; psd=y', '_dmarc.b.shop.dev; '],
    ])('%s', async (_name, tags, place) => {
      await api.engine.run({ text: 'delete from integrations', values: [] })
      await smtp({ fromAddress: 'news@a.b.shop.dev' })
      const check = await dmarc({
        'a.b.shop.dev': { MX: ['mail.shop.dev'] },
        '_dmarc.b.shop.dev': { TXT: ['v=DMARC1; p=none'] },
        '_dmarc.shop.dev': { TXT: [`v=DMARC1; ${tags}`] },
      }).then(() => find('DMARC a.b.shop.dev'))
      expect(check).toMatchObject({ state: 'ok', detail: expect.stringContaining(`(of ${place}`) })
    })
  })

  test.each([
    ['that has no name', {}, 'has no name'],
    ['whose name leads elsewhere', { PTR: ['host.provider.dev'] }, 'is host.provider.dev, which does not lead back'],
  ])('an address %s is a warning', async (_name, records, detail) => {
    await smtp()
    dns.zone = {
      ...company,
      '34.216.184.93.in-addr.arpa': records,
      'host.provider.dev': { A: ['198.51.100.1'] },
    }
    expect(await find('PTR mail.shop.dev')).toMatchObject({
      ...{ state: 'warn', detail: expect.stringContaining(detail) },
      hint: expect.stringContaining('34.216.184.93.in-addr.arpa. PTR mail.shop.dev.'),
    })
  })

  test('a mail server of this machine says nothing about the address that mails leave from', async () => {
    await smtp({ host: '127.0.0.1' })
    dns.zone = company
    expect(await find('PTR 127.0.0.1')).toMatchObject({ state: 'skip' })
    expect(await find('SPF shop.dev')).toMatchObject({ state: 'ok', detail: '"v=spf1 mx -all"' })
  })

  test('IPv6 addresses are looked up as well', async () => {
    const digits = '2606:2800:0220:0001:0248:1893:25c8:1946'.replaceAll(':', '')
    const zone: Zone = {
      'mail.shop.dev': { A: ['93.184.216.34'], AAAA: ['2606:2800:220:1:248:1893:25c8:1946'] },
      [`${[...digits].toReversed().join('.')}.ip6.arpa`]: { PTR: ['mail.shop.dev'] },
    }
    await smtp()
    dns.zone = { ...company, ...zone }
    expect(await states()).toMatchObject({ 'SPF shop.dev': 'ok', 'PTR mail.shop.dev': 'ok' })
    expect(await spf('v=spf1 ip4:93.184.216.34 -all', zone)).toMatchObject({
      state: 'warn',
      hint: expect.stringContaining('v=spf1 ip6:2606:2800:220:1:248:1893:25c8:1946 ip4:93.184.216.34 -all'),
    })
  })

  test('a name of another script is looked up in ASCII', async () => {
    await smtp({ fromAddress: 'hallo@bücher.dev' })
    dns.zone = { 'xn--bcher-kva.dev': { MX: ['mail.shop.dev'] } }
    expect(await find('domain xn--bcher-kva.dev')).toMatchObject({ state: 'ok' })
  })

  describe('nothing is looked up', () => {
    test('for the domain of a mailbox provider, which only its service sends for', async () => {
      const consent = { clientId: 'c', clientSecret: 's', refreshToken: 'r' }
      await add('gmail', { ...consent, fromAddress: 'shop@gmail.com' })
      expect(await states()).toEqual({ 'domain gmail.com': 'skip' })
      await smtp({ host: 'smtp.gmail.com', fromAddress: 'shop@gmail.com' })
      expect(await states()).toEqual({ 'domain gmail.com': 'skip' })
      await smtp({ fromAddress: 'shop@gmail.com' })
      expect(await find('domain gmail.com')).toMatchObject({
        state: 'warn',
        detail: expect.stringContaining('mail.shop.dev cannot send'),
      })
      expect(dns.queries).toEqual([])
    })

    test.each([
      ['yahoo.com', 'smtp.mail.yahoo.com'],
      ['yahoo.co.uk', 'smtp.mail.yahoo.com'],
      ['aol.com', 'smtp.aol.com'],
      ['icloud.com', 'smtp.mail.me.com'],
      ['gmx.de', 'mail.gmx.net'],
      ['web.de', 'smtp.web.de'],
      ['hotmail.fr', 'smtp-mail.outlook.com'],
      ['live.co.uk', 'smtp-mail.outlook.com'],
    ])('for %s, which only servers such as %s send for', async (domain, server) => {
      await smtp({ host: server, fromAddress: `shop@${domain}` })
      expect(await states()).toEqual({ [`domain ${domain}`]: 'skip' })
      await smtp({ fromAddress: `shop@${domain}` })
      expect(await states()).toEqual({ [`domain ${domain}`]: 'warn' })
      expect(dns.queries).toEqual([])
    })

    test('for names that no public name server has', async () => {
      for (const domain of ['example.com', 'mail.example.org', 'shop.test', 'localhost', 'host.internal', '10.0.0.1'])
        await smtp({ host: '127.0.0.1', fromAddress: `a@${domain}` })
      expect(await dnsChecks()).toEqual([
        {
          name: 'sender domains',
          state: 'skip',
          detail:
            'nothing to look up: no public name server has example.com, mail.example.org, shop.test, localhost, host.internal and 1 more',
        },
      ])
      expect(dns.queries).toEqual([])
    })

    test('for an integration that is disabled, one of another channel and one of another environment', async () => {
      await smtp({}, { enabled: false })
      await add('twilio', { accountSid: 'AC1', authToken: 'x', from: '+12025550100' })
      const body = { provider: 'smtp', settings: { host: 'mail.shop.dev', fromAddress: 'a@shop.dev' } }
      expect((await api.call('POST', '/providers', { apiKey: keys.test, body })).status).toBe(201)
      expect(await dnsChecks()).toEqual([])
      expect(dns.queries).toEqual([])
    })

    test('beyond twenty domains, and the others are named', async () => {
      dns.zone = { com: {} }
      for (let index = 0; index < 27; index++) await smtp({ host: '127.0.0.1', fromAddress: `a@shop${index}.dev` })
      const results = await dnsChecks()
      expect(results.filter(({ state }) => state === 'fail')).toHaveLength(20)
      expect(results.at(-1)).toEqual({
        name: 'sender domains',
        state: 'skip',
        detail: 'not looked up, after 20 others: shop20.dev, shop21.dev, shop22.dev, shop23.dev, shop24.dev and 2 more',
      })
    })
  })

  test('without a name server that answers there is one warning, after one look-up of each kind', async () => {
    await smtp()
    await smtp({ fromAddress: 'a@store.dev', host: 'mail.store.dev' })
    dns.silent = true
    expect(await dnsChecks()).toEqual([
      {
        name: 'sender domains',
        state: 'warn',
        detail:
          'no name server answers for public names, so that SPF, DKIM and DMARC were not looked up for shop.dev, store.dev',
        hint: expect.stringContaining('/etc/resolv.conf'),
      },
    ])
    expect(dns.queries.toSorted()).toEqual(
      ['shop.dev', 'store.dev'].flatMap((name) => [`A ${name}`, `AAAA ${name}`, `MX ${name}`]).toSorted(),
    )
  })

  test('a name server that denies every public name is no answer', async () => {
    await smtp()
    expect(await states()).toEqual({ 'sender domains': 'warn' })
  })

  test('a domain whose name servers are silent does not hide the others', async () => {
    await smtp()
    await smtp({ fromAddress: 'a@store.dev', host: '127.0.0.1' })
    dns.zone = company
    dns.silent = new Set(['store.dev'])
    expect(await states()).toMatchObject({
      'domain shop.dev': 'ok',
      'DMARC shop.dev': 'ok',
      'domain store.dev': 'warn',
    })
  })

  test('calls at once share their look-ups, and the next one looks again', async () => {
    await smtp()
    dns.zone = company
    await checks()
    const queries = dns.queries.length
    // One of them lasts until all calls have arrived.
    Object.assign(dns, { silent: new Set(['_dmarc.shop.dev']), queries: [] })
    const results = await Promise.all(Array.from({ length: 20 }, checks))
    expect(dns.queries).toHaveLength(queries)
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1)
    dns.silent = new Set()
    expect(await find('DMARC shop.dev')).toMatchObject({ state: 'ok' })
  })

  test('look-ups are bounded in number', async () => {
    const bound = await open({ pipeline: 'recording', engine: api.engine, lookUps: { ...bounds(), lookUpsMax: 3 } })
    await smtp()
    dns.zone = company
    const { checks: results } = await mustCall(bound, 'GET', '/diagnostics')
    expect(dns.queries.toSorted()).toEqual(['A shop.dev', 'AAAA shop.dev', 'MX shop.dev'])
    expect(results).toContainEqual({
      ...{ name: 'SPF shop.dev', state: 'warn', detail: 'no name server answers for shop.dev' },
    })
  })

  test('look-ups end together, however often and long each of them is tried', async () => {
    const lookUps = { ...bounds(), timeoutMs: 600_000, tries: 50, totalMs: 200 }
    const bound = await open({ pipeline: 'recording', engine: api.engine, lookUps })
    await smtp()
    dns.silent = true
    expect((await mustCall(bound, 'GET', '/diagnostics')).checks).toContainEqual(
      expect.objectContaining({ name: 'sender domains', state: 'warn' }),
    )
    expect(dns.queries).toHaveLength(3)
  })
})
