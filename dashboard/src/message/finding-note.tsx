/** The finding about a message with its remedy, in a note below the sentence. */
import { useQuery } from '@tanstack/react-query'
import { texts, useTexts } from '../language/language.tsx'
import { hasUser } from '../names/recipient-ids.ts'
import { LinkButton } from '../parts/link-button.tsx'
import { openedFrom } from '../parts/list-return.ts'
import { Note } from '../parts/states.tsx'
import { usePermissions } from '../session/session.tsx'
import { canHaveSuppressed, type Finding, type FindingInput, findingOf } from './finding.ts'
import { explanationOfNow } from './message-query.ts'

const findingTexts = texts({
  en: {
    otherAddress: 'The address came with the send and is not the stored one.',
    used: 'Used:',
    stored: 'Stored:',
    repeats: 'Resending repeats the address of the send.',
    openWithStored: 'Open in Send with the stored address',
    compare: 'Compare the profiles',
    invalidAddress: 'The address came with the send and is not valid.',
    noAddress: 'The profile has no address that an integration can use.',
    noAddressText: 'A resend uses the profile as it is then.',
    openProfile: 'Open profile',
    suppressed: 'The address is on the list of suppressed addresses.',
    suppressedByMessage: 'Since this message the address is on the list of suppressed addresses.',
    suppressedText: 'As long as it is there, nothing is sent to it, not even by a resend.',
    correctAddress: 'Send to a corrected address, or remove this one from the list once it works again.',
    onlyIfWelcome: 'Remove it from the list only when the recipient agrees to get messages again.',
    openSuppressions: 'Open suppressions',
    unmapped: 'No template is mapped to this event.',
    unmappedText: 'Once it is mapped, a resend finds its template.',
    mapEvent: 'Open the event map',
    unknownTemplate: 'No template has this name.',
    unknownTemplateText: 'Once a published one has it, a resend finds it.',
    openTemplates: 'Open templates',
    integration: (titles: readonly string[]) => `It needs ${titles.join(' or ')}.`,
    integrationText: 'Held messages go on by themselves once the integration works.',
    openIntegration: (title: string) => `Open ${title}`,
    deleted: (titles: readonly string[]) =>
      `${titles.join(' and ')} ${titles.length > 1 ? 'have' : 'has'} been deleted.`,
    heldText: 'Add another integration of the channel, and the message goes on, or release it: it is decided again.',
    noIntegration: 'No integration serves a channel of this message.',
    noIntegrationText: 'Once one can be used, a resend uses it.',
    openIntegrations: 'Open integrations',
    credentials: (titles: readonly string[]) => `The credentials of ${titles.join(' and ')} were refused.`,
    credentialsText: 'Once they are repaired, the messages that failed by them can be replayed.',
  },
  de: {
    otherAddress: 'Die Adresse kam mit dem Aufruf und ist nicht die gespeicherte.',
    used: 'Verwendet:',
    stored: 'Gespeichert:',
    repeats: 'Erneutes Senden wiederholt die Adresse des Aufrufs.',
    openWithStored: 'In Senden öffnen, mit der gespeicherten Adresse',
    compare: 'Profile vergleichen',
    invalidAddress: 'Die Adresse kam mit dem Aufruf und ist nicht gültig.',
    noAddress: 'Das Profil hat keine Adresse, die eine Integration nutzen kann.',
    noAddressText: 'Erneutes Senden verwendet das Profil, wie es dann ist.',
    openProfile: 'Profil öffnen',
    suppressed: 'Die Adresse steht auf der Sperrliste.',
    suppressedByMessage: 'Seit dieser Nachricht steht die Adresse auf der Sperrliste.',
    suppressedText: 'Solange sie dort steht, wird nichts an sie gesendet, auch nicht durch erneutes Senden.',
    correctAddress:
      'An eine berichtigte Adresse senden, oder diese von der Liste nehmen, sobald sie wieder funktioniert.',
    onlyIfWelcome: 'Erst von der Liste nehmen, wenn der Empfänger wieder Nachrichten möchte.',
    openSuppressions: 'Sperrliste öffnen',
    unmapped: 'Keine Vorlage ist diesem Ereignis zugeordnet.',
    unmappedText: 'Ist sie zugeordnet, findet erneutes Senden die Vorlage.',
    mapEvent: 'Ereignisse öffnen',
    unknownTemplate: 'Keine Vorlage hat diesen Namen.',
    unknownTemplateText: 'Sobald eine veröffentlichte ihn hat, findet erneutes Senden sie.',
    openTemplates: 'Vorlagen öffnen',
    integration: (titles: readonly string[]) => `Es fehlt an ${titles.join(' oder ')}.`,
    integrationText: 'Angehaltene Nachrichten gehen von selbst weiter, sobald die Integration arbeitet.',
    openIntegration: (title: string) => `${title} öffnen`,
    deleted: (titles: readonly string[]) => `${titles.join(' und ')} ${titles.length > 1 ? 'sind' : 'ist'} gelöscht.`,
    heldText:
      'Eine andere Integration des Kanals anlegen, dann geht die Nachricht weiter, oder sie freigeben: dann wird neu entschieden.',
    noIntegration: 'Keine Integration bedient einen Kanal dieser Nachricht.',
    noIntegrationText: 'Sobald eine nutzbar ist, verwendet erneutes Senden sie.',
    openIntegrations: 'Integrationen öffnen',
    credentials: (titles: readonly string[]) => `Die Zugangsdaten von ${titles.join(' und ')} wurden abgelehnt.`,
    credentialsText: 'Sind sie berichtigt, lassen sich die daran gescheiterten Nachrichten wiederholen.',
  },
})

/** An entry that was added by hand has its note. */
const remedies = {
  hard_bounce: 'correctAddress',
  invalid_address: 'correctAddress',
  complaint: 'onlyIfWelcome',
  unsubscribed: 'onlyIfWelcome',
} as const

export interface FindingNoteProps extends Omit<FindingInput, 'now'> {
  message: FindingInput['message'] & { id: string; recipient: string; event: string }
}

export function FindingNote(input: FindingNoteProps) {
  const t = useTexts(findingTexts)
  const { canEditContent } = usePermissions()
  const { id, recipient, event } = input.message
  const { data: now } = useQuery({ ...explanationOfNow(id), enabled: canHaveSuppressed(input.message, input.events) })
  const finding = findingOf({ ...input, now })
  switch (finding?.kind) {
    case undefined:
      return null
    case 'otherAddress':
      return (
        <Note
          title={t.otherAddress}
          actions={
            <>
              {canEditContent && event !== '' && (
                <LinkButton to="/send" search={{ message: id, contact: 'stored' }}>
                  {t.openWithStored}
                </LinkButton>
              )}
              <LinkButton
                to="/messages/$messageId"
                params={{ messageId: id }}
                hash="profile"
                state={openedFrom('/messages')}
              >
                {t.compare}
              </LinkButton>
            </>
          }
        >
          {t.used} <code>{finding.used}</code>. {t.stored} <code>{finding.stored}</code>. {t.repeats}
        </Note>
      )
    case 'invalidAddress':
      return <Note title={t.invalidAddress}>{t.repeats}</Note>
    case 'noAddress':
      return (
        <Note
          title={t.noAddress}
          actions={
            hasUser(recipient) && (
              <LinkButton to="/users/$userId" params={{ userId: recipient }}>
                {t.openProfile}
              </LinkButton>
            )
          }
        >
          {t.noAddressText}
        </Note>
      )
    case 'suppressed':
      return (
        <Note
          title={finding.isByMessage ? t.suppressedByMessage : t.suppressed}
          actions={
            <LinkButton to="/suppressions" search={finding.address === undefined ? {} : { search: finding.address }}>
              {t.openSuppressions}
            </LinkButton>
          }
        >
          {t.suppressedText} {finding.reason && finding.reason !== 'manual' && t[remedies[finding.reason]]}
        </Note>
      )
    case 'unmapped':
      return (
        <Note title={t.unmapped} actions={<LinkButton to="/events">{t.mapEvent}</LinkButton>}>
          {t.unmappedText}
        </Note>
      )
    case 'unknownTemplate':
      return (
        <Note title={t.unknownTemplate} actions={<LinkButton to="/templates">{t.openTemplates}</LinkButton>}>
          {t.unknownTemplateText}
        </Note>
      )
    case 'integrations':
      return (
        <Note
          title={t.integration(finding.integrations.map(({ title }) => title))}
          actions={<IntegrationLinks {...finding} />}
        >
          {finding.isHeld ? t.integrationText : t.noIntegrationText}
        </Note>
      )
    case 'credentials':
      return (
        <Note
          title={t.credentials(finding.integrations.map(({ title }) => title))}
          actions={<IntegrationLinks {...finding} />}
        >
          {t.credentialsText}
        </Note>
      )
    case 'deleted':
      return (
        <Note
          title={t.deleted(finding.titles)}
          actions={<LinkButton to="/integrations">{t.openIntegrations}</LinkButton>}
        >
          {finding.isHeld ? t.heldText : t.noIntegrationText}
        </Note>
      )
    case 'noIntegration':
      return (
        <Note title={t.noIntegration} actions={<LinkButton to="/integrations">{t.openIntegrations}</LinkButton>}>
          {t.noIntegrationText}
        </Note>
      )
  }
}

function IntegrationLinks({ integrations }: Pick<Extract<Finding, { kind: 'credentials' }>, 'integrations'>) {
  const t = useTexts(findingTexts)
  return integrations.map(({ id, title }) => (
    <LinkButton key={id} to="/integrations/$id" params={{ id }}>
      {t.openIntegration(title)}
    </LinkButton>
  ))
}
