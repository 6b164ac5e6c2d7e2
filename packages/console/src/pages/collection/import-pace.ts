/** Estimates the speed of an import and the time that it still takes. */

interface PaceInput {
  /** Documents that are imported so far. */
  documents: number
  /** Bytes of the file that the server has read. */
  bytesRead: number
  /** Milliseconds since the import started. */
  afterMs: number
}

export interface Pace {
  /** A whole number from 10, or with one or two digits. Undefined until the first documents are imported. */
  documentsPerSecond: number | undefined
  /** A whole number from 1. Undefined until the first documents are imported, and when the whole file is read. */
  secondsLeft: number | undefined
}

/** Estimates the time left from the part of the file that is read. `bytesTotal` is undefined if the size is unknown. */
export const estimatePace = (
  { documents, bytesRead, afterMs }: PaceInput,
  bytesTotal: number | undefined,
): Pace => {
  if (documents === 0 || afterMs <= 0) return { documentsPerSecond: undefined, secondsLeft: undefined }
  const seconds = afterMs / 1000
  const isPartRead = bytesTotal !== undefined && bytesRead > 0 && bytesRead < bytesTotal
  return {
    documentsPerSecond: roundRate(documents / seconds),
    secondsLeft: isPartRead ? Math.ceil((seconds * (bytesTotal - bytesRead)) / bytesRead) : undefined,
  }
}

/** A slow import, such as one that makes vectors, is not at 0 a second. */
const roundRate = (rate: number): number => (rate < 10 ? Number(rate.toPrecision(2)) : Math.round(rate))
