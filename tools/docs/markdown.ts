/** Markdown of tables from data. */

/** Escapes a text for a cell, except inside code. */
const escapeCell = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '{ {')))
    .join('')
    .trim()

export const code = (text: string): string => (text === '' ? '' : `\`${text}\``)

export const codeBlock = (language: string, text: string): string =>
  `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`

/** Leaves out columns without a value. */
export const table = (columns: readonly string[], rows: readonly (readonly string[])[]): string => {
  const filledColumns = columns.map((_, index) => index).filter(index => rows.some(row => row[index] !== ''))
  const line = (cells: readonly string[]) =>
    `| ${filledColumns.map(index => escapeCell(cells[index] ?? '')).join(' | ')} |`
  return `${[line(columns), `|${filledColumns.map(() => ' --- |').join('')}`, ...rows.map(line)].join('\n')}\n`
}
