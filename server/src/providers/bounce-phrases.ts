/** The words of mail servers for the cause of a bounce. A server that writes others needs a line here, and one in `receipts/refused-recipients.test.ts`. */
import { anyOf, either, notAfter } from '../base/phrases.ts'

/** The beginning of a sentence about who sends. */
const OF_SENDER = String.raw`\b(?:sender|(?:mail|address in) from|from (?:address|domain|header)|return[ -]?path|reverse[ -]?path|envelope|helo|ehlo|auth(?:enticated)?|client host|ptr|reverse dns|domain of|sending|originating|your (?:host|ip|server|domain|address|e-?mail address))\b(?:[^.:;,()\]]|[.\]](?=\w)|(?<=\d)\]){0,60}`

/** The recipient does not exist, or no more. */
export const UNKNOWN_ADDRESS = notAfter(
  OF_SENDER,
  anyOf`
    no such (?:local )?(?:user|recipient|mailbox|person|address|account)  no (?:mailbox|user|account) (?:here )?by that name
    (?:user|recipient|mailbox|account|addressee|(?<!ip )address) (?:is |was )?(?:unknown|not found)
    (?:unknown|invalid) (?:user|recipient|mailbox|account|address)  (?:does not|doesn't|may not) exist  unknown in(?! (?:reverse )?dns)
    (?:not found|not listed|user not) in (?:the )?(?:\w{1,20} )?(?:relay|recipient|user|directory|address book)
    (?:does not|doesn't) have an? (?:\w{1,20} )?account
    (?:blocked|closed|disabled|suspended|deactivated|deleted)\b[^.:;]{0,30}\binactiv(?:e|ity)\b
  `,
)

/** The mailbox exists. */
export const FULL_MAILBOX = anyOf`
  over[ _-]?(?:(?:the|its|their|his|your) )?(?:(?:allowed|disk|storage|mail|mailbox) ){0,3}quota  overdrawn
  (?:mail|disk|disc|storage|diskspace|mailbox|userdisk|domaindisk) ?quota  quota (?:violation|problem|is full)
  quota\w{0,20}\W{1,3}(?:\w{1,20} ){0,3}(?:exceed|over\b|reached|exhausted|used up)
  exceed\w{0,20} .{0,40}(?:quota|storage|disk|space limit|capacity|allocation)
  (?:reached|exceed\w{0,20}|exhausted|hit|over|beyond) .{0,30}\b(?:storage|space|capacity|mailbox size|mailbox limit)
  (?:mail-?(?:box|folder|store|file|dir)|mail (?:box|folder|file)|inbox)\b.{0,50}\b(?:exceed\w{0,20}|reached|over|beyond) .{0,20}(?:limit|size|maximum|allowed|capacity)
  (?:mail-?box|mail (?:box|file)|inbox|storage|disk|account)(?: \w{1,20})? (?:limit|size|storage|space|capacity)(?: limit)? .{0,20}(?:exceed|exeed|reached|exhausted|used up|full)
  (?:mail-?(?:box|folder|store|dir)|mail (?:box|folder|system|store)|inbox|spool|storage|disk|file ?system|account)\b.{0,50}? (?:is|are|was|seems|appears|currently|temporarily|already|too|now) (?:\w{1,20} )?full\b
  (?:mail-?(?:box|folder|store|dir)|mail (?:box|folder|system|store)|inbox|spool|storage|disk|file ?system) full\b(?! (?:name|details?|text|error|message|transcript|report|address)\b)
  mailbox[_-]?full\b  mbox (?:is )?(?:too )?full\b  quota[_-]?exceed  \bat capacity\b
  quota\b.{0,40} (?:dépass|depass|atteint|überschr|ueberschr|erschöpf|erschoepf|ausgesch|overschr|bereikt|superat|superad|exced|esaurit)
  \bfull (?:mail-?box|mail box|inbox|disk)\b
  (?:out of|no|not enough|insufficient|not sufficient|lack of|low on) (?:(?:disk|storage|mailbox|system|free|more) ){0,3}(?:storage|space|room|quota)\b  storage (?:limit|quota)
  not have (?:enough|sufficient) (?:\w{1,20} )?(?:space|room|storage)  (?:space|storage|capacity) (?:\w{1,20} ){0,2}(?:used up|exhausted|insufficient)
  exhausted (?:\w{1,20} ){0,3}(?:storage|space)  (?:blocks?|inode) limit  too many messages (?:on the server|in)  too much mail data
  (?:(?:postfach|mailbox|briefkasten|posteingang|konto)\b|speicher).{0,50} (?:voll\b|überf|ueberf|überschr|ueberschr|erschöpft|erschoepft|ausgesch|aufgebraucht)  speicher.{0,30}nicht aus
  volle[sm]? postfach  kein(?:en)? (?:freien )?speicher
  bo[iî]te.{0,40} (?:plein|satur|rempli)  espace.{0,30} insuffisant  stockage.{0,30} (?:insuffisant|atteint|dépass|depass|satur)
  (?:buz[oó]n|casilla|bandeja|cuenta).{0,40} (?:llen|excedid|superad|complet)  cuota.{0,30}(?:exced|super|llen)  (?:sin|espacio|no hay|no tiene) (?:espacio|insuficiente)
  casella.{0,40} (?:piena|satura|esaurit)  spazio.{0,30} (?:esaurit|insufficient|superat)
  caixa.{0,40} (?:cheia|lotada|excedid)  espaço.{0,30} (?:insuficiente|esgotad)  sem espaço  \bcota\b.{0,30}(?:exced|estourad)
  (?:postvak|mailbox|postbus|inbox)\b.{0,30} vol\b  skrzynk.{0,50} (?:pełn|przepełn|zapełn)  переполнен  (?:ящик|квот).{0,50}(?:полон|заполнен|превышен)
  превышен.{0,50}квот
  (?:メールボックス|受信箱|受信ボックス|受信トレイ|容量).{0,20}(?:いっぱい|一杯|満杯|超過|超え|オーバー|不足)
  (?:邮箱|信箱|郵箱|空间|空間|容量).{0,12}(?:满|滿|不足|超出|超过|超過)  (?:편지함|메일함|사서함|용량).{0,20}(?:가득|초과|부족|꽉)
  (?:brevlåd|inkorg|postlåd|postboks|innboks).{0,30} full\b  (?:postkass|indbakke).{0,30} fuld\b  postilaatikko.{0,20} täynnä
  schránk.{0,40} (?:pln|přepln|zaplně)  postafiók.{0,30} (?:megtelt|tele\b)  (?:posta kutusu|kota).{0,30} (?:dolu|aş)
`

/** For now, or for as many: greylisting, limits of rate and size, a server that cannot look the address up. */
const FOR_NOW = anyOf`
  \btempor[aä]  gr[ae]y-? ?list  vorübergehend  voruebergehend  momentan nicht  derzeit nicht  zur ?zeit nicht  tijdelijk  временн  tymczasow  chwilow  tillfällig
  midlertidig  tilapäi  dočasn  átmeneti  geçici  一時的  暂时  暫時  일시적
  (?:try|retry|again|back|come|send)(?: it| again| back| the message)? (?:later|in \d|in a (?:few|while)|after \d|slower)
  (?:try|retry)(?: it)?(?: again)?,? (?:in|after) (?:a|an|some|few|\d)  later,? please  please wait
  später (?:erneut|noch|wieder)  spaeter (?:erneut|noch|wieder)  plus tard  m[aá]s tarde  più tardi  mais tarde  later opnieuw  później
  попробуйте  позже  позднее  稍后  稍後  しばらく  後ほど
  \brate[ -]?limit  frequen\w{0,20} limit  max(?:imum)? (?:\w{1,20} ){1,5}reached  excessive (?:volume|rate|number)  unusual rate  receivingrate  (?:sending|connection|message|mail) rate  at a rate  rate that prevents  throttl  size limit  taille (?:limite|maximale)  insufficient system resources
  too (?:many|much|fast|quickly|frequent|large|big)  trop de (?:connexions|messages|mails|destinataires)  zu viele  demasiad[oa]s  troppi
  (?:exceed\w{0,20}|exeed\w{0,20}|reached|hit|over) (?:\w{1,20} ){0,5}(?:limit|quota|maximum|rate|threshold|size)
  (?:limit|quota|maximum|rate|threshold|size) (?:\w{1,20} ){0,3}(?:exceed|exeed|reached|hit\b)
  (?:maximum|daily|hourly|weekly|monthly) (?:\w{1,20} ){0,3}(?:limit|quota|rate|size)
  (?:per|this|each|every) (?:hour|minute|second|day)\b
  service currently unavailable  (?:verification|directory|database|ldap|lookup|backend)\b[^:;]{0,20}\b(?:unavailable|not (?:currently |now )?available|not responding|timed? ?out|busy)
  (?:mailbox|server|system) (?:is )?(?:currently |temporarily )?busy  \bdns (?:server |lookup )?(?:failure|error|timed? ?out)  currently unable
  (?:not|n't|unable|cannot)\b[^.:;]{0,40} (?:right now|at (?:this|the present) time)  verification in progress
  (?:address|verif\w{0,12} failed): connect to [^;]{0,80}: connection (?:timed out|refused)
  servfail  \bmaintenance\b  wartung  (?:server|system)(?: is)? (?:too |currently )?(?:busy|overloaded)  internal (?:\w{1,20} )?error
`

/** Words like those for a time and a limit that are over for good. */
export const OVER = anyOf`
  temporary (?:e-?mail )?(?:address|account|mailbox)(?= (?:and |has |was |is |been ){0,3}(?:expired|deleted|removed|closed|does not|doesn't|no longer))
  (?:(?:exceed\w{0,5}|maximum|max|reached|allowed|time|period|limit|of|the|for|due to) ){0,6}\binactiv(?:e|ity)(?: (?:time|period|limits?|exceeded|reached)){0,3}
`

/** Beside an unknown address. */
export const ADVICE = anyOf`
  \b(?:check|verify|contact|if you)\b[^.:;]{0,80} (?:or|and) (?:re)?try[^.:;]{0,40}  (?:do not|don't) (?:re)?(?:try|send)[^.:;]{0,40}
`

/** Whatever code stands before the words, the mailbox may take later mails. */
export const MAILBOX_STAYS = either(FULL_MAILBOX, FOR_NOW)

/** The mail went on from the mailbox: another address failed, named or not. */
export const FORWARDED = anyOf`
  (?:forward|redirect)(?:ing|ion)? address  (?:is|was|were|been) (?:automatically )?(?:forwarded|redirected) (?:to|by|from|for)
  \balias\b[^.:;]{0,80} (?:points?|expands?|resolves?|refers?) to\b
`

/** Before an address that did not fail: of the sender, for questions, or a new one. */
export const BESIDE = anyOf`
  (?:from|sender)\W{0,4}(?:address\W{0,4})?$  (?:contact|ask|call|help|assistance|questions)\b[^.:;]{0,30}$
  (?:try|moved to|new address(?: is)?)\W{0,4}$
`

/** The answer to the command that has the sender, or to one before it. */
export const AT_SENDER = anyOf`
  (?:after|in reply to|reply to|in response to|response to|did not like our|at|during|(?:while|when) (?:sending|performing the)) (?:the )?(?:pipelined )?(?:mail from|[hel]hlo|helo|starttls|initial (?:connection|server greeting)|connect\b)
  refused to talk to me  greeting failed  my name was rejected  sender was rejected
  (?:>>>?|-->|->|==?>|\bsent ?:|\bclient ?:|\bc:) ?(?:mail from|helo|ehlo|lhlo|starttls)\b(?:[^<>]{0,20}<(?![-=<])[^<>]{0,255}>)?[^<>]{0,255}(?:<<<?|<--|<-|<==?|\breceived ?:|\breply ?:|\bserver ?:|\bs:) ?5
`

/** The sender, its host or its connection is refused, whatever else the answer has: `User unknown` is then the sender. */
export const SENDER_REFUSED = anyOf`
  sender (?:address |domain |mailbox |host |id )?(?:is |was |has been )?(?:rejected|refused|denied|blocked|banned|invalid|unknown)
  sender verif\w{0,12} (?:fail|error|callout)  domain of (?:the )?sender  sender(?:'s)? .{0,20}(?:does not|doesn't) (?:resolve|exist)
  callback setup failed  mail from (?:user )?unknown  (?:unknown|invalid) address in (?:the )?from
  (?:unknown|invalid|bad|illegal|forged|bogus|fake|unrouteable|unroutable|unresolvable|unauthori[sz]ed|blocked|banned|rejected) (?:envelope |outbound )?(?:sender|mail from|from address|return[ -]path|return address|reverse[ -]path)\b
  (?:mail )?from (?:address|domain) (?:is |was |has been )?(?:rejected|refused|denied|invalid|blocked|banned|not (?:allowed|accepted|permitted|valid))
  (?:envelope[ -](?:from|sender)|return[ -]?path|return address|reverse[ -]?path|from header|from: (?:header|address|domain))[^.:;]{0,40}\b(?:reject|refus|denied|invalid|unknown|does not|block|bann)
  (?:client host|(?:helo|ehlo) command) (?:rejected|refused)  blocked using  listed by the (?:lookup|block|black)
  \d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\]?\W{1,3}(?:(?:is|was|has been) )?(?:black)?listed (?:at|by|in|on)\b
`

/** It is refused for who sends: the address, the host, the connection or a list that has one of them. */
export const SENDER = anyOf`
  mail from command
  sender (?:address|domain|ip|host|mailbox|id|verif\w{0,20}|policy|not|is not|denied|rejected|refused|blocked|unknown|reputation|authentic\w{0,20}|callout|invalid|banned)
  sender's (?:address|domain)\b
  sender (?:is|was|has been) (?:\w{1,20} )?(?:rejected|refused|denied|blocked|banned|invalid|unknown|spam\w{0,20}|black\w{0,20})
  (?:envelope[ -](?:from|sender)|return[ -]?path|return address|reverse[ -]?path|from header|from: (?:header|address|domain))[^.:;]{0,40}\b(?:reject|refus|denied|invalid|unknown|not |does|block|bann|unverif|illegal|can't|cannot|failed|required|missing|must)
  mail from (?:your |this |the |an? )?(?:\w{1,20} )?(?:ips?|host|server|domain|network|\[?\d{1,3}\.\S{5,12})\b[^:;]{0,60}\b(?:not|reject|refus|block|denied|bann|forbid)
  (?:not|n't|only|refus\w{0,20}) (?:\w{1,20} )?(?:accept|receiv|allow|tak)\w{0,20} (?:any )?(?:(?:e-?)?mails?|messages?|connections?) (?:sent )?from  callback (?:verif|setup|fail|refus)
  originator (?:is )?(?:unknown|invalid|rejected|not)  (?:unknown|bad|invalid) originator  \b(?:no|unsigned) (?:third-party )?dsns?\b
  sender .{0,40}ha(?:s|ve) no .{0,20}\b(?:mx|dns|a record)  unresolvable .{0,20}domain  list of (?:\w{1,20} )?senders  emetteur invalide  (?:émetteur|expéditeur|emetteur|expediteur)[^.:;]{0,40} (?:invalid|refus|rejet|inconnu|interdit|bloqu|non autoris)
  (?:absender|sender-?adress)[^.:;]{0,40} (?:abgelehnt|abgewiesen|verweigert|gesperrt|blockiert|unbekannt|ungültig|ungueltig|unzul|nicht (?:erlaubt|zugelassen|berechtigt|akzeptiert|verifiz))
  (?:unbekannter|ungültiger|ungueltiger|unzulässiger) absender
  rem[ie]tente[^.:;]{0,40} (?:inv[aá]lid|rechaz|rejeit|recus|descon|bloque|no autoriz|não autoriz|no permit)
  mittente[^.:;]{0,40} (?:non (?:valid|autorizz|ammess|accett)|rifiut|respint|sconosciut|invalid|bloccat)  afzender[^.:;]{0,40} (?:geweigerd|ongeldig|onbekend|geblokkeerd)
  nadawc[^.:;]{0,40} (?:odrzuc|nieznan|nieprawid|zablok)  отправител[^.:;]{0,40} (?:отклон|отверг|неизвест|запрещ|заблок)
  (?:送信者|送信元|差出人).{0,20}(?:拒否|無効|不正)  (?:发件人|发信人|寄件者|寄件人|發信).{0,20}(?:拒|无效|無效)
  (?:avsändar|avsender|afsender)[^.:;]{0,40} (?:avvis|afvis|neka|ogiltig|ugyldig|okänd|ukendt|ukjent)
  \bspf\b  \bdkim\b  \bdmarc  \bbatv\b  backscatter  authentication (?:is )?(?:required|failed|check)  authentification (?:requise|invalide)  not authenticated  unauthenticated
  not (?:authori[sz]ed|allowed|permitted) to (?:send|relay|connect|submit|use|post)
  (?:tls|starttls|encryption|encrypted connection) (?:is )?(?:required|mandatory|needed)  must (?:issue a|use) (?:starttls|tls)  requires (?:encryption|tls|starttls)
  \b(?:black|block|deny|reject)[ -]?list  blocked using  \bdnsbls?\b  \brbls?\b  \b(?:uribl|surbl|cbl|xbl|sbl)\b  spamhaus  spamcop  sorbs  barracudacentral
  \d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\]?\W{1,3}(?:(?:is|was|has been|are) (?:\w{1,20} )?(?:black|block|list|found|reject|refus|denied|bann)|black|blocked|listed|found (?:in|on)|banned)
  listed by the (?:lookup|block|black)  found (?:in|on) .{0,20}dnsbl  reputation  \bspam(?:m\w{0,20})?\b  open (?:proxy|relay)\b  ask your postmaster for help  relay(?:ing)? (?:denied|not|access)
  (?:bad|invalid|wrong|forged|fake) (?:helo|ehlo)  \b(?:helo|ehlo)(?:/(?:helo|ehlo))?(?: (?:command|name|host|hostname|argument))? (?:rejected|refused|denied|invalid|is |does|not |must|mismatch)
  \breverse (?:dns|lookup)  \brdns\b  \bptr\b  \bip (?:name|address)? ?lookup  (?:match\w{0,20}|point to) (?:the )?(?:\w{1,20} )?ip\b  (?:find|resolve) your (?:host|ip|name|reverse)
  connections? (?:was |is |has been |will be |are )?(?:not (?:be )?(?:allowed|accepted)|rejected|denied|blocked)  connection refused (?:by (?:policy|local|our)|due to)
  (?:bann?ed|blocked|blocking|blacklisted) (?:your |the )?(?:sending |client |source )?(?:ip|host|server|network)\b  (?:rejected|refused) (?:your|sending|client|source) (?:ip|host|server|network)\b
  \b(?:your|sending|originating|connecting|client|source|sender.s)(?: \w{1,20})? (?:ip|host|server|mta|domain|network)\b(?! admin)[^.:;]{0,40}\b(?:block|bann|black|listed|denied|not (?:allowed|permitted|authori|accepted|passed)|forbidden|abus|(?:is|was|been) (?:rejected|refused))
  dynamic ips?\b  \b(?:bad|invalid) ip\b  forbidden by your  your access to  (?:rejected|refused|denied|blocked) because (?:of )?(?:the |your )?(?:sending|sender|client|ip)\b
`

/** The host of a filter, in an answer that gives its page as the reason. As words they are about the sender. */
export const FILTER_HOST = anyOf`
  \b(?:spf|dkim|dmarc|dnsbl|rbl|spam|reputation|spamhaus|spamcop|sorbs)\b  \b(?:black|block|deny)[ -]?list
`

/** Refused for its content or a policy, where no words speak of an unknown address. */
export const OTHER_REASON = anyOf`
  \b(?:unsolicited|junk|virus|malware|phish\w{0,20}|uceprotect|barracuda\w{0,20}|proofpoint|senderbase)\b
  \b(?:un)?authenticat(?:ed|ion)\b  \brelay(?:ing)?\b  \bclient host\b  \bpolic(?:y|ies)\b  \bblocked\b  recipient preferences  (?:rejected|refused|denied) by (?:the |this )?(?:recipient|user)\b  user (?:refuses|rules)
  \bsender\b.{0,40}\b(?:rejected|denied|refused|blocked|not allowed|verif\w{0,20})
  \bip\b.{0,40}\b(?:blocked|listed|rejected|denied|banned)  \bcontent\b.{0,20}\b(?:rejected|blocked|denied)
`
