/**
 * A release: one version for every package, and one section of CHANGELOG.md. Works offline, on the folder it is called in.
 *   node .ci/release.mjs set 0.2.0      writes the version everywhere, and gives the unreleased changes its name
 *   node .ci/release.mjs check          refuses versions that differ; with v0.2.0, also a tag that is not the version
 *   node .ci/release.mjs notes v0.2.0   prints the changes of that version
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const UNRELEASED = '## Unreleased'
const VERSION = /^\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/
/** The API document names the version; its generated form follows with `npm run generate`. */
const API = { file: 'contract/src/generate/openapi.ts', version: /(version: ')([^']+)(')/ }

class Refused extends Error {}

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)

/** The files of all packages of this repository, the root first. */
function manifests() {
  const { workspaces } = readJson('package.json')
  const folders = workspaces.flatMap((pattern) =>
    pattern.endsWith('/*')
      ? readdirSync(pattern.slice(0, -2)).map((name) => join(pattern.slice(0, -2), name))
      : [pattern],
  )
  return ['package.json', ...folders.map((folder) => join(folder, 'package.json')).filter((file) => existsSync(file))]
}

const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']

/** The versions of this repository in a manifest, or in its copy in the lock file: `[where, version]`. */
function statedVersions(manifest, ownPackages) {
  const needed = DEPENDENCIES.flatMap((kind) => Object.entries(manifest[kind] ?? {})).filter(([name]) =>
    ownPackages.has(name),
  )
  return [['version', manifest.version], ...needed]
}

function withVersion(manifest, ownPackages, version) {
  const changed = { ...manifest, version }
  for (const kind of DEPENDENCIES) {
    if (!manifest[kind]) continue
    const entries = Object.entries(manifest[kind]).map(([name, its]) => [name, ownPackages.has(name) ? version : its])
    changed[kind] = Object.fromEntries(entries)
  }
  return changed
}

const ownNames = (files) => new Set(files.map((file) => readJson(file).name))
/** The lock file has a copy of each manifest, by its folder. */
const lockKey = (file) => file.replaceAll('\\', '/').replace(/\/?package\.json$/, '')

function set(version) {
  if (!VERSION.test(version ?? '')) throw new Refused(`Name the version, such as 0.2.0: ${version ?? 'none is named'}`)
  const changes = readFileSync('CHANGELOG.md', 'utf8')
  if (changes.includes(`\n## ${version} `)) throw new Refused(`CHANGELOG.md has a section of ${version} already`)
  if (sectionOf(changes, UNRELEASED) === '') throw new Refused(`CHANGELOG.md has nothing under "${UNRELEASED}"`)
  const files = manifests()
  const ownPackages = ownNames(files)
  const lock = readJson('package-lock.json')
  for (const file of files) {
    lock.packages[lockKey(file)] = withVersion(lock.packages[lockKey(file)], ownPackages, version)
    writeJson(file, withVersion(readJson(file), ownPackages, version))
  }
  writeJson('package-lock.json', { ...lock, version })
  writeFileSync(API.file, readFileSync(API.file, 'utf8').replace(API.version, `$1${version}$3`))
  // Last: it is what a second call is refused for.
  const day = new Date().toISOString().slice(0, 10)
  writeFileSync('CHANGELOG.md', changes.replace(/^## Unreleased.*$/m, `${UNRELEASED}\n\n## ${version} (${day})`))
  console.log(`Everything has the version ${version}. Next:
  npm run generate && bash .ci/run
  git commit --all --message "release: ${version}"
  git tag --annotate v${version} --message v${version}
  git push --follow-tags`)
}

function check(tag) {
  const files = manifests()
  const ownPackages = ownNames(files)
  const { version } = readJson('package.json')
  const lock = readJson('package-lock.json')
  const stated = [
    ...files.flatMap((file) =>
      statedVersions(readJson(file), ownPackages).map(([what, its]) => [`${file}: ${what}`, its]),
    ),
    ...files.flatMap((file) =>
      statedVersions(lock.packages[lockKey(file)] ?? {}, ownPackages).map(([what, its]) => [
        `package-lock.json: ${lockKey(file) || 'root'}: ${what}`,
        its,
      ]),
    ),
    [API.file, API.version.exec(readFileSync(API.file, 'utf8'))?.[2]],
    ['docs/reference/openapi.json', readJson('docs/reference/openapi.json').info.version],
  ]
  const others = stated.filter(([, its]) => its !== version)
  if (others.length > 0) {
    const lines = others.map(([where, its]) => `  ${where}: ${its}`)
    throw new Refused(`The version is ${version}, but there is another one in\n${lines.join('\n')}`)
  }
  if (tag === undefined) return
  if (tag !== `v${version}`) throw new Refused(`The tag is ${tag}, but the version is ${version}`)
  notes(tag)
}

function notes(tag) {
  const version = tag?.replace(/^v/, '') ?? ''
  const section = sectionOf(readFileSync('CHANGELOG.md', 'utf8'), `## ${version} (`)
  if (section === '')
    throw new Refused(`CHANGELOG.md has no changes of ${version}: node .ci/release.mjs set ${version}`)
  console.log(section)
}

/** The lines below the heading that begins so. */
function sectionOf(text, heading) {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(heading))
  if (start < 0) return ''
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('## '))
  return lines
    .slice(start + 1, length < 0 ? undefined : start + 1 + length)
    .join('\n')
    .trim()
}

const [command, argument] = process.argv.slice(2)
const commands = { set, check, notes }
try {
  const run = Object.hasOwn(commands, command ?? '') ? commands[command] : undefined
  if (!run) throw new Refused(`Say set, check or notes: ${command ?? 'nothing is said'}`)
  run(argument)
} catch (error) {
  if (!(error instanceof Refused)) throw error
  console.error(error.message)
  process.exitCode = 1
}
