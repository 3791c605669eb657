/** The texts of the page of preferences by language; another language is shown in English. */
import { closestLocale } from '../base/locale.ts'

export interface PageTexts {
  lang: string
  dir: 'ltr' | 'rtl'
  title: string
  intro: string
  /** Beside a topic that cannot be switched off. */
  required: string
  /** The label of the channels of a topic; `{topic}` is its name. */
  channels: string
  channelNames: Readonly<Record<string, string>>
  save: string
  saved: string
  unsubscribe: string
  unsubscribed: string
  unsubscribeAll: string
  unsubscribedAll: string
  undo: string
  undone: string
  nothing: string
  expired: string
  sample: string
  invalid: string
  invalidHint: string
  /** For a person whose data are erased. */
  erased: string
  erasedHint: string
}

const en: PageTexts = {
  lang: 'en',
  dir: 'ltr',
  title: 'Your preferences',
  intro: 'Choose which messages you want to receive.',
  required: 'Always sent',
  channels: 'Channels for {topic}',
  channelNames: {
    email: 'Email',
    sms: 'SMS',
    push: 'Push',
    direct_message: 'Chat',
    inbox: 'Inbox',
    webhook: 'Webhook',
  },
  save: 'Save',
  saved: 'Your preferences are saved.',
  unsubscribe: 'Unsubscribe from {topic}',
  unsubscribed: 'You are unsubscribed from {topic}.',
  unsubscribeAll: 'Unsubscribe from all',
  unsubscribedAll: 'You are unsubscribed from all messages, except those that are always sent.',
  undo: 'Undo',
  undone: 'Your earlier preferences are restored.',
  nothing: 'There is nothing to choose.',
  expired: 'The page was open for too long, and nothing was saved. Check your choices and try again.',
  sample: 'This is a sample link. It changes nothing.',
  invalid: 'This link is not valid',
  invalidHint: 'Open the link in your message again, or contact the sender.',
  erased: 'You are unsubscribed',
  erasedHint: 'There is nothing more to do.',
}

const de: PageTexts = {
  lang: 'de',
  dir: 'ltr',
  title: 'Ihre Einstellungen',
  intro: 'Wählen Sie, welche Nachrichten Sie erhalten möchten.',
  required: 'Wird immer gesendet',
  channels: 'Kanäle für {topic}',
  channelNames: {
    email: 'E-Mail',
    sms: 'SMS',
    push: 'Push',
    direct_message: 'Chat',
    inbox: 'Posteingang',
    webhook: 'Webhook',
  },
  save: 'Speichern',
  saved: 'Ihre Einstellungen sind gespeichert.',
  unsubscribe: '{topic} abbestellen',
  unsubscribed: 'Sie haben {topic} abbestellt.',
  unsubscribeAll: 'Alles abbestellen',
  unsubscribedAll: 'Sie haben alle Nachrichten abbestellt, außer denen, die immer gesendet werden.',
  undo: 'Rückgängig machen',
  undone: 'Ihre früheren Einstellungen gelten wieder.',
  nothing: 'Es gibt nichts auszuwählen.',
  expired:
    'Die Seite war zu lange geöffnet, und nichts wurde gespeichert. Prüfen Sie Ihre Auswahl und versuchen Sie es erneut.',
  sample: 'Das ist ein Beispiel-Link. Er ändert nichts.',
  invalid: 'Dieser Link ist ungültig',
  invalidHint: 'Öffnen Sie den Link in Ihrer Nachricht erneut, oder wenden Sie sich an den Absender.',
  erased: 'Sie sind abgemeldet',
  erasedHint: 'Sie müssen nichts weiter tun.',
}

const fr: PageTexts = {
  lang: 'fr',
  dir: 'ltr',
  title: 'Vos préférences',
  intro: 'Choisissez les messages que vous souhaitez recevoir.',
  required: 'Toujours envoyé',
  channels: 'Canaux pour {topic}',
  channelNames: {
    email: 'E-mail',
    sms: 'SMS',
    push: 'Push',
    direct_message: 'Messagerie',
    inbox: 'Boîte de réception',
    webhook: 'Webhook',
  },
  save: 'Enregistrer',
  saved: 'Vos préférences sont enregistrées.',
  unsubscribe: 'Se désabonner de {topic}',
  unsubscribed: 'Vous êtes désabonné de {topic}.',
  unsubscribeAll: 'Se désabonner de tout',
  unsubscribedAll: 'Vous êtes désabonné de tous les messages, sauf de ceux qui sont toujours envoyés.',
  undo: 'Annuler',
  undone: 'Vos préférences précédentes sont rétablies.',
  nothing: 'Il n’y a rien à choisir.',
  expired: 'La page est restée ouverte trop longtemps et rien n’a été enregistré. Vérifiez vos choix et réessayez.',
  sample: 'Ceci est un lien d’exemple. Il ne change rien.',
  invalid: 'Ce lien n’est pas valide',
  invalidHint: 'Ouvrez de nouveau le lien dans votre message, ou contactez l’expéditeur.',
  erased: 'Vous êtes désabonné',
  erasedHint: 'Vous n’avez rien d’autre à faire.',
}

const es: PageTexts = {
  lang: 'es',
  dir: 'ltr',
  title: 'Sus preferencias',
  intro: 'Elija qué mensajes desea recibir.',
  required: 'Se envía siempre',
  channels: 'Canales para {topic}',
  channelNames: {
    email: 'Correo electrónico',
    sms: 'SMS',
    push: 'Push',
    direct_message: 'Chat',
    inbox: 'Bandeja de entrada',
    webhook: 'Webhook',
  },
  save: 'Guardar',
  saved: 'Sus preferencias se han guardado.',
  unsubscribe: 'Cancelar la suscripción a {topic}',
  unsubscribed: 'Ha cancelado la suscripción a {topic}.',
  unsubscribeAll: 'Cancelar todas las suscripciones',
  unsubscribedAll: 'Ha cancelado todos los mensajes, excepto los que se envían siempre.',
  undo: 'Deshacer',
  undone: 'Se han restablecido sus preferencias anteriores.',
  nothing: 'No hay nada que elegir.',
  expired: 'La página estuvo abierta demasiado tiempo y no se guardó nada. Revise su selección e inténtelo de nuevo.',
  sample: 'Este es un enlace de ejemplo. No cambia nada.',
  invalid: 'Este enlace no es válido',
  invalidHint: 'Abra de nuevo el enlace de su mensaje o póngase en contacto con el remitente.',
  erased: 'Su suscripción está cancelada',
  erasedHint: 'No tiene que hacer nada más.',
}

const ar: PageTexts = {
  lang: 'ar',
  dir: 'rtl',
  title: 'تفضيلاتك',
  intro: 'اختر الرسائل التي تريد استلامها.',
  required: 'تُرسل دائمًا',
  channels: 'قنوات {topic}',
  channelNames: {
    email: 'البريد الإلكتروني',
    sms: 'رسالة نصية',
    push: 'إشعار فوري',
    direct_message: 'الدردشة',
    inbox: 'صندوق الوارد',
    webhook: 'Webhook',
  },
  save: 'حفظ',
  saved: 'تم حفظ تفضيلاتك.',
  unsubscribe: 'إلغاء الاشتراك في {topic}',
  unsubscribed: 'تم إلغاء اشتراكك في {topic}.',
  unsubscribeAll: 'إلغاء الاشتراك في الكل',
  unsubscribedAll: 'تم إلغاء اشتراكك في جميع الرسائل، باستثناء الرسائل التي تُرسل دائمًا.',
  undo: 'تراجع',
  undone: 'تمت استعادة تفضيلاتك السابقة.',
  nothing: 'لا يوجد شيء للاختيار.',
  expired: 'بقيت الصفحة مفتوحة لفترة طويلة ولم يُحفظ شيء. تحقق من اختياراتك وحاول مرة أخرى.',
  sample: 'هذا رابط تجريبي، ولا يغيّر شيئًا.',
  invalid: 'هذا الرابط غير صالح',
  invalidHint: 'افتح الرابط في رسالتك مرة أخرى، أو تواصل مع المرسل.',
  erased: 'تم إلغاء اشتراكك',
  erasedHint: 'لا يلزمك فعل أي شيء آخر.',
}

const it: PageTexts = {
  lang: 'it',
  dir: 'ltr',
  title: 'Le tue preferenze',
  intro: 'Scegli quali messaggi vuoi ricevere.',
  required: 'Sempre inviato',
  channels: 'Canali per {topic}',
  channelNames: {
    email: 'E-mail',
    sms: 'SMS',
    push: 'Push',
    direct_message: 'Chat',
    inbox: 'Posta in arrivo',
    webhook: 'Webhook',
  },
  save: 'Salva',
  saved: 'Le tue preferenze sono state salvate.',
  unsubscribe: 'Annulla l’iscrizione a {topic}',
  unsubscribed: 'Hai annullato l’iscrizione a {topic}.',
  unsubscribeAll: 'Annulla tutte le iscrizioni',
  unsubscribedAll: 'Hai annullato tutti i messaggi, tranne quelli sempre inviati.',
  undo: 'Annulla',
  undone: 'Le tue preferenze precedenti sono state ripristinate.',
  nothing: 'Non c’è nulla da scegliere.',
  expired: 'La pagina è rimasta aperta troppo a lungo e nulla è stato salvato. Controlla le tue scelte e riprova.',
  sample: 'Questo è un link di esempio. Non cambia nulla.',
  invalid: 'Questo link non è valido',
  invalidHint: 'Apri di nuovo il link nel tuo messaggio o contatta il mittente.',
  erased: 'Hai annullato l’iscrizione',
  erasedHint: 'Non devi fare altro.',
}

const catalog: Readonly<Record<string, PageTexts>> = { en, de, fr, es, ar, it }

const pageLanguages: readonly string[] = Object.keys(catalog)

/** `accepted` is the Accept-Language of the browser; the locale of the profile comes first, as in the message. */
export function textsFor(locale: unknown, accepted: string | undefined): PageTexts {
  const requested = [...(typeof locale === 'string' ? [locale] : []), ...languagesIn(accepted ?? '')]
  for (const language of requested) {
    const texts = catalog[closestLocale(pageLanguages, language) ?? '']
    if (texts) return texts
  }
  return en
}

/** Browsers send a few; the rest is ignored. */
const LANGUAGES_MAX = 20

/** By falling weight. */
const languagesIn = (header: string): string[] =>
  header
    .split(',', LANGUAGES_MAX)
    .map((part) => {
      const [name = '', ...parameters] = part.trim().split(';')
      const weight = parameters.find((parameter) => parameter.trim().startsWith('q='))
      return { name: name.slice(0, 35), weight: weight === undefined ? 1 : Number(weight.trim().slice(2)) || 0 }
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ name }) => name)
