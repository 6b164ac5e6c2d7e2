/** Finds people and System-to-System accounts by how their address or name begins. Each page costs the same, however many there are. */
import { type RawBuilder, sql } from 'kysely'
import { Problem } from '#errors'
import type { Storage } from './db.ts'

/** So many people are looked at for one piece of a page: of all whose address begins so, few may be members. */
const lookedAtMax = 5_000
/** Behind all that begin so: no text has this character (Unicode, section 23.7). */
const highest = '\u{10ffff}'

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
interface Piece {
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
interface Place {
  key?: string
  id: string
}
interface Keyed extends Place {
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
  const pieces = piecesOf(storage.kind, search)
  const from = readAfter(search.after, pieces.length)
  const ids: string[] = []
  for (const [index, piece] of pieces.entries()) {
    if (index < from.index) continue
    const after = index === from.index ? from.place : undefined
    const way = await wayOf(storage, piece, among)
    if (after && !isPlaceOf(piece, way, after)) throw noNext(search.after)
    const end = await endOf(storage, piece, { among, way, after })
    const room = count - ids.length
    const rows = await read(storage, piece, { among, way, after, end, count: room + 1 })
    const found = rows.slice(0, room)
    ids.push(...found.map(({ id }) => id))
    const isFull = rows.length > room
    const place = isFull ? found.at(-1) : end
    if (isFull || place) return { ids, next: writeAfter(index, place) }
  }
  return { ids, next: null }
}

const piecesOf = (kind: Storage['kind'], { text, among }: AccountSearch): Piece[] => {
  // As SQLite compares and folds: the index that PostgreSQL has for it is in the same order.
  const plain = kind === 'postgres' ? sql` collate "C"` : sql``
  const ofKeys = (key: RawBuilder<string>, text: string) => ({
    key,
    text,
    begin: sql<boolean>`${key} >= ${text}`,
    end: sql<boolean>`${key} < ${text + highest}`,
  })
  const names = spellingsOf(text)
  const address = ofKeys(sql`users.email${plain}`, text.toLowerCase())
  const otherAddress = sql<boolean>`not (${address.begin} and ${address.end})`
  const people: Piece[] = [
    { table: 'users', ...address, where: undefined },
    ...names.map(
      (name): Piece => ({
        table: 'users',
        ...ofKeys(sql`lower(users.name${plain})`, name),
        where: otherAddress,
      }),
    ),
  ]
  if (among === 'users') return people
  const where = sql<boolean>`clients.workspace_id = ${among.workspaceId} and clients.kind = 'system-to-system'`
  const byName = names.map(
    (name): Piece => ({ table: 'clients', ...ofKeys(sql`lower(clients.name${plain})`, name), where }),
  )
  const hasName = sql.join(
    byName.map(({ begin, end }) => sql`${begin} and ${end}`),
    sql` or `,
  )
  const byId: Piece = {
    table: 'clients',
    key: sql`clients.id`,
    text,
    begin: sql`clients.id >= ${text}`,
    end: sql`clients.id <= ${text}`,
    where: sql`${where} and not (${hasName})`,
  }
  return [...(among.kind === undefined ? people : []), ...byName, byId]
}

/** How names that begin so may be written; A to Z small, as `lower` makes them in both databases. */
const spellingsOf = (text: string): string[] => {
  const small = text.toLowerCase()
  const capitalised = small.replace(/(?<![\p{L}\p{M}])\p{L}/gu, letter => letter.toUpperCase())
  const spellings = [text, small, text.toUpperCase(), capitalised]
  return [...new Set(spellings.map(each => each.replace(/[A-Z]/g, letter => letter.toLowerCase())))]
}

/**
 * How a piece is gone through. `index`: all that begin so. `members`: the few members there are. `each member`: where many people begin so
 * and there are many members, of these 5,000 a page, in order of id. That the text and these two numbers decide, never `after`: who chooses
 * places could else ask for people who are no members. Where a number passes 5,000 between two pages, the search begins again: 400.
 */
type Way = 'index' | 'members' | 'each member'

const wayOf = async (
  storage: Pick<Storage, 'db'>,
  piece: Piece,
  among: AccountSearch['among'],
): Promise<Way> => {
  if (piece.table === 'clients' || among === 'users') return 'index'
  if (!(await placeAfter(storage, piece, undefined))) return 'index'
  return (await memberAfter(storage, among.workspaceId, undefined)) ? 'each member' : 'members'
}

const isPlaceOf = ({ text }: Piece, way: Way, { key }: Place): boolean =>
  way === 'each member' ? key === undefined : (key?.startsWith(text) ?? false)

/** The last that is looked at for this page; undefined: all are. */
const endOf = async (
  storage: Pick<Storage, 'db'>,
  piece: Piece,
  { among, way, after }: Pick<AccountSearch, 'among'> & { way: Way; after: Place | undefined },
): Promise<Place | undefined> => {
  if (among === 'users') return piece.where && placeAfter(storage, piece, after)
  return way === 'each member' ? memberAfter(storage, among.workspaceId, after) : undefined
}

/** The 5,000th member from there on; undefined: there are fewer. */
const memberAfter = async (
  { db }: Pick<Storage, 'db'>,
  workspaceId: string,
  after: Place | undefined,
): Promise<Place | undefined> =>
  db
    .selectFrom('members')
    .select('subject as id')
    .where('workspace_id', '=', workspaceId)
    .where('subject', '>', after?.id ?? '')
    .orderBy('subject')
    .limit(1)
    .offset(lookedAtMax - 1)
    .executeTakeFirst()

const idOf = ({ table }: Piece): RawBuilder<string> => sql`${sql.ref(`${table}.id`)}`

/**
 * From `after` on, where there is one: looking from the beginning would cost more with each page. SQLite knows no index for a pair with an
 * expression, so the key stands alone too; of people of the very same name it passes those who were looked at again.
 */
const rest = (piece: Piece, after: Place | undefined): RawBuilder<boolean> =>
  after?.key !== undefined
    ? sql`${piece.key} >= ${after.key} and (${piece.key}, ${idOf(piece)}) > (${after.key}, ${after.id}) and ${piece.end}`
    : sql`${piece.begin} and ${piece.end}`

/** The 5,000th row of the index from there on; undefined: there are fewer. */
const placeAfter = async (
  { db }: Pick<Storage, 'db'>,
  piece: Piece,
  after: Place | undefined,
): Promise<Keyed | undefined> => {
  const { key } = piece
  const found = await sql<Keyed>`select ${key} as key, users.id as id from users
    where ${rest(piece, after)} order by ${key}, users.id limit 1 offset ${lookedAtMax - 1}`.execute(db)
  return found.rows[0]
}

/** In order of key and id, or of id; up to `end`, where there is one. */
const read = async (
  { db }: Pick<Storage, 'db'>,
  piece: Piece,
  {
    among,
    way,
    after,
    end,
    count,
  }: Pick<AccountSearch, 'among' | 'count'> & {
    way: Way
    after: Place | undefined
    end: Place | undefined
  },
): Promise<Place[]> => {
  const { table, key } = piece
  const id = idOf(piece)
  // SQLite reads what stands first in a cross join first (https://sqlite.org/optoverview.html, 7.2); PostgreSQL chooses.
  const joined = way === 'index' ? sql`users cross join members` : sql`members cross join users`
  const isOfMembers = table === 'users' && among !== 'users'
  const areMembers = isOfMembers
    ? sql`and members.subject = users.id and members.workspace_id = ${among.workspaceId}`
    : sql``
  const where = piece.where ? sql`and ${piece.where}` : sql``
  const isByKey = way !== 'each member'
  const from = isByKey
    ? rest(piece, after)
    : sql`${rest(piece, undefined)} and members.subject > ${after?.id ?? ''}`
  const { rows } =
    await sql<Place>`select ${isByKey ? sql`${key} as key, ` : sql``}${id} as id from ${isOfMembers ? joined : sql.table(table)}
    where ${from} ${upTo(piece, end)} ${where} ${areMembers}
    order by ${isByKey ? sql`${key}, ${id}` : sql`members.subject`} limit ${count}`.execute(db)
  return rows
}

const upTo = (piece: Piece, end: Place | undefined): RawBuilder<unknown> => {
  if (!end) return sql``
  return end.key === undefined
    ? sql`and members.subject <= ${end.id}`
    : sql`and ${piece.key} <= ${end.key} and (${piece.key}, ${idOf(piece)}) <= (${end.key}, ${end.id})`
}

const writeAfter = (index: number, place: Place | undefined): string =>
  [index, ...(place ? [place.id] : []), ...(place?.key === undefined ? [] : [place.key])].join(':')

const readAfter = (after: string, pieces: number): { index: number; place: Place | undefined } => {
  const [, index = '', id, key] = /^(\d{1,2})(?::([^:]+)(?::(.+))?)?$/s.exec(after || '0') ?? []
  if (index === '' || Number(index) >= pieces) throw noNext(after)
  const place = id === undefined ? undefined : { id, ...(key === undefined ? {} : { key }) }
  return { index: Number(index), place }
}

const noNext = (after: string): Problem => {
  const message = `found ${JSON.stringify(after)}, allowed: \`next\` of the page before, of the same search`
  return new Problem('bad-parameter', `after: ${message}`, { errors: [{ path: 'query.after', message }] })
}
