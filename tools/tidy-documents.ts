/** Rules about documents: links that resolve, and the table of errors. Pure. */
import { posix } from 'node:path'
import type { Remark } from './tidy-imports.ts'

const withoutCode = (text: string): string =>
  text.replace(/^```[\s\S]*?^```/gm, block => block.replace(/[^\n]/g, ' ')).replace(/`[^`\n]*`/g, '')

const link = /\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g

/** Reports relative links of a Markdown file to missing files. `exists` receives paths from the root of the checkout. */
export const linkRemarks = (path: string, text: string, exists: (path: string) => boolean): Remark[] =>
  withoutCode(text)
    .split('\n')
    .flatMap((content, index) =>
      [...content.matchAll(link)].flatMap(([, target = '']) => {
        if (/^([a-z][a-z0-9+.-]*:|#)/i.test(target)) return []
        const file = decodeURIComponent(target.split('#', 1)[0] ?? '')
        if (exists(posix.normalize(posix.join(posix.dirname(path), file)))) return []
        return [
          { path, line: index + 1, message: `the link to ${target} leads nowhere: correct or remove it` },
        ]
      }),
    )

const errorRow = /^\|\s*`([a-z-]+)`\s*\|\s*(\d{3})\s*\|/

/** Reports differences between the table of errors in a document and the errors of the contract. */
export const errorRemarks = (
  path: string,
  text: string,
  errorStatus: Readonly<Record<string, number>>,
): Remark[] => {
  const documented = new Map<string, { status: number; line: number }>()
  const remarks: Remark[] = []
  for (const [index, content] of text.split('\n').entries()) {
    const [, code, status] = errorRow.exec(content) ?? []
    if (code === undefined) continue
    const line = index + 1
    if (documented.has(code)) remarks.push({ path, line, message: `${code} stands here twice: remove one` })
    documented.set(code, { status: Number(status), line })
    const real = errorStatus[code]
    if (real === undefined)
      remarks.push({ path, line, message: `there is no error ${code} any more: remove the row` })
    else if (real !== Number(status))
      remarks.push({ path, line, message: `${code} has the status ${real}: correct the row` })
  }
  for (const code of Object.keys(errorStatus))
    if (!documented.has(code))
      remarks.push({
        path,
        line: 1,
        message: `${code} is not documented: add a row that says when, and what to do`,
      })
  return remarks
}
