/** A button that is disabled while it acts loses the focus to the page: at the end of the action it goes back. */
let trigger: HTMLElement | undefined

/** Called when an action starts. One that another action starts goes back to the same button. */
export function rememberFocus(): void {
  const { activeElement, body } = document
  if (activeElement instanceof HTMLElement && activeElement !== body) trigger = activeElement
}

/** Called when the button can be pressed again. A focus that is elsewhere by now stays there. */
export function returnFocus(): void {
  if (document.activeElement === document.body && trigger?.isConnected) trigger.focus({ preventScroll: true })
}
