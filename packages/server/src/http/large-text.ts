/** Writes long text in steps, so that other requests run between them. */
import { createTimeSlice } from '#memory/time-slice'
import { replyBytesMax, replyTooLarge } from './reply-size.ts'

/** Texts up to this length are one string. */
const shortCharacters = 256 * 1024

/** A short text, or the bytes of a long one. */
export type Text = string | readonly Buffer[]

/**
 * Joins parts. Waits for other requests from time to time if that takes long, because making a part may be most of the work. Throws Problem
 * `reply-too-large` beyond `bytesMax`.
 */
export const joinParts = (parts: Iterator<string, void>, bytesMax = replyBytesMax): Text | Promise<Text> => {
  const waitForOthers = createTimeSlice()
  let text = ''
  for (let part = parts.next(); !part.done; part = parts.next()) {
    text += part.value
    const turn = waitForOthers()
    if (turn) return turn.then(() => joinRest(text, parts, waitForOthers, bytesMax))
    if (text.length > shortCharacters) return joinRest(text, parts, waitForOthers, bytesMax)
  }
  return text
}

const joinRest = async (
  start: string,
  parts: Iterator<string, void>,
  waitForOthers: ReturnType<typeof createTimeSlice>,
  bytesMax: number,
): Promise<Text> => {
  const pieces: Buffer[] = []
  let bytes = 0
  const close = (text: string) => {
    const piece = Buffer.from(text)
    pieces.push(piece)
    bytes += piece.length
    if (bytes > bytesMax) throw replyTooLarge(bytesMax)
  }
  let text = start
  for (let part = parts.next(); !part.done; part = parts.next()) {
    if (text.length > shortCharacters) {
      close(text)
      text = ''
    }
    text += part.value
    await waitForOthers()
  }
  if (pieces.length === 0) return text
  close(text)
  return pieces
}

/** Whether the text is a string or one buffer. */
export const isOnePiece = (text: Text | Uint8Array): text is string | Uint8Array =>
  typeof text === 'string' || text instanceof Uint8Array

export const byteLength = (text: Text | Uint8Array): number =>
  isOnePiece(text) ? Buffer.byteLength(text) : text.reduce((bytes, piece) => bytes + piece.length, 0)

/** Returns a text as one string. Use it for texts with a low limit only. */
export const readString = (text: Text): string =>
  typeof text === 'string' ? text : Buffer.concat(text).toString()
