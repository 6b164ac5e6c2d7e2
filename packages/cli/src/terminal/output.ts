/** The only place that writes output. Results go to stdout, everything else to stderr, and colors only to a terminal. */
import { styleText } from 'node:util'
import { displayEmail } from '@querent/contract/email-address'

interface Result {
  /** The value that `--json` prints. */
  json: unknown
  /** Text for people; may have several lines. */
  text: string
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader may stop early (`querent … | head`), which is not a failure.
  if (error.code === 'EPIPE') process.exit(0)
  printFailure([describeWriteError(error)])
  process.exit(1)
})

/** Explains why standard output cannot be written, and what to do. */
export const describeWriteError = ({ code, message }: NodeJS.ErrnoException): string =>
  code === 'ENOSPC'
    ? 'standard output cannot be written: the disk is full; free some space or redirect the output'
    : `standard output cannot be written (${code ?? message}): redirect the output`

/** Prints the result of a command: one JSON value with `--json`, otherwise the text. */
export const print = (globals: { json?: true | undefined }, { json, text }: Result): void =>
  write(globals.json ? toJson(json) : sanitizeFor(process.stdout, showAddresses(text)))

/** A-labels are for programs. */
const showAddresses = (text: string): string =>
  text.includes('xn--') ? text.replaceAll(/[^\s@/:,;'"<>()│]{1,64}@[a-z0-9.-]*[a-z0-9]/g, displayEmail) : text

/** Prints a file: unchanged, unless stdout is a terminal. */
export const printFile = (globals: { json?: true | undefined }, { json, text }: Result): void =>
  write(globals.json ? toJson(json) : process.stdout.isTTY ? sanitizeFor(process.stdout, text) : text)

const write = (output: string): void => {
  if (output !== '') process.stdout.write(output.endsWith('\n') ? output : `${output}\n`)
}

/** Prints a line of progress for people, and nothing with `--json`. */
export const say = (globals: { json?: true | undefined }, line: string): void => {
  if (!globals.json) process.stdout.write(`${sanitizeFor(process.stdout, line)}\n`)
}

/** Prints a notice that is not a failure on stderr. */
export const note = (line: string): void => {
  process.stderr.write(`${sanitizeFor(process.stderr, line)}\n`)
}

/** A control character, with the rest of the color code if `styleText` wrote one. */
const controls = /\p{Cc}(\[(?:1|2|22|3[1239])m)?/gu
const escapeCharacter = '\u001b'
const bidiControls = /\p{Bidi_Control}/gu

/** Puts untrusted text on one line and removes control characters, which terminals would execute. */
export const sanitizeLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')

/**
 * Removes control characters from a whole output. Keeps line ends, tabs and the colors that this program prints. On a terminal it also
 * removes bidirectional controls, which could reorder text. Zero-width joiners stay, because words and emoji need them.
 */
export const sanitizeFor = (stream: { isTTY?: boolean }, text: string): string => {
  const sanitized = text.replace(controls, (match: string, color = '') => {
    const [control = ''] = match
    return control === '\n' || control === '\t' || (control === escapeCharacter && color !== '')
      ? match
      : ` ${color}`
  })
  return stream.isTTY ? sanitized.replace(bidiControls, '') : sanitized
}

/** JSON.stringify escapes most control characters. Escaping the others does not change the value. */
const toJson = (value: unknown): string =>
  (JSON.stringify(value) ?? '').replace(
    /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu,
    match => `\\u${match.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Prints the reason of a failure on stderr. */
export const printFailure = (lines: string[]): void => {
  const mark = styleText('red', 'querent:', { stream: process.stderr })
  const [first = '', ...places] = lines
  process.stderr.write(sanitizeFor(process.stderr, [`${mark} ${first}`, ...places, ''].join('\n')))
}

/** Returns `1 person` or `2 people`. The plural defaults to the singular with an `s`. */
export const pluralize = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`

export const bold = (text: string): string => styleText('bold', text, { stream: process.stdout })
export const dim = (text: string): string => styleText('dim', text, { stream: process.stdout })
