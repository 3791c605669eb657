/** The one result of damerau-levenshtein that is used; the package brings no types. */
declare module 'damerau-levenshtein' {
  export default function distance(left: string, right: string): { steps: number }
}
