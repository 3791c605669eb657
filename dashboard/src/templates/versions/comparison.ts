/** One message of a comparison: with the published version and with the draft. */
import type { ChangedMessage, RenderedContent } from '@postrider/client'

export interface ChangedPart {
  channel: string
  provider: string
  /** Undefined where the version makes nothing of it. */
  published: RenderedContent | undefined
  draft: RenderedContent | undefined
  /** Why the draft cannot be rendered. */
  error: string | undefined
}

type Side = ChangedMessage['draft']

const keyOf = ({ channel, provider }: Side['rendered'][number]) => `${channel} ${provider}`
const textsOf = (content: RenderedContent | undefined) =>
  content && JSON.stringify([content.subject, content.title, content.html, content.text])

/** The candidates that differ, in the order of their turns. */
export function changedParts({ published, draft }: Pick<ChangedMessage, 'published' | 'draft'>): ChangedPart[] {
  const all = new Map([...published.rendered, ...draft.rendered].map((rendered) => [keyOf(rendered), rendered]))
  return [...all].flatMap(([key, { channel, provider }]) => {
    const [before, after] = [published, draft].map((side) =>
      side.rendered.find((candidate) => keyOf(candidate) === key),
    )
    const [was, is] = [before?.content, after?.content]
    if (textsOf(was) === textsOf(is) && before?.error === after?.error) return []
    return [{ channel, provider, published: was, draft: is, error: after?.error }]
  })
}

/** Why the draft would not be sent, in the words of the API; undefined where it would. */
export function failureOf({ fails, draft }: Pick<ChangedMessage, 'fails' | 'draft'>): string | undefined {
  if (!fails) return undefined
  return draft.rendered.find(({ error }) => error !== undefined)?.error ?? draft.error ?? draft.reason ?? draft.status
}

/** `email · sendgrid → sms · twilio`, for a route that is another one. */
export const routeText = ({ route }: Pick<Side, 'route'>): string =>
  route.map(({ channel, provider }) => `${channel} · ${provider}`).join(' → ')
