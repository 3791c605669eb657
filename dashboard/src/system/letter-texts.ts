/** The texts of dead letters. */
import { texts } from '../language/language.tsx'

export const letterTexts = texts({
  en: {
    title: 'Dead letters',
    explanation:
      'Work that the server gave up, because it kept ending or blocking the process. Release it once the cause is mended: it goes back into its queue as if it had never been started.',
    guide: 'About dead letters',
    open: 'Open',
    released: 'Released',
    dismissed: 'Dismissed',
    all: 'All',
    states: 'State of dead letters',
    anyKind: 'Every kind',
    kind: 'Kind',
    reason: 'Reason',
    node: 'Node',
    at: 'Given up',
    release: 'Release',
    releaseTitle: (kind: string) => `Release 1 ${kind}`,
    releaseText: (kind: string, id: string) =>
      `The ${kind} ${id} goes back into its queue and goes on within a second. What it does then, such as sending a message, cannot be undone.`,
    releaseMany: (count: number) => `Release ${count} dead letters`,
    releaseManyText:
      'They go back into their queues, one after another, and go on within a second. What they do then, such as sending messages, cannot be undone.',
    releaseDone: (count: number) => (count === 1 ? 'Released: it goes on now.' : `Released: ${count} go on now.`),
    dismiss: 'Dismiss',
    dismissTitle: (kind: string) => `Dismiss 1 ${kind}`,
    dismissText: (kind: string, id: string) =>
      `The ${kind} ${id} is not to go on: it leaves this list and the warnings. It stays under “Dismissed” as long as messages are kept, and can be released there.`,
    dismissMany: (count: number) => `Dismiss ${count} dead letters`,
    dismissManyText:
      'They are not to go on: they leave this list and the warnings. They stay under “Dismissed” as long as messages are kept, and can be released there.',
    dismissDone: (count: number) =>
      count === 1 ? 'Dismissed: it is under “Dismissed”.' : `Dismissed: ${count} are under “Dismissed”.`,
    empty: 'Nothing was given up',
    emptyText:
      'A message, run or call that crashes or blocks its process again and again is listed here, with the reason.',
    emptyFiltered: 'No dead letters match',
    message: 'message',
    request: 'request',
    run: 'run',
    digest: 'digest',
    erasure: 'erasure',
    webhook_delivery: 'webhook delivery',
    receipt: 'receipt',
  },
  de: {
    title: 'Aufgegebenes',
    explanation:
      'Arbeit, die der Server aufgegeben hat, weil sie den Prozess immer wieder beendete oder anhielt. Ist die Ursache behoben, lässt sie sich freigeben: Sie kommt zurück in ihre Warteschlange, als wäre sie nie begonnen worden.',
    guide: 'Was mit Aufgegebenem zu tun ist',
    open: 'Offen',
    released: 'Freigegeben',
    dismissed: 'Abgehakt',
    all: 'Alle',
    states: 'Zustand',
    anyKind: 'Jede Art',
    kind: 'Art',
    reason: 'Grund',
    node: 'Knoten',
    at: 'Aufgegeben',
    release: 'Freigeben',
    releaseTitle: (kind: string) => `Freigeben: 1 × ${kind}`,
    releaseMany: (count: number) => `${count} Einträge freigeben`,
    releaseManyText:
      'Sie kommen nacheinander zurück in ihre Warteschlangen und gehen binnen einer Sekunde weiter. Was dann geschieht, etwa der Versand von Nachrichten, lässt sich nicht rückgängig machen.',
    releaseText: (kind: string, id: string) =>
      `${kind} ${id} kommt zurück in die Warteschlange und geht binnen einer Sekunde weiter. Was dann geschieht, etwa der Versand einer Nachricht, lässt sich nicht rückgängig machen.`,
    releaseDone: (count: number) =>
      count === 1 ? 'Freigegeben: Es geht weiter.' : `Freigegeben: ${count} gehen weiter.`,
    dismiss: 'Abhaken',
    dismissTitle: (kind: string) => `Abhaken: 1 × ${kind}`,
    dismissText: (kind: string, id: string) =>
      `${kind} ${id} soll nicht weitergehen und verschwindet aus dieser Liste und den Warnungen. Unter „Abgehakt“ bleibt der Eintrag so lange, wie Nachrichten aufbewahrt werden, und lässt sich dort noch freigeben.`,
    dismissMany: (count: number) => `${count} Einträge abhaken`,
    dismissManyText:
      'Sie sollen nicht weitergehen und verschwinden aus dieser Liste und den Warnungen. Unter „Abgehakt“ bleiben sie so lange, wie Nachrichten aufbewahrt werden, und lassen sich dort noch freigeben.',
    dismissDone: (count: number) =>
      count === 1
        ? 'Abgehakt: Der Eintrag steht unter „Abgehakt“.'
        : `Abgehakt: ${count} Einträge stehen unter „Abgehakt“.`,
    empty: 'Nichts wurde aufgegeben',
    emptyText: 'Was seinen Prozess immer wieder abstürzen lässt oder anhält, steht hier mit dem Grund.',
    emptyFiltered: 'Kein passender Eintrag',
    message: 'Nachricht',
    request: 'Auftrag',
    run: 'Lauf',
    digest: 'Sammelnachricht',
    erasure: 'Löschung',
    webhook_delivery: 'Webhook-Zustellung',
    receipt: 'Quittung',
  },
})
