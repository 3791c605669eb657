/** Microsoft Teams, by the webhook of a workflow: https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook */
import { Type } from 'typebox'
import type { Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import type { Content, ContentElement } from '../../base/rendered-content.ts'
import { alternativeOf, isButton, isPicture, partsOf } from '../chat-parts.ts'
import { connection, postJson, webAddress } from '../http-api.ts'
import { byStatus, type FailedOutcome, parseBody, rejected, type Scope } from '../outcome.ts'
import { DraftInvalid, defineProvider, isPresent, objectAt } from '../provider.ts'
import { Url } from '../settings.ts'

/** One of both; neither where the webhook is the integration's. */
interface Target {
  webhookUrl?: string
  /** The field of a profile that names a place instead of a webhook. */
  unreachable?: string
}

export default defineProvider({
  key: 'msteams',
  title: 'Microsoft Teams',
  description: 'Adaptive Cards to channels and chats of Microsoft Teams, by the webhook of a workflow',
  website: 'https://www.microsoft.com/microsoft-teams',
  limits: { requestBytes: 28 * 1_024 },
  channels: ['direct_message'],
  dialect: 'teams',
  profileKeys: ['ms_teams'],
  profileOf: (url) => ({ ms_teams: { incoming_webhook: { url } } }),
  ownAddresses: ['ms_teams.incoming_webhook'],
  settings: {
    webhookUrl: Type.Optional(
      Url('Workflow webhook', 'The webhook of a workflow. If it is set, every message goes there', { secret: true }),
    ),
  },
  example: {
    settings: { webhookUrl: 'https://example.webhook.office.com/workflows/1?sig=1' },
    profile: { ms_teams: { incoming_webhook: { url: 'https://example.webhook.office.com/workflows/2?sig=1' } } },
    override: { body: { summary: 'Hello' } },
  },

  contact({ ms_teams: teams }, { webhookUrl }): Target | undefined {
    if (webhookUrl) return {}
    const { incoming_webhook: incoming } = isObject(teams) ? teams : {}
    const url = isObject(incoming) ? incoming.url : undefined
    if (typeof url === 'string' && url !== '') return { webhookUrl: url }
    const unreachable = isObject(teams) ? PLACES.find((name) => isPresent(teams[name])) : undefined
    return unreachable === undefined ? undefined : { unreachable }
  },

  compose({ content, to }): { body: JsonObject } {
    if (to.unreachable !== undefined)
      throw new DraftInvalid(
        `A webhook cannot reach ms_teams.${to.unreachable}: give ms_teams.incoming_webhook.url, or webhookUrl in the settings`,
      )
    const card = {
      type: 'AdaptiveCard',
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      version: '1.5',
      body: shown(content),
    }
    const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }
    return { body: { type: 'message', attachments: [attachment] } }
  },

  /** Any request would be taken for a message. */
  signIn: ({ webhookUrl }) => connection(webhookUrl),

  *deliver({ draft, to, settings, now }) {
    const body = objectAt(draft, 'body')
    if (!isPresent(body.attachments) && !isPresent(body.text)) throw new DraftInvalid('attachments is missing')
    const owner: Scope = settings.webhookUrl ? 'configuration' : 'recipient'
    const address = settings.webhookUrl ?? to.webhookUrl
    if (!address) return rejected('configuration', 'The integration has no webhook for this address')
    const url = webAddress(address)
    if (!url) return rejected(owner, 'The webhook is not a web address')
    const reply = yield postJson(url, {}, body)
    const failed = byAnswer(reply, now, owner, url, address)
    if (failed) return failed
    // 202: the workflow was started, and posts the card later.
    return { kind: 'sent', reference: {}, delivered: reply.kind === 'http' && reply.status !== 202 }
  },
})

/** Fields of conversations that only a bot of the Bot Framework can open. */
const PLACES = ['user_id', 'email', 'channel_id', 'conversation_id', 'channel_name']

/** https://adaptivecards.io/explorer: the elements of version 1.5. */
type Block = JsonObject & { type: string }

const BUTTON_URL_MAX = 2_048

function shown({ elements, text, title }: Content): Block[] {
  if (!elements) return [textBlock(text || title)]
  const parts = partsOf<Block>(elements, blockOf).map((part) => (typeof part === 'string' ? textBlock(part) : part))
  const blocks: Block[] = []
  let separated = false
  for (const part of parts) {
    const last = blocks.at(-1)
    if (part.type === DIVIDER) separated = true
    else if (part.type === 'ActionSet' && last?.type === 'ActionSet' && !separated)
      last.actions = [...(last.actions as unknown[]), ...(part.actions as unknown[])]
    else {
      blocks.push(separated ? { ...part, separator: true, spacing: 'Large' } : part)
      separated = false
    }
  }
  return blocks.length > 0 ? blocks : [textBlock(title || text)]
}

/** A card has no divider: the next block begins with a line. */
const DIVIDER = 'divider'

function blockOf(element: ContentElement): Block | undefined {
  if (isButton(element, BUTTON_URL_MAX))
    return { type: 'ActionSet', actions: [{ type: 'Action.OpenUrl', title: element.plain, url: element.url }] }
  if (isPicture(element)) {
    const { url, href } = element
    const action = href === undefined ? {} : { selectAction: { type: 'Action.OpenUrl', url: href } }
    return { type: 'Image', url, altText: alternativeOf(element), ...action }
  }
  switch (element.type) {
    case 'heading':
      return textBlock(element.inner, {
        style: 'heading',
        weight: 'Bolder',
        size: element.level === 1 ? 'ExtraLarge' : 'Large',
      })
    case 'subtext':
      return textBlock(element.text, { size: 'Small', isSubtle: true })
    case 'quote':
      return { type: 'Container', style: 'emphasis', items: [textBlock(element.inner)] }
    case 'divider':
      return { type: DIVIDER }
    default:
      return undefined
  }
}

/** A line break is a blank line, except before an item of a list: a single one is taken for a space. */
const textBlock = (text: string, more: JsonObject = {}): Block => ({
  type: 'TextBlock',
  text: text.replace(/(?<!\n)\n(?!\n|[ ]*(?:- |\d+\. ))/g, '\n\n'),
  wrap: true,
  ...more,
})

function byAnswer(reply: Reply, now: number, owner: Scope, url: string, address: string): FailedOutcome | undefined {
  const { search, searchParams } = new URL(url)
  const secrets = [url, address, search.slice(1), searchParams.get('sig') ?? '']
  const meaning = { explain: errorOf, owner, secrets }
  const failed = byStatus(reply, now, meaning)
  if (reply.kind !== 'http') return failed
  if (!failed) {
    // Connectors of the old kind answer 200 to what failed, and name the status in a sentence.
    const [, status] = /webhook message delivery failed.*HTTP error (\d{3})/is.exec(reply.body) ?? []
    return status === undefined ? undefined : byStatus({ ...reply, status: Number(status) }, now, meaning)
  }
  const answer = parseBody(reply)
  const { code } = isObject(answer) && isObject(answer.error) ? answer.error : {}
  const isOff = typeof code === 'string' && /NotEnabled|Disabled|Suspended/i.test(code)
  return failed.kind === 'rejected' && isOff ? { ...failed, scope: owner } : failed
}

/** https://learn.microsoft.com/en-us/azure/logic-apps/logic-apps-http-endpoint: `{"error": {"code", "message"}}`, or a text. */
function errorOf(body: unknown): string | undefined {
  if (typeof body === 'string') return body.startsWith('<') ? undefined : body
  const { code, message } = isObject(body) && isObject(body.error) ? body.error : {}
  if (typeof message !== 'string') return undefined
  return typeof code === 'string' ? `${message} (${code})` : message
}
