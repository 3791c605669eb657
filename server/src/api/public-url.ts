/** The public address of a server. */

/** Its path, below which a proxy has the server: `/notify`, mostly nothing. */
export const pathOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, '')
