/** The environment of PostgreSQL programs: nothing that depends on the machine's locale or settings. */

/** The search path for programs. */
export const searchPath = () => process.env.PATH ?? ''

// Windows starts no program without its system variables.
const kept = process.platform === 'win32' ? Object.keys(process.env) : ['PATH', 'TMPDIR']

/** With TZ set, initdb does not compare every time zone with the clock. */
export const programEnvironment = (): Record<string, string | undefined> => ({
  ...Object.fromEntries(kept.map((name) => [name, process.env[name]])),
  LC_ALL: 'C',
  TZ: 'UTC',
})
