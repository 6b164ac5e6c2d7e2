/** Mistyped words that punctuation divides, and texts of stop words. */
import type { WordCases } from './case.ts'

export const halfTypedCases: readonly WordCases[] = [
  {
    language: 'english',
    titles: {
      guide: 'A guide to open source',
      source: 'Open source software for schools and libraries',
      debug: 'node-debug tools for many people',
      bindings: 'Fast node bindings',
      spider: 'Spider-Man',
      web: 'Spider web',
      conan: "Conan O'Brien",
      dangelo: "D'Angelo Russell",
      mail: 'E-mail address',
      shirt: 'White T-shirt',
    },
    find: { spiderman: 'spider', obrien: 'conan' },
    first: { 'open sou': 'source', 'open source': 'source' },
    typos: {
      spidreman: 'spider',
      spideman: 'spider',
      spiderrman: 'spider',
      obrein: 'conan',
      dangleo: 'dangelo',
      emial: 'mail',
      tshrit: 'shirt',
    },
  },
  {
    language: 'spanish',
    titles: { know: 'Sé lo que hiciste', left: 'Se fue de casa', not: 'Aún no' },
    find: { 'se lo': 'know', 'se lo que': 'know', 'sé lo que': 'know', 'aun no': 'not' },
  },
]
