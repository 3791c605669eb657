/** What PostgreSQL's programs get to know of the environment: nothing that depends on the machine's locale or settings. */

/** Where programs are looked for. */
export const searchPath = () => process.env.PATH ?? ''

// Without an environment of its own Windows starts no program.
const kept = process.platform === 'win32' ? Object.keys(process.env) : ['PATH', 'TMPDIR']

/** With TZ set initdb does not compare every time zone with the clock. */
export const programEnvironment = (): Record<string, string | undefined> => ({
  ...Object.fromEntries(kept.map((name) => [name, process.env[name]])),
  LC_ALL: 'C',
  TZ: 'UTC',
})
