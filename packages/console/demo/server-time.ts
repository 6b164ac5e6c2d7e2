/** Reads the milliseconds in the server from `Server-Timing: total;dur=3`; undefined if a proxy removed the header. */
export const readServerMs = (headers: Headers): number | undefined => {
  const [, duration] = /\btotal;dur=([\d.]+)/.exec(headers.get('server-timing') ?? '') ?? []
  return duration === undefined ? undefined : Number(duration)
}
