/** The colors of CSS by name; the package brings no types. */
declare module 'color-name' {
  const colors: Readonly<Record<string, readonly [red: number, green: number, blue: number]>>
  export default colors
}
