/** Backups of the whole server, for operators at the command line. */
import { audit, type Handler } from './call.ts'
import { refuse } from './refuse.ts'

/** The console's own client: a backup holds all secrets, and a page in a browser has no use for them. */
const consoleClientId = 'console'

export const backupHandlers = {
  makeBackup: async (deps, call) => {
    if (call.principal.client.id === consoleClientId)
      throw refuse(deps, call, {
        message: 'backups are not given to browsers: make one with `querent backup FILE`',
        workspace: '',
      })
    const { storage, backups } = deps
    return backups.make(() => storage.write(writer => audit(writer, call, { target: 'server' })))
  },
} satisfies { makeBackup: Handler<'makeBackup'> }
