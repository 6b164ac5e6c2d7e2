/** Backups of the whole server, for operators at the command line. */
import { consoleClientId } from '#storage/clients'
import { audit, type Handler } from './call.ts'
import { makeRefusal } from './refuse.ts'

export const backupHandlers = {
  makeBackup: async (deps, call) => {
    // A backup holds all secrets, and a page in a browser has no use for them.
    if (call.principal.client.id === consoleClientId)
      throw makeRefusal(deps, call, {
        message: 'backups are not given to browsers: make one with `querent backup FILE`',
        workspace: '',
      })
    const { storage, backups } = deps
    return backups.make(() => storage.write(writer => audit(writer, call, { target: 'server' })))
  },
} satisfies { makeBackup: Handler<'makeBackup'> }
