/** The style of the documents, and the script that starts the component of the reference. */

/** Calls are tried at the address from which the page was read; nothing is loaded from or sent to other hosts. */
export const SCRIPT = `const server = location.origin
const { createApiReference } = window.Scalar
createApiReference('#reference', {
  url: '/openapi.json',
  servers: [{ url: server, description: 'This server' }],
  baseServerURL: server,
  authentication: { preferredSecurityScheme: 'bearer' },
  persistAuth: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  defaultOpenFirstTag: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  theme: 'none',
})
`

export const STYLE = `:root {
  --text: #1c2024; --dim: #5d6670; --page: #fff; --line: #d9dde2; --code: #f1f3f5; --link: #0b57a8; --head: 3rem;
  --scalar-custom-header-height: 3rem;
  --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace;
}
@media (prefers-color-scheme: dark) {
  :root { --text: #dfe3e8; --dim: #9aa4af; --page: #14171a; --line: #30363c; --code: #22272c; --link: #7db7f5 }
}
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page) }
body > header {
  position: sticky; top: 0; z-index: 10; height: var(--head); padding: 0 1rem; display: flex; gap: 1.25rem;
  align-items: center; background: var(--page); border-bottom: 1px solid var(--line); font-size: .9rem; overflow-x: auto;
}
body > header a { color: inherit; text-decoration: none; white-space: nowrap }
body > header a:hover { text-decoration: underline }
body > header .name { font-weight: 600 }
body > header span { margin-left: auto; color: var(--dim); white-space: nowrap }
.text { max-width: 60rem; margin: 0 auto; padding: 1rem; min-width: 0 }
.text h1, .text h2, .text h3 { scroll-margin-top: calc(var(--head) + 1rem) }
.text h2 { margin-top: 2.5rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line) }
.text h3 { margin-top: 2rem }
.text table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0 }
.text th, .text td { text-align: left; vertical-align: top; padding: .3rem .7rem; border-bottom: 1px solid var(--line) }
.text code { font: .9em ui-monospace, monospace; background: var(--code); border-radius: 3px; padding: .1em .3em }
.text pre { background: var(--code); border-radius: 6px; padding: .8rem; overflow-x: auto }
.text pre code { padding: 0; background: none }
.text a { color: var(--link) }
.guide { display: grid; grid-template-columns: 15rem minmax(0, 1fr); max-width: 78rem; margin: 0 auto }
.guide nav { position: sticky; top: var(--head); align-self: start; max-height: calc(100vh - var(--head)); overflow-y: auto; padding: 1rem }
.guide ul { list-style: none; margin: 0; padding: 0 }
.guide .text ul { list-style: disc; padding-left: 1.5rem }
.guide nav a { display: block; padding: .25rem .5rem; border-radius: 4px; color: inherit; text-decoration: none }
.guide nav a:hover, .guide nav a[aria-current] { background: var(--code) }
@media (max-width: 48rem) {
  .guide { grid-template-columns: minmax(0, 1fr) }
  .guide nav { position: static; max-height: none }
}
`
