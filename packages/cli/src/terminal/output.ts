/** The one place that writes. stdout has the result, stderr all else; colours only on a terminal. */
import { styleText } from 'node:util'

interface Result {
  /** What `--json` prints. */
  json: unknown
  /** What a person reads; may have lines. */
  text: string
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads us may stop early (`querent … | head`); that is no failure of ours.
  if (error.code === 'EPIPE') process.exit(0)
  failed([cannotWrite(error)])
  process.exit(1)
})

/** Why standard output took no more, and what to do. */
export const cannotWrite = ({ code, message }: NodeJS.ErrnoException): string =>
  code === 'ENOSPC'
    ? 'standard output cannot be written: the disk is full; make room, or lead it elsewhere'
    : `standard output cannot be written (${code ?? message}): lead it elsewhere`

/** The result of a command: one JSON value with `--json`, else the text. */
export const print = (globals: { json?: true | undefined }, { json, text }: Result): void =>
  write(globals.json ? jsonOf(json) : shownOn(process.stdout, text))

/** The same of a text that is a file: as it is, unless a terminal shows it. */
export const printFile = (globals: { json?: true | undefined }, { json, text }: Result): void =>
  write(globals.json ? jsonOf(json) : process.stdout.isTTY ? shownOn(process.stdout, text) : text)

const write = (output: string): void => {
  if (output !== '') process.stdout.write(output.endsWith('\n') ? output : `${output}\n`)
}

/** A line of progress for people; nothing with `--json`. */
export const say = (globals: { json?: true | undefined }, line: string): void => {
  if (!globals.json) process.stdout.write(`${shownOn(process.stdout, line)}\n`)
}

/** Something to know that is no failure, on stderr. */
export const note = (line: string): void => {
  process.stderr.write(`${shownOn(process.stderr, line)}\n`)
}

/** With what makes a colour of one, as styleText does here. */
const controls = /\p{Cc}(\[(?:1|2|22|3[1239])m)?/gu
const escapeCharacter = '\u001b'
const bidiControls = /\p{Bidi_Control}/gu

/** A name or text that is not ours, on one line and without control characters, which terminals obey. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')

/**
 * The same of whole output, which keeps its lines, tabs and the few colours that are made here. On a terminal nothing turns the order of
 * characters around either; what joins or parts letters stays, for words and emoji have it.
 */
export const shownOn = (stream: { isTTY?: boolean }, text: string): string => {
  const obeyed = text.replace(controls, (found: string, colour = '') => {
    const [control = ''] = found
    return control === '\n' || control === '\t' || (control === escapeCharacter && colour !== '')
      ? found
      : ` ${colour}`
  })
  return stream.isTTY ? obeyed.replace(bidiControls, '') : obeyed
}

/** JSON escapes most of them itself; the others mean the same escaped. */
const jsonOf = (value: unknown): string =>
  (JSON.stringify(value) ?? '').replace(
    /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu,
    found => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Why a command failed, on stderr. */
export const failed = (lines: string[]): void => {
  const mark = styleText('red', 'querent:', { stream: process.stderr })
  const [first = '', ...places] = lines
  process.stderr.write(shownOn(process.stderr, [`${mark} ${first}`, ...places, ''].join('\n')))
}

/** `1 person`, `2 people`: without `others`, the plural has an `s`. */
export const counted = (count: number, one: string, others = `${one}s`): string =>
  `${count} ${count === 1 ? one : others}`

export const bold = (text: string): string => styleText('bold', text, { stream: process.stdout })
export const dim = (text: string): string => styleText('dim', text, { stream: process.stdout })
