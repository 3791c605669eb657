/** Writes every generated file: each generator comes after those whose output it reads. `npm run generate` */
import { spawnSync } from 'node:child_process'

/**
 * Code that names a table of a new migration, or a setting of a new provider, compiles only when the files made of them are
 * there. Compiling writes JavaScript all the same, and the last compilation reports what is wrong.
 */
const compile = (...projects) => ({ command: `npx --no-install tsc -b ${projects.join(' ')}`, mayFail: true })

const steps = [
  { command: 'npm run --silent generate -w contract' },
  { command: 'node server/generate.js' },
  compile('contract', 'server'),
  // The schema of the migrations, and the fragments of mails.
  { command: 'npm run --silent generate -w server' },
  { command: 'npx --no-install tsc -b server' },
  { command: 'npm run --silent generate -w client -w cli -w docs' },
  { command: 'npx --no-install tsc -b test' },
  { command: 'npm run --silent generate -w test' },
]

for (const { command, mayFail = false } of steps) {
  const { status } = spawnSync(command, { shell: true, stdio: mayFail ? ['ignore', 'ignore', 'inherit'] : 'inherit' })
  if (status === 0 || mayFail) continue
  console.error(`\nnpm run generate stopped at: ${command}`)
  process.exit(1)
}
