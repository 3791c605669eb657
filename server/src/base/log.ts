/** Structured logs without personal data: addresses, profiles and secrets never reach them. */
import { destination, type Logger, pino } from 'pino'
import type { LogEvent } from './log-events.ts'

type Write = (fields: { event: LogEvent; [name: string]: unknown }, message: string) => void

export interface Log extends Pick<Logger, 'isLevelEnabled'> {
  debug: Write
  info: Write
  warn: Write
  error: Write
  /** A log whose lines all have these fields. */
  child(fields: Record<string, unknown>): Log
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const REDACTED = [
  'authorization',
  'cookie',
  'profile',
  'data',
  'override',
  'recipient',
  'email',
  'phone_number',
  'token',
  'password',
  'secrets',
  'settings',
]

/** Writes JSON lines to standard error; standard output belongs to what people read. */
export function createLog(level: LogLevel): Log {
  return pino(
    {
      level,
      base: null,
      formatters: { level: (level) => ({ level }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: REDACTED.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[redacted]' },
    },
    destination({ dest: 2, sync: true }),
  )
}
