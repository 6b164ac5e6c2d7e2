/** Signing keys, as operators rotate them. */
import { audit, type Handler, timestamp } from './call.ts'

/** Those who keep a key set fetch it anew within minutes, or when a token names a key that they do not know. */
const signsInSecondsDefault = 600

export const keyHandlers = {
  rotateKeys: async ({ keyRotation }, call) => {
    const { signsInSeconds = signsInSecondsDefault } = call.input
    const { published, signsFrom } = await keyRotation.rotate(signsInSeconds * 1000, (writer, rotation) =>
      audit(writer, call, {
        target: rotation.published.join(' '),
        detail: { signsFrom: timestamp(rotation.signsFrom) },
      }),
    )
    return { published, signsFrom: timestamp(signsFrom) }
  },
} satisfies { rotateKeys: Handler<'rotateKeys'> }
