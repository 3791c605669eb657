/** Schedules: cron expressions and time zones. */
import { Type } from 'typebox'

/** Five fields with lists and ranges fit. */
export const cronCharactersMax = 256
/** The longest name of a time zone has 32 characters. */
export const zoneCharactersMax = 64

export const timezone = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: zoneCharactersMax,
    description: `${description} IANA name: \`Europe/Berlin\`.`,
  })
export const cron = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: cronCharactersMax,
    description: `${description} Cron fields: minute, hour, day of month, month, day of week, as in \`0 9 * * MON-FRI\`; \`L\` is the last day of the month.`,
  })
