/** Names of readers in documents (authorization-server.md, Readers). */
import { canonicalEmail } from './email-address.ts'

/** No address is longer, in any spelling. */
const addressCharactersMax = 1000

/** Returns the one form of a name: an address in its canonical form, every other name as it is. */
export const readerName = (name: string): string =>
  name.includes('@') && name.length <= addressCharactersMax ? canonicalEmail(name) : name
