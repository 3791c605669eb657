/** The Postrider API as data. */
export * from './channel.ts'
export * from './operation.ts'
