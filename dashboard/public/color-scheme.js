/** Sets the color scheme before the first paint, so that a dark page does not flash. */
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('postrider-color-scheme')
  } catch {
    // Storage is turned off: the scheme of the system holds.
  }
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
})()
