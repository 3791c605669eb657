/** Settings of an integration, from options, variables, files and answers on the terminal, in the types of the catalog. */
import type { CatalogEntry, CatalogSetting } from '@postrider/client'
import type { Command } from 'commander'
import { assign, type Fields } from '../../../assign.ts'
import { environmentVariable } from '../../../config.ts'
import { exitCodes, Failure } from '../../../failure.ts'
import { readObject } from '../../../json-file.ts'
import { plain } from '../../../plain.ts'
import type { Prompt } from '../../../questions.ts'
import { readText } from '../../../text-file.ts'

export interface SettingOptions {
  setting?: Fields
  settingEnv?: Fields
  settingFile?: Fields
  settings?: string
}

export const withSettingOptions = (command: Command): Command =>
  command
    .option('-s, --setting <key=value>', 'setting; key:=json for a list or an object', assign)
    .option('--setting-env <key=variable>', 'setting from an environment variable', assign)
    .option('--setting-file <key=file>', 'setting from a file, or - for standard input', assign)
    .option('--settings <file>', 'settings as a JSON object, from a file or - (standard input)')

const wrong = (message: string, hint?: string) =>
  new Failure(message, { ...(hint && { hint }), exitCode: exitCodes.wrong })

/** Everything given, later forms over earlier ones. Throws a `Failure`. */
export function givenSettings(options: SettingOptions, catalog: CatalogEntry): Fields {
  const { settings, setting = {}, settingEnv = {}, settingFile = {} } = options
  const all: Fields = {
    ...(settings === undefined ? {} : readObject(settings)),
    ...setting,
    ...Object.fromEntries(Object.entries(settingEnv).map(([key, name]) => [key, fromVariable(key, String(name))])),
    ...Object.fromEntries(Object.entries(settingFile).map(([key, file]) => [key, fromFile(String(file))])),
  }
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, typed(key, value, catalog)]))
}

function fromVariable(key: string, name: string): string {
  const value = environmentVariable(name)
  if (value === undefined || value === '')
    throw wrong(`The variable ${plain(name)} for the setting ${plain(key)} is not set`)
  return value
}

/** Editors and `echo` end a file with a line break, which is no part of a password. */
const fromFile = (file: string): string => readText(file).replace(/\r?\n$/, '')

/** Text of the command line as what the setting holds. The server checks the rest. */
function typed(key: string, value: unknown, { name, settings }: CatalogEntry): unknown {
  const setting = Object.hasOwn(settings, key) ? settings[key] : undefined
  if (!setting)
    throw wrong(
      `Unknown setting \`${plain(key)}\` of ${plain(name)}`,
      `Its settings: ${Object.keys(settings).join(', ') || 'none'}.`,
    )
  if (typeof value !== 'string') return value
  switch (setting.type) {
    case 'integer':
    case 'number': {
      const number = Number(value)
      if (value.trim() === '' || !Number.isFinite(number)) throw wrong(`The setting ${key} must be a number`)
      return number
    }
    case 'boolean':
      if (value !== 'true' && value !== 'false') throw wrong(`The setting ${key} must be true or false`)
      return value === 'true'
    case 'array':
    case 'object':
      throw wrong(`The setting ${key} must be JSON`, `Write it as --setting '${key}:=…'.`)
    default:
      return value
  }
}

const missingOf = (values: Fields, { settings }: CatalogEntry) =>
  Object.entries(settings).filter(([key, { required }]) => required && values[key] === undefined)

/** Without anybody to prompt, what is missing is named. Throws a `Failure`. */
export function refuseMissing(values: Fields, catalog: CatalogEntry): void {
  const missing = missingOf(values, catalog)
  const [first] = missing
  if (!first) return
  const secret = missing.find(([, setting]) => setting.secret)
  const advice = [
    `Give --setting ${missing.find(([, setting]) => !setting.secret)?.[0] ?? first[0]}=…`,
    ...(secret
      ? [`a secret as --setting-env ${secret[0]}=VARIABLE or --setting-file ${secret[0]}=- (standard input)`]
      : []),
  ]
  throw wrong(
    `${plain(catalog.name)} needs ${missing.map(([key]) => plain(key)).join(', ')}`,
    `${(secret && missing.length === 1 ? advice.slice(1) : advice).join('; ')}. A terminal prompts for them.`,
  )
}

/** Prompts for required settings, and for the secrets that go with the ones at hand. */
export async function promptForSettings(values: Fields, catalog: CatalogEntry, prompt: Prompt): Promise<Fields> {
  const all = { ...values }
  for (const [key, setting] of Object.entries(catalog.settings)) {
    if (all[key] !== undefined || !(setting.required || isUsualSecret(key, all, catalog))) continue
    const answer = await answerTo(key, setting, catalog, prompt)
    if (answer !== undefined) all[key] = answer
  }
  return all
}

/** Settings without which an optional secret means nothing. */
const companions: Readonly<Record<string, (values: Fields) => boolean>> = {
  password: ({ user, username }) => (user ?? username) !== undefined,
  token: ({ authentication }) => authentication === 'bearer',
  clientSecret: ({ clientId }) => clientId !== undefined,
  refreshToken: ({ clientId }) => clientId !== undefined,
}

/** A basic secret that belongs to a setting at hand, or else stands alone and has no alternative there. */
function isUsualSecret(key: string, values: Fields, { settings }: CatalogEntry): boolean {
  const setting = settings[key]
  if (!setting?.secret || setting.group !== undefined) return false
  const present = Object.keys(values).filter((name) => values[name] !== undefined)
  // A sign-in with OAuth takes the place of the password.
  if (present.some((name) => settings[name]?.group === 'oauth')) return false
  const belongs = companions[key]
  if (belongs) return belongs(values)
  return !present.some((name) => settings[name]?.secret && !settings[name].required && !settings[name].group)
}

/** Undefined when a setting that can be left out is. */
export async function answerTo(
  key: string,
  setting: CatalogSetting,
  catalog: CatalogEntry,
  prompt: Prompt,
): Promise<unknown> {
  const { title, description, required, secret = false } = setting
  const about = [title ?? key, description && `(${description})`].filter(Boolean).join(' ')
  const question = `${plain(about)}${required ? '' : ', empty for none'}: `
  // An empty answer to a required setting is a slip; after three the command ends.
  for (let times = 0; times < 3; times += 1) {
    const text = await prompt(question, { secret })
    if (text !== '') return typed(key, text, catalog)
    if (!required) return undefined
  }
  throw wrong(`${plain(catalog.name)} needs ${plain(key)}`)
}
