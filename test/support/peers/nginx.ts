/** nginx in the foreground: its command, a certificate for it, and a process with every file in a folder of its own. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../until.ts'

/** Debian installs nginx in a folder of the PATH of root. */
export const PATH = `${process.env.PATH}:/usr/sbin`

/** The program and its arguments. `site`: what stands in the block `http`. */
export function nginxCommand(folder: string, site: string): string[] {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const http = `http { log_format paths '$request_uri'; access_log ${folder}/paths paths; ${temporary.join(' ')}\n${site} }`
  writeFileSync(join(folder, 'nginx.conf'), `daemon off; pid ${folder}/pid; error_log stderr; events {}\n${http}`)
  return ['nginx', '-e', 'stderr', '-c', join(folder, 'nginx.conf')]
}

/** Makes `certificate.pem` and `key.pem` in the folder. */
export function makeCertificate(folder: string, host: string, subject = `DNS:${host}`): void {
  const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=${subject}`]
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')]
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  spawnSync('openssl', ['req', '-x509', '-days', '2', ...key, ...files, ...names])
}

export interface Nginx {
  /** The paths that were requested, with their queries. */
  paths(): string[]
  /** Its log of errors so far. */
  output(): string
  close(): Promise<void>
}

/** HTTPS on a loopback port, with these directives in the block `server`. Throws where nginx is not installed. */
export async function startNginx(port: number, directives: string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-nginx-'))
  // As root, nginx runs its workers as another user.
  chmodSync(folder, 0o711)
  makeCertificate(folder, '127.0.0.1', 'IP:127.0.0.1')
  const certificate = `ssl_certificate ${folder}/certificate.pem; ssl_certificate_key ${folder}/key.pem;`
  const site = `server { listen 127.0.0.1:${port} ssl; ${certificate}\n${directives} }`
  const [program = '', ...args] = nginxCommand(folder, site)
  const child = spawn(program, args, { env: { PATH }, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  // Reported by `pid`, too.
  child.once('error', () => {})
  try {
    if (child.pid === undefined)
      throw new Error('nginx is not installed, and this test needs it: apt-get install nginx-light')
    // It writes its process id once it listens.
    await until(
      async () => existsSync(join(folder, 'pid')),
      (isThere) => {
        if (child.exitCode !== null) throw new Error(`nginx ended: ${output}`)
        return isThere
      },
    )
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return {
    paths: () => readFileSync(join(folder, 'paths'), 'utf8').split('\n').filter(Boolean),
    output: () => output,
    async close() {
      if (child.exitCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
