/** Blocks, helpers and paths come out as Handlebars itself writes them; values stay values; what is unknown is refused. */
import fc from 'fast-check'
import Handlebars from 'handlebars'
import { describe, expect, test } from 'vitest'
import { isLong } from '../../base/long.harness.ts'
import { withinWork } from '../../base/processor-time.harness.ts'
import type { Dialect } from '../../base/rendered-content.ts'
import { compile } from '../compile.ts'
import { RenderFailed } from '../failure.ts'
import { render } from '../render.ts'
import type { RenderOptions } from '../template.ts'
import { handlebarsProblem } from './handlebars.ts'

/** One text as it is, without Markdown: as a member of a channel's own payload. */
function expanded(text: string, data: Record<string, unknown>, options: Partial<RenderOptions> = {}): unknown {
  const content = { version: '2022-01-01', elements: [{ type: 'channel', channel: 'sms', raw: { payload: text } }] }
  const context = { data, profile: { email: 'ada@example.com', name: 'Ada' }, ...options.context }
  const { raw } = render(compile(content), { channel: 'sms', dialect: 'plain', ...options, context })
  return raw?.payload
}

const shown = (body: string, data: Record<string, unknown>, dialect: Dialect = 'plain') =>
  render(compile({ body }), { channel: 'sms', dialect, context: { data } }).text

/** With its own escape of HTML: the values of these texts have nothing to escape. */
const original = (text: string, data: Record<string, unknown>) =>
  Handlebars.compile(text)({ profile: { email: 'ada@example.com', name: 'Ada' }, ...data, data })

const people = [{ name: 'Rod' }, { name: 'TK' }, { name: 'Suhas' }]
const person = { firstname: 'Marty', lastname: 'Banks' }
const orders = { books: { count: 2, titles: ['A', 'B'] }, films: { count: 0, titles: [] } }

describe('as Handlebars', () => {
  // The forms of the documents of the public API and of Handlebars, with values of our own.
  test.each([
    '<ul>\n  {{#each people}}\n    <li>{{this.name}}</li>\n  {{/each}}\n</ul>\n',
    '{{#with person}}\n{{firstname}} {{lastname}}\n{{/with}}\n',
    '{{#if paid}}\n  <strong>True</strong>\n{{else}}\n  <strong>False</strong>\n{{/if}}\n',
    '{{#if missing}}yes{{else}}no{{/if}}',
    '{{#if empty}}yes{{else}}no{{/if}} {{#if zero}}yes{{else}}no{{/if}} {{#if zero includeZero=true}}yes{{/if}}',
    '{{#if none}}yes{{else if paid}}second{{else}}third{{/if}}',
    '{{#if none}}\nyes\n{{else if missing}}\nsecond\n{{else}}\nthird\n{{/if}}\nend',
    '{{#unless paid}}unpaid{{else}}paid{{/unless}}',
    '{{^if paid}}unpaid{{else}}paid{{/if}}',
    '{{^empty}}nothing{{/empty}}',
    '{{#each empty}}item{{else}}no items{{/each}}',
    '{{#each names}}{{@index}}:{{this}}{{#unless @last}}, {{/unless}}{{/each}}',
    '{{#each names as |name place|}}{{place}}={{name}};{{/each}}',
    '{{#each orders}}{{@key}}: {{count}} {{#each titles}}[{{.}} of {{../count}}, {{@../key}}]{{/each}}\n{{/each}}',
    '{{#each people}}{{#if @first}}first {{/if}}{{name}}{{#if @last}} last{{/if}} {{/each}}',
    '{{#people}}{{name}} {{/people}}',
    '{{#person}}{{firstname}} of {{../title}}{{/person}}',
    '{{#paid}}paid{{/paid}}{{#none}}none{{/none}}',
    '{{#with person as |who|}}{{who.firstname}}{{/with}}',
    '{{#with none}}yes{{else}}absent{{/with}}',
    'Hello {{title}},\n\n{{~#if paid}}\nYour code: {{code}}\n{{~/if~}}\n\nThanks for your order!\n',
    'Hello {{title}},\n\n{{#if none}}\nYour code: {{code}}\n{{/if}}\n\nThanks for your order!\n',
    'a {{! a note }} b {{!-- with }} in it --}} c\n{{! on its own line }}\nd',
    '\\{{title}} \\\\{{title}} {{{title}}} {{&title}}',
    '{{#each people}}{{lookup ../names @index}} {{/each}}',
    '{{person.firstname}} {{names.[1]}} {{person/lastname}} {{@root.title}}',
    '{{#each (lookup orders "books")}}{{@key}} {{/each}}',
    '  {{#each names}}\n    - {{this}}\n  {{/each}}\n  end',
    '{{#each people}}\r\n* {{name}}\r\n{{/each}}\r\n',
    '{{#each people~}} {{name}} {{~/each}}|',
    '{{#if paid}}{{#if title}}both{{/if}}{{/if}}',
    '{{#each orders}}{{#with this}}{{count}}{{/with}}{{@root.title}}{{/each}}',
  ])('%j', (text) => {
    const names = ['x', 'y', 'z']
    const data = { people, person, orders, names, paid: true, none: null, zero: 0, empty: [], title: 'Sale', code: 'C' }
    expect(expanded(text, data)).toBe(original(text, data))
  })

  test('any nesting of blocks, lines and values', () => {
    const name = fc.constantFrom('a', 'b', 'this', 'list', 'on', 'off', '@index')
    const line = fc.constantFrom('', ' ', '\n', '\n  ', 'word', ' word\n', '\r\n')
    const { block } = fc.letrec<{ block: string; parts: string }>((tie) => ({
      parts: fc
        .array(
          fc.oneof(
            { maxDepth: 3 },
            line,
            name.map((variable) => `{{#if ${variable}}}{{${variable}}}{{/if}}`),
            tie('block'),
          ),
          {
            maxLength: 5,
          },
        )
        .map((all) => all.join('')),
      block: fc
        .tuple(
          fc.constantFrom('if on', 'if off', 'unless on', 'each list', 'with b', 'each b'),
          fc.constantFrom('}}', '~}}'),
          tie('parts'),
          fc.option(tie('parts')),
          line,
        )
        .map(
          ([head, close, body, inverse, between]) =>
            `{{#${head}${close}${between}${body}${inverse === null ? '' : `{{else}}${inverse}`}{{/${head.split(' ')[0]}}}`,
        ),
    }))
    const data = { a: 'A', b: { a: 'B', c: 1 }, list: [{ a: 'x', on: true }, { a: 'y' }], on: true, off: false }
    fc.assert(
      fc.property(fc.tuple(line, block, line), (texts) => {
        const text = texts.join('')
        // Objects are JSON here, and the blocks of a message see its roots.
        const written = original(text, data)
        fc.pre(!written.includes('[object Object]'))
        expect(expanded(text, data)).toBe(written)
      }),
      // The project `long` runs more.
      { numRuns: isLong ? 500 : 100 },
    )
  })
})

describe('helpers', () => {
  const data = {
    ...person,
    n: 3,
    f: 3.14,
    on: true,
    off: false,
    tags: ['beta', 'vip'],
    yes: 'yes',
    s: 'hello world',
  }

  test.each([
    ['{{#if (and on yes)}}both{{else}}not{{/if}}', 'both'],
    ['{{#if (or off "")}}any{{else}}none{{/if}}', 'none'],
    ['{{not ""}} {{not "x"}} {{and}} {{or}}', 'true false {{and}} {{or}}'],
    ['{{#if (condition (var "yes") "==" "yes")}}Hello!{{else}}Bye{{/if}}', 'Hello!'],
    ['{{#if (condition (var "on") "==" "true")}}is{{/if}}', 'is'],
    ['{{#if (condition n ">=" 3)}}3{{/if}}{{#if (condition n "<" 3)}}less{{/if}}{{condition 1 "!=" 2}}', '3true'],
    ['{{#condition n "==" 3}}three{{else}}other{{/condition}}', 'three'],
    ['{{conditional (filter "data" "n" "EQUALS" 3) (filter "profile" "email" "CONTAINS" "@example")}}', 'true'],
    ['{{conditional off (filter "data" "data.tags" "CONTAINS" "vip") operator="or"}}', 'true'],
    ['{{default missing "friend"}} {{default n 4}}', 'friend 3'],
    [
      '[{{path "profile.none"}}] [{{var "profile.none"}}] [{{path "profile.email"}}]',
      '[] [{profile.none}] [ada@example.com]',
    ],
    ['{{set "who" (default (path "profile.first") "customer")}}Dear {{who}},', 'Dear customer,'],
    ['{{capitalize "foo"}} {{concat "a" "-" n}} {{concat "a" "b" separator=", "}}', 'Foo a-3 a, b'],
    [
      '{{format "%.2f" n}} {{format "%05.1f" f}} {{format "%s-%s" tags}} {{format "%d%%" n}} {{format "[%-5s]" "a"}}',
      '3.00 003.1 beta-vip 3% [a    ]',
    ],
    ['{{truncate s 4}} {{truncate s 5 "..."}} {{truncate "a" 5 "..."}}', 'hell hello... a'],
    [
      '[{{trim "  a "}}] [{{trim-left "  a "}}] [{{trim-right " a "}}] [{{trim-one-char-right s}}]',
      '[a] [a ] [ a] [hello worl]',
    ],
    [
      '{{abs -10}} {{add 5 3}} {{ceil 1.01}} {{ceil -1.01}} {{divide 3 2}} {{floor -1.01}} {{inc 1}}',
      '10 8 2 -1 1.5 -2 2',
    ],
    [
      '{{mod -13 5}} {{multiply -12 2}} {{round 1.5}} {{round -1.5}} {{round -1.4}} {{subtract 5 3}} {{sub 3.5 5}}',
      '-3 -24 2 -2 -1 2 -1.5',
    ],
    ['{{datetime-format 1554145200000 "%a, %B %d %I:%M %p"}}', 'Mon, April 01 07:00 PM'],
    ['{{datetime-format 1554145200000 "%a, %B %d %H:%M" "America/Los_Angeles"}}', 'Mon, April 01 12:00'],
    ['{{datetime-format "2019-04-01T12:00:00.000Z" "%A %d %b %y"}}', 'Monday 01 Apr 19'],
    ['{{datetime-format "2026-09-23T10:00:00-0300" "%H:%M"}}', '10:00'],
    ['{{swu_datetimeformat (swu_iso8601_to_time "2019-04-01T12:00:00Z") "%Y-%m-%d %j"}}', '2019-04-01 091'],
    [
      '{{swu_iso8601_to_time "2019-04-01T19:00:00.000Z"}} {{swu_timestamp_to_time 1554145200}}',
      '1554145200000 1554145200000',
    ],
  ])('%s is %s', (text, words) => expect(expanded(text, data)).toBe(words))

  test.each([
    ['{{add missing 1}}', 'add: undefined is not a number'],
    ['{{divide 1 0}}', 'divide: number cannot be used here'],
    ['{{condition 1 "~" 2}}', 'condition: the operator must be one of'],
    ['{{datetime-format "soon" "%Y"}}', 'datetime-format: takes a date'],
    ['{{datetime-format 1 "%Y" "Mars/Base"}}', 'datetime-format: `Mars/Base` is not a time zone'],
    ['{{set "data" 1}}', 'set: `data` cannot be the name'],
    ['{{var s}}{{var missing}}', 'var: the name of a variable must be a string'],
  ])('%s fails and says why', (text, reason) => {
    expect(() => expanded(text, data)).toThrow(RenderFailed)
    expect(() => expanded(text, data)).toThrow(reason)
  })
})

describe('in a message', () => {
  test('a list of Markdown is made of a block, and no value of it is Markdown', () => {
    const body = 'Items:\n\n{{#each items}}\n- **{{name}}**: {{price}}\n{{/each}}'
    const items = [
      { name: '*a*', price: 1 },
      { name: '{{b}}', price: '[x](y)' },
    ]
    expect(shown(body, { items })).toBe('Items:\n\n- *a*: 1\n- {{b}}: [x](y)')
    expect(shown(body, { items }, 'telegram')).toContain('<b>*a*</b>: 1')
  })

  test('values are escaped for where they land in the author’s HTML', () => {
    const content =
      '<ul>{{#each items}}<li><a href="{{url}}"{{#if bold}} style="color:{{color}}"{{/if}}>{{{name}}}</a></li>{{/each}}</ul>'
    const items = [
      { url: 'javascript:alert(1)', name: '<script>', bold: true, color: 'red;x:url(//y)' },
      { url: 'https://x.y/a b', name: '"' },
    ]
    const { html } = render(compile({ elements: [{ type: 'html', content }] }), {
      channel: 'email',
      dialect: 'html',
      context: { data: { items } },
    })
    expect(html).toContain(
      '<ul><li><a href="#" style="color:">&lt;script&gt;</a></li><li><a href="https://x.y/a%20b">&quot;</a></li></ul>',
    )
  })

  test('titles, addresses, snippets and payloads know blocks as well', () => {
    const content = {
      elements: [
        { type: 'meta', title: '{{#if paid}}Paid{{else}}Open{{/if}}: {{name}}' },
        { type: 'text', content: '{{>hello}}' },
        { type: 'action', content: 'Go', href: '{{#if paid}}https://x.y/?q={{name}}{{else}}https://z{{/if}}' },
      ],
    }
    const snippets = new Map([['hello', '{{#unless paid}}Please pay{{else}}Thanks{{/unless}}']])
    const options = { channel: 'push', dialect: 'plain', brand: { snippets } } as const
    const said = render(compile(content), { ...options, context: { data: { paid: true, name: 'a&b' } } })
    expect(said).toMatchObject({ title: 'Paid: a&b', actions: [{ href: 'https://x.y/?q=a%26b' }] })
    expect(said.body).toBe('Thanks')
  })

  test('a variable without a value stays or fails as everywhere, and is nothing inside a block of its own', () => {
    expect(shown('{{#if a}}{{/if}}{{missing}}|{missing}', {})).toBe('{{missing}}|{missing}')
    expect(shown('{{#each list}}[{{missing}}{{profile.none}}]{{/each}}', { list: [1] })).toBe('[]')
    const fails = () =>
      render(compile({ body: '{{#if a}}x{{else}}{{missing}}{{/if}}' }), {
        channel: 'sms',
        dialect: 'plain',
        context: { data: {} },
        onMissing: 'fail',
      })
    expect(fails).toThrow('body: The variable `{{missing}}` has no value')
  })

  test('only own keys are reached, however they are named', () => {
    for (const path of [
      'constructor',
      '__proto__',
      'a.constructor.name',
      'a.__proto__',
      'list.constructor',
      's.at',
      's.constructor.name',
    ])
      expect(
        expanded(`{{#with a}}{{/with}}[{{default ${path} ""}}{{lookup a "constructor"}}]`, { a: {}, list: [], s: 'x' }),
      ).toBe('[]')
  })
})

describe('unknown helpers and values', () => {
  test.each([
    ['{{shout name}}', '`{{shout name}}`: `shout` is not a known helper'],
    [
      '{{#repeat 3}}x{{/repeat}}',
      '`{{#repeat 3}}`: `repeat` is not a known helper. There are `if`, `unless`, `each`, `with`, `and`, `or`, `not`, `condition`, `conditional`, `filter`, `t`',
    ],
    ['{{captalize name}}', '`captalize` is not a known helper. Did you mean `capitalize`?'],
    ['{{formatDate day "%Y"}}', '`formatDate` is not a known helper. Did you mean `datetime-format`?'],
    ['{{#if (eq a 1)}}x{{/if}}', '`eq` is not a known helper. Did you mean `condition`?'],
    ['{{#eech list}}x{{/eech}}', '`eech` is not a known helper. Did you mean `each`?'],
    ['{{#unles a b}}x{{/unles}}', '`unles` is not a known helper. Did you mean `unless`?'],
    ['{{#if (shout a)}}x{{/if}}', '`shout` is not a known helper'],
    ['{{t "Salutation" "Hello"}}', '`t` takes one text, such as `{{t "Hello {name}"}}`'],
    ['{{#t}}{{#if a}}x{{/if}}{{/t}}', 'the block `t` holds only text and variables'],
    ['{{#t "Hello"}}x{{/t}}', 'the block `t` has its text inside'],
    ['{{#if a}}x', '`{{#if a}}` is not closed: write `{{/if}}` behind it'],
    ['{{#if a}}x{{/each}}', '`{{#if a}}` is closed by `{{/each}}`'],
    ['x{{/if}}', '`{{/if}}` closes a block that is not open'],
    ['{{else}}', '`{{else}}` is allowed once, inside a block'],
    ['{{#if a}}1{{else}}2{{else}}3{{/if}}', '`{{else}}` is allowed once, inside a block'],
    ['{{#each}}x{{/each}}', '`each` takes one value'],
    ['{{#trim a}}x{{/trim}}', '`trim` cannot be used as a block'],
    ['{{{{raw}}}}x{{{{/raw}}}}', 'Raw blocks'],
    ['{{#> layout}}x{{/layout}}', 'decorators and blocks of partials are not known'],
    ['{{!-- open', 'is not closed'],
    ['{{#if', 'cannot be read'],
  ])('%s is a problem of the template, and fails the message', (text, problem) => {
    expect(handlebarsProblem(text)).toContain(problem)
    expect(compile({ body: text }).problems[0]).toMatch(/^body: /)
    expect(() => shown(text, {})).toThrow(problem)
  })

  test.each([
    '{{ name | upper }}',
    '{{ a + b }}',
    '{{name.}}',
    '{{[a b}}',
    '{{}}',
    '{{name',
    '{{"name".x}}',
    '{{.name}}',
  ])('%s is a problem, and stays as it is written', (text) => {
    expect(handlebarsProblem(text)).toContain('is neither a variable nor a helper')
    expect(shown(text, { name: 'x', a: 1, b: 2 })).toBe(text)
  })

  test.each(['{{name}} {name}', '{{first-name}}', '{"a": {"b": 1}}', 'p { color: red }', '\\{{#if a}}', '{{"a": 1}}'])(
    '%s is none',
    (text) => expect(handlebarsProblem(text)).toBeUndefined(),
  )
})

describe('a time zone that is none', () => {
  const zoned = (zone: string) => `{{#if never}}{{concat (datetime-format day "%H" "${zone}")}}{{/if}}`

  test('is a finding of the content where it is written, and no problem', () => {
    expect(compile({ body: zoned('Europe/Berln') })).toMatchObject({
      findings: [
        {
          code: 'time_zone_unknown',
          text: 'body: `Europe/Berln` is not a time zone; a message that shows this date fails. Did you mean `Europe/Berlin`?',
        },
      ],
      problems: [],
    })
    expect(compile({ body: zoned('europe/berlin') + zoned('') }).findings).toEqual([])
    const many = '{{swu_datetimeformat day "%H" "Nowhere"}}'.repeat(60)
    expect(compile({ body: many }).findings).toHaveLength(50)
  })

  test('is named by the message that shows it', () => {
    const text = '{{datetime-format day "%H" zone}}'
    expect(() => shown(text, { day: '2026-01-01', zone: 'Europe/Berln' })).toThrow(
      '`Europe/Berln` is not a time zone. Did you mean `Europe/Berlin`?',
    )
    expect(() => shown(text, { day: 'someday', zone: 'Europe/Berlin' })).toThrow('takes a date')
  })
})

describe('in bounds', () => {
  const big = 'x'.repeat(900_000)
  test.each<[string, object?]>([
    [`${'{{#each ../list}}'.repeat(3)}${'{{/each}}'.repeat(3)}`],
    ['{{concat ../big ../big}}', { big }],
    ['{{trim ../big}}', { big: ` ${big}` }],
    ['{{#if (condition ../big "==" ../same)}}{{/if}}', { big, same: `${big}` }],
    ['{{format "%1$s%1$s%1$s%1$s%1$s%1$s%1$s" ../big}}', { big }],
    ['word '.repeat(100)],
  ])('%s for each of a thousand is charged to the message, whose reason names the element', async (each, data) => {
    const body = `{{#each list}}${each}{{/each}}`
    const list = Array(1_000).fill(0)
    await withinWork(300, () => expect(() => shown(body, { list, ...data })).toThrow(/^body: /))
  })

  // 200 kB each, chosen against a reader that looks back or ahead.
  test.each([
    '{{',
    '{{#',
    '{{"',
    "{{a '",
    '{{a "{{',
    '{{#if a}}',
    '{{[',
    '\\{{',
    '{{!--',
    '{{! ',
    '{{a (',
    '{{a.',
    '~}}',
    '{{../',
    '{{~',
    ' \n{{! }}',
  ])('%j over and over is read in time that grows with its length', async (piece) => {
    const text = piece.repeat(200_000 / piece.length)
    await withinWork(400, () => handlebarsProblem(text))
  })

  test('any text is read, or refused with a sentence', () => {
    const pieces = fc.constantFrom(
      ...[
        '{{',
        '}}',
        '{',
        '}',
        '#',
        '/',
        '^',
        '!',
        '--',
        '>',
        '&',
        '~',
        'if',
        'each',
        'else',
        'a',
        ' ',
        '.',
        '..',
        '@',
      ],
      ...['(', ')', '"', "'", '[', ']', '=', '|', 'as', 'this', '1', '\n', '\\', 'concat', 'set'],
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 25 }), (all) => {
        const text = all.join('')
        try {
          expect(typeof expanded(text, { a: { a: 1 } })).toBe('string')
        } catch (error) {
          if (!(error instanceof RenderFailed)) throw error
        }
        handlebarsProblem(text)
      }),
      { numRuns: 2_000 },
    )
  })
})
