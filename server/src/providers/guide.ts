/** The generated parts of `docs/guides/providers.md`: the list of providers, and of each its settings and its example. */
import { catalogEntry } from './catalog.ts'
import { limitsText } from './limits.ts'
import type { Provider } from './provider.ts'

const LIST = 'providers'

/** The text with its generated blocks written anew; hand-written text around them stays. */
export function withProviders(text: string, providers: Iterable<Provider>): string {
  const all = [...providers]
  let guide = replaceBlock(text, LIST, list(all))
  for (const provider of all) {
    const name = `provider ${provider.key}`
    if (!guide.includes(begin(name))) guide = withSection(guide, `## ${provider.key}\n\n${begin(name)}\n${end(name)}`)
    guide = replaceBlock(guide, name, section(provider))
  }
  return guide
}

// A definition of a link that nothing uses: invisible wherever Markdown is shown, also without HTML.
const begin = (name: string) => `[//]: # (generated: ${name})`
const end = (name: string) => `[//]: # (end: ${name})`

/** Behind the sections of the other providers. */
function withSection(guide: string, section: string): string {
  const at = guide.indexOf(end('sections of providers'))
  if (at === -1) throw new Error(`docs/guides/providers.md has no line ${end('sections of providers')}`)
  return `${guide.slice(0, at)}${section}\n\n${guide.slice(at)}`
}

function replaceBlock(text: string, name: string, content: string): string {
  const [from, to] = [text.indexOf(begin(name)), text.indexOf(end(name))]
  if (from === -1 || to < from) throw new Error(`docs/guides/providers.md has no line ${begin(name)}`)
  return `${text.slice(0, from + begin(name).length)}\n\n${content}\n\n${text.slice(to)}`
}

const code = (text: string) => `\`${text}\``
const listed = (keys: readonly string[]) => keys.map(code).join(', ')

const list = (providers: readonly Provider[]) =>
  [
    '| Provider | Channels | Description |',
    '|---|---|---|',
    ...providers.map(
      ({ key, channels, description }) => `| [${code(key)}](#${key}) | ${listed(channels)} | ${description} |`,
    ),
  ].join('\n')

function section(provider: Provider): string {
  const { key, channels, description, profileKeys, example } = provider
  const channel = `${channels.length === 1 ? 'Channel' : 'Channels'}: ${listed(channels)}.`
  const profile = profileKeys.length > 0 ? ` Address in the profile: ${listed(profileKeys)}.` : ''
  const limits = limitsText(provider.limits ?? {})
  const batch = provider.batch ? ` Up to ${provider.batch.max} messages that are ready together share a call.` : ''
  const body =
    Object.keys(example.settings).length > 0 ? { provider: key, settings: example.settings } : { provider: key }
  return [
    `${description}. ${channel}${profile}${limits && ` Limits of the service: ${limits}.`}${batch}`,
    settingsTable(provider),
    [
      '```sh',
      'curl -s http://127.0.0.1:4600/providers \\',
      '  -H "Authorization: Bearer $POSTRIDER_API_KEY" \\',
      "  -H 'Content-Type: application/json' \\",
      `  -d '${JSON.stringify(body)}'`,
      '```',
    ].join('\n'),
    ...(provider.callbacks ? [`Callbacks: ${provider.callbacks.setup}`] : []),
    ...(example.override
      ? [
          'An [override](#overrides):',
          `\`\`\`json\n${JSON.stringify({ override: { [key]: example.override } })}\n\`\`\``,
        ]
      : []),
  ].join('\n\n')
}

function settingsTable(provider: Provider): string {
  const rows = Object.entries(catalogEntry(provider).settings).map(([name, setting]) => {
    const type = setting.values ? listed(setting.values) : setting.type
    const marks = [setting.required && 'required', setting.secret && 'secret', setting.group].filter(Boolean).join(', ')
    const standard = setting.default === undefined ? '' : ` (${code(String(setting.default))})`
    return `| ${code(name)} | ${type} | ${marks} | ${setting.description ?? ''}${standard} |`
  })
  return rows.length === 0
    ? 'It has no settings.'
    : ['| Setting | Type | Notes | Meaning |', '|---|---|---|---|', ...rows].join('\n')
}
