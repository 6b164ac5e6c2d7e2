/** Backups of the whole server, for operators. */
import { consoleClientId } from '#storage/clients'
import { findUser } from '#storage/users'
import { audit, type Handler } from './call.ts'
import { refuseWrongPassword } from './own-password.ts'
import { makeRefusal } from './refuse.ts'

/** Actions of the audit log that make a backup. */
export const backupActions = ['makeBackup', 'downloadBackup'] as const

export const backupHandlers = {
  makeBackup: async (deps, call) => {
    // A backup contains all secrets, so a token in a browser is not enough.
    if (call.principal.client.id === consoleClientId)
      throw makeRefusal(deps, call, {
        message:
          'this operation is not available in browsers: use `querent backup FILE`, or download it with your password',
        workspace: '',
      })
    const { storage, backups } = deps
    return backups.make(() => storage.write(writer => audit(writer, call, { target: 'server' })))
  },

  downloadBackup: async (deps, call) => {
    const { storage, backups } = deps
    const user = await findUser(storage.db, call.principal.subject)
    if (!user) throw new Error('an operator is no user')
    await refuseWrongPassword(deps, user, call.input.password, 'password')
    return backups.make(() => storage.write(writer => audit(writer, call, { target: 'server' })))
  },
} satisfies { makeBackup: Handler<'makeBackup'>; downloadBackup: Handler<'downloadBackup'> }
