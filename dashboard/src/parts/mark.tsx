/** The mark of Postrider, in the color of the text beside it. */
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.75"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M5 21V9.5A6 6 0 0 1 11 3.5h2.5a6 6 0 0 1 0 12H12.5" />
      <circle cx="11.5" cy="15.5" r="2" fill="currentColor" />
    </svg>
  )
}
