/** Everything that Dockerfile, compose file, unit and workflows name exists: files, commands, variables, versions. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { variables } from '@postrider/server'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../documents/markdown.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const manifest = (folder: string) => JSON.parse(read(join(folder, 'package.json')))
const isVariable = (name: string) => Object.hasOwn(variables, name.replace(/_FILE$/, ''))
const postriderNames = (text: string) => [...new Set(text.match(/\bPOSTRIDER_[A-Z_]+[A-Z]\b/g))]

describe('the Dockerfile', () => {
  const text = read('Dockerfile').replaceAll(/\\\n/g, ' ')
  const lines = text.split('\n').flatMap((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return name ? [{ name, rest }] : []
  })
  const restOf = (name: string) => lines.filter((line) => line.name === name).map(({ rest }) => rest)
  const last = lines.slice(lines.findLastIndex(({ name }) => name === 'FROM'))

  test('copies files that exist, and the manifest of every workspace before it installs', () => {
    const copied = restOf('COPY').filter((rest) => !rest.startsWith('--from'))
    const sources = copied.flatMap((rest) => rest.split(' ').slice(0, -1))
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([])
    const workspaces: string[] = manifest('').workspaces.flatMap((pattern: string) =>
      pattern.endsWith('/*') ? manifestsIn(pattern.slice(0, -2)) : [`${pattern}/package.json`],
    )
    expect(workspaces.length).toBeGreaterThan(8)
    expect(workspaces.filter((path) => !copied.includes(`${path} ${path.replace('package.json', '')}`))).toEqual([])
  })

  const manifestsIn = (folder: string) =>
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}/package.json`)
      .filter((path) => existsSync(join(root, path)))

  test('is built and run by the Node of .nvmrc', () => {
    const node = `node:${read('.nvmrc').trim()}-bookworm-slim`
    expect(restOf('FROM').map((rest) => rest.split(' ')[0])).toEqual([node, node])
  })

  test('starts the command of the package, not as root, and stops it by a signal that it takes', () => {
    const [command] = JSON.parse(restOf('ENTRYPOINT')[0] ?? '[]')
    expect(Object.keys(manifest('cli').bin)).toContain(command)
    expect(restOf('CMD')).toContain('["serve"]')
    const names = last.map(({ name }) => name)
    expect(last.findLast(({ name }) => name === 'USER')?.rest).toBe('node')
    expect(names.indexOf('USER')).toBeLessThan(names.indexOf('ENTRYPOINT'))
    expect(restOf('STOPSIGNAL')).toEqual(['SIGTERM'])
  })

  test('names variables and a port that the service has, and checks its health where it listens', () => {
    expect(postriderNames(text).filter((name) => !isVariable(name))).toEqual([])
    expect(restOf('EXPOSE')).toEqual([variables.POSTRIDER_PORT.default])
    const check = JSON.parse((restOf('HEALTHCHECK')[0] ?? '').replace(/^.*?CMD /, ''))
    expect(check.slice(0, 2)).toEqual(['node', '-e'])
    const paths: string[] = Object.keys(JSON.parse(read('docs/reference/openapi.json')).paths)
    expect(paths).toContain(/\}(\/\w+)`/.exec(check[2])?.[1])
    expect(spawnSync(process.execPath, ['--check', '-'], { input: check[2] }).status).toBe(0)
  })
})

test('.dockerignore keeps out what must not be in an image', () => {
  expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['.env', 'data', '.git', '**/node_modules']))
})

describe('the compose file', () => {
  const { services, volumes } = parse(read('compose.yaml'))

  test('gives the service variables that it has', () => {
    const names = Object.keys(services.postrider.environment)
    expect(names).toContain('POSTRIDER_SECRET_KEY')
    expect(names.filter((name) => !isVariable(name))).toEqual([])
    expect(postriderNames(read('compose.yaml')).filter((name) => !isVariable(name))).toEqual([])
  })

  test('publishes the port to this machine only', () => {
    const port = variables.POSTRIDER_PORT.default
    expect(services.postrider.ports).toEqual([`127.0.0.1:${port}:${port}`])
  })

  test('runs the service without privileges, and gives it longer to stop than a stop takes', () => {
    expect(services.postrider).toMatchObject({ read_only: true, cap_drop: ['ALL'], init: true })
    expect(Number.parseInt(services.postrider.stop_grace_period, 10)).toBeGreaterThan(40)
  })

  test('waits for a database that CI tests, kept in a volume', () => {
    const version = /^postgres:(\d+)/.exec(services.database.image)?.[1]
    expect(parse(read('.github/workflows/ci.yml')).jobs.test.strategy.matrix.postgres).toContain(Number(version))
    expect(services.postrider.depends_on).toEqual({ database: { condition: 'service_healthy' } })
    expect(services.database.healthcheck.test.join(' ')).toContain('pg_isready')
    expect(Object.keys(volumes)).toEqual(services.database.volumes.map((volume: string) => volume.split(':')[0]))
  })
})

describe('the systemd unit', () => {
  const unit = read('deploy/postrider.service')

  test('starts the command with variables that it has, after a stop that may take as long as one takes', () => {
    expect(unit).toMatch(/^ExecStart=\/usr\/bin\/env postrider serve$/m)
    expect(postriderNames(unit).filter((name) => !isVariable(name))).toEqual([])
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(40)
  })

  test('waits for its database for as long as it takes, and not for what no restart mends', () => {
    expect(unit).toMatch(/^Restart=always$/m)
    expect(unit).toMatch(/^StartLimitIntervalSec=0$/m)
    expect(unit).toMatch(/^RestartPreventExitStatus=2 3$/m)
  })

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
  test.runIf(hasSystemd)('is one that systemd takes', () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(root, 'deploy/postrider.service')], {
      encoding: 'utf8',
    })
    expect([status, stderr.split('\n').filter((line) => line.includes('postrider.service'))]).toEqual([0, []])
  })
})

describe.each(readdirSync(join(root, '.github/workflows')))('the workflow %s', (name) => {
  const text = read(`.github/workflows/${name}`)
  const { jobs } = parse(text)
  const runs: string[] = Object.values<{ steps: Array<{ run?: string }> }>(jobs).flatMap(({ steps }) =>
    steps.flatMap(({ run }) => run ?? []),
  )

  test('runs parts, scripts and files that exist', () => {
    const parts = [...read('.ci/run').matchAll(/^run_(\w+)\(\)/gm)].map(([, name = '']) => name)
    const called = runs.flatMap((run) =>
      [...run.matchAll(/bash \.ci\/run ([\w ]+)/g)].flatMap(([, names = '']) => names.trim().split(' ')),
    )
    expect(called.filter((name) => !parts.includes(name))).toEqual([])
    const files = runs.flatMap((run) =>
      [...run.matchAll(/(?:node|bash) ([\w./-]+\.(?:mjs|sh|js)|\.ci\/run)/g)].map(([, file = '']) => file),
    )
    expect(files.length + called.length).toBeGreaterThan(0)
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
    const scripts = runs.flatMap((run) => [...run.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name))
    expect(scripts.filter((name) => !Object.hasOwn(manifest('').scripts, name))).toEqual([])
  })

  test('has a limit for every job, and no permission that a job does not name', () => {
    const unbounded = Object.entries<{ 'timeout-minutes'?: number }>(jobs).filter(([, job]) => !job['timeout-minutes'])
    expect(unbounded.map(([name]) => name)).toEqual([])
    expect(parse(text).permissions).toEqual({ contents: 'read' })
  })

  test('writes no value of a caller into a shell', () => {
    const expressions = runs.flatMap((run) => [...run.matchAll(/\$\{\{\s*([\w.]+)/g)].map(([, name = '']) => name))
    expect(expressions.filter((name) => !name.startsWith('matrix.'))).toEqual([])
  })
})

test('the proxies close idle connections before the service does', () => {
  const [, serviceSeconds] = /KEEP_ALIVE_MS = (\d+) \* SECOND/.exec(read('server/src/api/server.ts')) ?? []
  const [, caddySeconds] = /\bkeepalive (\d+)s\n/.exec(read('deploy/Caddyfile')) ?? []
  expect(Number(caddySeconds)).toBeLessThan(Number(serviceSeconds))
  // Its default is 60 s.
  expect(read('deploy/nginx.conf')).not.toContain('keepalive_timeout')
})

test('CI tests the versions of Node and PostgreSQL that are promised', () => {
  const { matrix } = parse(read('.github/workflows/ci.yml')).jobs.test.strategy
  const least = Number(/^>=(\d+)/.exec(manifest('cli').engines.node)?.[1])
  expect(matrix.node).toEqual([least, 22, Number(read('.nvmrc'))])
  const [oldest, ...newer] = matrix.postgres
  expect(variables.POSTRIDER_DATABASE_URL.meaning).toContain(`${oldest} or newer`)
  expect(newer.length).toBeGreaterThan(1)
})
