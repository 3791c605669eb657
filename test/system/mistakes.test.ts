/** The mistakes that people make are said: at once, with the place, the name or value that is wrong, and what to do. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finalStatuses } from '@postrider/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../cli/in-process.ts'
import type { ApiReply } from '../support/api-client.ts'
import { type App, withApp } from '../support/app.ts'
import { startSmtpSink } from '../support/peers/smtp.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

/** All that the product says of a call. */
interface Answer {
  /** In the reply: the error, or the warnings; of the command, its lines. */
  reply: string[]
  /** Later, and only there: in the explanation of the send, at its message and in its history. */
  later: string[]
  isError: boolean
  /** The call did all the same what it was made for. */
  isDone: boolean
}

interface Mistake {
  /** The words by which the answer may name the place: a field, a header, a line, a kind of thing. */
  place: string
  /** The name, the value or the size that is wrong there. */
  value: string
  make(): Promise<Answer>
  /** The whole answer, word for word, so that no change worsens it unseen. */
  reply: string[]
  later?: string[]
}

/** The forms of advice: another name, a rule with its bounds or its form, the names there are, an act. */
const ADVICE = [
  /did you mean/i,
  /\bmust be\b|\bmust have\b|\bneeds\b|\blarger than \d|\bof the form\b|\bhas no `@`/,
  /\b(?:such )?as `/,
  /\b(?:has|are|needs one of) `/,
  /^hint: |\bGET \/|\buse a\b|\bwrite\b|\bdouble quotes\b|\bSend JSON\b/im,
]

/** A sentence with its end. */
const WARNING = /^\S.*[^\s.?][.?]$/
/** The same, or one that could follow a colon, without an end. */
const ERROR = /^\S(?:.*[^\s.?][.?]|.*[^\s.?])$/

/** A point each: it is said; it is said in the reply; it names the place; it names what is wrong there; it says what to do. */
function score({ place, value }: Mistake, { reply, later, isDone }: Answer): number {
  if (isDone) return 5
  const answer = [...reply, ...later].join('\n')
  const hasAdvice = ADVICE.some((advice) => advice.test(answer))
  return [answer !== '', reply.length > 0, answer.includes(place), answer.includes(value), hasAdvice].filter(Boolean)
    .length
}

withApp((open) => {
  let app: App
  let smtp: Awaited<ReturnType<typeof startSmtpSink>>
  const folder = mkdtempSync(join(tmpdir(), 'postrider-mistakes-'))
  beforeAll(async () => {
    app = await open()
    smtp = await startSmtpSink()
    const settings = { host: '127.0.0.1', port: smtp.port, security: 'opportunistic', fromAddress: 'news@example.com' }
    await integrate(app.client, { provider: 'smtp', settings })
    await publish(app.client, 'welcome', {})
    await publish(app.client, 'mail', { channels: ['email'] })
    await app.client.lists.put('news', { name: 'News' })
  })
  afterAll(async () => {
    await smtp.close()
    rmSync(folder, { recursive: true })
  })

  const said = ({ status, headers, json }: ApiReply): string[] =>
    status >= 400
      ? [json.message]
      : [...JSON.parse(headers.get('postrider-warnings') ?? '[]'), ...(json.warnings ?? [])]

  const answerOf = (reply: ApiReply): Answer => ({
    ...{ reply: said(reply), later: [], isError: reply.status >= 400, isDone: false },
  })

  const call = async (method: string, path: string, body: unknown, headers = {}): Promise<Answer> => {
    return answerOf(await app.call(method, path, { body, headers }))
  }

  /** Where the send is accepted, also what its explanation says, its message and its history. */
  const send = async (body: object | string, { query = '', headers = {} } = {}): Promise<Answer> => {
    const reply = await app.call('POST', `/send${query}`, { body, headers })
    if (reply.status >= 400) return answerOf(reply)
    const id = reply.json.messageId ?? reply.json.requestId
    const ends = ({ status }: { status: string }) =>
      finalStatuses.has(status as never) || status === 'DELAYED' || status === 'SENT'
    const { error } = await until(() => app.client.messages.get(id), ends)
    const { results } = await app.client.messages.history(id)
    const explained = await app.call('POST', '/explain', { body })
    const sentences = [
      ...(explained.json.warnings ?? []),
      ...(explained.json.decision?.error === undefined ? [] : [explained.json.decision.error]),
      ...(error === undefined ? [] : [error]),
      ...results.flatMap((event) => ('findings' in event && event.findings ? event.findings : [])),
    ]
    const atOnce = said(reply)
    const later = [...new Set(sentences)].filter((sentence) => !atOnce.includes(sentence))
    return { ...answerOf(reply), later }
  }

  const command = async (...args: string[]): Promise<Answer> => {
    const env = { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey, NO_COLOR: '1' }
    const { code, err } = await run(args, { env })
    const lines = err.replaceAll(`${folder}/`, '').split('\n')
    // Others are about its progress.
    const isAboutMistakes = (line: string) =>
      code === 0 ? line.startsWith('Warning: ') : line !== '' && !/…$/.test(line)
    const reply = lines.map((line) => line.trim()).filter(isAboutMistakes)
    return { reply, later: [], isError: code !== 0, isDone: false }
  }
  const file = (name: string, content: string | Uint8Array) => {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }

  const strict = { query: '?strict=true' }
  const profile = { email: 'ada@example.com' }
  const to = { user_id: 'ada', ...profile }
  const data = { name: 'Ada' }
  const ada = { event: 'mail', recipient: 'ada', profile, data }
  const misspelledData = { event: 'mail', recipient: 'ada', profile, dta: data }
  const message = (fields: object) => ({ message: { to, template: 'mail', data, ...fields } })
  const inline = (fields: object) => ({ message: { to, content: { title: 'Hi', body: 'There' }, ...fields } })
  const single = (channel: string) => ({ routing: { method: 'single', channels: [channel] } })
  const steps = [{ action: 'send', template: 'welcome' }]
  const automation = (id: string, body: object) => call('PUT', `/automations/templates/${id}`, body)
  const notification = (content: object) =>
    call('POST', '/notifications', { notification: { name: 'New', content }, state: 'PUBLISHED' })
  const elements = (...all: object[]) => ({ version: '2022-01-01', elements: all })

  const mistakes: Record<string, Mistake> = {
    '1: a required field misspelled': {
      place: 'recipient',
      value: 'recpient',
      make: () => send({ event: 'mail', recpient: 'ada' }),
      reply: ['recipient is required. Unknown field `recpient`. Did you mean `recipient`?'],
    },
    '2: an optional field misspelled': {
      place: 'dta',
      value: 'dta',
      make: () => send(misspelledData),
      reply: ['Unknown field `dta`. Did you mean `data`?'],
      later: ['elements.0: `{name}` has no value: the recipient reads `{name}`.'],
    },
    '3: the same, strict': {
      place: 'dta',
      value: 'dta',
      make: () => send(misspelledData, strict),
      reply: [
        'The strict send is refused. Unknown field `dta`. Did you mean `data`? elements.0: The variable `{name}` has no value.',
      ],
    },
    '4: a template misspelled': {
      place: 'template',
      value: '`welcom`',
      make: () => send(message({ template: 'welcom' })),
      reply: [],
      later: [
        'Unknown template `welcom`. Did you mean `welcome`?',
        'Unknown template `welcom`',
        'Unknown template `welcom`.',
      ],
    },
    '5: the same, strict': {
      place: 'template',
      value: '`welcom`',
      make: () => send(message({ template: 'welcom' }), strict),
      reply: ['The strict send is refused. Unknown template `welcom`. Did you mean `welcome`?'],
    },
    '6: no address, strict': {
      place: 'profile',
      value: '`email`',
      make: () => send(message({ to: { user_id: 'bob' }, template: 'welcome' }), strict),
      reply: [
        'The strict send is refused. No usable address: email (SMTP) needs `email` in the profile; the mailbox does not take inbox, because only one of the channels is used, and there is or was a real integration for email.',
      ],
    },
    '7: JSON that is cut off': {
      place: 'line 1, column 20',
      value: 'ends',
      make: () => send('{"event":"welcome",'),
      reply: ['The body is not valid JSON at position 19 (line 1, column 20): it ends before it is complete'],
    },
    '8: JSON in single quotes': {
      place: 'line 1, column 2',
      value: 'single',
      make: () => send("{'event': 'welcome'}"),
      reply: [
        'The body is not valid JSON at position 1 (line 1, column 2). JSON has double quotes around names and texts, not single ones',
      ],
    },
    '9: a wrong content type': {
      place: 'content-type',
      value: 'text/plain',
      make: async () => {
        const body = JSON.stringify({ ...ada, profile: { email: 'plain@example.com' } })
        const answer = await send(body, { headers: { 'content-type': 'text/plain' } })
        const mail = await smtp.waitFor(({ to: [address] }) => address === 'plain@example.com')
        return { ...answer, isDone: mail.parsed.text?.includes('Good to see you, Ada.') === true }
      },
      reply: [],
    },
    '10: XML': {
      place: 'body',
      value: 'XML',
      make: () => send('<send><event>welcome</event></send>', { headers: { 'content-type': 'application/xml' } }),
      reply: [
        'The body is not valid JSON: it begins with `<`, as XML and HTML do. Send JSON, with `Content-Type: application/json`',
      ],
    },
    '11: a body of 7 MB': {
      place: 'body',
      value: '6 MB',
      make: () => send({ ...ada, data: { name: 'x'.repeat(7_000_000) } }),
      reply: ['The body is larger than 6 MB'],
    },
    '12: an address that is none, strict': {
      place: '`email`',
      value: '`ada(at)example`',
      make: () => send({ ...ada, profile: { email: 'ada(at)example' } }, strict),
      reply: [
        'The strict send is refused. No usable address: email (SMTP) cannot use the `email` of the profile. The `email` of the profile, `ada(at)example`, is not an email address: it has no `@`.',
      ],
    },
    '13: an address that is none, in a profile': {
      place: '`email`',
      value: '`ada(at)example`',
      make: () => call('PUT', '/profiles/eve', { profile: { email: 'ada(at)example' } }),
      reply: ['The `email` of the profile, `ada(at)example`, is not an email address: it has no `@`.'],
    },
    '14: a setting of a provider misspelled': {
      place: 'settings',
      value: '`hots`',
      make: () =>
        call('POST', '/providers', { provider: 'smtp', settings: { hots: 'a.example', fromAddress: 'a@b.co' } }),
      reply: ['Unknown field `hots` at settings. Did you mean `host`?'],
    },
    '15: a provider misspelled': {
      place: 'provider',
      value: '`smpt`',
      make: () => call('POST', '/providers', { provider: 'smpt', settings: {} }),
      reply: ['Unknown provider `smpt`. Did you mean `smtp`? GET /providers/catalog lists them.'],
    },
    '16: the time zone of a delay misspelled': {
      place: 'message.delay.timezone',
      value: '`Europe/Berln`',
      make: () => send(message({ delay: { until: 'Mo-Fr 08:00-18:00', timezone: 'Europe/Berln' } })),
      reply: [
        '`Europe/Berln`, the time zone in `message.delay.timezone`, does not exist, and is not used. Did you mean `Europe/Berlin`?',
      ],
    },
    '17: a time in words': {
      place: 'message.delay.until',
      value: '`tomorrow`',
      make: () => send(message({ delay: { until: 'tomorrow' } })),
      reply: [
        'message.delay.until must be an ISO 8601 timestamp such as `2026-04-08T08:00:00Z`, or opening hours: `tomorrow` is not of the form `Mo-Fr 08:00-18:00`',
      ],
    },
    '18: the time zone of a schedule misspelled': {
      place: 'triggers.0',
      value: '`Europe/Berln`',
      make: () =>
        automation('zone', {
          triggers: [{ type: 'schedule', cron: '0 9 * * 1', timezone: 'Europe/Berln' }],
          automation: { steps },
        }),
      reply: ['triggers.0: `Europe/Berln` is not a time zone. Did you mean `Europe/Berlin`?'],
    },
    '19: a cron pattern with an hour that is none': {
      place: 'triggers.0',
      value: '`25`',
      make: () => automation('cron', { triggers: [{ type: 'schedule', cron: '0 25 * * MON' }], automation: { steps } }),
      reply: ['triggers.0: `0 25 * * MON` is not a cron pattern: the hour must be from 0 to 23; it is `25`'],
    },
    '20: an automation that invokes itself': {
      place: 'automation.steps.0',
      value: 'invokes this automation again',
      make: () => automation('circle', { automation: { steps: [{ action: 'invoke', template: 'circle' }] } }),
      reply: [
        'automation.steps.0 invokes this automation again, and no such step has a condition: each run starts another one, until a limit ends the last with an error.',
      ],
    },
    '21: a block that is not closed': {
      place: 'body',
      value: '`{{#if name}}`',
      make: () => notification({ title: 'Hi', body: '{{#if name}}Hello' }),
      reply: ['notification.content: body: `{{#if name}}` is not closed: write `{{/if}}` behind it'],
    },
    '22: an unknown helper': {
      place: 'body',
      value: '`uper`',
      make: () => notification({ title: 'Hi', body: '{{uper name}}' }),
      reply: ['notification.content: body: `{{uper name}}`: `uper` is not a known helper'],
    },
    '23: a method that expressions do not have': {
      place: 'elements.0.if',
      value: '`map`',
      make: () => notification(elements({ type: 'text', content: 'x', if: 'data.items.map(item => item.id)' })),
      reply: [
        'notification.content: elements.0.if: A call of `map` cannot be used in an expression (at 0); its methods are `includes`, `indexOf`, `startsWith`, `endsWith`, `toLowerCase`, `toUpperCase`, `trim`, `slice`, `join`',
      ],
    },
    '24: a variable without a value': {
      place: 'elements.0',
      value: '`{name}`',
      make: () => send({ event: 'mail', recipient: 'ada', profile }),
      reply: [],
      later: ['elements.0: `{name}` has no value: the recipient reads `{name}`.'],
    },
    '25: an element misspelled': {
      place: 'elements.0',
      value: '"buton"',
      make: () => notification(elements({ type: 'buton', content: 'x' })),
      reply: ['notification.content: elements.0: "buton" is not an element. Did you mean `action`?'],
    },
    '26: an element misspelled beside others': {
      place: 'elements.1',
      value: '"buton"',
      make: () => notification(elements({ type: 'text', content: 'x' }, { type: 'buton', content: 'x' })),
      reply: ['elements.1: "buton" is not an element; it is left out. Did you mean `action`?'],
    },
    '26 by the command': {
      place: 'elements.1',
      value: '"buton"',
      make: () => {
        const content = elements({ type: 'text', content: 'x' }, { type: 'buton', content: 'x' })
        file('templates/button.json', JSON.stringify({ name: 'Button', content }))
        return command('templates', 'push', '--dir', join(folder, 'templates'), '--yes', '--publish')
      },
      reply: [
        'error: Nothing was written: the server rejected 1 of the templates',
        'button: notification.content: elements.1: "buton" is not an element. Did you mean `action`?',
      ],
    },
    '27: an idempotency key with another body': {
      place: 'Idempotency-Key',
      value: 'another body',
      make: async () => {
        const options = { headers: { 'idempotency-key': 'k1' } }
        await send(ada, options)
        return send({ ...ada, recipient: 'greta' }, options)
      },
      reply: ['This Idempotency-Key was used with another body: use a key of its own for another call'],
    },
    '28: a list misspelled, strict': {
      place: 'list',
      value: '`nws`',
      make: () => send(message({ to: { list_id: 'nws' } }), strict),
      reply: ['The strict send is refused. Unknown list `nws`. Did you mean `news`?'],
    },
    '29: a channel misspelled, strict': {
      place: 'channel',
      value: '`emial`',
      make: () => send(message(single('emial')), strict),
      reply: [
        'The strict send is refused. `emial` is neither a channel nor a provider with an integration. Did you mean `email`?',
      ],
    },
    '29: the same': {
      place: 'channel',
      value: '`emial`',
      make: () => send(message(single('emial'))),
      reply: ['`emial` is neither a channel nor a provider with an integration. Did you mean `email`?'],
    },
    '29: a provider misspelled in a group': {
      place: 'provider',
      value: '`sengrid`',
      make: () =>
        send(message({ routing: { method: 'single', channels: ['email', { method: 'all', channels: ['sengrid'] }] } })),
      reply: ['`sengrid` is neither a channel nor a provider with an integration. Did you mean `sendgrid`?'],
      later: ['`sengrid` is neither a channel nor a provider with an integration.'],
    },
    '30: a telephone number without a country code, strict': {
      place: '`phone_number`',
      value: '`0123`',
      make: () => send(message({ to: { user_id: 'bob', phone_number: '0123' }, ...single('sms') }), strict),
      reply: [
        'The strict send is refused. The `phone_number` of the profile, `0123`, has no country code: write it in the place of the first `0`, such as `+49`.',
      ],
    },
    '31: a locale that is none, strict': {
      place: 'locale',
      value: '`german`',
      make: () => send(message({ to: { ...to, locale: 'german' } }), strict),
      reply: ['The strict send is refused. The locale `german` is not a language, as `de` or `de-AT` is.'],
    },
    '32: a file without a column of ids': {
      place: 'column',
      value: 'mail, name',
      make: () => command('profiles', 'import', file('a.csv', 'mail,name\na@example.com,Ada\n')),
      reply: [
        'error: No column with the id of the recipient',
        'hint: Give the column with --id. The columns are mail, name.',
      ],
    },
    '32: a file in Latin-1': {
      place: 'b.csv',
      value: 'UTF-8',
      make: () => command('profiles', 'import', file('b.csv', Buffer.from('id,name\nada,J\u00fcrgen\n', 'latin1'))),
      reply: [
        'error: b.csv is not UTF-8',
        'hint: Save it as "CSV UTF-8", or convert it: iconv -f WINDOWS-1252 -t UTF-8 users.csv > users-utf8.csv',
      ],
    },
    '32: a file with a number that is none': {
      place: 'line 3',
      value: 'x1',
      make: () => command('profiles', 'import', file('c.csv', 'id,age:number\nada,12\nbob,x1\n')),
      reply: ['line 3: age must be a number', '2 rows, 1 failed (100 % of the file)'],
    },
    '33: a command misspelled': {
      place: 'command',
      value: 'sned',
      make: () => command('sned', 'welcome', 'ada'),
      reply: ["error: unknown command 'sned'", '(Did you mean send?)'],
    },
    '33: an option misspelled': {
      place: 'option',
      value: '--starict',
      make: () => command('send', 'welcome', 'ada', '--starict'),
      reply: ["error: unknown option '--starict'", '(Did you mean --strict?)'],
    },
    '33: a number that is none': {
      place: '--limit',
      value: 'abc',
      make: () => command('messages', 'list', '--limit', 'abc'),
      reply: [
        "error: option '-l, --limit <count>' argument 'abc' is invalid. It must be a whole number from 1 to 1000.",
      ],
    },
    '34: a field of inline content misspelled': {
      place: 'message.content',
      value: '`titel`',
      make: () => send(inline({ content: { titel: 'Invoice', body: 'x' } })),
      reply: ['Unknown field `titel` at message.content. Did you mean `title`?'],
    },
    '34: the same, strict': {
      place: 'message.content',
      value: '`titel`',
      make: () => send(inline({ content: { titel: 'Invoice', body: 'x' } }), strict),
      reply: ['The strict send is refused. Unknown field `titel` at message.content. Did you mean `title`?'],
    },
    '35: a template beside content': {
      place: 'message.template',
      value: 'template',
      make: () => send(inline({ template: 'welcome' })),
      reply: ['message.template is ignored beside `content`.'],
    },
    '36: preferences of a recipient misspelled': {
      place: 'message.to.preferences',
      value: '`notificatons`',
      make: () => send(message({ to: { ...to, preferences: { notificatons: {} } } })),
      reply: ['Unknown field `notificatons` at message.to.preferences. Did you mean `notifications`?'],
    },
    '37: the id of a user under another name': {
      place: 'message.to',
      value: '`id`',
      make: () => send(message({ to: { id: 'ada', email: 'ada@example.com' } })),
      reply: ['Unknown field `id` at message.to. Did you mean `user_id`?'],
    },
    '38: a provider misspelled in a send': {
      place: 'provider',
      value: '`smpt`',
      make: () => send(message({ providers: { smpt: { override: { body: {} } } } })),
      reply: ['Unknown provider `smpt`. Did you mean `smtp`?'],
    },
    '38: the same, strict': {
      place: 'provider',
      value: '`smpt`',
      make: () => send(message({ providers: { smpt: { override: { body: {} } } } }), strict),
      reply: ['The strict send is refused. Unknown provider `smpt`. Did you mean `smtp`?'],
    },
    '38: a channel in the place of a provider': {
      place: 'override',
      value: '`email`',
      make: () => send({ ...ada, override: { email: { subject: 'x' } } }),
      reply: ['Unknown provider `email`. Did you mean `override.channel.email`?'],
    },
    '38: the same, strict, in the place of a provider': {
      place: 'override',
      value: '`email`',
      make: () => send({ ...ada, override: { email: { subject: 'x' } } }, strict),
      reply: ['The strict send is refused. Unknown provider `email`. Did you mean `override.channel.email`?'],
    },
    '39: the channel of a timeout misspelled': {
      place: 'message.timeout.channel',
      value: '`emial`',
      make: () => send(message({ timeout: { channel: { emial: 60_000 } } })),
      reply: ['Unknown channel `emial` at message.timeout.channel. Did you mean `email`?'],
    },
    '40: a required field of a message misspelled': {
      place: '`template`',
      value: '`templat`',
      make: () => send({ message: { to, templat: 'welcome' } }),
      reply: [
        "Invalid Request. Either 'content' or 'template' must be defined. Unknown field `templat`. Did you mean `template`?",
      ],
    },
  }
  const scores = new Map<string, number>()

  test.each(Object.entries(mistakes))('%s', async (name, mistake) => {
    const answer = await mistake.make()
    expect({ reply: answer.reply, later: answer.later }).toEqual({ reply: mistake.reply, later: mistake.later ?? [] })
    for (const text of answer.reply) expect(text).toMatch(answer.isError ? ERROR : WARNING)
    const points = score(mistake, answer)
    scores.set(name, points)
    expect(points).toBeGreaterThanOrEqual(3)
  })

  test('the mean is good', () => {
    const number = (name: string) => Number.parseInt(name, 10)
    const numbers = [...new Set(Object.keys(mistakes).map(number))]
    // One that was made in several ways counts by its worst answer, and one that could not be made with nothing.
    const worst = numbers.map((row) =>
      Math.min(...Object.keys(mistakes).flatMap((name) => (number(name) === row ? (scores.get(name) ?? 0) : []))),
    )
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
    expect(worst.reduce((sum, points) => sum + points, 0) / worst.length).toBeGreaterThanOrEqual(4.2)
  })
})
