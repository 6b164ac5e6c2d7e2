import progress from 'cli-progress'

/** How far an import is. */
export interface Progress {
  /** `done` of the total, in the same unit; `documents` so far. */
  update(done: number, documents: number): void
  stop(): void
}

const silent: Progress = { update: () => {}, stop: () => {} }

/**
 * A bar on stderr with documents, rate and time left; nothing where stderr is no terminal.
 * `total` is absent for a stream of unknown length: then only documents and rate are shown.
 */
export const startProgress = (title: string, total: number | undefined): Progress => {
  if (!process.stderr.isTTY) return silent
  const known = total !== undefined && total > 0
  const format = known
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
  bar.start(known ? total : 1, 0, payload(0, 0))
  return {
    update: (done, documents) =>
      bar.update(known ? Math.min(done, total) : 0, payload(known ? done / total : 0, documents)),
    stop: () => bar.stop(),
  }
}

const clock = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}
