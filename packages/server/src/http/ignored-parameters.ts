/**
 * Reports unknown query parameters. They are ignored, so the body is the same without them (query-service.md, Query parameters). A header
 * names them, so that a typo is noticed. It never contains values.
 */
import { suggestName } from '@querent/contract/nearest-names'

/** A List of Strings, each with the parameter `did-you-mean` if a known name is near (RFC 9651, section 3.1). */
export const ignoredHeader = 'querent-ignored-parameters'

/** At most this many are named, so that the header stays below 2 KiB. */
const namesMax = 10
const nameCharactersMax = 64

/**
 * Formats the value of {@link ignoredHeader} as printable ASCII. `names` are decoded. The header has them percent-encoded, so that they
 * contain no quote, backslash or line end. `known` are the names that the request may have.
 */
export const formatIgnoredParameters = (names: Iterable<string>, knownNames: readonly string[]): string =>
  [...new Set(names)]
    .slice(0, namesMax)
    .map(name => {
      const encoded = encodeURIComponent(name.slice(0, nameCharactersMax).toWellFormed())
      const suggestion = suggestName(name, knownNames)
      const suggestionParameter = suggestion === undefined ? '' : `;did-you-mean="${suggestion}"`
      return `"${encoded.slice(0, nameCharactersMax)}"${suggestionParameter}`
    })
    .join(', ')

/** Joins two values of {@link ignoredHeader}. */
export const joinIgnored = (first: string | undefined, second: string | undefined): string | undefined =>
  first && second ? `${first}, ${second}` : (first ?? second)
