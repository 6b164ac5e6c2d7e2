/** Preloaded by a command of a test: kills the process without warning before its 5,000th update of a search, inside of a transaction. */
import Database from 'better-sqlite3'

const updatesMax = 5000
let updates = 0

const { prepare } = Database.prototype
Database.prototype.prepare = function (this: Database.Database, source: string) {
  if (/^update "searches"/.test(source) && ++updates === updatesMax) process.kill(process.pid, 'SIGKILL')
  return prepare.call(this, source)
} as typeof prepare
