/** The dashboard of Grafana and the alert rules of Prometheus use metrics and labels that a server has, and explain themselves. */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLog, joinDatabase, readConfig } from '@postrider/server'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../documents/markdown.ts'
import { type App, openApp } from '../support/app.ts'
import { newDataFolder } from '../support/databases.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { figureOf } from '../system/figures.ts'
import { integrate, publish } from '../system/templates.ts'
import { selectorsOf } from './promql.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Panel {
  id: number
  type: string
  title: string
  description?: string
  datasource?: unknown
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; legendFormat: string; datasource: unknown }[]
  fieldConfig?: { defaults: { unit?: string } }
}

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; description: string; guide: string }
}

/** A unit test of promtool. */
interface AlertTest {
  name: string
  input_series: { series: string }[]
  promql_expr_test?: { expr: string; exp_samples?: { labels: string }[] }[]
  alert_rule_test?: { alertname: string; exp_alerts?: object[] }[]
}

/** The alerts that at least one test expects to be there. */
function expectedAlerts(tests: readonly AlertTest[]): Set<string> {
  return new Set(
    tests.flatMap(({ promql_expr_test: expressions = [], alert_rule_test: alerts = [] }) => [
      ...expressions.flatMap(({ exp_samples: samples = [] }) =>
        samples.flatMap(({ labels }) => /\balertname="(\w+)"/.exec(labels)?.[1] ?? []),
      ),
      ...alerts.flatMap(({ alertname, exp_alerts: expected = [] }) => (expected.length > 0 ? [alertname] : [])),
    ]),
  )
}

const dashboard: { uid: string; panels: Panel[] } = JSON.parse(read('deploy/grafana/postrider.json'))
const panels = dashboard.panels.filter(({ type }) => type !== 'row')
const rules: Rule[] = parse(read('deploy/prometheus/alerts.yml')).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
)

/** Prometheus adds them to every series. */
const ADDED = ['instance', 'job']

describe('on a server', () => {
  /** The labels of each metric, over all of its series. */
  const labelsOf = new Map<string, Set<string>>()
  beforeAll(async () => {
    for (const line of (await figures()).split('\n')) {
      const [, name = '', pairs = ''] = /^(?:# TYPE )?(postrider_\w+)(?:\{(.*)\})? /.exec(line) ?? []
      const labels = labelsOf.get(name) ?? new Set(ADDED)
      for (const [, label = ''] of pairs.matchAll(/(\w+)="/g)) labels.add(label)
      if (name) labelsOf.set(name, labels)
    }
  })

  const missing = (expression: string) =>
    selectorsOf(expression)
      .filter(({ metric }) => metric !== 'up')
      .flatMap(({ metric, labels }) => {
        const present = labelsOf.get(metric)
        return present ? labels.filter((label) => !present.has(label)).map((label) => `${metric}: ${label}`) : [metric]
      })

  test.each(panels.map((panel) => [panel.title, panel] as const))('there is what the panel %s shows', (_, panel) => {
    expect(panel.targets?.flatMap(({ expr }) => missing(expr))).toEqual([])
  })

  test.each(rules.map((rule) => [rule.alert, rule] as const))('there is what the alert %s reads', (_, rule) => {
    expect(missing(rule.expr)).toEqual([])
  })

  test('each figure of Postrider itself is explained in the guide and shown by the dashboard', () => {
    const names = [...labelsOf.keys()]
      .map((name) => name.replace(/_(?:bucket|sum|count)$/, ''))
      .filter((name) => !/^postrider_(?:process|nodejs)_/.test(name) || name === 'postrider_process_stalls_total')
    expect(new Set(names).size).toBeGreaterThan(30)
    const guide = read('docs/guides/running.md')
    expect([...new Set(names)].filter((name) => !guide.includes(`| \`${name}\` |`))).toEqual([])
    const shown = new Set(
      panels.flatMap(({ targets = [] }) =>
        targets.flatMap(({ expr }) => selectorsOf(expr).map(({ metric }) => metric.replace(/_(?:bucket|count)$/, ''))),
      ),
    )
    expect([...new Set(names)].filter((name) => !shown.has(name))).toEqual([])
  })
})

describe('the dashboard', () => {
  test('has panels that every Grafana has, each with a description, a unit and the chosen data source', () => {
    expect(dashboard.uid).toBe('postrider')
    expect(new Set(panels.map(({ type }) => type))).toEqual(new Set(['stat', 'timeseries', 'state-timeline']))
    const source = { type: 'prometheus', uid: '${datasource}' }
    for (const { title, type, description, datasource, targets = [], fieldConfig } of panels) {
      expect(description, title).toMatch(/^[a-z0-9A-Z].*\.$/)
      expect([datasource, ...targets.map((target) => target.datasource)], title).toEqual([
        source,
        ...targets.map(() => source),
      ])
      expect(targets.length, title).toBeGreaterThan(0)
      if (type !== 'state-timeline') expect(fieldConfig?.defaults.unit, title).toBeTruthy()
    }
  })

  test('has panels with ids and places of their own', () => {
    const all = dashboard.panels
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    const cells = all.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => [x + (cell % w), y + Math.floor(cell / w)] as const),
    )
    expect(cells.every(([column]) => column < 24)).toBe(true)
    expect(new Set(cells.map(String)).size).toBe(cells.length)
  })

  test('names series by labels that the expression keeps', () => {
    const lost = panels.flatMap(({ title, targets = [] }) =>
      targets.flatMap(({ expr, legendFormat }) =>
        [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)]
          .filter(([, label = '']) => !new RegExp(`\\b${label}\\b`).test(expr))
          .map(([, label]) => `${title}: ${label}`),
      ),
    )
    expect(lost).toEqual([])
  })
})

/** An alert of one node has the address in a label. */
const GUIDE = /^(?:http:\/\/\{\{ \$labels\.instance \}\})?\/docs\/([\w-]+)#([\w-]+)$/

describe('the alert rules', () => {
  test('use labels that the expression keeps, in each command that takes one', () => {
    for (const { alert, expr, annotations } of rules) {
      const { summary, description, guide } = annotations
      const groups = [...expr.matchAll(/\bby \(([^)]*)\)/g)].map(([, names = '']) => names.split(', '))
      const isAggregated = /\b(?:sum|max|min|count|absent)\b/.test(expr) && !expr.startsWith('up{')
      const kept = isAggregated ? groups.flat() : ['instance']
      const used = [summary, description, guide].flatMap((line) => line.match(/(?<=\$labels\.)\w+/g) ?? [])
      expect(
        used.filter((label) => !kept.includes(label)),
        alert,
      ).toEqual([])
      expect(description, alert).not.toMatch(/`postrider (?:providers (?:show|health)|requests pause)`/)
      if (kept.includes('instance') && alert !== 'PostriderNodeDown') expect(guide, alert).toMatch(/^http:/)
    }
  })

  test('say what an alert means and lead to a section of a guide', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    for (const { alert, labels, annotations } of rules) {
      expect(['page', 'ticket'], alert).toContain(labels.severity)
      expect(annotations.summary.length, alert).toBeLessThan(120)
      expect(annotations.description, alert).toMatch(/^[A-Z`].{80,}\.$/)
      const [, guide = '', section = ''] = GUIDE.exec(annotations.guide) ?? []
      const headings = read(`docs/guides/${guide}.md`).matchAll(/^#+ (.+)$/gm)
      const anchors = [...headings].map(([, title = '']) =>
        title
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, '')
          .replaceAll(' ', '-'),
      )
      expect(anchors, alert).toContain(section)
    }
  })

  test('have a unit test for each alert', () => {
    const { tests }: { tests: AlertTest[] } = parse(read('deploy/prometheus/alerts.test.yml'))
    expect(rules.map(({ alert }) => alert).filter((alert) => !expectedAlerts(tests).has(alert))).toEqual([])
  })

  test('count as tested only where a test expects them', () => {
    const test: AlertTest = {
      name: 'about "A"',
      input_series: [{ series: 'ALERTS{alertname="B"}' }],
      promql_expr_test: [
        { expr: 'ALERTS{alertname!="C"}', exp_samples: [] },
        { expr: 'ALERTS', exp_samples: [{ labels: '{alertname="D",severity="page"}' }] },
      ],
      alert_rule_test: [
        { alertname: 'E', exp_alerts: [] },
        { alertname: 'F', exp_alerts: [{}] },
      ],
    }
    expect([...expectedAlerts([test])]).toEqual(['D', 'F'])
  })

  test('select the job of the scrape configuration', () => {
    const { scrape_configs: jobs, rule_files: files } = parse(read('deploy/prometheus/prometheus.yml'))
    expect(jobs).toMatchObject([{ job_name: 'postrider' }])
    expect(files).toEqual(['alerts.yml'])
  })
})

const webhookToken = 'a-random-text-of-the-operator'
const twilioToken = 'twilio-auth-token'

/** Sends, receipts, a bounce, a click and a dead letter: each labeled figure gets a series. */
async function happen({ client, url }: App, env: Record<string, string>, peer: Recorder): Promise<void> {
  peer.answer('/v3/mail/send', { status: 401 })
  peer.answer((request) => request.path.endsWith('/Messages.json'), { status: 201, body: { sid: 'SM1' } })
  await client.settings.update({ hold_misconfigured: true })
  await client.webhooks.create({ url: `${peer.url}/hook` })
  await integrate(client, {
    provider: 'sendgrid',
    settings: { apiKey: 'SG.x', fromAddress: 'hello@example.com', baseUrl: peer.url },
  })
  const twilio = await integrate(client, {
    provider: 'twilio',
    limits: { per_second: 1 },
    settings: { accountSid: 'AC1', authToken: twilioToken, from: '+12025550100', baseUrl: peer.url },
  })
  await publish(client, 'mailed', { channels: ['email'] })
  await publish(client, 'code', { channels: ['sms'] })
  await client.send({ event: 'mailed', recipient: 'ada', profile: { email: 'ada@example.com' } })
  for (let n = 0; n < 5; n++)
    await client.send({ event: 'code', recipient: `ada-${n}`, profile: { phone_number: '+12025550143' } })
  const { body } = await peer.waitFor(({ path }) => path.endsWith('/Messages.json'))
  await report(url, new URLSearchParams(body).get('StatusCallback') ?? '')
  const smtp = await client.providers.create({
    provider: 'smtp',
    enabled: false,
    settings: { host: '127.0.0.1', port: 25, fromAddress: 'news@example.org', webhookToken },
  } as Parameters<typeof client.providers.create>[0])
  await fetch(local(url, smtp.callback_url), {
    method: 'POST',
    headers: { 'content-type': 'message/rfc822', authorization: `Bearer ${webhookToken}` },
    body: 'From: a@example.com\r\nTo: b@example.com\r\nSubject: Away\r\n\r\nI am away.\r\n',
  })
  await fetch(local(url, twilio.callback_url), { method: 'POST', body: 'x=1' })
  await fetch(`${url}/r/x`, { redirect: 'manual' })
  const { requestId } = await client.send({
    message: { to: { user_id: 'later' }, template: 'code', delay: { duration: 3_600_000 } },
  })
  const engine = await joinDatabase(readConfig(env), createLog('silent'))
  await engine?.run({ text: 'update messages set claims = 100, due_at = 1 where id = $1', values: [requestId] })
  await engine?.close()
}

const local = (url: string, address = '') => `${url}${new URL(address).pathname}${new URL(address).search}`

/** As Twilio signs it. */
function report(url: string, callback: string) {
  const fields = { MessageStatus: 'delivered', MessageSid: 'SM1' }
  const signed = `${callback}MessageSid${fields.MessageSid}MessageStatus${fields.MessageStatus}`
  return fetch(local(url, callback), {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { 'x-twilio-signature': createHmac('sha1', twilioToken).update(signed).digest('base64') },
  })
}

/** `/metrics` of a server with the local database, after something of everything has happened to it. */
async function figures(): Promise<string> {
  const peer = await startRecorder()
  const env = { POSTRIDER_DATA_DIR: await newDataFolder(), POSTRIDER_PUBLIC_URL: 'https://notify.example.com' }
  const app = await openApp({ env })
  const happened = (name: string) =>
    until(
      async () => (await (await fetch(`${app.url}/metrics`)).text()).includes(`\n${name}{`),
      (is) => is,
    )
  try {
    await happen(app, env, peer)
    for (const name of ['attempts_total', 'webhook_calls_total', 'calls_limited_total', 'callbacks_total'])
      await happened(`postrider_${name}`)
    for (const name of ['receipts_total', 'circuit_breaker_opened_total', 'tracked_requests_total'])
      await happened(`postrider_${name}`)
    for (const name of ['inbound_mails_total', 'dead_letters_open', 'messages_held'])
      await happened(`postrider_${name}`)
    expect(await figureOf(app.url, 'postrider_messages_accepted_total', { workspace: 'production' })).toBeGreaterThan(0)
    return await (await fetch(`${app.url}/metrics`)).text()
  } finally {
    await Promise.all([app.stop(), peer.close()])
  }
}
