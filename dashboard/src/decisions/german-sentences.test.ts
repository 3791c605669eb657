/** Channels that are not used, in German: the recipient chose others, or the address is suppressed. */
import type { SentenceFormat } from '@postrider/client/sentence'
import { expect, test } from 'vitest'
import { germanForecast, germanSentence } from './german-sentences.ts'

const format: SentenceFormat = {
  time: (at) => `<${at}>`,
  duration: (ms) => `${ms} ms`,
  list: (items) => new Intl.ListFormat('de').format(items),
}
const choice = { channels: ['sms'], source: 'recipient' } as const

test('the choice of the recipient is no opt-out', () => {
  const left = { channels: ['email'], reason: 'UNSUBSCRIBED', choice } as const
  expect(germanSentence.notTried({ ...left, channels: [...left.channels] }, format)).toBe(
    'E-Mail wurde nicht versucht: der Empfänger hat gewählt, solche Nachrichten nur per SMS zu erhalten',
  )
  const others = { ...left, channels: ['email' as const, 'push' as const, 'inbox' as const] }
  expect(germanForecast.notTry({ ...others, choice: { ...choice, source: 'topic' } }, format)).toBe(
    'Ihre anderen Kanäle würden nicht versucht: die Vorgabe des Themas erlaubt nur SMS',
  )
  expect(germanSentence.noneChosen({ choice }, format)).toBe(
    'Der Empfänger hat gewählt, solche Nachrichten nur per SMS zu erhalten, und keiner ihrer Kanäle gehört dazu',
  )
})

test('a missing address is named by its channel', () => {
  const reason = 'INCOMPLETE_PROFILE_DATA'
  expect(germanSentence.notTried({ channels: ['sms'], reason }, format)).toBe(
    'SMS wurde nicht versucht: keine nutzbare Telefonnummer im Profil',
  )
})

test('a suppressed address is named with its cause', () => {
  const suppression = { reason: 'complaint', created: 5 } as const
  expect(germanSentence.notTried({ channels: ['email'], reason: 'SUPPRESSED', suppression }, format)).toBe(
    'E-Mail wurde nicht versucht: die Adresse steht seit <5> auf der Sperrliste (der Empfänger hat sich beschwert)',
  )
})

test('a failed channel beside one that has the message, and an integration that was not called', () => {
  expect(germanSentence.notBy({ channels: ['sms', 'push'] }, format)).toBe('aber nicht per SMS und Push')
  const deleted = { integrations: ['SMTP'], error: 'Die Integration ist gelöscht', again: false }
  expect(germanSentence.outOfUse(deleted, format)).toBe('SMTP wurde nicht aufgerufen: Die Integration ist gelöscht')
  expect(germanSentence.canceled({ ms: 5, source: 'key/first key' }, format)).toBe(
    'Abgebrochen durch den Schlüssel first key 5 ms nach dem Aufruf',
  )
})

test('a message for a deleted integration, one that is paused and one that is stopped', () => {
  const heldFor = { integrations: ['Vonage'] }
  expect(germanSentence.heldByDeleted(heldFor, format)).toBe('Angehalten für Vonage, inzwischen gelöscht')
  expect(germanSentence.deleted({ integrations: ['Vonage', 'Resend'] }, format)).toBe('Vonage und Resend sind gelöscht')
  expect(germanSentence.paused({ at: 5, source: 'key/backend' }, format)).toBe(
    'Um <5> durch den Schlüssel backend pausiert: sie geht weiter, wenn ihre Sendung fortgesetzt wird',
  )
  expect(germanSentence.deliveriesPaused({ since: 5 }, format)).toBe(
    'die Zustellung ist seit <5> pausiert, bis sie fortgesetzt wird, geht nichts hinaus',
  )
  expect(germanSentence.reason({ reason: 'FILTERED' })).toBe('Eine Bedingung hat sie gestoppt')
})

test('an attempt in doubt is no failure', () => {
  const doubt = { integration: 'Firmenpost', error: 'reset: cut' }
  expect(germanSentence.connectionBroke(doubt)).toBe(
    'Firmenpost bekam die Nachricht übergeben, dann brach die Verbindung ab: `reset: cut`',
  )
  expect(germanSentence.noClearAnswer({ ...doubt, error: '' })).toBe(
    'Firmenpost bekam die Nachricht übergeben und gab keine klare Antwort',
  )
  const turn = { integration: 'Firmenpost', at: 5, attempt: 2, mayRepeat: true }
  expect(germanSentence.calledAgain(turn, format)).toBe(
    'Firmenpost wird um <5> wieder aufgerufen, Versuch 2, der Empfänger kann sie also mehrfach erhalten',
  )
})

test('an integration with an open circuit breaker is not called, because its latest calls failed', () => {
  const refused = { integration: 'Firmenmail', error: '401' }
  const texts = [
    germanSentence.breakerOpen(refused),
    germanSentence.deferredByBreaker(refused),
    germanForecast.breakerOpen(refused),
    germanForecast.leftOut({ ...refused, at: 5, isLimit: false }, format),
    germanForecast.probe(refused),
  ]
  expect(texts).toEqual([
    'Firmenmail wird gerade nicht aufgerufen, weil die letzten Aufrufe scheiterten: `401`',
    'Firmenmail wurde nicht aufgerufen, weil die letzten Aufrufe gescheitert waren',
    'Firmenmail wird gerade nicht aufgerufen, weil die letzten Aufrufe scheiterten: `401`',
    'Firmenmail wird nicht vor <5> aufgerufen, denn die letzten Aufrufe scheiterten: `401`',
    'Die letzten Aufrufe von Firmenmail scheiterten, und dieser Aufruf würde prüfen, ob die Integration wieder geht: `401`',
  ])
})
