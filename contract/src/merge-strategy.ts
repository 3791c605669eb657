/** How what a step brings in meets what is there already. */
import { type Static, Type } from 'typebox'

/** `usual` says what is taken when nothing is said. */
export const mergeStrategy = (usual: string) =>
  Type.Enum(['replace', 'overwrite', 'soft-merge', 'none'], {
    description: `How what comes in (A) meets what is there (B). \`replace\`: B becomes A. \`overwrite\`: the keys of A win. \`soft-merge\`: only keys that B lacks are taken. \`none\`: A is taken only when B is empty. ${usual} when left out.`,
  })
export type MergeStrategy = Static<ReturnType<typeof mergeStrategy>>
