/** The authors of changes in German, after `durch`; those in English are the client's. */
import type { SourceTexts } from '@postrider/client/sentence'

export const germanSources: SourceTexts = {
  key: (name) => `den Schlüssel ${name}`,
  inbound: 'eine SMS des Empfängers',
  operator: 'einen Betreiber',
  recipient: 'den Empfänger',
}

/** After `von`. */
export const germanAuthors: SourceTexts = {
  key: (name) => `dem Schlüssel ${name}`,
  inbound: 'einer SMS des Empfängers',
  operator: 'einem Betreiber',
  recipient: 'dem Empfänger',
}
