/** The state of the screens of templates as it stands in the address. */
import { oneOf, present, textOf } from '../parts/search-params.ts'

export const listStates = ['published', 'draft'] as const
export type ListState = (typeof listStates)[number]

export interface TemplatesSearch {
  search?: string
  tag?: string
  state?: ListState
}

export const templatesSearch = (search: Record<string, unknown>): TemplatesSearch =>
  present<TemplatesSearch>({
    search: textOf(search.search),
    tag: textOf(search.tag),
    state: oneOf(listStates, search.state),
  })

export const editorTabs = [
  'blocks',
  'json',
  'variables',
  'translations',
  'details',
  'versions',
  'changes',
  'uses',
] as const
export type EditorTab = (typeof editorTabs)[number]

export const previewChannels = ['email', 'sms', 'push', 'inbox', 'direct_message'] as const
export type PreviewChannel = (typeof previewChannels)[number]

/** Instead of a message: variables stand as they are written. */
export const WITHOUT_DATA = 'none'

export interface EditorSearch {
  tab?: EditorTab
  /** The channel whose content is edited, where each has its own. */
  content?: string
  /** The place of the open block: `1.0`. */
  block?: string
  channel?: PreviewChannel
  user?: string
  locale?: string
  brand?: string
  tenant?: string
  /** The message whose data the preview shows, the latest one by default. */
  message?: string
  /** The version that is compared. */
  version?: string
}

export const editorSearch = (search: Record<string, unknown>): EditorSearch =>
  present<EditorSearch>({
    tab: oneOf(editorTabs, search.tab),
    content: textOf(search.content),
    block: textOf(search.block),
    channel: oneOf(previewChannels, search.channel),
    user: textOf(search.user),
    locale: textOf(search.locale),
    brand: textOf(search.brand),
    tenant: textOf(search.tenant),
    message: textOf(search.message),
    version: textOf(search.version),
  })
