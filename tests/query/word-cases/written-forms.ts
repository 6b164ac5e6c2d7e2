/** Numbers, abbreviations and words in forms that few people type. */
import type { WordCases } from './case.ts'

export const writtenFormCases: readonly WordCases[] = [
  {
    language: 'english',
    titles: {
      fantasy: 'Fantasy Ⅳ',
      step: 'Step ① open',
      percent: 'Save 50 % today',
      fifty: 'Fifty 50 ways',
      euro: 'Coupon 20 €',
      twenty: 'Top 20',
      vitamin: 'Vitamin C',
      brian: 'Ó Briain',
    },
    find: { 'fantasy iv': 'fantasy', 'step 1': 'step', vitaminc: 'vitamin', obriain: 'brian' },
    first: { '50%': 'percent', '50 %': 'percent', '€20': 'euro', '€ 20': 'euro', '20€': 'euro' },
    untyped: ['fantasy', 'step', 'percent', 'fifty', 'euro', 'twenty', 'vitamin', 'brian'],
  },
  {
    language: 'german',
    titles: { example: 'z. B. ein Beispiel', exact: 'd. h. genau' },
    find: { 'zb beispiel': 'example', 'dh genau': 'exact' },
    untyped: ['example', 'exact'],
  },
  {
    language: 'russian',
    titles: { again: 'Ещё раз', black: 'ЧЁРНЫЙ КОТ' },
    find: { еще: 'again', 'ЕЩЕ РАЗ': 'again', 'черный кот': 'black', чёрный: 'black' },
    untyped: ['again', 'black'],
  },
  {
    language: 'arabic',
    titles: { quran: 'القرآن الكريم', cars: 'والسيارات', language: 'اللّغة العربية' },
    find: { قرآن: 'quran', القران: 'quran', سيارة: 'cars', لغة: 'language' },
    untyped: ['quran', 'cars', 'language'],
  },
  {
    language: 'dutch',
    titles: { ticket: 'Bioscoopkaartje', cake: 'Verjaardagstaartje', chair: 'Stoeltje' },
    find: { kaart: 'ticket', taart: 'cake', stoel: 'chair' },
    untyped: ['ticket', 'cake', 'chair'],
  },
  {
    language: 'general',
    titles: { violin: 'ヴァイオリン協奏曲', bag: 'ルイ・ヴィトン' },
    find: { バイオリン: 'violin', ヴァイオリン: 'violin', ルイビトン: 'bag' },
    untyped: ['violin', 'bag'],
  },
  {
    language: 'portuguese',
    titles: { city: 'São Paulo' },
    find: { saopaulo: 'city' },
  },
]
