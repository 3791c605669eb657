/** The service itself, loaded only by commands that need it in their own process. */
export const serverModules = () => import('@postrider/server')
