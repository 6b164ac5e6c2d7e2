/** How people write currencies beside numbers, as parts of regular expressions with the flag u. */

/** Signs, also with letters as in `R$` and `US$`, and codes of ISO 4217. */
export const currency = String.raw`(?:\p{Lu}{0,3}\p{Sc}|USD|EUR|GBP|JPY|CNY|INR|CHF|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|UAH|BRL|MXN|ZAR|KRW)`
/** Names that stand apart from the number: `12Ft` may be a length. */
export const currencyName = String.raw`(?:zł|Kč|kr\.?|Ft|lei|TL|руб\.?|грн\.?)`
