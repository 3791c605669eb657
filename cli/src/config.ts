/** The environment of the command: the address of the server, the key, and whether to use colors. */
import { readFileSync } from 'node:fs'
import { Failure } from './failure.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface ClientConfig {
  url: string
  /** The caller named the address: nothing on this machine stands in for it. */
  urlGiven: boolean
  apiKey: string | undefined
  color: boolean
}

/** The variables of the server are read directly: its configuration may be unusable, or live on another machine. */
export function readClientConfig(env: Environment = process.env): ClientConfig {
  const url = env.POSTRIDER_URL?.trim()
  return {
    url: (url || localUrl(env)).replace(/\/+$/, ''),
    urlGiven: Boolean(url),
    apiKey: secretOf('POSTRIDER_API_KEY', env),
    color: !env.NO_COLOR && env.TERM !== 'dumb',
  }
}

/** A variable that the caller names as the place of a value. */
export const environmentVariable = (name: string, env: Environment = process.env): string | undefined => env[name]

/** Whether the person at the terminal has a screen: without one, Linux would open a browser of text in the terminal. */
export function hasScreen(env: Environment = process.env, platform: NodeJS.Platform = process.platform): boolean {
  if (env.SSH_CONNECTION) return false
  return platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME)
}

function localUrl(env: Environment): string {
  const host = env.POSTRIDER_HOST?.trim() || '127.0.0.1'
  const port = env.POSTRIDER_PORT?.trim() || '4600'
  // A server that listens on every interface is reached through loopback.
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`
}

/** The key of the server that `postrider copy` reads. */
export const readSourceKey = (env: Environment = process.env): string | undefined =>
  secretOf('POSTRIDER_SOURCE_API_KEY', env)

/** The value of a variable, else of the file that its `…_FILE` names. */
function secretOf(name: string, env: Environment): string | undefined {
  const file = env[`${name}_FILE`]
  if (!file) return env[name]?.trim() || undefined
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (cause) {
    throw new Failure(`${name}_FILE cannot be read: ${file}`, { exitCode: 2, cause })
  }
}
