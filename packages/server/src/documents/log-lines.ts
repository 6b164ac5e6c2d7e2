/** Recognizes logs: each line is a document as a whole, because its commas and colons separate nothing. */

const linesMax = 20
const linesMin = 3
/** The Common Log Format, also with more after it, and logfmt. */
const logLine =
  /^\S+ \S+ \S+ \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [^\]]*\] |^[\w.]+=(?:"[^"]*"|\S*) [\w.]+=/

/** Whether a file that begins with this text is a log. Its last line may be incomplete. */
export const isLog = (beginning: string): boolean => {
  const lines = beginning
    .split('\n', linesMax + 1)
    .slice(0, -1)
    .filter(line => line.trim() !== '')
  return lines.length >= linesMin && lines.every(line => logLine.test(line))
}
