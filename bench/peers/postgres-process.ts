/** Creates a database on a test PostgreSQL in a separate process, which can be pinned. The database ends with the process. */
import { freshDatabase } from '#server/storage/test-postgres'

process.on('SIGTERM', () => process.exit())
process.on('disconnect', () => process.exit())
process.send?.({ url: await freshDatabase() })
