/** Serves, and builds and starts again with each change of a source; a change of a guide or a migration starts again only. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, mkdirSync, rmSync, symlinkSync, watch as watchFolder } from 'node:fs'
import { join, relative } from 'node:path'
import { watch } from 'rolldown'
import { buildDashboard } from './build/dashboard.js'
import { createDependencies } from './build/dependencies.js'
import { assetFolders, bundleOptions, fromCli, inSeconds, outputOptions, report, sourcesOnly } from './build/options.js'

/** Apart from the bundle of releases, which `npm start` takes for whole. */
const FOLDER = fromCli('.dev')
/** The service gives attempts in progress 40 s at most. */
const STOP_MS = 45_000
/** An editor writes a file in several steps. */
const SETTLE_MS = 30

const waiting = () => report('Waiting for a change…')

/** One server at a time; a request to start again while one is starting is done once, afterwards. */
function createServer() {
  let child
  let turn = Promise.resolve()
  let isEnding = false

  const endedByItself = (code, signal) => {
    report(`The server has ended (${signal ?? `exit code ${code}`}).`)
    waiting()
  }
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.off('exit', endedByItself)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(late)
  }
  const start = async () => {
    await stop()
    if (isEnding) return
    child = spawn(process.execPath, ['--enable-source-maps', join(FOLDER, 'postrider.js'), 'serve'], {
      stdio: 'inherit',
    })
    child.once('exit', endedByItself)
  }
  return {
    restart() {
      turn = turn.then(start).catch((error) => report(`The server could not be started: ${error.message}`))
    },
    async end() {
      isEnding = true
      await turn
      await stop()
    },
  }
}

/** Files that the service reads at run time are read from the sources. */
function linkAssets() {
  mkdirSync(FOLDER, { recursive: true })
  for (const [name, folder] of Object.entries(assetFolders)) {
    const link = join(FOLDER, name)
    if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link, { recursive: true })
    // Windows allows a junction without privileges.
    symlinkSync(folder, link, 'junction')
  }
}

const shown = (path) => relative(fromCli('..'), path)

async function serve() {
  await buildDashboard()
  linkAssets()
  const server = createServer()
  const dependencies = createDependencies(FOLDER)
  const plugins = [sourcesOnly, dependencies.leaveToBundle]
  const watcher = watch({ ...bundleOptions, plugins, output: { ...outputOptions, dir: FOLDER } })
  const changed = new Set()
  report('Building…')
  const start = performance.now()
  let isFirst = true
  watcher.on('change', (path) => changed.add(shown(path)))
  watcher.on('event', async (event) => {
    if (event.code === 'ERROR') {
      report(`\nNot built: ${event.error.message}`)
      waiting()
    }
    if (event.code === 'BUNDLE_END') {
      await dependencies.write()
      const what = isFirst ? 'Built' : `${[...changed].join(', ')} changed: built`
      report(`${what} in ${inSeconds(isFirst ? performance.now() - start : event.duration)}`)
      isFirst = false
      changed.clear()
      server.restart()
    }
    if ('result' in event) await event.result.close()
  })
  const folders = Object.values(assetFolders).map((folder) =>
    watchFolder(folder, (_, name) => restartAfter(join(folder, name ?? ''))),
  )
  let settled
  const restartAfter = (path) => {
    clearTimeout(settled)
    settled = setTimeout(() => {
      report(`${shown(path)} changed`)
      server.restart()
    }, SETTLE_MS)
  }
  const end = async () => {
    for (const folder of folders) folder.close()
    await watcher.close()
    await server.end()
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end())
}

await serve()
