declare module 'punycode.js' {
  const punycode: {
    /** Decodes the A-labels of a domain. Throws a RangeError for labels that are not Punycode (RFC 3492). */
    toUnicode(domain: string): string
  }
  export default punycode
}
