const unitMinutes: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60 }

/** `15m`, `90s`, `24h` in minutes. */
export const toMinutes = (lifetime: string): number =>
  Number.parseInt(lifetime, 10) * (unitMinutes[lifetime.slice(-1)] ?? 1)
