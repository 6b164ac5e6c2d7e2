/** Moves a started server from its data folder to PostgreSQL, as docs/operate.md says. */
import { freshDatabase } from '#server/storage/test-postgres'
import { runQuerent } from './command-line.ts'
import type { ServerProcess } from './started-server.ts'

/** The server runs again on the same ports, and so do later commands. Throws if the move fails. */
export const moveToPostgres = async (
  server: Pick<ServerProcess, 'data' | 'shutDown' | 'restart'>,
): Promise<void> => {
  const storage = await freshDatabase()
  await server.shutDown()
  const env = { QUERENT_STORAGE: storage }
  const { code, stderr } = await runQuerent(['move', '--data', server.data, '--json'], { env })
  if (code !== 0) throw new Error(`querent move ended with ${code}: ${stderr}`)
  Object.assign(process.env, env)
  await server.restart()
}
