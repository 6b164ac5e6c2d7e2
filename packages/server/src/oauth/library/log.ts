/** Pino's methods used by the authorization server. */
export interface Log {
  error(context: object, message: string): void
  warn(context: object, message: string): void
  debug(context: object, message: string): void
}
