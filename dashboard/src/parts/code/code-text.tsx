/** Names stand in backticks in the sentences of the server. */
export const CodeText = ({ text }: { text: string }) =>
  text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence stay in their order
      <code key={index}>{part}</code>
    ) : (
      part
    ),
  )
