/** Texts for property tests. */
import fc from 'fast-check'

const codePoint = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map(code => String.fromCodePoint(code))

/**
 * Makes any text that UTF-8 can carry, a third of it ASCII. The unit `binary` of fast-check makes the same texts, but prepares each process
 * for half a second.
 */
export const anyText = (lengths: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ unit: codePoint, ...lengths })
