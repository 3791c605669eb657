/** The style sheet of the documents: light and dark, on wide screens and on phones. */

/** Scrollable parts show a shadow at an edge behind which there is more: its cover moves with the content, the shadow does not. */
const edges = (cover: string) => `background:
    linear-gradient(to right, ${cover} 40%, transparent) left / 2.5rem 100% no-repeat local,
    linear-gradient(to left, ${cover} 40%, transparent) right / 2.5rem 100% no-repeat local,
    linear-gradient(to right, var(--shadow), transparent) left / .9rem 100% no-repeat scroll,
    linear-gradient(to left, var(--shadow), transparent) right / .9rem 100% no-repeat scroll,
    ${cover}`

const COLORS = `:root {
  color-scheme: light dark;
  --text: #1c2024; --dim: #5d6670; --page: #fff; --line: #e1e5ea; --code: #f4f6f8; --link: #0b57a8; --mark: #fff1b8;
  --shadow: rgb(28 32 36 / .22); --head: 3rem;
  --scalar-custom-header-height: 3rem;
  --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #dfe3e8; --dim: #9aa4af; --page: #14171a; --line: #2b3137; --code: #1e2328; --link: #7db7f5; --mark: #5a4a12;
    --shadow: rgb(255 255 255 / .17);
  }
}
`

const FRAME = `* { box-sizing: border-box }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: var(--text); background: var(--page) }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px }
main:focus { outline: none }
body > header {
  position: sticky; top: 0; z-index: 10; height: var(--head); padding: 0 1.25rem; display: flex; gap: 1.5rem;
  align-items: center; background: var(--page); border-bottom: 1px solid var(--line); font-size: .9rem;
}
body > header nav { display: flex; gap: 1.25rem; align-self: stretch; flex: none }
body > header nav a { display: flex; align-items: center; color: var(--dim); border-bottom: 2px solid transparent; margin-bottom: -1px }
body > header nav a[aria-current] { color: var(--text); border-color: var(--link) }
body > header a { color: inherit; text-decoration: none; white-space: nowrap }
body > header a:hover { color: var(--link) }
body > header .name { font-weight: 650 }
body > header .address { margin-left: auto; min-width: 0; overflow: hidden; text-overflow: ellipsis; color: var(--dim); white-space: nowrap }
.skip { position: absolute; left: -100vw; z-index: 20; padding: .6rem 1rem; background: var(--page); color: var(--link) }
.skip:focus { left: .5rem; top: .25rem }
`

const TEXT = `.text { width: 100%; max-width: 60rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; min-width: 0; overflow-wrap: anywhere }
.text > p, .text > ul, .text > ol, .text > blockquote, .text > h1, .text > h2, .text > h3, .text > h4, .results p { max-width: 62ch }
.text :is(h1, h2, h3, h4) { line-height: 1.25; font-weight: 650; letter-spacing: -.01em; scroll-margin-top: calc(var(--head) + 1rem) }
.text h1 { margin: .25rem 0 1rem; font-size: 1.9rem; letter-spacing: -.02em }
.text h2 { margin: 2.75rem 0 .75rem; font-size: 1.35rem }
.text h3 { margin: 2rem 0 .5rem; font-size: 1.1rem }
.text li { margin: .25rem 0 }
.text a[href] { color: var(--link); text-underline-offset: .15em; text-decoration-thickness: 1px }
.text :target { scroll-margin-top: calc(var(--head) + 1rem) }
.text .anchor { margin-left: .4rem; font-weight: 400; text-decoration: none; opacity: 0 }
.text .anchor::before { content: "#" }
.text :is(h2, h3, h4):hover > .anchor { opacity: 1 }
.text code { font: .875em ui-monospace, monospace; background: var(--code); border-radius: 4px; padding: .12em .35em }
.text pre { border: 1px solid var(--line); border-radius: 8px; padding: .85rem 1rem; overflow-x: auto; line-height: 1.5; ${edges('var(--code)')} }
.text pre code { padding: 0; background: none; overflow-wrap: normal }
.text .wide { overflow-x: auto; margin: 1.25rem 0; ${edges('var(--page)')} }
.text table { border-collapse: collapse; min-width: 100%; font-size: .925rem; line-height: 1.5; overflow-wrap: break-word }
.text :is(th, td) { text-align: left; vertical-align: top; padding: .5rem .75rem; border-bottom: 1px solid var(--line) }
.text :is(th, td):first-child { padding-left: 0 }
.text th { font-weight: 600 }
.text :is(th, td):last-child { min-width: 14rem }
.text img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px }
.text blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--dim) }
mark { background: var(--mark); color: inherit; border-radius: 2px }
`

const GUIDES = `.guide { display: grid; grid-template-columns: 16rem minmax(0, 1fr); max-width: 84rem; margin: 0 auto }
.guide > .text { max-width: 48rem; margin: 0; padding-left: 2.5rem; padding-right: 2.5rem }
.rail, .contents { position: sticky; top: var(--head); align-self: start; max-height: calc(100vh - var(--head)); overflow-y: auto; padding: 1.5rem 1rem; font-size: .875rem; line-height: 1.4 }
.rail { min-height: calc(100vh - var(--head)); border-right: 1px solid var(--line) }
.guide nav ul { list-style: none; margin: 0; padding: 0 }
.guide nav summary { padding: .4rem .5rem; font-weight: 600; cursor: pointer; list-style-position: outside; margin-left: 1rem; border-radius: 4px }
.guide nav details { margin-bottom: .35rem }
.guide nav details li a { display: block; margin-left: 1rem; padding: .3rem .6rem; border-left: 2px solid var(--line); color: var(--dim); text-decoration: none }
.guide nav details li a:hover { color: var(--text); border-color: var(--dim) }
.guide nav details li a[aria-current] { color: var(--text); border-color: var(--link); font-weight: 600 }
.contents { display: none }
.contents p { margin: 0 0 .5rem; font-weight: 600 }
.contents a { display: block; padding: .25rem 0; color: var(--dim); text-decoration: none; overflow-wrap: anywhere }
.contents a:hover { color: var(--text) }
.neighbors { display: flex; gap: 1rem; margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line) }
.neighbors a { flex: 1; text-decoration: none; font-weight: 600 }
.neighbors a[rel=next] { text-align: right }
.neighbors span { display: block; font-size: .85rem; font-weight: 400; color: var(--dim) }
.menu { display: none }
.search { display: flex; gap: .5rem; margin-bottom: 1.25rem }
.search input { flex: 1; min-width: 0; font: inherit; padding: .4rem .65rem; color: inherit; background: var(--page); border: 1px solid var(--dim); border-radius: 6px }
.search input::placeholder { color: var(--dim); opacity: 1 }
.search button { font: inherit; padding: .4rem .75rem; color: inherit; background: var(--code); border: 1px solid var(--line); border-radius: 6px; cursor: pointer }
.text .search { max-width: 34rem; margin: 1.25rem 0 2rem }
nav .search button { position: absolute; left: -100vw }
.index { columns: 18rem; column-gap: 2.5rem }
.index section { break-inside: avoid; padding-bottom: 1.75rem }
.index h2 { margin: 0 0 .5rem }
.index ul { list-style: none; margin: 0; padding: 0 }
.index li { margin: .6rem 0 }
.index a { font-weight: 600; text-decoration: none }
.index a:hover, .results a:hover { text-decoration: underline }
.index p { margin: 0; color: var(--dim); font-size: .925rem; line-height: 1.45 }
.results { list-style: none; margin: 0; padding: 0 }
.results li { margin: 0 0 1.5rem }
.results a { font-weight: 600; font-size: 1.05rem; text-decoration: none }
.results p { margin: .15rem 0 0 }
.results .place { color: var(--dim); font-size: .875rem }
@media (min-width: 75rem) {
  .guide:has(.contents) { grid-template-columns: 16rem minmax(0, 1fr) 14rem }
  .contents { display: block }
}
`

const PHONE = `@media (max-width: 48rem) {
  body > header { gap: 1rem; padding: 0 1rem }
  body > header nav { gap: 1rem }
  body > header .address { display: none }
  .guide { display: block }
  .rail { display: none }
  .menu { display: block; border-bottom: 1px solid var(--line); font-size: .95rem }
  .menu > summary { padding: .75rem 1rem; font-weight: 600; cursor: pointer }
  .menu > nav { padding: .25rem 1rem 1rem }
  .menu details li a { padding: .5rem .75rem }
  .text, .guide > .text { padding: 1rem 1rem 3rem }
  .text h1 { font-size: 1.6rem }
}
@media (max-width: 22rem) {
  body > header nav a:last-child { display: none }
}
@media print {
  body > header, .rail, .menu, .contents, .neighbors, .skip { display: none }
  .guide { display: block }
}
`

export const STYLE = COLORS + FRAME + TEXT + GUIDES + PHONE
