// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const illegal = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g

/** `text` with the characters that XML cannot hold replaced by U+FFFD (https://www.w3.org/TR/xml/#charsets). */
export const legalXml = (text: string): string => text.replace(illegal, '\ufffd')
