/** Emits events to one listener, and keeps those that come before it. */

/** Another listener replaces the first. */
export const createBufferedEmitter = <Event>() => {
  const buffered: Event[] = []
  let listener = (event: Event): void => void buffered.push(event)
  return {
    emit: (event: Event): void => listener(event),
    listen(newListener: (event: Event) => void): void {
      listener = newListener
      buffered.splice(0).forEach(newListener)
    },
  }
}
