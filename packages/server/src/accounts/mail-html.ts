/**
 * The HTML part of a mail, made from its text, so that both say the same. It loads nothing, works in dark mode, and needs no images.
 * Links show their whole address: readers can see where they lead.
 */
import type { Language } from '#languages/languages'

interface MailText {
  subject: string
  /** Paragraphs separated by an empty line. */
  text: string
  language: Language
  /** Name above the mail; default Querent. */
  sender?: string
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, character => escapes[character] ?? '')

/** Some mail programs ignore style sheets, so each element has the light colors too. */
const styles = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  body, .page { background: #12141a !important; color: #eceef4 !important; }
  .card { background: #1c1f28 !important; border-color: #343947 !important; }
  .quiet { color: #adb3c2 !important; }
  a { color: #9fb6ff !important; }
}`

const font = "font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif"

/** Our links begin a line, follow a space, and end at a space, a comma or the end of a sentence. */
const linkPattern = /https?:\/\/[^\s,]+[^\s,.]/g

const renderLine = (line: string): string => {
  let [rendered, position] = ['', 0]
  for (const { 0: url, index } of line.matchAll(linkPattern)) {
    rendered += escapeHtml(line.slice(position, index))
    rendered += `<a href="${escapeHtml(url)}" style="color: #2b50c8; word-break: break-all">${escapeHtml(url)}</a>`
    position = index + url.length
  }
  return rendered + escapeHtml(line.slice(position))
}

const renderParagraph = (paragraph: string): string =>
  `<p style="margin: 0 0 16px">${paragraph.split('\n').map(renderLine).join('<br>\n')}</p>`

export const renderMailHtml = ({ subject, text, language, sender = 'Querent' }: MailText): string =>
  `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${styles}</style>
</head>
<body style="margin: 0; padding: 0; background: #f6f7f9; color: #1b1e27; ${font}">
<div class="page" style="padding: 24px 12px; background: #f6f7f9">
<div style="max-width: 560px; margin: 0 auto">
<p class="quiet" style="margin: 0 0 12px; font-size: 14px; font-weight: 600; color: #565c6b">${escapeHtml(sender)}</p>
<div class="card" style="padding: 24px 24px 8px; background: #ffffff; border: 1px solid #dcdfe6; border-radius: 12px; overflow-wrap: anywhere">
<h1 style="margin: 0 0 16px; font-size: 22px; line-height: 1.25">${escapeHtml(subject)}</h1>
${text.trim().split('\n\n').map(renderParagraph).join('\n')}
</div>
</div>
</div>
</body>
</html>
`
