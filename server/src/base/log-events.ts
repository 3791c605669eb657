/** Every event of the log with its meaning for operators, and the page that lists them; alerts rely on these names. */

export const logEvents = {
  'server.listening': 'The server takes calls.',
  'server.stopped': 'The server has stopped; nothing in progress was lost.',
  'config.unknown_variable':
    'A variable of the environment begins with `POSTRIDER_`, and nothing reads it: its name is misspelled, or of another version.',
  'open_files.low': 'The limit of open files is too low for the connections the server may need; raise it.',
  'schema.created': 'The schema was created in an empty database.',
  'schema.migrated': 'Migrations were applied.',
  'schema.waiting': 'Another node applies migrations; the start waits for it.',
  'database.creating': 'The local database is created, once for a data folder.',
  'database.recovering': 'The local PostgreSQL replays what it had not written before it was ended.',
  'database.leftover': 'A PostgreSQL server that an earlier process left behind is ended.',
  'database.programs_skipped': 'PostgreSQL programs were found that do not fit the data folder.',
  'database.unwatched': 'The watcher could not be started: a killed process leaves its PostgreSQL running.',
  'database.exited': 'The local PostgreSQL exited and is restarted.',
  'database.restarted': 'The local PostgreSQL takes connections again.',
  'database.not_started': 'The local PostgreSQL does not start; look at its reason, it is tried again.',
  'database.log': 'A line of the log of the local PostgreSQL.',
  'database.backup_not_recorded':
    'The time of the last copy of the local database could not be written or read; the copy itself is whole.',
  'database.unavailable':
    'An outage began: the database is away, its disk is full, or it refuses writes. `/readyz` fails; nothing accepted is lost.',
  'database.available': 'The outage has ended.',
  'database.connection_lost': 'An idle connection was closed by the database; a new one is opened.',
  'database.not_listening': 'No connection for notifications: due work is found by polling.',
  'tracking.lost':
    'An open or click could not be recorded in time: the database is unavailable. The person was led to the target.',
  'notification.lost': 'A wake-up notification for other nodes was lost; they find the change by polling.',
  'key_use.lost': 'The last use of API keys could not be written; it is tried again in a minute.',
  'request.answered': 'A request with its status and time.',
  'request.aborted': 'The client closed the connection before its request was complete.',
  'request.refused': 'A request was refused because of the state of the server; the error has the cause.',
  'request.data_refused': 'The database rejected data of a request.',
  'request.unavailable': 'A request was answered with 503 because of an outage.',
  'request.failed': 'A request was answered with 500: a fault of the server. Report it with its request id.',
  'idempotency.mismatch':
    'An `Idempotency-Key` came again with another body: the call was refused, or got the first reply where only the content of a send of a Courier SDK differs.',
  'deliveries.paused': 'Deliveries are paused until `postrider resume`.',
  'deliveries.resumed': 'Deliveries go on.',
  'deliveries.pause_unknown': 'The pause could not be read; the last known state holds.',
  'leases.not_renewed': 'Leases could not be renewed; work under those that expire is given up, and claimed again.',
  'messages.taken_over': 'Messages of an earlier process of this node are claimed again.',
  'messages.not_loaded': 'The facts of a batch could not be loaded; its leases are released.',
  'node.stop_not_recorded': 'The stop of a node could not be recorded: it is shown as dead.',
  'system.part_failed': 'A part of `GET /system` could not be read: a fault of the server.',
  'messages.not_released': 'Leases could not be released; they expire.',
  'message.not_stored': 'One message of a send to many cannot be stored and was left out.',
  'message.not_processed': 'A message could not be processed; it is claimed again.',
  'messages.record_delayed':
    'Outcomes of messages cannot be written; they wait in memory and are tried again, at most as long as their leases.',
  'message.not_recorded': 'The outcome of an attempt could not be recorded; the message is claimed again.',
  'message.stalled': 'A message blocks the main thread.',
  'message.stall_not_recorded': 'A stall could not be counted.',
  'message.dead_lettered': 'A poison message ended as `UNDELIVERABLE`: its content or profile needs a look.',
  'message.not_dead_lettered': 'A poison message could not be ended; it is tried again.',
  'provider.adapter_failed': 'An adapter threw: a fault of the server. The attempt counts as failed.',
  'integration.breaker_opened':
    'A circuit breaker opened: the integration is not called until a probe is good. The line has the reason and the error.',
  'integration.breaker_half_open': 'The wait of an open circuit breaker is over: one call probes the integration.',
  'integration.probe_failed': 'A probe failed: the circuit breaker stays open, for longer.',
  'integration.breaker_closed': 'Probes were good, or the integration was changed or tested: it is called again.',
  'integration.breaker_not_written':
    'The state of a circuit breaker could not be written; the next call decides it again.',
  'integration.health_not_written': 'Counts of calls could not be written; they are written later.',
  'integration.breakers_unknown': 'Circuit breakers could not be read; the last known states hold.',
  'run.step_failed': 'A step of an automation run threw: a fault of the server.',
  'run.not_released': 'The lease of a run could not be released; it expires.',
  'run.dead_lettered': 'A poison run ended with an error.',
  'request.dead_lettered':
    'A poison request to many ended with an error; its messages so far are delivered, its other recipients get none.',
  'digest.not_released': 'A digest could not be released; it is tried again.',
  'digest.dead_lettered': 'A poison digest ended as a message that is `UNDELIVERABLE`.',
  'receipt.dead_lettered': 'A poison receipt of a provider was dropped; its message keeps the status it had.',
  'receipt.foreign':
    'A receipt came by the callback of an integration that did not make the delivery, and was dropped: give each integration its callback address at the provider.',
  'receipt.dropped':
    'A receipt named a delivery that was not made within an hour. At level `debug`: its message is not stored, as after a click on the link of an old mail, or because the provider is used by another installation, too.',
  'lmtp.listening': 'The LMTP server takes bounces.',
  'mail.ignored':
    'A mail came in that reports nothing about a mail of this installation, such as an automatic reply, or that was not understood. The line has the reason.',
  'mail.connection_lost': 'A connection of a mail server that hands over bounces was cut.',
  'mail.not_stored': 'The receipts of a mail could not be stored; its mail server tries again.',
  'callback.repeated':
    'A callback came again with a signature or a text message that has been used: it has no effect. Providers repeat callbacks whose answer was lost; many with other content are an attack.',
  'callback.refused': 'A callback of a provider was refused: its signature is missing or wrong, or it cannot be read.',
  'results.not_read':
    'The results that a provider keeps could not be read: its reply was no answer, or the credentials of the integration cannot be decrypted. They are read again while the provider keeps them.',
  'erasure.dead_lettered': 'A step of an erasure never finished; the person is not yet erased everywhere.',
  'webhook_delivery.dead_lettered': 'A poison delivery to a webhook ended as failed.',
  'webhook.disabled': 'A webhook answered 410 and was disabled.',
  'webhook.result_not_recorded': 'The result of a call of a webhook could not be recorded; it is called again.',
  'poll.failed': 'A background job failed; it runs again at its next time.',
  'figures.not_read':
    'The figures of the installation could not be read for `/metrics`, which shows the last ones; `postrider_figures_age_seconds` has their age.',
  'retention.dropped': 'Weeks past `POSTRIDER_RETENTION_DAYS` were dropped, or kept for a message in progress.',
  'process.stalled': 'The main thread does not respond.',
  'process.resumed': 'The main thread responds again.',
  'process.ended':
    'The main thread did not respond for too long; the process is ended, to be started again by its supervisor.',
  'watchdog.ended': 'The watchdog has ended; stalls are not noticed until the next start.',
} as const satisfies Record<string, string>

export type LogEvent = keyof typeof logEvents

/** The page that explains them, as Markdown. */
export function logEventsReference(): string {
  const rows = Object.entries(logEvents).map(([event, meaning]) => `| \`${event}\` | ${meaning} |`)
  return `# Log events

Each line of the log is a JSON object on standard error; its \`event\` is one of these and does not change from version to version. Generated from \`server/src/base/log-events.ts\`.

| Event | Meaning |
|---|---|
${rows.join('\n')}
`
}
