/** Apart from typed-value.ts, because many pages load it. */
import type { ValueForm } from '@querent/contract/value-form'

/** Writes a decimal number with the decimal sign of its field. Other texts, such as `1.5e30`, stay as they are. */
export const writeDecimal = (value: string, { decimal }: Readonly<ValueForm>): string =>
  decimal === ',' && /^[+-]?\d*\.\d+$/.test(value) ? value.replace('.', ',') : value
