/** The smallest and the largest value, the exact sum and the number of values, like packages/engine/src/search/facets/summary.rs. */
import { makeRawNumber } from '@querent/contract/exact-json'
import { EngineError } from '#engines/engine'
import type { FacetSummary } from '#engines/facet'
import { column, type SearchField } from './schema.ts'
import { dateText } from './values.ts'

/** The result of the scripts. `millionths` is a whole number; `sum` is absent for dates, whose values are whole numbers. */
interface Totals {
  count: number
  min: number | string | null
  max: number | string | null
  millionths: string
  sum?: number | string
}

const startScript = `
  state.count = 0L; state.part = 0L; state.whole = BigInteger.ZERO; state.rest = BigDecimal.ZERO;
  state.min = null; state.max = null; state.lowest = null; state.highest = null;`

/**
 * Numbers of up to six decimals are added as millionths, so that 0.1 and 0.2 are 0.3. All others are added exactly, too. Large whole numbers have a
 * column of their own.
 */
const numberScript = `
  boolean isFirst = true;
  double last = 0.0;
  for (def value : doc[params.column]) {
    double number = ((Number)value).doubleValue();
    if (!isFirst && number == last) { continue; }
    isFirst = false;
    last = number;
    double size = Math.abs(number);
    if (size >= 9007199254740992.0 && (size < 9223372036854775807.0 || number == -9223372036854775808.0)) { continue; }
    state.count = state.count + 1L;
    if (state.min == null || number < state.min) { state.min = number; }
    if (state.max == null || number > state.max) { state.max = number; }
    double millionths = Math.rint(number * 1000000.0);
    if (Math.abs(millionths) < 9007199254740992.0 && millionths / 1000000.0 == number) {
      long part = state.part + (long)millionths;
      if (Math.abs(part) > 2305843009213693952L) { state.whole = state.whole.add(BigInteger.valueOf(part)); part = 0L; }
      state.part = part;
    } else {
      long bits = Double.doubleToRawLongBits(number);
      int exponent = (int)((bits >> 52) & 2047L);
      long mantissa = (bits & 4503599627370495L) + (exponent == 0 ? 0L : 4503599627370496L);
      int power = (exponent == 0 ? 1 : exponent) - 1075;
      BigDecimal exact = BigDecimal.valueOf(number < 0.0 ? -mantissa : mantissa);
      BigDecimal base = new BigDecimal(power < 0 ? "0.5" : "2");
      state.rest = state.rest.add(exact.multiply(base.pow(power < 0 ? -power : power)));
    }
  }
  isFirst = true;
  long lastLarge = 0L;
  for (def value : doc[params.large]) {
    long number = ((Number)value).longValue();
    if (!isFirst && number == lastLarge) { continue; }
    isFirst = false;
    lastLarge = number;
    state.count = state.count + 1L;
    if (state.lowest == null || number < state.lowest) { state.lowest = number; }
    if (state.highest == null || number > state.highest) { state.highest = number; }
    state.whole = state.whole.add(BigInteger.valueOf(number).multiply(BigInteger.valueOf(1000000L)));
  }`

const dateScript = `
  boolean isFirst = true;
  long last = 0L;
  for (def value : doc[params.column]) {
    long moment = ((Number)value).longValue();
    if (!isFirst && moment == last) { continue; }
    isFirst = false;
    last = moment;
    state.count = state.count + 1L;
    if (state.min == null || moment < state.min) { state.min = moment; }
    if (state.max == null || moment > state.max) { state.max = moment; }
    state.whole = state.whole.add(BigInteger.valueOf(moment));
  }`

const shardScript = `
  return ['count': state.count, 'min': state.min, 'max': state.max, 'lowest': state.lowest, 'highest': state.highest, 'rest': state.rest.toString(),
    'millionths': state.whole.add(BigInteger.valueOf(state.part)).toString()];`

const reduceScript = (isDate: boolean) => `
  long count = 0L; def min = null; def max = null; def lowest = null; def highest = null;
  BigInteger millionths = BigInteger.ZERO; BigDecimal rest = BigDecimal.ZERO;
  for (def state : states) {
    if (state == null) { continue; }
    count += state.count;
    if (state.min != null && (min == null || state.min < min)) { min = state.min; }
    if (state.max != null && (max == null || state.max > max)) { max = state.max; }
    if (state.lowest != null && (lowest == null || state.lowest < lowest)) { lowest = state.lowest; }
    if (state.highest != null && (highest == null || state.highest > highest)) { highest = state.highest; }
    millionths = millionths.add(new BigInteger(state.millionths));
    rest = rest.add(new BigDecimal(state.rest));
  }
  ${
    isDate
      ? `return ['count': count, 'min': min == null ? null : min.toString(), 'max': max == null ? null : max.toString(),
          'millionths': millionths.toString()];`
      : `BigDecimal decimal = new BigDecimal(millionths.toString()).movePointLeft(6);
        double sum = rest.add(decimal).doubleValue();
        if (lowest != null && (min == null || min >= (double)lowest)) { min = lowest.toString(); }
        if (highest != null && (max == null || max < (double)highest)) { max = highest.toString(); }
        return ['count': count, 'min': min, 'max': max, 'millionths': '0', 'sum': sum];`
  }`

/** Throws `unsupported` for a field that is no number or date. */
export function summaryAggregation(field: SearchField): object {
  const { name, type } = field
  if (type !== 'number' && type !== 'date')
    throw new EngineError(
      'unsupported',
      `the OpenSearch engine has no statistics of \`${name}\`, a ${type} field`,
    )
  return {
    scripted_metric: {
      init_script: startScript,
      map_script: type === 'date' ? dateScript : numberScript,
      combine_script: shardScript,
      reduce_script: reduceScript(type === 'date'),
      params: { column: field.column, large: column.large(field) },
    },
  }
}

export function readSummary({ type }: SearchField, aggregation: unknown): FacetSummary {
  // The scripts above return it. Without shards there is no value.
  const totals = (aggregation as { value?: Totals | null } | undefined)?.value
  const count = totals?.count ?? 0
  const empty = { min: null, max: null, average: null, count }
  if (type === 'date') {
    if (!totals || count === 0) return { ...empty, sum: null }
    const text = (moment: number | string | null) => dateText(BigInt(moment ?? 0))
    const average = dateText(divideDown(BigInt(totals.millionths), BigInt(count)))
    return { min: text(totals.min), max: text(totals.max), sum: null, average, count }
  }
  const sum = Number(totals?.sum ?? 0)
  if (!totals || count === 0) return { ...empty, sum: 0 }
  const finiteSum = Number.isFinite(sum) ? sum : null
  return {
    min: readEnd(totals.min),
    max: readEnd(totals.max),
    sum: finiteSum,
    average: finiteSum === null ? null : finiteSum / count,
    count,
  }
}

/** A large whole number is a text. */
const readEnd = (end: Totals['min']): number | object =>
  typeof end === 'string' && /^-?\d+$/.test(end) ? makeRawNumber(end) : Number(end)

const divideDown = (number: bigint, divisor: bigint): bigint => {
  const quotient = number / divisor
  return number % divisor < 0n ? quotient - 1n : quotient
}
