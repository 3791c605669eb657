/** The words of mail systems, by what they mean. A server that writes others needs a line here, and a mail in `test/bounces`. */

import { anyOf, either, says } from '../base/phrases.ts'
import { FULL_MAILBOX } from '../providers/bounce-phrases.ts'

/** Names of the programs that send notices, without anything but letters. */
const DAEMONS: ReadonlySet<string> = new Set([
  ...['mailerdaemon', 'maildaemon', 'mdaemon', 'postmaster', 'mailer', 'maildelivery', 'mailsystem', 'mailrouter'],
  ...['maildeliverysystem', 'maildeliversystem', 'maildeliverysubsystem', 'deliverysubsystem', 'maildeliveryservice'],
  ...['maildeliveryagent', 'maildeliverynotification', 'deliverystatusnotification', 'mailadministrator'],
  ...['internetmaildelivery', 'systemadministrator', 'mailsubsystem', 'mailtransferagent', 'mailserver', 'emailsystem'],
])

const letters = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')

/** `MAILER-DAEMON`, `mailer_daemon`, `Mail Delivery System`. */
export const isDaemonName = (name: string): boolean => DAEMONS.has(letters(name))

/** The local part of an address. Some add an instance, and Exchange digits. */
export const isDaemonMailbox = (local: string): boolean =>
  isDaemonName(local) || /^mailerdaemon|mailerdaemon$|^microsoftexchange/.test(letters(local))

/** Mailboxes of no person, of which some systems send notices. */
export const SERVICE_MAILBOX =
  /^(?:no-?_?reply|do-?not-?reply|admin(?:istrator)?|sysadmin|system|root|mail|smtp|mta|gateway|bounces?|delivery|notifications?|support|helpdesk|mail-?(?:system|server|admin|delivery))(?:[-+.].*)?@/i

export const SUBJECTS = {
  reply:
    /^\s*\[?(?:re|aw|fw|fwd|wg|sv|vs|vb|tr|rv|enc|antw|odp|r|res|doorst|回复|答复|转发)\s*(?:\[\d+\]|\(\d+\))?\s*[:：]/i,
  autoReply: anyOf`
    ^auto(?:matic|mated)?[ -]?(?:reply|response|answer)  ^auto:  out of (?:the )?office  ^away\b  vacation
    ^(?:message )?recall  ^(?:not )?read:  ^relayed:  ^report domain:
    on (?:leave|holiday)  automatische antwort  abwesen  réponse automatique  absence  respuesta automática
    fuera de la oficina  risposta automatica  automatisch antwoord  afwezig  resposta automática
    自動(?:返信|応答)  自动(?:回复|答复)  автоответ  автоматический ответ
  `,
  /** A mail that is still on its way. */
  delay: anyOf`
    ^\W*(?:returned mail: )?(?:warning|warnung)\b  ^\W*delay  \bdelay(?:ed)?\W*$  still (?:being|trying)  \(delay
    delayed \d  (?:delivery|mail|message|notification)\W+(?:is |was |has been )?(?:delay|deferred)
    notification: warning  ^delivery incomplete  (?:delivery|mail|message) pending  temporary (?:delivery )?(?:problem|failure|error)
    verz(?:ö|oe)ger  (?:noch|bisher) nicht zugestellt  retard  pas encore
    retras  aún no  todavía no  ritard  non ancora  atrasad  adiad  ainda não
    vertraa?g(?:d|ing)  nog niet  försenad  ännu inte  forsink(?:et|else)  endnu ikke  ennå ikke  opóźni  zpožd
    遅延  延迟  延遲  暂时  暫時  지연  задерж  отложен
  `,
  /** Either of them. */
  notice: anyOf`
    delivery (?:status|report|notif)  notice: mail  mail (?:status|notif)  message status
  `,
  failure: anyOf`
    ^\W*bounced?\b  kunde inte lever  (?:gick|går) inte att lever  ej lever  kunne ikke lever  ei voitu toimittaa
    nedoruč  nelze doručit  kézbesíthet  teslim edilem  iletilem  (?:전송|배달|발송).{0,3}(?:되지|할 수|실패)  반송
    undeliver  un-deliver  non-?deliver  not (?:be )?delivered
    (?:could|can)(?: ?not|'t|n't) (?:be )?(?:deliver|send|sent)
    returned (?:mail|to sender|message|e-?mail|item)  return(?:ed|ing) .{0,40}to sender  mail returned
    failure notice
    (?:deliver|mail|message|send|sending|transport|transmission)\w*\W.{0,40}(?:fail|error|problem)
    (?:fail|error|problem|trouble)\w*\W.{0,40}(?:deliver|mail|message|send)
    unable to (?:deliver|send)  ^rejected  message rejected  mail bounce  bounced (?:mail|message)  user unknown
    unzustellbar  nicht (?:zugestellt|zustellbar)  zustell\w*.{0,20}(?:fehl|gescheitert)  fehlgeschlagen
    non (?:remis|distribué|livré|délivré)  échec  no (?:se )?(?:ha )?(?:pudo|podido) entregar  no entregado
    imposible entregar  error de entrega  mancat[ao] (?:consegna|recapito)  non recapit  não (?:foi )?entregue
    falha (?:na|de) entrega  onbestelbaar  niet (?:bezorgd|afgeleverd)  niedoręcz  nie dostarczono
    не (?:может быть )?доставлен  недоставлен  配信(?:不能|エラー|できません)  メール.{0,10}エラー  送信できません
    退信  退回  退件  (?:无法|無法)(?:投递|投遞|送达|送達)  (?:投递|投遞|传送|傳送|寄送)失[败敗]  erro (?:no|de) (?:envio|entrega)  no se puede entregar
    devolvid  devuelto  neleveráv  nepodařilo doručit
  `,
} as const

/** Not for good: the mail stays in the queue. */
export const DELAY = anyOf`
  not yet (?:been )?(?:delivered|sent)  delivered yet  not be(?:en)? delivered .{0,80}\b(?:yet|so far)\b
  still attempting  attempt (?:to deliver|delivery) (?:every|again|for another)  tries (?:it )?again  need(?: not|n't) do anything
  queued (?:and|for) (?:(?:we|it) )?(?:will|try|retry|be|another)  retry queue  (?:remains?|still|waiting) (?:queued|in (?:our|the) queue)
  not (?:need to )?be re-?sent  we(?:'ll| will) (?:re)?try  (?<!not )(?:make|making) further attempts  try for another  пока не доставлен  будем пытаться
  continuerà a (?:prov|tent)  non è stato ancora
  will (?:be )?(?:retr(?:y|ied)|tried again|attempted again|re-?attempt)
  will (?:keep|continue)(?: on)? (?:to )?(?:re)?(?:try|attempt|deliver)
  (?:delivery )?attempts? (?:to deliver .{0,40})?will continue  (?<!not |n't )(?:keep|still|continue) (?:on )?(?:re)?trying
  try(?:ing)? again (?:for|until)
  no action is (?:required|needed)  warning (?:message )?only  only a (?:warning|temporary)
  not need to re-?send
  (?:is|was|has been|have been|being) delayed  delay reason  transient non-?fatal
  kept in the queue (?:for|until)  remains? in the queue
  next (?:delivery )?attempt  still undelivered  versucht es weiter  (?<!nicht (?:mehr )?)weiter(?:hin)? versuch
  weitere (?:zustell)?versuche  noch nicht .{0,40}zugestellt  nur eine warnung  wird .{0,30}(?<!nicht )erneut versuch
  (?<!aucune )nouvelle tentative  (?:pas|n'a pas) encore (?:été|pu)  (?<!ne )(?:sera (?:réessay|retent)|réessayer(?:a|ons))
  seguirá intentando  (?:aún|todavía) no (?:se )?(?:ha|fue|pudo)  (?<!no (?:se )?)(?:volver(?:á|emos) a intentar|se reintentará)
  ainda não (?:foi|pôde|pode)  (?<!não )(?:(?:vai|irá|vamos) tentar|tentar(?:á|emos)) (?:novamente|de novo)
  (?<!non (?:si )?)riprover(?:à|emo)  non è ancora  nog niet (?:worden )?(?:bezorgd|afgeleverd)  blijft (?!niet).{0,20}proberen
  ännu inte (?:kunnat|lever)  (?:endnu|ennå) ikke (?:blevet |blitt )?lever  (?<!(?:inte|ikke)(?: att| at)? )(?:försök|prøv)er? (?:igen|igjen)
  jeszcze nie (?:został|dostarcz)  zatím (?:nebyl|nedoruč)
  再送を(?:試|続)  再試行(?!は(?:行われ|しま|行い))  (?<!不)(?:还会|还将|将|會|將)(?:再|继续|繼續)  (?<!不会?|不會?)(?:继续尝试|繼續嘗試)
`

/** For good, in the words of the mail system about itself. */
export const FINAL = anyOf`
  (?:is|was|has been|have been|being) delayed .{0,60}(?:returned|given up)
  permanent(?:ly)?,?(?: fatal| delivery)? (?:error|fail)  fail\w* permanent
  permanently (?:reject|undeliver|unable)
  \b(?:i've|have|has) given up  g(?:i|a)v(?:e|ing|en) up
  not (?:be )?(?:going to )?(?:re)?try(?:ing)? (?:it )?again  will not be (?:re)?tried
  will not (?:be )?(?:retr|attempt|try)  no (?:further|more|additional) (?:delivery )?(?:attempt|retr|tries)
  stopp?ed trying  cease[ds]? (?:all )?attempt
  retry time(?:out)?(?: has been)? exceeded  retry time not reached  too long in (?:the )?queue
  in the queue (?:for )?too long  queue (?:life)?time
  (?:deleted|removed|purged|expired) from (?:the |our )?(?:mail )?queue
  (?:message|mail|envelope|delivery time|retry time|time)\w* (?:has |was |is )?expired
  expired (?:after|without)
  (?:exceed|reach)\w* .{0,30}(?:retr|attempts|delivery time|queue|maximum (?:time|age))
  too many (?:retries|attempts)  maximum (?:number of )?(?:retr|attempt|time)
  for (?:the past )?\d+ days?\b.{0,40}(?:deleted|returned|cancel)
  cannot send message (?:for|within) \d+ days?
  dauerhaft\w* fehler  endgültig  aufgegeben  erreur (?:permanente|définitive)  error permanente
  errore permanente
  erro permanente  постоянн\S{1,3} ошибк  永続  永久
`

/** Whatever was said before about attempts. */
export const FINAL_NOW = anyOf`
  \bnow (?:give|giving|given) up  \b(?:is|are) now (?:being )?returned
`

/** The mail has not arrived; another sentence may say that it still can. */
export const FAILURE = either(
  FULL_MAILBOX,
  anyOf`
    (?:kunde inte|gick inte att|går inte att|kunne ikke) (?:bli )?lever  ei voitu toimittaa  (?:nelze|nebylo|nemohl\w*|nepodařilo) (?:se |být |možné )?doruč
    neexist(?:uje|ující)  보내지 못  존재하지 않는  (?:전송|발송|배달)에 실패  (?:è|e') stato (?:rifiutato|respinto)  mancata consegna  rilevato un errore
    no llegó a  no existe  não existe  retornou porque  foi (?:rejeitad|devolvid)  無法  失敗  不存在
    nem (?:sikerült |lehet )?kézbesít  teslim edilem  iletilem  전송(?:되지|할 수|에 실패)  배달(?:되지|할 수|에 실패)  no (?:se )?entreg
    non (?:recapitabil|consegnat)  was(?:n't| not) able to deliver
    (?:could|can|was|were|is|are|be|been|has|have|did|does)(?: ?not|n't)(?: be| been| able to)? (?:be )?(?:deliver|reach|sent|send|relayed|accepted|transmitted|forwarded)
    (?:unable|impossible|failed|failure|trouble|not (?:been )?(?:able|possible)) (?:to |in )?(?:be )?(?:deliver|send|relay|transmit|reach)
    undeliver  non-?deliver  deliver\w* .{0,60}?(?:fail|error|problem|reject)
    (?:error|fail\w*|problem)\b.{0,60}?\bdeliver
    returned (?:to you|to sender|as undeliver|permanent)  fatal errors?  delivery (?:errors?|problems?)
    error (?:was|is|has|code)  \d error\(s\)
    unrouteable  unroutable
    (?:unknown|no such|invalid|bad|inactive|disabled) (?:local )?(?:user|recipient|mailbox|account|address|host|domain|person)
    (?:user|recipient|mailbox|account|host|domain)(?: name)? (?:is )?(?:unknown|not (?:found|listed|known|exist|recogni))
    (?:does|do|did)(?: ?not|n't) (?:exist|have an? )  not listed in  is not recogni[sz]ed
    account .{0,20}disabled
    (?:was|were|been|is|has) (?:rejected|refused|bounced|returned|not accepted)
    (?:dns|relay|routing|name service|network|mail system|protocol) error  failure reasons?  were affected
    did not like our
    nicht (?:erfolgreich )?(?:zugestellt|zustellbar|ausgeliefert|übermittelt)  unzustellbar
    unbekannt\w* (?:empfänger|benutzer)  zustellung .{0,40}(?:fehl|gescheitert)
    n'a pas (?:pu|été)  n'ont pas pu  échec  impossible de (?:remettre|livrer)  non (?:remis|distribué)
    destinataire inconnu  no (?:se )?(?:ha |han )?(?:pudo|pudieron|podido)  no (?:fue|pudo ser) entregad
    non (?:è stato|può essere|recapit)  impossibile (?:recapit|consegn)  não (?:foi|pôde|pode)
    niet (?:worden )?(?:bezorgd|afgeleverd)  kon niet  nie (?:mogła|można|została)
    не (?:может быть |был[ао]? )?доставлен  не удалось  配(?:信|送).{0,20}(?:でき|失敗|不能)  (?:送信|お届け).{0,20}(?:でき|失敗)
    見つかりません  存在しません  无法  失败  退回
  `,
)

/** The sentences of a mail system that has no notice in its subject and no name. */
export const NOT_DELIVERED = anyOf`
  (?:could|can|was|were)(?: ?not|n't) (?:be )?delivered  undeliverable  (?:unable|failed) to deliver
`

/** A notice that a mail was deleted rejects it. */
export const REJECTION = anyOf`
  automatically (?:rejected|refused)  \brejected\)  ^rejected\b  (?:was|has been|been) (?:rejected|refused)
`

/** The mail arrived, or went on: some systems report that, too. */
export const SUCCESS = anyOf`
  success(?:ful)?(?:ly)? (?:been )?(?:deliver|relay|sent|pass|transmit)  successful delivery notif
  (?:deliver|relay|sent|passed|transmit)\w* (?:on )?successful
  (?:has been|was) (?:delivered|relayed|passed on) to
`

/** The address behind it is one that the mail came by, and not the one that failed. */
export const ON_THE_WAY =
  /(?:(?:expanded|generated|forwarded|redirected|aliased|derived|rewritten|resent)\s{1,3}from|originally\s{1,3}(?:sent|addressed)\s{1,3}to)\s{0,3}:?\s{0,3}<?$/i
/** The address behind it is one that the mail was passed on to. */
export const FORWARD =
  /(?:forwarded|redirected|expanded|aliased|rewritten|resent|resolved|forwards|redirects)\s{1,3}(?:in)?to\s{0,3}:?\s{0,3}<?$/i
/** An address that is no recipient in this place. */
export const NO_RECIPIENT = /(?:from|sender|reply-to|message-id)\s{0,3}(?:address)?\s{0,3}[:=]?\s{0,12}<?$/i
/** An address for questions, wherever it stands. */
export const CONTACT =
  /(?:contact|assistance|questions?|help|support|(?:please|send)\b.{0,30} to)\s{0,3}(?:the|our|at|to|us)?\s{0,3}[:,]?\s{0,3}<?$/i

/** Where the mail that is returned begins. */
export const RETURNED =
  /^[ \t]{0,8}(?:return-path|received|mime-version|dkim-signature|content-type|list-unsubscribe)[ \t]{0,3}:|^[ \t*]{0,8}[-=_*]{2,60}[^\n]{0,80}?(?:copy|original|below|header|unsent|returned|undelivered|attached|(?:message|mail) (?:follows|text|body))|^[ \t*]{0,8}(?:below (?:this line )?is |original (?:message|mail)(?! (?:was|has|could))|(?:the )?(?:message|mail) headers? follow|the (?:original |header of the )[^\n]{0,40}follow|[^\n]{0,40}\bcopy of (?:the|your|my) (?:original |returned )?(?:message|mail|e-mail)|begin forwarded message|(?:your )?message (?:text|was)[ \t]{0,3}:|(?:bounced|returned|rejected) (?:e-?mail|message)[ \t]{0,3}:)|^from [^\s@]{1,64}@[^\s]{1,253} {1,3}(?:mon|tue|wed|thu|fri|sat|sun) /im

/** A field of a report in the words, of a mail system alone. */
export const TRACE = /^[ \t]{0,8}(?:reporting|remote|sender|received-from)-mta[ \t]{0,3}:/im

/** A line that parts sections of a notice, with its title. */
export const HEADING = /^[ \t]{0,30}[-=_*#~]{3,}/

/** The reader of a challenge has to act; nothing has failed. */
export const CHALLENGE = anyOf`
  \b(?:confirm|verify) (?:it|your|this|that (?:you|it was you))\b  click(?:ing)? (?:on )?(?:the |this )?(?:link|here|to confirm)\b(?! for (?:more|further|details|info))
`

/** The mail went on from the mailbox: what failed is another address, whether or not it is named. */
const PASSED_ON = anyOf`
  (?<![-\w])forward(?:ed|ing|s)?\b  redirect  (?<!(?:unknown|illegal|such|invalid) )\balias(?! (?:table|map))
  weitergeleitet  weiterleitung  weiterzuleiten  umleitung  umgeleitet  transf[eé]r(?:t automatique|é)  redirection  redirig  réachemin
  reenv[ií]  inoltr  reindirizz  encaminha  doorgestuurd  doorsturen  doorgezonden  vidarebefordr  videresend
  przekierow  přesměrov  переадрес  перенаправ  пересыл  転送(?!エージェント|プロトコル)  转发  轉寄  轉發
`

/** The same in a sentence that needs no address. */
const WAS_PASSED_ON = anyOf`
  (?:was|were|been) (?:automatically )?(?:forwarded|redirected) (?:to|by|from|for)  wurde .{0,60}(?:weiter|um)geleitet
`

/** Words beside them that advise or suppose. */
const ADVICE = anyOf`
  \bplease\b  \b(?:may|might)\b  \b(?:check|ask)\b  \bif you\b  \byou can\b  forward (?:this|the|it|your)\b
  no forward  prohibit  \bbitte\b  ^ ?subject:
`

/** A sentence, a paragraph, or a field. */
const SENTENCE = /[.!?](?=\s)|[。！？]|\n\s*\n|\n(?=\s{0,20}[\w-]{2,40}:\s)/

/** The sentences that say so. */
export const forwardingsIn = (text: string): string[] =>
  text
    .split(SENTENCE)
    .filter((sentence) => says(PASSED_ON, sentence) && !says(ADVICE, sentence))
    .map((sentence) => sentence.toLowerCase())

/** Exchange Online advises in every report, and in many languages, to look at a forwarding: the sentence names an address. */
export const areAbout = (forwardings: readonly string[], addresses: readonly string[]): boolean =>
  forwardings.some(
    (sentence) =>
      says(WAS_PASSED_ON, sentence) || addresses.some((address) => sentence.includes(address.toLowerCase())),
  )
