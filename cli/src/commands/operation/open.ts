/** `postrider open`: a link that signs a browser in to the dashboard, and that browser. */
import type { Command } from 'commander'
import { canOpenBrowser, openBrowser } from '../../browser.ts'
import { notReached } from '../../failure.ts'
import { plain } from '../../plain.ts'
import { withReach } from '../../reach.ts'
import { presenceOf, type Session, sessionOf } from '../../session.ts'

export function addOpen(program: Command): void {
  program
    .command('open')
    .description('Open the dashboard, signed in: print a link that works once, for ten minutes.')
    .option('--no-browser', 'print the link only')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider open
  $ postrider open --no-browser
  $ postrider open --url https://notify.example.com --key pk_prod_…

The link signs in with the API key in use (POSTRIDER_API_KEY or --key). Without a key, on the machine of the server, it
signs in with the oldest key of the role full. A browser is opened from a terminal with a screen, not over SSH. On a
machine with other users use --no-browser: they can read the arguments of a browser that starts.`,
    )
    .action(async ({ browser }: { browser: boolean }, command: Command) => open(sessionOf(command), browser))
}

async function open(session: Session, opensBrowser: boolean): Promise<void> {
  const { server, terminal } = session
  if ((await presenceOf(session)) === 'absent') throw notReached(server.url)
  const { url, expires } = await withReach(session, ({ client }) => client.sessions.createLink())
  const link = reachableLink(url, server.url)
  terminal.answer(
    { url: link, expires },
    () => `${terminal.style('bold', plain(link))}

It signs in once, within ten minutes.`,
  )
  if (opensBrowser && !terminal.json && canOpenBrowser()) await openBrowser(link)
}

/** A server without a public address names the one of its own machine, which leads elsewhere through a tunnel or a container. */
export function reachableLink(link: string, serverUrl: string): string {
  const { hash, hostname } = new URL(link)
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) ? `${serverUrl}/app/${hash}` : link
}
