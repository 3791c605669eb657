/** The documents generated from the contract are valid, complete and as committed. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import {
  decisionsReference,
  errorsReference,
  openapi,
  operations,
  reference,
  referenceOptions,
  stepsReference,
  stepsTable,
} from '../index.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const committed = (path: string) => readFileSync(`${root}${path}`, 'utf8')

test('the committed reference is the one `npm run generate` writes', () => {
  expect(committed('docs/reference/api.md')).toBe(reference(operations))
  expect(committed('docs/errors.md')).toBe(errorsReference())
  expect(committed('docs/decisions.md')).toBe(decisionsReference())
  expect(JSON.parse(committed('docs/reference/openapi.json'))).toEqual(
    JSON.parse(JSON.stringify(openapi(referenceOptions))),
  )
})

test('the reference and the guide list every step', () => {
  expect(committed('docs/reference/steps.md')).toBe(stepsReference())
  expect(committed('docs/guides/automations.md')).toContain(stepsTable())
})

test('the OpenAPI document passes an independent check', () => {
  const report = execFileSync(
    process.execPath,
    // Open operations have no 4xx reply. Two paths of the public API match `/notifications/x/elements/checks`;
    // the router prefers the literal segment.
    [
      'node_modules/@redocly/cli/bin/cli.js',
      'lint',
      '--format=json',
      '--skip-rule=operation-4xx-response',
      // A tracked link has no other success than its redirect.
      '--skip-rule=operation-2xx-response',
      '--skip-rule=no-ambiguous-paths',
      'docs/reference/openapi.json',
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  )
  expect(JSON.parse(report).totals).toEqual({ errors: 0, warnings: 0, ignored: 0 })
})

test('the OpenAPI document has every operation, and open ones ask for no key', () => {
  const { paths } = openapi({ version: '1.0.0', url: 'https://example.com' }) as {
    paths: Record<string, Record<string, { operationId: string; security?: unknown[] }>>
  }
  const described = Object.values(paths).flatMap((methods) => Object.values(methods))
  expect(described.map(({ operationId }) => operationId).sort()).toEqual(operations.map(({ id }) => id).sort())
  const open = described.filter(({ security }) => security?.length === 0).map(({ operationId }) => operationId)
  expect(open).toEqual(operations.filter(({ access }) => access === 'open').map(({ id }) => id))
})

test('an operation documents the errors of its calls', () => {
  const { paths } = openapi(referenceOptions) as {
    paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
  }
  const errorStatuses = (path: string, method: string) =>
    Object.keys(paths[path]?.[method]?.responses ?? {}).filter((status) => status >= '400')
  expect(errorStatuses('/profiles/{user_id}', 'post')).toEqual(expect.arrayContaining(['409', '413', '414']))
  expect(errorStatuses('/profiles/{user_id}', 'delete')).toEqual(expect.arrayContaining(['400', '414']))
  expect(errorStatuses('/profiles/{user_id}', 'delete')).not.toContain('409')
  expect(errorStatuses('/auth/issue-token', 'post')).toContain('409')
  for (const [path, method] of [
    ['/profiles/{user_id}', 'patch'],
    ['/preferences/{recipient_id}', 'patch'],
    ['/users/{user_id}/tokens/{token}', 'patch'],
    ['/brands/{brand_id}', 'put'],
    ['/notifications/{id}', 'put'],
    ['/notifications/{id}/content', 'put'],
    ['/notifications/{id}/elements/{element_id}', 'put'],
    ['/notifications/{id}/locales/{locale}', 'put'],
    ['/automations/templates/{template_id}', 'put'],
  ] as const)
    expect(errorStatuses(path, method), path).toContain('409')
  expect(errorStatuses('/auth/issue-token', 'post')).not.toContain('414')
  expect(errorStatuses('/livez', 'get')).toEqual(['500'])
})

test('every link of the reference leads to a place in it', () => {
  const page = reference(operations)
  const places = new Set([...page.matchAll(/<a id="([^"]+)">/g)].map((match) => match[1]))
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1])
  expect(links.length).toBeGreaterThan(100)
  expect(links.filter((link) => !places.has(link))).toEqual([])
})
