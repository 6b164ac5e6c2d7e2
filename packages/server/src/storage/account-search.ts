/**
 * Finds people and System-to-System accounts by the beginning of their address or name. The cost of a page
 * does not depend on the number of accounts.
 */
import { canonicalDomain, canonicalEmail, displayEmail } from '@querent/contract/email-address'
import { type RawBuilder, sql } from 'kysely'
import { Problem } from '#errors'
import type { Storage } from './db.ts'

/** People scanned for one page of one scan: many addresses may match, but few may belong to members. */
const scanMax = 5_000
/** Sorts after every text with the prefix: U+10FFFF is a noncharacter (Unicode, section 23.7). */
const highestCharacter = '\u{10ffff}'

export interface AccountSearch {
  /** Not empty, and without U+0000, which PostgreSQL rejects. */
  text: string
  /** All users, the members of a workspace, or only its System-to-System accounts. */
  scope: 'users' | { workspaceId: string; kind?: 'system-to-system' }
  /** `next` of the previous page; empty for the first page. */
  after: string
  count: number
}

/** A range of one index, ordered by key and id. */
interface IndexScan {
  table: 'users' | 'clients'
  key: RawBuilder<string>
  /** Prefix of the keys. */
  text: string
  /** Lower and upper bound of the range. */
  begin: RawBuilder<boolean>
  end: RawBuilder<boolean>
  /** Further conditions, which exclude the results of earlier scans. Undefined: none. */
  where: RawBuilder<boolean> | undefined
  /** Whether an address in the range matches; default: each. Pages get shorter by those that don't. */
  accepts?: (email: string) => boolean
}

/** The last row scanned, in order of key and id. Without a key: a member, in order of id. */
interface ScanPosition {
  key?: string
  id: string
}
/** `email`: for {@link IndexScan.accepts}. */
interface ScannedRow extends ScanPosition {
  email?: string
}
interface KeyedPosition extends ScanPosition {
  key: string
}

/**
 * Returns ids of users and System-to-System accounts whose address or name begins with the text, and the
 * account whose Client ID it is. Ignores the case of A to Z. Tries other letters as given, in lower case, in
 * upper case, and capitalized. Matches by address come first, then by name, then accounts. A page may be
 * short or empty although `next` is set. `next` contains ids of users only if all users are searched,
 * otherwise of members. Throws 400 for an invalid `after`.
 */
export const searchAccounts = async (
  storage: Pick<Storage, 'db' | 'kind'>,
  search: AccountSearch,
): Promise<{ ids: string[]; next: string | null }> => {
  const { scope, count } = search
  const scans = planScans(storage.kind, search)
  const cursor = parseCursor(search.after, scans.length)
  const ids: string[] = []
  for (const [index, scan] of scans.entries()) {
    if (index < cursor.index) continue
    const startPosition = index === cursor.index ? cursor.position : undefined
    const strategy = await chooseStrategy(storage, scan, scope)
    if (startPosition && !isPositionWithin(scan, strategy, startPosition)) throw invalidCursor(search.after)
    const end = await findEnd(storage, scan, { scope, strategy, after: startPosition })
    const room = count - ids.length
    const rows = await read(storage, scan, { scope, strategy, after: startPosition, end, count: room + 1 })
    const page = rows.slice(0, room)
    ids.push(...page.filter(({ email = '' }) => scan.accepts?.(email) ?? true).map(({ id }) => id))
    const isFull = rows.length > room
    const position = isFull ? page.at(-1) : end
    if (isFull || position) return { ids, next: formatCursor(index, position) }
  }
  return { ids, next: null }
}

const planScans = (kind: Storage['kind'], { text, scope }: AccountSearch): IndexScan[] => {
  // Byte order, as SQLite compares. The PostgreSQL index has the same order.
  const plain = kind === 'postgres' ? sql` collate "C"` : sql``
  const makeKeyRange = (key: RawBuilder<string>, text: string) => ({
    key,
    text,
    begin: sql<boolean>`${key} >= ${text}`,
    end: sql<boolean>`${key} < ${text + highestCharacter}`,
  })
  const names = listSpellings(text)
  const email = sql<string>`users.email${plain}`
  const address = makeKeyRange(email, canonicalEmail(text))
  const otherAddress = sql<boolean>`not (${address.begin} and ${address.end})`
  const people: IndexScan[] = [
    { table: 'users', ...address, where: undefined },
    ...planUnicodeScan(text).map(({ prefix, accepts }): IndexScan => {
      const range = makeKeyRange(email, prefix)
      return { table: 'users', ...range, where: otherAddress, accepts }
    }),
    ...names.map(
      (name): IndexScan => ({
        table: 'users',
        ...makeKeyRange(sql`lower(users.name${plain})`, name),
        where: otherAddress,
      }),
    ),
  ]
  if (scope === 'users') return people
  const systemCondition = sql<boolean>`clients.workspace_id = ${scope.workspaceId} and clients.kind = 'system-to-system'`
  const byName = names.map(
    (name): IndexScan => ({
      table: 'clients',
      ...makeKeyRange(sql`lower(clients.name${plain})`, name),
      where: systemCondition,
    }),
  )
  const hasName = sql.join(
    byName.map(({ begin, end }) => sql`${begin} and ${end}`),
    sql` or `,
  )
  const byId: IndexScan = {
    table: 'clients',
    key: sql`clients.id`,
    text,
    begin: sql`clients.id >= ${text}`,
    end: sql`clients.id <= ${text}`,
    where: sql`${systemCondition} and not (${hasName})`,
  }
  return [...(scope.kind === undefined ? people : []), ...byName, byId]
}

/**
 * The beginning of an address as people read it: `info@bü` for `info@xn--bcher-kva.example`. The label that is not complete is stored in
 * another spelling, so all A-labels in its place are looked at. None if the local part is not complete.
 */
const planUnicodeScan = (text: string): { prefix: string; accepts: (email: string) => boolean }[] => {
  const shownPrefix = displayEmail(canonicalEmail(text))
  const separator = shownPrefix.lastIndexOf('@')
  if (separator < 1) return []
  const labels = shownPrefix
    .slice(separator + 1)
    .split('.')
    .slice(0, -1)
  const domain = labels.map(label => `${canonicalDomain(label) ?? label}.`).join('')
  const prefix = `${shownPrefix.slice(0, separator + 1)}${domain}xn--`
  return [{ prefix, accepts: email => displayEmail(email).startsWith(shownPrefix) }]
}

/** Spellings of names with this prefix; A to Z in lower case, as `lower` returns them in both databases. */
const listSpellings = (text: string): string[] => {
  const small = text.toLowerCase()
  const capitalized = small.replace(/(?<![\p{L}\p{M}])\p{L}/gu, letter => letter.toUpperCase())
  const spellings = [text, small, text.toUpperCase(), capitalized]
  return [...new Set(spellings.map(spelling => spelling.replace(/[A-Z]/g, letter => letter.toLowerCase())))]
}

/**
 * How to scan. `index`: everything with the prefix. `members`: all members, if they are few. `each member`:
 * 5,000 members a page by id, if both matches and members are many. Only the text and these two numbers
 * decide, never `after`: a forged cursor could otherwise probe for people who are not members. If a number
 * crosses 5,000 between two pages, the search must start again: 400.
 */
type ScanStrategy = 'index' | 'members' | 'each member'

const chooseStrategy = async (
  storage: Pick<Storage, 'db'>,
  scan: IndexScan,
  scope: AccountSearch['scope'],
): Promise<ScanStrategy> => {
  if (scan.table === 'clients' || scope === 'users') return 'index'
  if (!(await findPositionAfter(storage, scan, undefined))) return 'index'
  return (await findMemberAfter(storage, scope.workspaceId, undefined)) ? 'each member' : 'members'
}

const isPositionWithin = ({ text }: IndexScan, strategy: ScanStrategy, { key }: ScanPosition): boolean =>
  strategy === 'each member' ? key === undefined : (key?.startsWith(text) ?? false)

/** Returns the last position to scan for this page; undefined if nothing remains after it. */
const findEnd = async (
  storage: Pick<Storage, 'db'>,
  scan: IndexScan,
  {
    scope,
    strategy,
    after,
  }: Pick<AccountSearch, 'scope'> & { strategy: ScanStrategy; after: ScanPosition | undefined },
): Promise<ScanPosition | undefined> => {
  if (scope === 'users') return scan.where && findPositionAfter(storage, scan, after)
  return strategy === 'each member' ? findMemberAfter(storage, scope.workspaceId, after) : undefined
}

/** Returns the 5,000th member from there on; undefined if there are fewer. */
const findMemberAfter = async (
  { db }: Pick<Storage, 'db'>,
  workspaceId: string,
  after: ScanPosition | undefined,
): Promise<ScanPosition | undefined> =>
  db
    .selectFrom('members')
    .select('subject as id')
    .where('workspace_id', '=', workspaceId)
    .where('subject', '>', after?.id ?? '')
    .orderBy('subject')
    .limit(1)
    .offset(scanMax - 1)
    .executeTakeFirst()

const idColumn = ({ table }: IndexScan): RawBuilder<string> => sql`${sql.ref(`${table}.id`)}`

/**
 * Starts at `after`, because scanning from the beginning would cost more with each page. SQLite has no index
 * for a tuple with an expression, hence the extra condition on the key alone.
 */
const rangeCondition = (scan: IndexScan, after: ScanPosition | undefined): RawBuilder<boolean> =>
  after?.key !== undefined
    ? sql`${scan.key} >= ${after.key} and (${scan.key}, ${idColumn(scan)}) > (${after.key}, ${after.id}) and ${scan.end}`
    : sql`${scan.begin} and ${scan.end}`

/** Returns the 5,000th row of the index from there on; undefined if there are fewer. */
const findPositionAfter = async (
  { db }: Pick<Storage, 'db'>,
  scan: IndexScan,
  after: ScanPosition | undefined,
): Promise<KeyedPosition | undefined> => {
  const { key } = scan
  const result = await sql<KeyedPosition>`select ${key} as key, users.id as id from users
    where ${rangeCondition(scan, after)} order by ${key}, users.id limit 1 offset ${scanMax - 1}`.execute(db)
  return result.rows[0]
}

/** Reads rows in order of key and id, or of id; up to `end` if it is set. */
const read = async (
  { db }: Pick<Storage, 'db'>,
  scan: IndexScan,
  {
    scope,
    strategy,
    after,
    end,
    count,
  }: Pick<AccountSearch, 'scope' | 'count'> & {
    strategy: ScanStrategy
    after: ScanPosition | undefined
    end: ScanPosition | undefined
  },
): Promise<ScannedRow[]> => {
  const { table, key } = scan
  const id = idColumn(scan)
  // SQLite scans the first table of a cross join first (https://sqlite.org/optoverview.html, 7.2); PostgreSQL
  // chooses.
  const joined = strategy === 'index' ? sql`users cross join members` : sql`members cross join users`
  const isOfMembers = table === 'users' && scope !== 'users'
  const memberCondition = isOfMembers
    ? sql`and members.subject = users.id and members.workspace_id = ${scope.workspaceId}`
    : sql``
  const extraCondition = scan.where ? sql`and ${scan.where}` : sql``
  const isByKey = strategy !== 'each member'
  const keyCondition = isByKey
    ? rangeCondition(scan, after)
    : sql`${rangeCondition(scan, undefined)} and members.subject > ${after?.id ?? ''}`
  const { rows } =
    await sql<ScannedRow>`select ${isByKey ? sql`${key} as key, ` : sql``}${scan.accepts ? sql`users.email as email, ` : sql``}${id} as id from ${isOfMembers ? joined : sql.table(table)}
    where ${keyCondition} ${endCondition(scan, end)} ${extraCondition} ${memberCondition}
    order by ${isByKey ? sql`${key}, ${id}` : sql`members.subject`} limit ${count}`.execute(db)
  return rows
}

const endCondition = (scan: IndexScan, end: ScanPosition | undefined): RawBuilder<unknown> => {
  if (!end) return sql``
  return end.key === undefined
    ? sql`and members.subject <= ${end.id}`
    : sql`and ${scan.key} <= ${end.key} and (${scan.key}, ${idColumn(scan)}) <= (${end.key}, ${end.id})`
}

const formatCursor = (index: number, position: ScanPosition | undefined): string =>
  [index, ...(position ? [position.id] : []), ...(position?.key === undefined ? [] : [position.key])].join(
    ':',
  )

const parseCursor = (
  after: string,
  scanCount: number,
): { index: number; position: ScanPosition | undefined } => {
  const [, index = '', id, key] = /^(\d{1,2})(?::([^:]+)(?::(.+))?)?$/s.exec(after || '0') ?? []
  if (index === '' || Number(index) >= scanCount) throw invalidCursor(after)
  const position = id === undefined ? undefined : { id, ...(key === undefined ? {} : { key }) }
  return { index: Number(index), position }
}

const invalidCursor = (after: string): Problem => {
  const message = `found ${JSON.stringify(after)}, allowed: \`next\` of the previous page of the same search`
  return new Problem('bad-parameter', `after: ${message}`, { errors: [{ path: 'query.after', message }] })
}
