/** Preloaded by a command of a test: kills the process without warning before its 1,500th update of a search, inside of a transaction. */
import Database from 'better-sqlite3'

const updatesMax = 1500
let updates = 0

const { prepare } = Database.prototype
Database.prototype.prepare = function (this: Database.Database, source: string) {
  const statement = prepare.call(this, source)
  if (!/^update "searches"/.test(source)) return statement
  const { run } = statement
  return Object.assign(statement, {
    run: (...parameters: unknown[]): unknown => {
      if (++updates === updatesMax) process.kill(process.pid, 'SIGKILL')
      return Reflect.apply(run, statement, parameters)
    },
  })
} as typeof prepare
