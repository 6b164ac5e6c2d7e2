/** Finds people and System-to-System accounts by how their address or name begins. Each page costs the same, however many there are. */
import { type RawBuilder, sql } from 'kysely'
import { Problem } from '#errors'
import type { Storage } from './db.ts'

/**
 * So many people are looked at for one piece of a page: of all whose address begins so, few may be members. Where it is more, a workspace of
 * no more members is looked through instead.
 */
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
  /** Where its keys begin and end. */
  begin: RawBuilder<boolean>
  end: RawBuilder<boolean>
  /** Other conditions: what an earlier piece has found is left out. */
  where: RawBuilder<boolean>
}

/** The last that was looked at in a piece; undefined: none yet. */
interface Place {
  key: string
  id: string
}

/**
 * Ids of users, and Client IDs of System-to-System accounts: whose address or name begins with the text, or whose Client ID it is. Capitals
 * A to Z are like small letters; other letters are tried as they are, small, as capitals, and with a capital in each word. Who is found by
 * address comes first, then by name, then accounts. Where few of those looked at are members a page is short, or empty, though `next` is
 * there. Throws 400 for an `after` that is no `next`.
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
    const far = piece.table === 'users' ? await placeAfter(storage, piece, after, lookedAtMax) : undefined
    const isSmall =
      far !== undefined && among !== 'users' && (await hasFewMembers(storage, among.workspaceId))
    const end = isSmall ? undefined : far
    const room = count - ids.length
    const rows = await read(storage, piece, { among, isSmall, after, end, count: room + 1 })
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
    begin: sql<boolean>`${key} >= ${text}`,
    end: sql<boolean>`${key} < ${text + highest}`,
  })
  const names = spellingsOf(text)
  const address = ofKeys(sql`users.email${plain}`, text.toLowerCase())
  const otherAddress = sql<boolean>`not (${address.begin} and ${address.end})`
  const people: Piece[] = [
    { table: 'users', ...address, where: sql`1 = 1` },
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
    begin: sql`clients.id = ${text}`,
    end: sql`1 = 1`,
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

const hasFewMembers = async ({ db }: Pick<Storage, 'db'>, workspaceId: string): Promise<boolean> => {
  const one = await db
    .selectFrom('members')
    .select('subject')
    .where('workspace_id', '=', workspaceId)
    .orderBy('subject')
    .limit(1)
    .offset(lookedAtMax)
    .executeTakeFirst()
  return one === undefined
}

const idOf = ({ table }: Piece): RawBuilder<string> => sql`${sql.ref(`${table}.id`)}`

/**
 * From `after` on, where there is one: looking from the beginning would cost more with each page. SQLite knows no index for a pair with an
 * expression, so the key stands alone too; of people of the very same name it passes those who were looked at again.
 */
const rest = (piece: Piece, after: Place | undefined): RawBuilder<boolean> =>
  after
    ? sql`${piece.key} >= ${after.key} and (${piece.key}, ${idOf(piece)}) > (${after.key}, ${after.id}) and ${piece.end}`
    : sql`${piece.begin} and ${piece.end}`

/** Of the last one of so many rows of the index; undefined: there are fewer. */
const placeAfter = async (
  { db }: Pick<Storage, 'db'>,
  piece: Piece,
  after: Place | undefined,
  rows: number,
): Promise<Place | undefined> => {
  const { key } = piece
  const found = await sql<Place>`select ${key} as key, users.id as id from users
    where ${rest(piece, after)} order by ${key}, users.id limit 1 offset ${rows - 1}`.execute(db)
  return found.rows[0]
}

/** In order of key and id; up to `end`, where there is one. */
const read = async (
  { db }: Pick<Storage, 'db'>,
  piece: Piece,
  {
    among,
    isSmall,
    after,
    end,
    count,
  }: Pick<AccountSearch, 'among' | 'count'> & {
    isSmall: boolean
    after: Place | undefined
    end: Place | undefined
  },
): Promise<Place[]> => {
  const { table, key, where } = piece
  const id = idOf(piece)
  const isOfMembers = table === 'users' && among !== 'users'
  // SQLite reads what stands first in a cross join first (https://sqlite.org/optoverview.html, 7.2); PostgreSQL chooses.
  const tables = isSmall ? sql`members cross join users` : sql`users cross join members`
  const areMembers = isOfMembers
    ? sql`and members.subject = users.id and members.workspace_id = ${among.workspaceId}`
    : sql``
  const until = end ? sql`and ${key} <= ${end.key} and (${key}, ${id}) <= (${end.key}, ${end.id})` : sql``
  const { rows } =
    await sql<Place>`select ${key} as key, ${id} as id from ${isOfMembers ? tables : sql.table(table)}
    where ${rest(piece, after)} ${until} and ${where} ${areMembers}
    order by ${key}, ${id} limit ${count}`.execute(db)
  return rows
}

const writeAfter = (index: number, place: Place | undefined): string =>
  place ? `${index}:${place.id}:${place.key}` : `${index}`

const readAfter = (after: string, pieces: number): { index: number; place: Place | undefined } => {
  const [, index = '', id, key] = /^(\d{1,2})(?::([^:]+):(.+))?$/s.exec(after || '0') ?? []
  if (index !== '' && Number(index) < pieces)
    return { index: Number(index), place: id && key ? { id, key } : undefined }
  const message = `found ${JSON.stringify(after)}, allowed: \`next\` of the page before, of the same search`
  throw new Problem('bad-parameter', `after: ${message}`, { errors: [{ path: 'query.after', message }] })
}
