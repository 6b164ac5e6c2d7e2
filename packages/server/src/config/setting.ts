/** The shape of a row in the table of settings. */

/** One setting: its names, its description, and how to read its value. */
export interface Setting<T> {
  /** Flag in the syntax of commander. Undefined for secrets, which must not appear in a process list. */
  flag?: string
  environment: string
  /** Environment variable that other programs share. Our own variable takes precedence. */
  standard?: string
  default: T
  /** Shown instead of a default that depends on other settings. */
  defaultText?: string
  unit?: string
  /** Help text: what the setting does, then why. */
  description: string
  /** Throws ConfigError without the name of the setting. */
  read: (text: string) => T
}
