/** A button that is disabled while it acts loses the focus to the page: at the end of the action it goes back. */
interface Trigger {
  element: HTMLElement
  /** A part that was drawn anew has a button of the same name. */
  name: string
  /** From the inside out. */
  around: readonly Element[]
}

let trigger: Trigger | undefined

/** Called when an action starts. One that another action starts goes back to the same button. */
export function rememberFocus(): void {
  const { activeElement, body } = document
  if (!(activeElement instanceof HTMLElement) || activeElement === body) return
  const around: Element[] = []
  for (let parent = activeElement.parentElement; parent; parent = parent.parentElement) around.push(parent)
  trigger = { element: activeElement, name: nameOf(activeElement), around }
}

/**
 * Called when the button can be pressed again. A focus that is elsewhere by now stays there. Where the button is gone
 * or of no use any more, the focus goes to its successor, to one beside it, or to the heading of the page.
 */
export function returnFocus(): void {
  if (document.activeElement !== document.body || !trigger) return
  const { element, name, around } = trigger
  // Another action of the same button is not over.
  if (element.isConnected && element.dataset.loading === 'true') return
  const place = around.find(({ isConnected }) => isConnected)
  const controls = [...(place?.querySelectorAll<HTMLElement>('button, a[href], input, select, textarea') ?? [])]
  const namesakes = controls.filter((control) => nameOf(control) === name)
  const beside = element.isConnected ? controls : []
  const heading = document.querySelector<HTMLElement>('h1[tabindex]')
  for (const target of [element, ...namesakes, ...beside, ...(heading ? [heading] : [])]) {
    target.focus({ preventScroll: true })
    if (document.activeElement === target) return
  }
}

/** A field has the name that its form gives it. */
const nameOf = (element: HTMLElement) =>
  element.getAttribute('name') ?? element.getAttribute('aria-label') ?? element.textContent
