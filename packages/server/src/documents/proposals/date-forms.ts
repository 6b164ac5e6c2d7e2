/** Dates as people write them, the likelier first where both fit. One digit may stand for two. */
const dayForms = [
  'dd.MM.yyyy',
  'MM/dd/yyyy',
  'dd/MM/yyyy',
  'yyyy/MM/dd',
  'dd-MM-yyyy',
  'MM-dd-yyyy',
  'yyyy.MM.dd',
  'MMM dd yyyy',
  'MMM dd, yyyy',
  'dd MMM yyyy',
  'dd-MMM-yyyy',
  'dd-MMM-yy',
  'dd/MMM/yyyy',
  'dd/MMM/yy',
  'dd. MMM yyyy',
  'MM/dd/yy',
  'dd/MM/yy',
  'dd.MM.yy',
  'dd-MM-yy',
  'dd. MM. yyyy',
]
const rareDayForms = [
  'yyyy MMM dd',
  'yyyy-MMM-dd',
  'yyyy. MM. dd',
  'yyyy. MM. dd.',
  'yyyy. MMM dd.',
  "yyyy'年'MM'月'dd'日'",
  "yyyy'년' MM'월' dd'일'",
  "dd 'of' MMM yyyy",
  "dd 'de' MMM 'de' yyyy",
  "dd MMM yyyy 'г'.",
  "'den' dd MMM yyyy",
]
/** Months are tried last. */
const monthForms = [
  'yyyy-MM',
  'yyyy/MM',
  'yyyy.MM',
  'MM/yyyy',
  'MM-yyyy',
  'MMM yyyy',
  'yyyy MMM',
  'MMM-yy',
  'MMM yy',
]
const timeForms = ['HH:mm', 'HH:mm:ss', 'HH:mm a', 'HH:mm:ss a']

export const dateForms: readonly string[] = [
  ...dayForms,
  'yyyy-MM-dd HH:mm',
  'yyyy-MM-dd HH:mm:ss',
  "yyyy-MM-dd'T'HH:mm",
  "yyyy-MM-dd'T'HH:mm:ss",
  ...dayForms.flatMap(day => timeForms.map(time => `${day} ${time}`)),
  ...rareDayForms,
  ...['MM/dd/yyyy', 'dd.MM.yyyy', 'dd/MM/yyyy'].flatMap(day => timeForms.map(time => `${day}, ${time}`)),
  ...['HH:mm a', 'HH:mm:ss a'].map(time => `yyyy-MM-dd ${time}`),
  ...['MMM dd, yyyy', 'MMM dd yyyy'].map(day => `${day} 'at' HH:mm a`),
  "dd.MM.yyyy HH:mm 'Uhr'",
  'HH:mm dd.MM.yyyy',
  'MMM dd HH:mm:ss yyyy',
  'dd/MMM/yyyy:HH:mm:ss',
  "yyyyMMdd'T'HHmmss",
  ...monthForms,
]

/** A number of eight digits that is a day. */
export const digitForm = 'yyyyMMdd'
