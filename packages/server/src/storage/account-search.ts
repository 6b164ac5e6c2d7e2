/** Finds people and System-to-System accounts by how their address or name begins. Each page costs the same, however many there are. */
import { type RawBuilder, sql } from 'kysely'
import { Problem } from '#errors'
import type { Storage } from './db.ts'

/** So many people are looked at for one piece of a page: of all whose address begins so, few may be members. */
const scanMax = 5_000
/** Behind all that begin so: no text has this character (Unicode, section 23.7). */
const highestCharacter = '\u{10ffff}'

export interface AccountSearch {
  /** Neither empty nor with U+0000, which PostgreSQL does not take. */
  text: string
  /** All users, or members of a workspace, or of these the System-to-System accounts alone. */
  among: 'users' | { workspaceId: string; kind?: 'system-to-system' }
  /** `next` of the page before; empty: the first page. */
  after: string
  count: number
}

/** What one index finds, in order of key and id. */
interface IndexScan {
  table: 'users' | 'clients'
  key: RawBuilder<string>
  /** With what its keys begin. */
  text: string
  /** Where they begin and end. */
  begin: RawBuilder<boolean>
  end: RawBuilder<boolean>
  /** Other conditions: what an earlier piece has found is left out. Undefined: none. */
  where: RawBuilder<boolean> | undefined
}

/** The last that was looked at in a piece, in order of key and id; without a key: a member, in order of id. */
interface ScanPosition {
  key?: string
  id: string
}
interface KeyedPosition extends ScanPosition {
  key: string
}

/**
 * Ids of users, and Client IDs of System-to-System accounts: whose address or name begins with the text, or whose Client ID it is. Capitals
 * A to Z are like small letters; other letters are tried as they are, small, as capitals, and with a capital in each word. Who is found by
 * address comes first, then by name, then accounts. Where few of those looked at are found a page is short, or empty, though `next` is
 * there. `next` names nobody but users, where all are searched, and else members of the workspace. Throws 400 for an `after` that is no
 * `next`.
 */
export const searchAccounts = async (
  storage: Pick<Storage, 'db' | 'kind'>,
  search: AccountSearch,
): Promise<{ ids: string[]; next: string | null }> => {
  const { among, count } = search
  const scans = planScans(storage.kind, search)
  const cursor = parseCursor(search.after, scans.length)
  const ids: string[] = []
  for (const [index, scan] of scans.entries()) {
    if (index < cursor.index) continue
    const startPosition = index === cursor.index ? cursor.position : undefined
    const strategy = await chooseStrategy(storage, scan, among)
    if (startPosition && !isPositionWithin(scan, strategy, startPosition)) throw invalidCursor(search.after)
    const end = await findEnd(storage, scan, { among, strategy, after: startPosition })
    const room = count - ids.length
    const rows = await read(storage, scan, { among, strategy, after: startPosition, end, count: room + 1 })
    const page = rows.slice(0, room)
    ids.push(...page.map(({ id }) => id))
    const isFull = rows.length > room
    const position = isFull ? page.at(-1) : end
    if (isFull || position) return { ids, next: formatCursor(index, position) }
  }
  return { ids, next: null }
}

const planScans = (kind: Storage['kind'], { text, among }: AccountSearch): IndexScan[] => {
  // As SQLite compares and folds: the index that PostgreSQL has for it is in the same order.
  const plain = kind === 'postgres' ? sql` collate "C"` : sql``
  const makeKeyRange = (key: RawBuilder<string>, text: string) => ({
    key,
    text,
    begin: sql<boolean>`${key} >= ${text}`,
    end: sql<boolean>`${key} < ${text + highestCharacter}`,
  })
  const names = listSpellings(text)
  const address = makeKeyRange(sql`users.email${plain}`, text.toLowerCase())
  const otherAddress = sql<boolean>`not (${address.begin} and ${address.end})`
  const people: IndexScan[] = [
    { table: 'users', ...address, where: undefined },
    ...names.map(
      (name): IndexScan => ({
        table: 'users',
        ...makeKeyRange(sql`lower(users.name${plain})`, name),
        where: otherAddress,
      }),
    ),
  ]
  if (among === 'users') return people
  const systemCondition = sql<boolean>`clients.workspace_id = ${among.workspaceId} and clients.kind = 'system-to-system'`
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
  return [...(among.kind === undefined ? people : []), ...byName, byId]
}

/** How names that begin so may be written; A to Z small, as `lower` makes them in both databases. */
const listSpellings = (text: string): string[] => {
  const small = text.toLowerCase()
  const capitalized = small.replace(/(?<![\p{L}\p{M}])\p{L}/gu, letter => letter.toUpperCase())
  const spellings = [text, small, text.toUpperCase(), capitalized]
  return [...new Set(spellings.map(each => each.replace(/[A-Z]/g, letter => letter.toLowerCase())))]
}

/**
 * How a piece is gone through. `index`: all that begin so. `members`: the few members there are. `each member`: where many people begin so
 * and there are many members, of these 5,000 a page, in order of id. That the text and these two numbers decide, never `after`: who chooses
 * places could else ask for people who are no members. Where a number passes 5,000 between two pages, the search begins again: 400.
 */
type ScanStrategy = 'index' | 'members' | 'each member'

const chooseStrategy = async (
  storage: Pick<Storage, 'db'>,
  scan: IndexScan,
  among: AccountSearch['among'],
): Promise<ScanStrategy> => {
  if (scan.table === 'clients' || among === 'users') return 'index'
  if (!(await findPositionAfter(storage, scan, undefined))) return 'index'
  return (await findMemberAfter(storage, among.workspaceId, undefined)) ? 'each member' : 'members'
}

const isPositionWithin = ({ text }: IndexScan, strategy: ScanStrategy, { key }: ScanPosition): boolean =>
  strategy === 'each member' ? key === undefined : (key?.startsWith(text) ?? false)

/** The last that is looked at for this page; undefined: all are. */
const findEnd = async (
  storage: Pick<Storage, 'db'>,
  scan: IndexScan,
  {
    among,
    strategy,
    after,
  }: Pick<AccountSearch, 'among'> & { strategy: ScanStrategy; after: ScanPosition | undefined },
): Promise<ScanPosition | undefined> => {
  if (among === 'users') return scan.where && findPositionAfter(storage, scan, after)
  return strategy === 'each member' ? findMemberAfter(storage, among.workspaceId, after) : undefined
}

/** The 5,000th member from there on; undefined: there are fewer. */
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
 * From `after` on, where there is one: looking from the beginning would cost more with each page. SQLite knows no index for a pair with an
 * expression, so the key stands alone too; of people of the very same name it passes those who were looked at again.
 */
const rangeCondition = (scan: IndexScan, after: ScanPosition | undefined): RawBuilder<boolean> =>
  after?.key !== undefined
    ? sql`${scan.key} >= ${after.key} and (${scan.key}, ${idColumn(scan)}) > (${after.key}, ${after.id}) and ${scan.end}`
    : sql`${scan.begin} and ${scan.end}`

/** The 5,000th row of the index from there on; undefined: there are fewer. */
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

/** In order of key and id, or of id; up to `end`, where there is one. */
const read = async (
  { db }: Pick<Storage, 'db'>,
  scan: IndexScan,
  {
    among,
    strategy,
    after,
    end,
    count,
  }: Pick<AccountSearch, 'among' | 'count'> & {
    strategy: ScanStrategy
    after: ScanPosition | undefined
    end: ScanPosition | undefined
  },
): Promise<ScanPosition[]> => {
  const { table, key } = scan
  const id = idColumn(scan)
  // SQLite reads what stands first in a cross join first (https://sqlite.org/optoverview.html, 7.2); PostgreSQL chooses.
  const joined = strategy === 'index' ? sql`users cross join members` : sql`members cross join users`
  const isOfMembers = table === 'users' && among !== 'users'
  const memberCondition = isOfMembers
    ? sql`and members.subject = users.id and members.workspace_id = ${among.workspaceId}`
    : sql``
  const extraCondition = scan.where ? sql`and ${scan.where}` : sql``
  const isByKey = strategy !== 'each member'
  const keyCondition = isByKey
    ? rangeCondition(scan, after)
    : sql`${rangeCondition(scan, undefined)} and members.subject > ${after?.id ?? ''}`
  const { rows } =
    await sql<ScanPosition>`select ${isByKey ? sql`${key} as key, ` : sql``}${id} as id from ${isOfMembers ? joined : sql.table(table)}
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
  const message = `found ${JSON.stringify(after)}, allowed: \`next\` of the page before, of the same search`
  return new Problem('bad-parameter', `after: ${message}`, { errors: [{ path: 'query.after', message }] })
}
