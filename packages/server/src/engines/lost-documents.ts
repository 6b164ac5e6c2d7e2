/** Generations whose documents are lost: every use fails with the reason, so that nobody takes them for empty. */
import { type Engine, EngineError } from './engine.ts'

/** Reasons by id in the engine. */
export type LostDocuments = Map<string, string>

/**
 * Returns an engine that rejects lost generations, and the map that lists them. The owner of generations adds to it. A lost generation may
 * be released and dropped.
 */
export const refuseLostDocuments = (engine: Engine): { engine: Engine; lostDocuments: LostDocuments } => {
  const lostDocuments: LostDocuments = new Map()
  const refuse = (...ids: string[]): void => {
    if (lostDocuments.size === 0) return
    for (const id of ids) {
      const reason = lostDocuments.get(id)
      if (reason !== undefined) throw new EngineError('unavailable', lostMessage(reason))
    }
  }
  const { whenOpened, isOpened, writeSearchable } = engine
  const guarded: Engine = {
    ...engine,
    open: async (id, ...rest) => {
      refuse(id)
      return engine.open(id, ...rest)
    },
    ...(whenOpened && {
      whenOpened: (id, ...rest) => {
        if (lostDocuments.size > 0 && lostDocuments.has(id))
          return new Promise<void>(resolve => {
            refuse(id)
            resolve()
          })
        return whenOpened(id, ...rest)
      },
    }),
    ...(isOpened && { isOpened: id => !lostDocuments.has(id) && isOpened(id) }),
    release: async id => {
      if (!lostDocuments.delete(id)) await engine.release(id)
    },
    drop: async id => {
      lostDocuments.delete(id)
      await engine.drop(id)
    },
    info: id => {
      refuse(id)
      return engine.info(id)
    },
    version: id => {
      refuse(id)
      return engine.version(id)
    },
    write: async (id, ...rest) => {
      refuse(id)
      return engine.write(id, ...rest)
    },
    ...(writeSearchable && {
      writeSearchable: async (id, ...rest) => {
        refuse(id)
        return writeSearchable(id, ...rest)
      },
    }),
    refresh: async id => {
      refuse(id)
      return engine.refresh(id)
    },
    get: async (id, ...rest) => {
      refuse(id)
      return engine.get(id, ...rest)
    },
    list: async (id, ...rest) => {
      refuse(id)
      return engine.list(id, ...rest)
    },
    deleteMatching: async (id, ...rest) => {
      refuse(id)
      return engine.deleteMatching(id, ...rest)
    },
    copy: async (source, target) => {
      refuse(source, target)
      return engine.copy(source, target)
    },
    search: (id, ...rest) => {
      if (lostDocuments.size > 0 && lostDocuments.has(id))
        return new Promise(resolve => {
          refuse(id)
          resolve(engine.search(id, ...rest))
        })
      return engine.search(id, ...rest)
    },
  }
  return { engine: guarded, lostDocuments }
}

const lostMessage = (reason: string): string =>
  `the documents are missing, because this server was restored from a backup without them (${reason}): restore a complete backup, or import all documents again with --replace`
