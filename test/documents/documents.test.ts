/** The documents are true: links lead somewhere, variables and commands exist. */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { variables } from '@postrider/server'
import { providers } from '@postrider/server/providers'
import { withProviders } from '@postrider/server/providers/guide'
import { expect, test } from 'vitest'
import { run } from '../cli/run.ts'
import { anchors, readDocuments, relativeLinks, root, shownCommands } from './markdown.ts'

const documents = readDocuments()
const textOf = (path: string) => documents.find((document) => document.path === path)?.text ?? ''

test('the documents are found', () => {
  expect(documents.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'docs/guides/first-message.md', 'client/README.md']),
  )
})

const anchorsByPath = new Map(documents.map(({ path, text }) => [path, anchors(text)]))

test.each(documents.map(({ path }) => path))('every link of %s leads somewhere', (path) => {
  const broken = relativeLinks(textOf(path)).filter((target) => {
    const [file = '', anchor] = target.split('#')
    const goal = file === '' ? path : normalize(join(dirname(path), file))
    if (!existsSync(join(root, goal))) return true
    return anchor !== undefined && !anchorsByPath.get(goal)?.has(anchor)
  })
  expect(broken).toEqual([])
})

test('the indexes list every guide, decision and page of the architecture', () => {
  const indexed = ['docs/README.md', 'docs/guides/README.md'].flatMap((index) =>
    relativeLinks(textOf(index)).map((target) => normalize(join(dirname(index), target))),
  )
  for (const { path } of documents) if (/^docs\/(guides|adr|architecture)\//.test(path)) expect(indexed).toContain(path)
})

test('the index of the guides has each of them once, with its line, in a group', () => {
  const index = textOf('docs/guides/README.md')
  const items = index.split('\n').filter((line) => line.startsWith('- '))
  const listed = items.map((item) => /^- \[[^\]]+\]\(([\w./-]+)\.md\)(?:: .+)?$/.exec(item)?.[1])
  const guides = documents.flatMap(({ path }) => /^docs\/guides\/((?!README\b)[\w-]+)\.md$/.exec(path)?.[1] ?? [])
  const references = ['../decisions', '../errors', '../reference/log-events', '../reference/steps']
  expect(listed.toSorted()).toEqual([...guides, ...references].sort())
  expect(items.filter((item) => !item.includes('../') && !item.includes(': '))).toEqual([])
  expect(index.indexOf('\n- ')).toBeGreaterThan(index.indexOf('\n## '))
})

test('each campaign, and each folder of the table of campaigns, is there', () => {
  const [, table = ''] = /^\| Touched \|.*\n([\s\S]*?)\n\n/m.exec(textOf('CONTRIBUTING.md')) ?? []
  const rows = [...table.matchAll(/^\| (`.+`) \| (`.+`.*) \|$/gm)]
  const paths = (cells: string) => [...cells.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.split(' '))
  const touched = rows.flatMap(([, cells = '']) => paths(cells))
  const campaigns = rows
    .flatMap(([, , cells = '']) => paths(cells))
    .filter((path) => path.includes('/src') || path.startsWith('test/'))
  expect(touched.filter((path) => !existsSync(join(root, path)))).toEqual([])
  const tests = ['test', 'bench/src', 'cli/src', 'client/src', 'dashboard/src', 'server/src']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, String(file))))
    .filter((file) => file.endsWith('.test.ts'))
  expect(campaigns.filter((path) => !tests.some((file) => file.startsWith(path)))).toEqual([])
  const named = (file: string) => campaigns.some((path) => file.startsWith(path))
  expect(tests.filter((file) => file.endsWith('.long.test.ts') && !named(file))).toEqual([])
})

test('the table of variables is the one of the configuration', () => {
  const rows = [...textOf('docs/guides/configuration.md').matchAll(/^\| `(POSTRIDER_\w+)` \| (.*?) \| (.*) \|$/gm)]
  const shown = Object.fromEntries(
    rows.map(([, name, value = '', meaning]) => [name, { default: value.replaceAll('`', ''), meaning }]),
  )
  expect(shown).toEqual(variables)
})

test('the guide of providers has the settings and the examples of the adapters', () => {
  const guide = textOf('docs/guides/providers.md')
  expect(withProviders(guide, providers.values()), 'run npm run generate').toBe(guide)
})

test('a new provider gets its section behind those of the others', () => {
  const guide = textOf('docs/guides/providers.md')
  const [first] = providers.values()
  const added = withProviders(guide, [...providers.values(), { ...first!, key: 'acme-mail', title: 'Acme' }])
  const sections = [...added.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
  expect(sections[sections.indexOf('acme-mail') + 1]).toBe('Replies and outcomes')
})

test('every variable that a document names exists', () => {
  // Read by the command and by the tests, not by the server.
  const others = [
    'POSTRIDER_URL',
    'POSTRIDER_SOURCE_API_KEY',
    'POSTRIDER_TEST_POSTGRES_BIN',
    'POSTRIDER_TEST_SEED',
    'POSTRIDER_TEST_CHROMIUM',
  ]
  const unknown = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\bPOSTRIDER_[A-Z_]+[A-Z]\b/g)]
      .map(([name]) => name)
      .filter((name) => ![...Object.keys(variables), ...others].includes(name.replace(/_FILE$/, '')))
      .map((name) => `${path}: ${name}`),
  )
  expect(unknown).toEqual([])
})

test('every command and option that a document shows exists', async () => {
  const script = (await run(['completion', 'bash'])).out
  const commandsOf = completed(script, 'commands')
  const optionsOf = completed(script, 'options')
  const top = commandsOf.get('') ?? []
  expect(top).toContain('serve')
  const listed = shownCommands(textOf('docs/guides/commands.md')).map(({ words }) => words[0])
  expect(top.filter((command) => command !== 'help' && !listed.includes(command))).toEqual([])
  const shown = documents.flatMap(({ path, text }) => shownCommands(text).map((command) => ({ path, ...command })))
  expect(shown.length).toBeGreaterThan(20)
  expect(shown.flatMap(({ options }) => options).length).toBeGreaterThan(20)
  for (const { path, words, options } of shown) {
    const line = `${path}: postrider ${words.join(' ')}`
    const [command = '', sub] = words
    expect(top, line).toContain(command)
    const subs = commandsOf.get(command)
    if (subs && sub !== undefined) expect(subs, line).toContain(sub)
    const named = subs?.includes(sub ?? '') ? `${command} ${sub}` : command
    const deeper = `${named} ${words[2]}`
    const documentedOptions = optionsOf.get(optionsOf.has(deeper) ? deeper : named) ?? []
    for (const option of options) expect(documentedOptions, `${line} … ${option}`).toContain(option)
  }
})

test('the options of a shown command are found across lines, and neither in quoted text nor in other commands', () => {
  const block =
    'postrider send welcome ada \\\n  --data name=\'--x\' -w | jq -r .id\nKEY="$(postrider keys create --json)"\n'
  expect(shownCommands(`\`\`\`sh\n${block}\`\`\`\n`)).toEqual([
    { words: ['send', 'welcome', 'ada'], options: ['--data', '-w'] },
    { words: ['keys', 'create'], options: ['--json'] },
  ])
})

/** Words by command, as a table of the completion of a shell has them. */
function completed(script: string, name: 'commands' | 'options'): Map<string, string[]> {
  const [, table = ''] = new RegExp(`^_postrider_${name}\\(\\) \\{([\\s\\S]*?)^\\}`, 'm').exec(script) ?? []
  return new Map(
    [...table.matchAll(/^ {4}'(.*)'\) REPLY='(.*)' ;;$/gm)].map(([, path = '', words = '']) => [
      path,
      words.split(' '),
    ]),
  )
}
