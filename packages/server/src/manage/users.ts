/** People, as operators see them. */
import type { User } from '@querent/contract/manage'
import { Problem } from '#errors'
import {
  createUser,
  findUserByEmail,
  foldEmail,
  listUsers,
  setUserDisabled,
  type UserRow,
} from '#storage/users'
import { audit, type Handler, timestamp } from './call.ts'
import { pageOf, pageRequest } from './pages.ts'

/** NIST SP 800-63B, section 3.1.1.2: at least 8 characters. */
const passwordCharsMin = 8

export const userHandlers = {
  createUser: async (deps, call) => {
    const { email, name, password } = call.input
    refuseWeakPassword(password, email)
    const passwordHash = password === undefined ? undefined : await deps.hashPassword(password)
    const row = await deps.storage.write(async writer => {
      const made = await createUser(writer, {
        email,
        ...(name === undefined ? {} : { name }),
        ...(passwordHash === undefined ? {} : { passwordHash }),
      })
      if (!made) throw new Problem('conflict', `there is a user ${foldEmail(email)} already`)
      await audit(writer, call, { target: made.email })
      return made
    })
    return describe(row)
  },

  listUsers: async ({ storage }, { query }) => {
    const request = pageRequest(query)
    const rows = await listUsers(storage.db, request.after, request.count + 1)
    const page = pageOf(rows, request, row => row.email)
    return { items: page.rows.map(describe), next: page.next }
  },

  updateUser: async ({ storage }, call) => {
    const { disabled } = call.input
    const row = await storage.write(async writer => {
      const user = await findUserByEmail(writer.db, call.params.email)
      if (!user) throw new Problem('no-such-resource', `there is no user ${call.params.email}`)
      if (disabled && user.id === call.principal.subject)
        throw new Problem('conflict', 'you cannot disable yourself: ask another operator')
      await setUserDisabled(writer, user.id, disabled)
      await audit(writer, call, { target: user.email, detail: { disabled } })
      return user
    })
    return describe({ ...row, disabled: disabled ? 1 : 0 })
  },
} satisfies { [Id in 'createUser' | 'listUsers' | 'updateUser']: Handler<Id> }

const describe = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  operator: row.operator === 1,
  disabled: row.disabled === 1,
  createdAt: timestamp(row.created_at),
})

const refuseWeakPassword = (password: string | undefined, email: string): void => {
  if (password === undefined) return
  const refuse = (message: string) =>
    new Problem('bad-parameter', `body.password: ${message}`, {
      errors: [{ path: 'body.password', message }],
    })
  if ([...password].length < passwordCharsMin)
    throw refuse(`too short, allowed: at least ${passwordCharsMin} characters`)
  if (foldEmail(password) === foldEmail(email)) throw refuse('is the e-mail address; choose another')
}
