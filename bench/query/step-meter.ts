/**
 * Preloaded into a server that is measured (`node --import`): finds the longest step of its main thread, in processor time of that thread, so
 * that other processes on the machine do not count. Each connection to the socket `QUERENT_STEP_METER` gets the longest step in milliseconds
 * since the connection before.
 */
import { createServer } from 'node:net'
import { isMainThread } from 'node:worker_threads'

const path = process.env.QUERENT_STEP_METER
if (path && isMainThread && process.argv.includes('serve')) {
  const readMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let longestMs = 0
  let lastMs = readMs()
  /** A timer fires in each round of the event loop, so the time between two of them is one round. */
  setInterval(() => {
    const nowMs = readMs()
    longestMs = Math.max(longestMs, nowMs - lastMs)
    lastMs = nowMs
  }, 1).unref()
  createServer(socket => {
    socket.on('error', () => {})
    socket.end(String(longestMs))
    longestMs = 0
  })
    .listen(path)
    .unref()
}
