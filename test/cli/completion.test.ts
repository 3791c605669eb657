/** The scripts of `postrider completion`, in the shells themselves. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { run } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'postrider-completion-'))
const shells = ['bash', 'zsh', 'fish'] as const
const scripts = new Map<string, string>()

beforeAll(async () => {
  writeFileSync(join(folder, 'users.csv'), '')
  writeFileSync(join(folder, 'other.txt'), '')
  for (const shell of shells) {
    const { code, out } = await run(['completion', shell])
    expect(code).toBe(0)
    const path = join(folder, `completion.${shell}`)
    writeFileSync(path, out)
    scripts.set(shell, path)
  }
})

const has = (shell: string) => spawnSync(shell, ['-c', 'true'], { stdio: 'ignore' }).status === 0

function bashCompletes(...words: string[]): string[] {
  const script = `source "$SCRIPT"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _postrider; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', 'postrider', ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, SCRIPT: scripts.get('bash') },
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return stdout.split('\n').filter(Boolean)
}

const cases: [name: string, words: string[], all: string[], none: string[]][] = [
  ['commands', [''], ['serve', 'send', 'providers', 'completion'], ['--json', 'add']],
  ['the beginning of one', ['prof'], ['profiles'], ['providers']],
  ['subcommands', ['providers', ''], ['add', 'list', 'test'], ['serve']],
  [
    'options, those of all commands as well',
    ['profiles', 'import', '--'],
    ['--dry-run', '--list', '--json'],
    ['--wait'],
  ],
  ['choices of an option', ['keys', 'create', '--kind', ''], ['published', 'draft', 'mock'], ['--name']],
  ['files for an option that takes one', ['bulk', 'send', '--csv', 'us'], ['users.csv'], ['other.txt']],
  ['files for an argument that is one', ['profiles', 'import', 'us'], ['users.csv'], []],
  ['the providers there are', ['providers', 'add', ''], ['smtp', 'twilio'], ['list']],
  ['operations of the API', ['api', 'tenants.'], ['tenants.get', 'tenants.put'], ['brands.get']],
  ['choices of an argument', ['completion', ''], ['bash', 'zsh', 'fish'], []],
  [
    'commands behind an option with a value',
    ['--url', 'providers', 'lists', 'sub'],
    ['subscribe', 'subscribers'],
    ['add'],
  ],
]

describe.runIf(has('bash') || process.env.CI)('bash completes', () => {
  test.each(cases)('%s', (_name, words, all, none) => {
    const completions = bashCompletes(...words)
    expect(completions).toEqual(expect.arrayContaining(all))
    for (const word of none) expect(completions).not.toContain(word)
  })

  test('nothing where text of one’s own belongs', () => {
    expect(bashCompletes('messages', 'list', '--recipient', '')).toEqual([])
  })
})

describe.runIf(has('fish'))('fish completes', () => {
  test.each(cases)('%s', (_name, words, all) => {
    const line = ['postrider', ...words.map((word) => (word === '' ? '' : `'${word}'`))]
      .join(' ')
      .replace(/'([\w.-]+)'/g, '$1')
    const { stdout } = spawnSync('fish', ['--no-config', '-c', `source $SCRIPT; complete -C "${line}"`], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        SCRIPT: scripts.get('fish'),
        LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH,
      },
      encoding: 'utf8',
    })
    const completions = stdout.split('\n').map((line) => line.split('\t')[0])
    expect(completions).toEqual(expect.arrayContaining(all))
  })
})

test.each(shells.filter(has))('%s can read its script', (shell) => {
  const { status, stderr } = spawnSync(shell, ['-n', scripts.get(shell) ?? ''], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('a shell that is not known is refused', async () => {
  expect(await run(['completion', 'tcsh'])).toMatchObject({ code: 2, err: expect.stringContaining('bash, zsh, fish') })
})
