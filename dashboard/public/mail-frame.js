/**
 * Shows the mail that the dashboard posts. The frame is sandboxed and has a policy of its own: styles of the mail are
 * permitted, its scripts are not; a parsed document never runs its scripts anyway.
 */
addEventListener('message', ({ source, data }) => {
  if (source !== parent || typeof data?.html !== 'string') return
  const mail = new DOMParser().parseFromString(data.html, 'text/html')
  for (const element of mail.querySelectorAll('script, meta[http-equiv], base, object, embed, iframe')) element.remove()
  // A link opens beside the dashboard, where the sandbox permits it at all.
  for (const link of mail.querySelectorAll('a[href]')) link.target = '_blank'
  document.replaceChild(document.adoptNode(mail.documentElement), document.documentElement)
  parent.postMessage({ height: document.documentElement.scrollHeight }, '*')
})
parent.postMessage({ ready: true }, '*')
