/** Multiplies scores by tuple lists and boosts, and places pinned and buried documents. */
import { boostNumberMax } from '#engines/engine'
import { distanceSource, type Factor } from './conditions.ts'
import type { Clause } from './values.ts'

/** Pinned ids with their places, and buried ids. */
export interface Placed {
  pinned: Map<string, number>
  buried: string[]
}

interface Multiplied {
  factors: readonly Factor[]
  constant: number
  placed: Placed
}

/** Scores of pinned documents start here; no other score comes near. */
const pinnedScore = 1e30
/** Boosts cannot raise a score above this, which keeps pinned documents first. */
const computedScoreMax = 1e29
/** Factor for the scores of buried documents. */
const buriedFactor = 1e-20

/** Multiplies the scores of a query by the factors and the constant, and then moves pinned documents first and buried ones last. */
export function multiplyFactors(query: Clause, { factors, constant, placed }: Multiplied): Clause {
  const isPlaced = placed.pinned.size + placed.buried.length > 0
  if (factors.length === 0 && constant === 1 && !isPlaced) return query
  const last = Math.max(0, ...placed.pinned.values())
  const params = {
    factors,
    constant,
    placed: isPlaced,
    pinned: Object.fromEntries(
      [...placed.pinned].map(([id, place]) => [id, pinnedScore * (1 + last - place)]),
    ),
    buried: Object.fromEntries(placed.buried.map(id => [id, true])),
  }
  return { script_score: { query, script: { source: factorSource, params } } }
}

/** A function that multiplies a score by factors. */
export const multiplySource = `${distanceSource}
  double multiply(double start, def factors, def doc) {
  double score = start;
  for (def factor : factors) {
    double best = 0;
    def values = doc[factor.column];
    if (factor.kind == 'growth') {
      double number = 0;
      for (def value : values) { number = Math.max(number, Math.min(((Number)value).doubleValue(), ${boostNumberMax}L)); }
      best = 1 + (factor.log ? Math.log10(1 + number) : number);
    } else if (factor.kind == 'age') {
      for (def value : values) {
        double age = Math.max(0.0, ((Number)factor.nowMs).doubleValue() - ((Number)value).longValue() / 1000.0);
        best = Math.max(best, 1 + Math.pow(0.5, age / ((Number)factor.halfLifeMs).doubleValue()));
      }
    } else if (factor.kind == 'proximity') {
      for (def value : values) {
        double away = meters(((Number)factor.lat).doubleValue(), ((Number)factor.lon).doubleValue(), value);
        best = Math.max(best, 1 + Math.pow(0.5, away / ((Number)factor.halfMeters).doubleValue()));
      }
    } else if (factor.kind == 'text') {
      for (def value : values) {
        def own = factor.scores[value.toString()];
        if (own != null && ((Number)own).doubleValue() > best) { best = ((Number)own).doubleValue(); }
      }
    } else {
      for (def value : values) {
        for (int at = 0; at < factor.scores.size(); at++) {
          boolean has = false;
          if (factor.kind == 'number') {
            has = ((Number)value).doubleValue() == ((Number)factor.values[at]).doubleValue();
          } else if (factor.kind == 'moments') {
            long moment = ((Number)value).longValue();
            has = moment >= Long.parseLong(factor.from[at]) && moment <= Long.parseLong(factor.to[at]);
          } else {
            def circle = factor.circles[at];
            has = meters(((Number)circle[0]).doubleValue(), ((Number)circle[1]).doubleValue(), value) <= ((Number)circle[2]).doubleValue();
          }
          double own = ((Number)factor.scores[at]).doubleValue();
          if (has && own > best) { best = own; }
        }
      }
    }
    // A boost does not change documents without a value.
    score *= best == 0 ? 1 : best;
  }
  return score;
  }`

const factorSource = `${multiplySource}
  double score = multiply(_score, params.factors, doc);
  score = Math.min(score * params.constant, ${computedScoreMax});
  if (params.placed) {
    def id = doc['id'].value;
    def first = params.pinned[id];
    if (first != null) { return ((Number)first).doubleValue(); }
    if (params.buried[id] != null) { score *= ${buriedFactor}; }
  }
  return score;`
