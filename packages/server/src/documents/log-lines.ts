/** Recognizes logs: each line is a document as a whole, because its commas and colons separate nothing. */

const linesMax = 20
const linesMin = 3
const logForms = [
  // The Common Log Format, also with more after it, and logfmt.
  /^\S+ \S+ \S+ \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [^\]]*\] /,
  /^[\w.]+=(?:"[^"]*"|\S*) [\w.]+=/,
  // Time and level, as most libraries of logs write them, and syslog.
  /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)? [^,;\t]{0,60}\b(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b/,
  /^[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \S+ [^\s:]+: /,
  // A time in brackets, and chats of phones: `12/03/2023, 10:00 - Ann: Hello`.
  /^\[[^\]]{0,30}\d{1,2}:\d\d[^\]]{0,10}\] \S/,
  /^\d{1,4}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)? - \S/i,
]
/** Other lines go on with a message. */
const logShareMin = 0.7

/** Whether a file that begins with this text is a log. Its last line may be incomplete. */
export const isLog = (beginning: string): boolean => {
  const lines = beginning
    .split('\n', linesMax + 1)
    .slice(0, -1)
    .filter(line => line.trim() !== '')
  return logForms.some(
    form =>
      lines.length >= linesMin &&
      form.test(lines[0] ?? '') &&
      lines.filter(line => form.test(line)).length >= logShareMin * lines.length,
  )
}
