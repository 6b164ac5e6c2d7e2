// Ends with 0 when the server of this container answers: its image has no curl. For HEALTHCHECK; Kubernetes asks by itself.
const { QUERENT_ONLY, QUERENT_PORT, QUERENT_AUTH_PORT } = process.env
const port = QUERENT_ONLY === 'authorization' ? QUERENT_AUTH_PORT || 4001 : QUERENT_PORT || 4000
const isWell = await fetch(`http://127.0.0.1:${port}/healthz`).then(
  reply => reply.ok,
  () => false,
)
process.exitCode = isWell ? 0 : 1
