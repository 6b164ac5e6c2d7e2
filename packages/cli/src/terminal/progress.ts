import progress from 'cli-progress'

/** The progress bar of an import. */
export interface Progress {
  /** `done` has the unit of the total. */
  update(done: number, documents: number): void
  stop(): void
}

const silent: Progress = { update: () => {}, stop: () => {} }

/**
 * Shows a bar on stderr with documents, rate and time left, or nothing if stderr is not a terminal. `total` is undefined for a stream of
 * unknown length: then it shows only documents and rate.
 */
export const startProgress = (title: string, total: number | undefined): Progress => {
  if (!process.stderr.isTTY) return silent
  const hasTotal = total !== undefined && total > 0
  const format = hasTotal
    ? `${title} {bar} {percentage}% | {documents} documents | {rate}/s | {left} left`
    : `${title} {documents} documents | {rate}/s`
  const bar = new progress.SingleBar(
    { format, stream: process.stderr, barsize: 24, hideCursor: true, fps: 5 },
    progress.Presets.shades_classic,
  )
  const startedMs = Date.now()
  const payload = (fraction: number, documents: number) => {
    const seconds = Math.max(0.001, (Date.now() - startedMs) / 1000)
    const leftSeconds = fraction > 0 ? (seconds / fraction) * (1 - fraction) : undefined
    return {
      documents: documents.toLocaleString('en'),
      rate: Math.round(documents / seconds).toLocaleString('en'),
      left: leftSeconds === undefined ? '…' : clock(leftSeconds),
    }
  }
  bar.start(hasTotal ? total : 1, 0, payload(0, 0))
  return {
    update: (done, documents) =>
      bar.update(hasTotal ? Math.min(done, total) : 0, payload(hasTotal ? done / total : 0, documents)),
    stop: () => bar.stop(),
  }
}

const clock = (seconds: number): string => {
  const wholeSeconds = Math.ceil(seconds)
  return wholeSeconds < 60
    ? `${wholeSeconds} s`
    : `${Math.floor(wholeSeconds / 60)} min ${wholeSeconds % 60} s`
}
