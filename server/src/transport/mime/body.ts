/** The bodies of a mail's parts, each with its header lines of type and encoding. */
import libqp from 'libqp'
import type { MailAttachment } from '../../base/exchange.ts'
import { MailInvalid, oneLine } from './header.ts'

const LINE_MAX = 998

/** Text as it stands when it is ASCII with short lines, else quoted-printable, or base64 where most is not ASCII. */
export function textPart(subtype: 'plain' | 'html', content: string, boundary: string): string {
  const text = content.includes('\r') ? content.replace(/\r\n?|\n/g, '\r\n') : content.replaceAll('\n', '\r\n')
  const type = `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: `
  // A body that holds its own boundary is encoded: neither encoding can spell one.
  if (/^[\t\r\n\x20-\x7e]*$/.test(text) && hasShortLines(text) && !text.includes(boundary))
    return `${type}7bit\r\n\r\n${text}`
  if (Buffer.byteLength(text) > text.length * 1.25)
    return `${type}base64\r\n\r\n${base64Lines(Buffer.from(text).toString('base64'))}`
  return `${type}quoted-printable\r\n\r\n${libqp.wrap(libqp.encode(text))}`
}

export function attachmentPart(attachment: MailAttachment, isInline: boolean): string {
  const { filename, contentType, contentId } = attachment
  if (
    !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *; *[\w-]+=(?:"[ !#-[\]-~]*"|[\w.+-]+))*$/.test(contentType) ||
    contentType.length > 200
  )
    throw new MailInvalid('The content type of an attachment is not valid')
  // RFC 2046 §5.1, §5.2: these may not be in base64, and a reader would take them apart.
  const type = /^(?:multipart|message)\//i.test(contentType) ? 'application/octet-stream' : contentType
  let head = `Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: ${isInline ? 'inline' : 'attachment'}`
  head += `${filenameParam(oneLine('The name of an attachment', filename))}\r\n`
  if (contentId !== undefined) {
    if (!/^[\x21-\x3b\x3d\x3f-\x7e]{1,200}$/.test(contentId)) throw new MailInvalid('A content id is not valid')
    head += `Content-ID: <${contentId}>\r\n`
  }
  return `${head}\r\n${base64Lines(strictBase64(attachment.content))}`
}

function filenameParam(filename: string): string {
  if (filename.length > 255) throw new MailInvalid('The name of an attachment is longer than 255 characters')
  if (!filename) return ''
  if (filename.length <= 60 && /^[\x20-\x7e]*$/.test(filename) && !filename.includes('=?'))
    return `;\r\n filename="${filename.replace(/["\\]/g, '\\$&')}"`
  return extendedParam(filename)
}

/** RFC 2231: percent-encoded UTF-8, in numbered pieces so that no line is too long. */
function extendedParam(text: string): string {
  const pieces = ["utf-8''"]
  for (const character of text) {
    let encoded = ''
    for (const byte of Buffer.from(character)) {
      const isPlain = /[A-Za-z0-9._-]/.test(String.fromCharCode(byte))
      encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    }
    const last = pieces.at(-1) ?? ''
    if (last.length + encoded.length > 60) pieces.push(encoded)
    else pieces[pieces.length - 1] = last + encoded
  }
  if (pieces.length === 1) return `;\r\n filename*=${pieces[0]}`
  return pieces.map((piece, index) => `;\r\n filename*${index}*=${piece}`).join('')
}

/** Node reads any text as base64 and leaves out what it does not understand, so the check comes first. */
function strictBase64(content: string): string {
  const text = /\s/.test(content) ? content.replace(/\s+/g, '') : content
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    throw new MailInvalid('The content of an attachment is not base64')
  return text
}

function base64Lines(text: string): string {
  const lines: string[] = []
  for (let start = 0; start < text.length; start += 76) lines.push(text.slice(start, start + 76))
  return lines.join('\r\n')
}

function hasShortLines(text: string): boolean {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    if ((end < 0 ? text.length : end - 1) - start > LINE_MAX) return false
    if (end < 0) return true
    start = end + 1
  }
  return true
}
