/**
 * Query parameters that a request has and the server does not know. They are ignored, so the body is what it would be without them
 * (query-service.md, Query parameters); a header names them, so that a misspelt one does not silently do nothing. It never has values.
 */
import { suggestName } from '@querent/contract/nearest-names'

/** A List of Strings, each with the parameter `did-you-mean` if a known name is near (RFC 9651, section 3.1). */
export const ignoredHeader = 'querent-ignored-parameters'

/** More are not named: the header stays below 2 KiB. */
const namesMax = 10
const nameCharactersMax = 64

/**
 * The value of {@link ignoredHeader}: printable ASCII. `names` are what the client wrote, decoded; in the header they are
 * percent-encoded, so that they hold no quote, backslash or line end. `known` are the names that the request may have.
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
