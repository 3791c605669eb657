/** Where the dashboard and its server are, which can be below a path of a proxy: `/notify/app/` and `/notify`. */

/** As the page was served: relative to its own address. */
export const home = new URL(document.documentElement.dataset.home ?? '/app/', location.href).pathname

const root = home.replace(/\/app\/$/, '')

/** The server, as a call names it; without a slash at its end. */
export const serverUrl = `${location.origin}${root}`

/** The path of an operation of the server, as a request has it. */
export const pathOf = (operation: string) => `${root}${operation}`

/** A page of the documents: `running`, `errors#held`; the reference without a name. */
export const docsPath = (page?: string) => `${root}/docs${page === undefined ? '' : `/${page}`}`
