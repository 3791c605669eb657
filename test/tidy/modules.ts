/** The modules of `server/src`: what each holds, what it may import, and why. ARCHITECTURE shows the same list. */
export interface Module {
  /** The folder in `server/src`, or a name for some of its files. */
  name: string
  files: RegExp
  /** The content of the module. */
  holds: string
  /** Modules that it may import, each of them listed before it. `base` and the contract are open to all. */
  imports: readonly string[]
  /** Why it needs them. */
  why: string
}

const folder = (name: string, imports: readonly string[], holds: string, why: string): Module => ({
  ...{ name, imports, holds, why },
  files: new RegExp(`^${name}/`),
})

/** Each module with what it may import, from the ground up. The first whose pattern fits a file is its module. */
export const MODULES: readonly Module[] = [
  folder('base', [], 'ids, time, log, errors, JSON, schemas, secrets, expressions, failpoints, perf idioms', 'nothing'),
  {
    name: 'assets',
    files: /^assets\.ts$/,
    holds: 'files that are read at run time: migrations, guides, the version',
    imports: [],
    why: 'nothing: their places are relative to this file',
  },
  folder(
    'database',
    ['assets'],
    'engine, migrations, tables (the only SQL), the local PostgreSQL',
    'migrations are files',
  ),
  folder('providers', [], 'one adapter a file: what to send and what an answer means', 'adapters are pure'),
  folder('templates', [], 'content to a compiled template to text in a dialect', 'rendering is pure'),
  folder('transport', [], 'the only network client: HTTP, SMTP, MIME, the address guard', 'it knows no domain'),
  folder(
    'queue',
    ['database'],
    'the poll of a queue, leases, poison rows, retries, slots, group commit',
    'leases and hints are rows',
  ),
  folder('watchdog', ['database'], 'a thread that samples the main thread', 'it counts stalls in rows'),
  {
    name: 'digests/terms',
    files: /^digests\/terms\.ts$/,
    holds: 'what a digest keeps of its events',
    imports: [],
    why: 'nothing: decisions read terms with the other facts',
  },
  {
    name: 'messages',
    files: /^messages\/(?:send|facts|delivery|message-row)\.ts$/,
    holds: 'values that all stages share: the send, the facts, a delivery, the row',
    imports: ['database', 'digests/terms', 'providers', 'queue', 'templates'],
    why: 'facts name adapters, templates, retry windows and digest terms',
  },
  folder(
    'digests',
    ['database', 'digests/terms', 'messages', 'queue'],
    'schedules, events, release',
    'a digest becomes a message',
  ),
  folder(
    'preferences',
    ['database', 'digests', 'digests/terms', 'messages'],
    'precedence, topics',
    'a topic has a digest; layers are facts',
  ),
  folder(
    'recipients',
    ['database', 'messages', 'queue'],
    'who a request reaches, and its expansion into messages',
    'it inserts message rows',
  ),
  folder('brands', ['templates'], 'settings of a brand', 'colors are checked as templates use them'),
  folder('lists', ['database'], 'lists and subscriptions as callers write and read them', 'it reads rows'),
  folder('audiences', ['database'], 'filters, and the updates of members', 'members are rows'),
  folder(
    'messages/decide',
    ['messages', 'preferences', 'providers', 'queue', 'recipients', 'templates'],
    'the decision, pure: mapping, profile, preferences, window, route, render',
    'it reads facts, adapters and templates, and no database',
  ),
  {
    name: 'messages/leased',
    files: /^messages\/(?:leased-message|decision-snapshot)\.ts$/,
    holds: 'a leased message, and what its decision left: snapshot and history events',
    imports: ['database', 'messages', 'messages/decide', 'queue'],
    why: 'it has a lease, a decision and rows to write',
  },
  folder(
    'messages/load',
    [
      'database',
      'digests',
      'messages',
      'messages/decide',
      'messages/leased',
      'preferences',
      'providers',
      'queue',
      'templates',
    ],
    'the facts of a batch, one query a kind; caches of configuration',
    'facts come from rows and are what decisions read',
  ),
  folder(
    'messages/accept',
    ['database', 'messages', 'messages/decide', 'messages/leased', 'messages/load', 'providers', 'queue', 'templates'],
    'from a body to a committed row',
    'a strict send is decided before it is accepted',
  ),
  folder(
    'messages/record',
    ['database', 'messages', 'messages/leased', 'queue'],
    'outcomes to disk',
    'many messages share a commit',
  ),
  folder(
    'messages/deliver',
    [
      'messages',
      'messages/decide',
      'messages/leased',
      'messages/record',
      'providers',
      'queue',
      'templates',
      'transport',
    ],
    'attempts, outcomes, retries, failover',
    'an attempt renders and calls the provider',
  ),
  folder(
    'messages/timeline',
    ['database', 'messages', 'messages/decide', 'messages/leased', 'messages/load', 'providers', 'templates'],
    'history, rendered content and explanations, computed again from rows',
    'explaining is deciding once more',
  ),
  {
    name: 'messages/pipeline',
    files: /^messages\/[a-z-]+\.ts$/,
    holds: 'the pipeline: runner, processing, poison messages, cancellation',
    imports: [
      ...['database', 'digests', 'messages', 'messages/accept', 'messages/decide', 'messages/deliver'],
      ...[
        'messages/leased',
        'messages/load',
        'messages/record',
        'messages/timeline',
        'providers',
        'queue',
        'transport',
      ],
    ],
    why: 'it puts the stages together',
  },
  folder(
    'notifications',
    ['database', 'messages/decide', 'templates'],
    'versions, content blocks and elements',
    'content is compiled when it is saved',
  ),
  folder(
    'erasure',
    ['database', 'messages', 'queue', 'recipients'],
    'removing a person everywhere, a step at a time',
    'rows are rewritten without them',
  ),
  folder(
    'webhooks',
    ['database', 'messages/timeline', 'providers', 'queue', 'transport'],
    'deliveries to webhooks',
    'a message is shown as the API shows it',
  ),
  folder('automations/references', [], 'references in steps: found, interpolated', 'text in, text out'),
  {
    name: 'automations',
    files: /^automations\/[a-z-]+\.ts$/,
    holds: 'values that all of automations share: a run, a step, the run store',
    imports: ['automations/references', 'database', 'messages', 'messages/accept', 'recipients', 'templates'],
    why: 'effects of a step are statements; the message of a step is read like a send',
  },
  folder(
    'automations/steps',
    [
      'automations',
      'automations/references',
      'database',
      'digests',
      'messages',
      'messages/accept',
      'providers',
      'queue',
      'recipients',
      'transport',
    ],
    'one step a file: checks, execution and effect',
    'a message of a step is read like a send, retries like those of providers; effects are written to tables',
  ),
  folder(
    'automations/definition',
    ['automations', 'automations/references', 'automations/steps'],
    'an automation read and checked',
    'each step checks its own fields',
  ),
  folder(
    'automations/runs',
    [
      ...[
        'automations',
        'automations/definition',
        'automations/references',
        'automations/steps',
        'database',
        'digests',
      ],
      ...[
        'messages',
        'messages/accept',
        'messages/decide',
        'messages/load',
        'preferences',
        'queue',
        'recipients',
        'templates',
        'transport',
      ],
    ],
    'runs: started, claimed, executed, committed',
    'a commit of a run writes messages, requests and digest events',
  ),
  folder(
    'automations/simulation',
    [
      'automations',
      'automations/definition',
      'automations/runs',
      'automations/steps',
      'digests',
      'digests/terms',
      'messages',
      'messages/timeline',
      'recipients',
    ],
    'runs in memory, and the messages they would send',
    'the same steps run over another store; messages are explained',
  ),
  folder(
    'api',
    [
      ...['assets', 'audiences', 'automations', 'automations/definition', 'automations/references', 'automations/runs'],
      ...[
        'automations/simulation',
        'brands',
        'database',
        'digests/terms',
        'erasure',
        'lists',
        'messages',
        'messages/accept',
      ],
      ...['messages/pipeline', 'messages/timeline', 'notifications', 'preferences', 'providers', 'queue', 'recipients'],
      ...['templates', 'transport', 'webhooks'],
    ],
    'the HTTP server: router, authentication, one file a resource in `api/resources`',
    'a handler calls the domain of its resource',
  ),
  folder(
    'slow-inputs',
    ['api', 'audiences', 'automations/references', 'templates'],
    'the search for inputs that block the process; only tests run it',
    'it calls every reader and evaluator of what callers write',
  ),
  {
    name: 'background',
    files: /^background\.ts$/,
    holds: 'every background loop on one page',
    imports: ['audiences', 'automations/runs', 'database', 'digests', 'erasure', 'queue', 'recipients', 'webhooks'],
    why: 'each loop belongs to a domain',
  },
  {
    name: 'app',
    files: /^(?:app|config|first-start|secret-key|server)\.ts$/,
    holds: 'the composition root: the environment is read, everything is opened and put together',
    imports: [
      ...['api', 'assets', 'automations/runs', 'background', 'database', 'messages', 'messages/pipeline', 'providers'],
      ...['queue', 'templates', 'transport', 'watchdog'],
    ],
    why: 'it makes every part and hands each what it needs',
  },
  folder(
    'offline',
    ['api', 'app', 'database', 'messages/pipeline'],
    'commands on a stopped installation',
    'they open the database without a server',
  ),
  {
    name: 'index',
    files: /^index\.ts$/,
    holds: 'what the package exports',
    imports: ['api', 'app', 'automations', 'database', 'offline', 'transport'],
    why: 'the command uses them',
  },
]
