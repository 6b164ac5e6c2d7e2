/** Returns a function that runs the tasks of one key one after the other. Tasks of different keys run concurrently. */
export const createKeyedQueue = () => {
  const lastTasks = new Map<string, Promise<unknown>>()
  return <T>(key: string, task: () => Promise<T>): Promise<T> => {
    const result = (lastTasks.get(key) ?? Promise.resolve()).then(task, task)
    lastTasks.set(key, result)
    const forget = () => {
      if (lastTasks.get(key) === result) lastTasks.delete(key)
    }
    result.then(forget, forget)
    return result
  }
}

/** Returns a function that runs at most `max` tasks at once, in order of arrival. */
export const createSemaphore = (max: number) => {
  const queue: (() => void)[] = []
  let free = max
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (free > 0) free--
    else await new Promise<void>(resolve => queue.push(resolve))
    try {
      return await task()
    } finally {
      const next = queue.shift()
      if (next) next()
      else free++
    }
  }
}
