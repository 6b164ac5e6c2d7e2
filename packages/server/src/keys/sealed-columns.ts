/**
 * The table of everything that is stored encrypted with the server's key. `querent keys re-encrypt`, the start and `querent doctor` read it.
 * A test compares it with the columns of the storage.
 */
import type { Db } from '#storage/db'
import { sealedModels } from '#storage/oidc-records'
import {
  readNewestSealedValues,
  readSealedValues,
  removeAllRows,
  replaceSealedValue,
  replaceSearchHash,
  type SealedPlace,
  type SealedValue,
} from '#storage/sealed-values'
import { createSearchCipher, searchTextCharsMax } from '#storage/search-cipher'
import type { Keyring } from './keyring.ts'
import { createRecordCipher, type StoredPurpose } from './record-encryption.ts'
import { decryptSigningKey, encryptSigningKey } from './signing-key-cipher.ts'

/** Keys of one purpose, derived from the server's key. `secretKey` itself encrypts the signing keys. */
export type ServerKey = Pick<Keyring, 'derive'> & { secretKey: Buffer }

/** Rows of a column after a change of the key. */
export interface ReencryptedCounts {
  /** Encrypted with the new key now. */
  reencrypted: number
  /** Encrypted with the new key before. */
  unchanged: number
  /** Left as they are, because they were encrypted with a third key. */
  unreadable: number
  /** Removed, because they work for seconds only. */
  removed: number
}

export interface UnreadableCount {
  count: number
  /** Whether there may be more, because only the newest values were read. */
  isMinimum: boolean
}

export interface SealedColumn {
  /** `table.column`, with `.member` for a member of a JSON column. */
  name: string
  /** Name of one row and of several, for people. */
  label: [singular: string, plural: string]
  /** `person`: if it is lost, somebody must set it up again. `time`: it expires by itself. */
  untilReplacedBy: 'person' | 'time'
  /**
   * Counts the values that this key cannot decrypt, of those that expire only among the newest. Undefined for signing keys: a server that
   * cannot read them does not start.
   */
  countUnreadable?: (db: Db, key: Pick<Keyring, 'derive'>) => Promise<UnreadableCount>
  /** Encrypts all values with `to` that `from` decrypts. */
  reencrypt(db: Db, from: ServerKey, to: ServerKey): Promise<ReencryptedCounts>
}

/** Decrypts values of a column with one key, and encrypts their contents with another. */
interface Cipher<Content> {
  /** Undefined: encrypted with another key. */
  read(value: SealedValue): Promise<Content | undefined> | Content | undefined
  write(value: SealedValue, content: Content): Promise<string> | string
}

type Traits = Pick<SealedColumn, 'label' | 'untilReplacedBy'>

/** A column whose unreadable values nobody counts. */
const defineUncountedColumn = <Content, Key>(
  name: string,
  place: SealedPlace,
  traits: Traits,
  createCipher: (key: Key) => Cipher<Content>,
) => ({
  name,
  ...traits,
  reencrypt: (db: Db, from: Key, to: Key) =>
    reencryptValues(db, place, { from: createCipher(from), to: createCipher(to) }),
})

const defineColumn = <Content, Key>(
  name: string,
  place: SealedPlace,
  traits: Traits,
  createCipher: (key: Key) => Cipher<Content>,
) => ({
  ...defineUncountedColumn(name, place, traits, createCipher),
  countUnreadable: (db: Db, key: Key) => countUnreadable(db, place, createCipher(key)),
})

/** Values of a column that expire by themselves, of which the newest are read. */
const newestMax = 1000

const countUnreadable = async <Content>(
  db: Db,
  place: SealedPlace,
  cipher: Cipher<Content>,
): Promise<UnreadableCount> => {
  const { newestBy } = place
  const batches = newestBy
    ? readNewestSealedValues(db, place, { newestBy, countMax: newestMax })
    : readSealedValues(db, place)
  let count = 0
  let read = 0
  for await (const values of batches) {
    read += values.length
    for (const value of values) if ((await cipher.read(value)) === undefined) count++
  }
  return { count, isMinimum: newestBy !== undefined && read >= newestMax }
}

const reencryptValues = async <Content>(
  db: Db,
  place: SealedPlace,
  { from, to }: { from: Cipher<Content>; to: Cipher<Content> },
): Promise<ReencryptedCounts> => {
  const counts = { reencrypted: 0, unchanged: 0, unreadable: 0, removed: 0 }
  for await (const values of readSealedValues(db, place))
    for (const value of values) {
      if ((await to.read(value)) !== undefined) {
        counts.unchanged++
        continue
      }
      const content = await from.read(value)
      if (content === undefined) {
        counts.unreadable++
        continue
      }
      await replaceSealedValue(db, place, { key: value.key, value: await to.write(value, content) })
      counts.reencrypted++
    }
  return counts
}

/** A column of records (record-encryption.ts). */
const recordColumn = (purpose: StoredPurpose, place: SealedPlace, traits: Traits): SealedColumn =>
  defineColumn(`${place.table}.${place.column}`, place, traits, (key: Pick<Keyring, 'derive'>) => {
    const cipher = createRecordCipher(key, purpose)
    return {
      read: ({ value }) => cipher.read(value),
      write: (_, content) => cipher.write(content),
    }
  })

const signingKeys = defineUncountedColumn(
  'signing_keys.encrypted_jwk',
  { table: 'signing_keys', column: 'encrypted_jwk', key: ['kid'] },
  { label: ['signing key', 'signing keys'], untilReplacedBy: 'person' },
  ({ secretKey }: ServerKey) => ({
    read({ key, value }) {
      try {
        return decryptSigningKey(value, secretKey, String(key.kid))
      } catch {
        return undefined
      }
    },
    write: ({ key }, jwk) => encryptSigningKey(jwk, secretKey, String(key.kid)),
  }),
)

const authenticatorApps = recordColumn(
  'authenticator apps',
  { table: 'authenticator_apps', column: 'encrypted_secret', key: ['user_id'] },
  { label: ['authenticator app', 'authenticator apps'], untilReplacedBy: 'person' },
)

const providerSecrets = recordColumn(
  'provider secrets',
  { table: 'provider_secrets', column: 'encrypted_secret', key: ['workspace_id'] },
  {
    label: ['client secret of an OpenID provider', 'client secrets of OpenID providers'],
    untilReplacedBy: 'person',
  },
)

const providerTokens = recordColumn(
  'provider tokens',
  { table: 'provider_tokens', column: 'encrypted_token', key: ['id'], newestBy: 'expires_at' },
  {
    label: ['refresh token of an OpenID provider', 'refresh tokens of OpenID providers'],
    untilReplacedBy: 'time',
  },
)

// Written only by `saveRecord`.
const readPayload = (json: string): Record<string, unknown> => Object(JSON.parse(json))

const oidcRecords: SealedColumn = defineColumn(
  'oidc_records.payload_json.sealed',
  {
    table: 'oidc_records',
    column: 'payload_json',
    key: ['model', 'id_hash'],
    first: sealedModels,
    newestBy: 'expires_at',
  },
  { label: ['request under way', 'requests under way'], untilReplacedBy: 'time' },
  (key: Pick<Keyring, 'derive'>) => {
    const cipher = createRecordCipher(key, 'records')
    return {
      // A used record has no encrypted part any more. Any key reads it, so that nothing counts it as lost.
      async read({ value }) {
        const { sealed } = readPayload(value)
        return typeof sealed === 'string' ? cipher.read(sealed) : 'nothing'
      },
      async write({ value }, content) {
        if (content === 'nothing') return value
        return JSON.stringify({ ...readPayload(value), sealed: await cipher.write(content) })
      },
    }
  },
)

const searchPlace: SealedPlace = {
  table: 'searches',
  column: 'encrypted_text',
  key: ['workspace_id', 'day', 'api', 'parameters'],
  newestBy: 'day',
}
const openSearchCipher = (key: Pick<Keyring, 'derive'>) => {
  const cipher = createSearchCipher(key.derive('query log'))
  const readPlace = ({ workspace_id, day }: SealedValue['key']) => ({
    workspaceId: String(workspace_id),
    day: Number(day),
  })
  return {
    hash: cipher.hash,
    read: ({ key, value }: SealedValue) => cipher.decrypt(readPlace(key), value),
    write: ({ key }: SealedValue, text: string) => cipher.encrypt(readPlace(key), text),
  }
}
const searchColumn = defineColumn(
  'searches.encrypted_text',
  searchPlace,
  { label: ['text of the query log', 'texts of the query log'], untilReplacedBy: 'time' },
  openSearchCipher,
)
const searches: SealedColumn = {
  ...searchColumn,
  async reencrypt(db, from, to) {
    const counts = await searchColumn.reencrypt(db, from, to)
    if (counts.reencrypted > 0) await rehashSearches(db, to)
    return counts
  },
}

/**
 * Rows are found by a keyed hash. It is computed again from the text, so that the same search of this day is added to its row. A text that
 * was cut, or is not kept, keeps its former hash: later searches of the day get a row of their own.
 */
const rehashSearches = async (db: Db, key: ServerKey): Promise<void> => {
  const { read, hash: hashSearch } = openSearchCipher(key)
  for await (const values of readSealedValues(db, searchPlace))
    for (const value of values) {
      const text = read(value)
      if (text === undefined || text.length >= searchTextCharsMax) continue
      const { workspace_id, day, api, parameters } = value.key
      const row = {
        workspace_id: String(workspace_id),
        day: Number(day),
        api: String(api),
        parameters: String(parameters),
      }
      const hash = hashSearch(row.workspace_id, text)
      if (hash !== row.parameters) await replaceSearchHash(db, row, hash)
    }
}

const formReplies: SealedColumn = {
  ...recordColumn(
    'replies to forms',
    { table: 'form_replies', column: 'sealed', key: ['id'], newestBy: 'expires_at' },
    { label: ['reply to a form', 'replies to forms'], untilReplacedBy: 'time' },
  ),
  // They are found by keyed hashes of forms, and work for 30 s.
  reencrypt: async db => ({
    reencrypted: 0,
    unchanged: 0,
    unreadable: 0,
    removed: await removeAllRows(db, 'form_replies'),
  }),
}

const mails = recordColumn(
  'mails',
  { table: 'mails', column: 'sealed', key: ['id'], newestBy: 'created_at' },
  { label: ['waiting mail', 'waiting mails'], untilReplacedBy: 'time' },
)

/** Types fail if a purpose has no column. */
const recordColumns: Record<StoredPurpose, SealedColumn> = {
  'authenticator apps': authenticatorApps,
  'provider secrets': providerSecrets,
  'provider tokens': providerTokens,
  records: oidcRecords,
  'replies to forms': formReplies,
  mails,
}

export const sealedColumns: readonly SealedColumn[] = [signingKeys, ...Object.values(recordColumns), searches]
