/** The one place that writes. stdout has the result, stderr all else; colours only on a terminal. */
import { styleText } from 'node:util'

interface Result {
  /** What `--json` prints. */
  json: unknown
  /** What a person reads; may have lines. */
  text: string
}

// Whoever reads us may stop early (`querent … | head`); that is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

/** The result of a command: one JSON value with `--json`, else the text. */
export const print = (globals: { json?: true | undefined }, { json, text }: Result): void => {
  const output = globals.json ? JSON.stringify(json) : text
  if (output !== '') process.stdout.write(output.endsWith('\n') ? output : `${output}\n`)
}

/** A line of progress for people; nothing with `--json`. */
export const say = (globals: { json?: true | undefined }, line: string): void => {
  if (!globals.json) process.stdout.write(`${line}\n`)
}

/** Something to know that is no failure, on stderr. */
export const note = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

/** Why a command failed, on stderr. */
export const failed = (lines: string[]): void => {
  const mark = styleText('red', 'querent:', { stream: process.stderr })
  const [first = '', ...places] = lines
  process.stderr.write([`${mark} ${first}`, ...places, ''].join('\n'))
}

/** `1 person`, `2 people`: without `others`, the plural has an `s`. */
export const counted = (count: number, one: string, others = `${one}s`): string =>
  `${count} ${count === 1 ? one : others}`

export const bold = (text: string): string => styleText('bold', text, { stream: process.stdout })
export const dim = (text: string): string => styleText('dim', text, { stream: process.stdout })
