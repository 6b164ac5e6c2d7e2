/** Backups of the whole server, for operators at the command line. */
import { consoleClientId } from '#storage/clients'
import { audit, type Handler } from './call.ts'
import { makeRefusal } from './refuse.ts'

export const backupHandlers = {
  makeBackup: async (deps, call) => {
    // A backup contains all secrets, and browsers do not need it.
    if (call.principal.client.id === consoleClientId)
      throw makeRefusal(deps, call, {
        message: 'backups are not available in browsers: create one with `querent backup FILE`',
        workspace: '',
      })
    const { storage, backups } = deps
    return backups.make(() => storage.write(writer => audit(writer, call, { target: 'server' })))
  },
} satisfies { makeBackup: Handler<'makeBackup'> }
