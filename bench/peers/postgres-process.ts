/** A new database on a PostgreSQL of the tests, in a process of its own, so that it is pinned where this process is. It ends with it. */
import { freshDatabase } from '#server/storage/test-postgres'

process.on('SIGTERM', () => process.exit())
process.on('disconnect', () => process.exit())
process.send?.({ url: await freshDatabase() })
